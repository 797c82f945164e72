#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that a run which was killed with SIGKILL and resumed is bit-identical to an uninterrupted
run. This covers optimizers, schedules, callbacks and stages. STRATA_FULL=1 tests every optimizer
and schedule that `strata layers` lists, otherwise only some are tested. STRATA_SEED determines the
times of the kills."""
import json
import os
import random
import signal
import subprocess
import time

from program import STRATA, ProgramTest, events, history, last, main, read_safetensors, strata

FULL = os.environ.get("STRATA_FULL") == "1"
SEED = int(os.environ.get("STRATA_SEED", time.time_ns() % 10**6))
SOME_OPTIMIZERS = ("adam", "nadam", "ftrl", "muon")
SOME_SCHEDULES = ("CosineDecayRestarts", "OneCycleLR")
# The number of epochs is increased until an uninterrupted run takes at least this many seconds, so
# that a kill interrupts it.
EPOCHS = 60
SECONDS = 0.5

LAYERS = [
    {"type": "Input", "name": "x", "shape": [8]},
    {"type": "Dense", "name": "first", "units": 24, "activation": "tanh"},
    {"type": "BatchNormalization", "name": "norm"},
    {"type": "Dropout", "name": "drop", "rate": 0.2},
    {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"},
]
SCHEDULES = {
    "ExponentialDecay": {"initial_learning_rate": 0.01, "decay_steps": 300, "decay_rate": 0.8},
    "PiecewiseConstantDecay": {"boundaries": [100, 400], "values": [0.01, 0.005, 0.001]},
    "PolynomialDecay": {
        "initial_learning_rate": 0.01,
        "decay_steps": 900,
        "power": 2.0,
        "cycle": True,
    },
    "InverseTimeDecay": {"initial_learning_rate": 0.01, "decay_steps": 100, "decay_rate": 0.5},
    "CosineDecay": {
        "initial_learning_rate": 0.0,
        "decay_steps": 2000,
        "warmup_target": 0.01,
        "warmup_steps": 200,
    },
    "CosineDecayRestarts": {"initial_learning_rate": 0.01, "first_decay_steps": 300},
    "StepLR": {"initial_learning_rate": 0.01, "step_size": 200, "gamma": 0.7},
    "OneCycleLR": {"max_lr": 0.02, "total_steps": 3000},
    "LinearWarmup": {
        "warmup_steps": 150,
        "schedule": {
            "type": "ExponentialDecay",
            "initial_learning_rate": 0.01,
            "decay_steps": 200,
            "decay_rate": 0.9,
        },
    },
}


def listed(kind):
    return [entry["type"] for entry in strata("layers", "--json").json[kind]]


class Kill(ProgramTest):
    def make(self, name, training, epochs):
        changes = {
            "/model/layers": LAYERS,
            "/data/source": {
                "type": "random",
                "samples": 400,
                "shape": [8],
                "classes": 4,
                "seed": 3,
            },
            "/data/transforms": [],
            "/data/validation_split": 0.1,
        }
        # Entries that begin with "/" change other parts of the project.
        changes.update(
            {pointer: value for pointer, value in training.items() if pointer.startswith("/")}
        )
        training = {field: value for field, value in training.items() if not field.startswith("/")}
        base = {
            "loss": "sparse_categorical_crossentropy",
            "metrics": ["accuracy"],
            "batch_size": 24,
            "seed": 11,
            "epochs": epochs,
        }
        return self.project("mnist-cnn", {**changes, "/training": {**base, **training}}, to=name)

    def whole(self, name, training):
        """Makes an uninterrupted run that takes long enough to be killed. Returns its project, its
        folder and its last event."""
        epochs = EPOCHS
        while True:
            path, run = self.make(name, training, epochs), self.folder / f"{name}-whole-{epochs}"
            end = self.trained(path, run)
            if end["seconds"] >= SECONDS or epochs >= 100000:
                return path, run, end
            epochs = int(epochs * min(10, max(1.5, 1.3 * SECONDS / max(1e-3, end["seconds"]))))

    def trained(self, path, run, *words):
        self.succeed("train", path, "--threads", 2, "--no-progress", "--run-dir", run, *words)
        return last(events(run / "events.jsonl"), "end")

    def kill(self, command, run, moments):
        """Starts a run and then resumes it repeatedly. Kills each process when the given seconds
        have passed since the first checkpoint. Returns the exit codes."""
        codes = []
        for moment in moments:
            process = subprocess.Popen(
                [
                    str(STRATA),
                    *map(str, command),
                    *(["--resume", str(run)] if codes else ["--run-dir", str(run)]),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            checkpoints, deadline = run / "checkpoints", time.monotonic() + 60
            while (
                not (checkpoints.is_dir() and any(checkpoints.glob("*.safetensors")))
                and process.poll() is None
                and time.monotonic() < deadline
            ):
                time.sleep(0.002)
            time.sleep(moment)
            process.send_signal(signal.SIGKILL)
            codes.append(process.wait())
        return codes

    def check(self, name, training, kills=1):
        moments = random.Random(f"{SEED} {name}")
        path, whole, wanted = self.whole(name, training)
        command = ["train", path, "--threads", 2, "--no-progress"]
        # If a run has ended before it was killed, the next attempt kills earlier.
        for attempt in range(4):
            run = self.folder / f"{name}-killed-{attempt}"
            done = self.kill(
                command,
                run,
                [
                    moments.uniform(0.05, 0.8) * wanted["seconds"] / kills / 2**attempt
                    for _ in range(kills)
                ],
            )
            if -9 in done:
                break
        self.succeed(*command, "--resume", run)
        found = events(run / "events.jsonl")
        end, first = last(found, "end"), last(found, "start")["first_step"]
        print(
            f"{name}: {wanted['steps']} steps, killed {done.count(-9)} times, "
            f"resumed the last time after step {first}",
            flush=True,
        )
        self.assertEqual(end["weights_hash"], wanted["weights_hash"], name)
        self.assertEqual(
            [end.get(k) for k in ("steps", "test_loss", "ended_by", "restored")],
            [wanted.get(k) for k in ("steps", "test_loss", "ended_by", "restored")],
        )
        self.assertEqual(history(run / "history.bin"), history(whole / "history.bin"), name)
        best = [folder / "best.safetensors" for folder in (run, whole)]
        self.assertEqual(best[0].exists(), best[1].exists())
        if best[0].exists():
            self.assertEqual(*map(read_safetensors, best))
        return -9 in done

    def check_all(self, rows):
        killed = 0
        for name, training in rows:
            with self.subTest(name, seed=SEED):
                killed += self.check(name, training)
        self.assertGreater(
            killed, 0.5 * len(rows), "too few of the runs were still at work when they were killed"
        )

    def test_optimizers(self):
        names = listed("optimizers")
        self.assertGreaterEqual(len(names), 14)
        self.check_all(
            [
                (name, {"optimizer": {"type": name, "clipnorm": 1.0}})
                for name in names
                if FULL or name in SOME_OPTIMIZERS
            ]
        )

    def test_optimizers_with_averages(self):
        names = listed("optimizers") if FULL else ["sgd"]
        self.check_all(
            [
                (
                    f"{name}-average",
                    {"optimizer": {"type": name, "use_ema": True, "ema_overwrite_frequency": 50}},
                )
                for name in names
            ]
        )

    def test_schedules(self):
        names = listed("schedules")
        self.assertEqual(sorted(names), sorted(SCHEDULES), "a schedule has no row here")
        self.check_all(
            [
                (
                    name,
                    {
                        "optimizer": {
                            "type": "adam",
                            "learning_rate": {"type": name, **SCHEDULES[name]},
                        }
                    },
                )
                for name in names
                if FULL or name in SOME_SCHEDULES
            ]
        )

    def test_callbacks_and_stages(self):
        training = {
            "optimizer": {"type": "adam", "learning_rate": 0.02},
            "callbacks": [
                {"type": "EarlyStopping", "patience": 10**6, "restore_best_weights": True},
                {"type": "ReduceLROnPlateau", "patience": 2, "factor": 0.9},
                {"type": "ModelCheckpoint", "save_freq": 7, "keep_last": 3, "keep_best": 2},
            ],
            "stages": [
                {"epochs": EPOCHS // 3, "trainable": ["out"]},
                {"epochs": EPOCHS // 3, "learning_rate": 0.01},
                {"frozen": ["first"]},
            ],
            "changes": [
                {"step": 40, "name": "drop/rate", "value": 0.4},
                {"step": 90, "name": "global_clipnorm", "value": 0.5},
            ],
            "steps_per_epoch": 11,
            "validation_freq_steps": 4,
        }
        self.assertTrue(
            self.check("control", training, kills=3), "no run was still at work when it was killed"
        )

    def test_several_outputs(self):
        source, layers = random.Random(2), [
            {"type": "Input", "name": "a", "shape": [4]},
            {"type": "Input", "name": "b", "shape": [3]},
            {"type": "Concatenate", "name": "both", "inputs": ["a", "b"]},
            *LAYERS[1:4],
            {"type": "Dense", "name": "age", "units": 1, "inputs": ["drop"]},
            {
                "type": "Dense",
                "name": "kind",
                "units": 4,
                "activation": "softmax",
                "inputs": ["drop"],
            },
        ]
        rows = {
            name: [[source.gauss(0, 1) for _ in range(size)] for _ in range(200)]
            for name, size in (("a", 4), ("b", 3), ("age", 1))
        }
        values = {
            "type": "values",
            "x": {"a": rows["a"], "b": rows["b"]},
            "y": {"age": rows["age"], "kind": [source.randrange(4) for _ in range(200)]},
        }
        training = {
            "/model/layers": layers,
            "/data/source": values,
            "loss": {"age": "mse", "kind": "sparse_categorical_crossentropy"},
            "loss_weights": {"age": 0.5},
            "metrics": {"kind": ["accuracy"]},
            "optimizer": "adam",
            "callbacks": [
                {
                    "type": "EarlyStopping",
                    "monitor": "val_kind_loss",
                    "patience": 10**6,
                    "restore_best_weights": True,
                }
            ],
        }
        self.assertTrue(
            self.check("outputs", training, kills=2), "no run was still at work when it was killed"
        )


if __name__ == "__main__":
    main()
