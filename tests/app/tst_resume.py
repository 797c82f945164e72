#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that a run which was killed and resumed ends with the same bits as an uninterrupted run.
STRATA_KILLS sets the number of kills (1 by default)."""
import json
import os
import random
import signal
import subprocess
import time

from program import (
    STRATA,
    ProgramTest,
    events,
    history,
    last,
    main,
    read_safetensors,
    strata,
)

KILLS = int(os.environ.get("STRATA_KILLS", "1"))

# The run has dropout, moving statistics of batch normalization, Adam's moments and shuffled data.
# Epochs are short, so checkpoints are frequent.
LAYERS = [
    {"type": "Input", "name": "image", "shape": [28, 28, 1]},
    {"type": "Conv2D", "name": "conv", "filters": 8, "kernel_size": [3, 3], "activation": "relu"},
    {"type": "MaxPooling2D", "name": "pool", "pool_size": [2, 2]},
    {
        "type": "Block",
        "name": "stage",
        "repeat": 2,
        "layers": [
            {
                "type": "DepthwiseConv2D",
                "name": "conv",
                "kernel_size": [3, 3],
                "padding": "same",
                "activation": "relu",
            },
            {"type": "BatchNormalization", "name": "norm"},
            {"type": "Dropout", "name": "drop", "rate": 0.1},
        ],
    },
    {"type": "Flatten", "name": "flat"},
    {"type": "Dropout", "name": "drop", "rate": 0.25},
    {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"},
]
SOURCE = {"type": "random", "samples": 2000, "shape": [28, 28, 1], "classes": 10, "seed": 3}


class RunTest(ProgramTest):
    def make(self, epochs):
        changes = {
            "/model/layers": LAYERS,
            "/data/source": SOURCE,
            "/data/transforms": [],
            "/training/epochs": epochs,
            "/training/batch_size": 48,
        }
        return self.project("mnist-cnn", changes, to="killed")

    def train(self, path, run, *words):
        self.succeed("train", path, "--threads", 2, "--no-progress", "--run-dir", run, *words)


class Resume(RunTest):
    def test_killed_runs_end_with_the_same_bits(self):
        epochs = 6
        path = self.make(epochs)
        started = time.monotonic()
        self.train(path, self.folder / "whole")
        whole = time.monotonic() - started
        # The run must be long enough for a kill in the middle, even on a fast machine.
        while whole < 2.5 and epochs < 3000:
            epochs = int(epochs * min(8, max(1.5, 3.0 / whole)))
            path = self.make(epochs)
            started = time.monotonic()
            self.train(path, self.folder / f"whole-{epochs}")
            whole = time.monotonic() - started
        reference = self.folder / (
            f"whole-{epochs}" if (self.folder / f"whole-{epochs}").exists() else "whole"
        )
        wanted, _ = read_safetensors(reference / "weights.safetensors")
        wanted_events = events(reference / "events.jsonl")
        wanted_history = history(reference / "history.bin")

        seed = int(os.environ.get("STRATA_SEED", time.time_ns() % 10**6))
        print(
            f"{KILLS} kills, seed {seed}, {epochs} epochs, {whole:.1f} s uninterrupted", flush=True
        )
        moments = random.Random(seed)
        for kill in range(KILLS):
            with self.subTest(kill=kill, seed=seed):
                self.assertEqual(
                    self.killed_run(path, kill, moments.uniform(0.1, 0.95) * whole), wanted
                )
                # The events have no gaps or duplicates, and contain the losses of the uninterrupted
                # run.
                found = events(self.runs(path) / "events.jsonl")
                fields = ("epoch", "loss", "val_loss", "metrics")
                epochs_of = [
                    [[e.get(f) for f in fields] for e in those if e["event"] == "epoch"]
                    for those in (found, wanted_events)
                ]
                self.assertEqual(len(epochs_of[1]), epochs)
                self.assertEqual(*epochs_of)
                # The history has a bit-identical record of every step.
                self.assertEqual(
                    [r[0] for r in wanted_history if r[2] == 0],
                    list(range(1, last(wanted_events, "end")["steps"] + 1)),
                )
                self.assertEqual(history(self.runs(path) / "history.bin"), wanted_history)
                self.assertEqual(
                    last(found, "end")["weights_hash"], last(wanted_events, "end")["weights_hash"]
                )

    def runs(self, path):
        return max((path.parent / f"{path.stem}.runs").iterdir())

    def killed_run(self, path, kill, moment):
        """Starts a run in the project's run folder, kills it after `moment` seconds and resumes it.
        Returns the final weights."""
        process = subprocess.Popen(
            [str(STRATA), "train", str(path), "--threads", "2", "--no-progress"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        before = kill
        deadline = time.monotonic() + 60
        folder = path.parent / f"{path.stem}.runs"
        while (
            not (folder.is_dir() and len(list(folder.iterdir())) > before)
            and time.monotonic() < deadline
        ):
            time.sleep(0.005)
        time.sleep(moment)
        finished = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        run = self.runs(path)
        checkpoints = (
            sorted(p.name for p in (run / "checkpoints").iterdir())
            if (run / "checkpoints").is_dir()
            else []
        )
        self.assertFalse(
            finished and process.returncode != 0, "the run to be killed failed by itself"
        )
        answer = self.succeed("train", path, "--threads", 2, "--no-progress", "--resume", "latest")
        print(
            f"kill {kill + 1} after {moment:.2f} s{' (had ended)' if finished else ''}, "
            f"checkpoints {checkpoints}; resumed in {answer.seconds:.1f} s",
            flush=True,
        )
        return read_safetensors(run / "weights.safetensors")[0]

    def test_the_previous_checkpoint_replaces_a_damaged_one(self):
        path = self.make(4)
        self.train(path, self.folder / "whole")
        wanted, _ = read_safetensors(self.folder / "whole" / "weights.safetensors")
        # After the second run, a byte in the middle of its newest checkpoint is damaged.
        self.train(path, self.folder / "cut")
        files = [
            p
            for p in sorted((self.folder / "cut" / "checkpoints").rglob("*"))
            if p.is_file() and p.stat().st_size > 1000
        ]
        self.assertTrue(files, "no checkpoint")
        newest = max(files, key=lambda p: (p.stat().st_mtime_ns, p.name))
        data = bytearray(newest.read_bytes())
        data[len(data) // 2] ^= 0x40
        newest.write_bytes(data)
        answer = self.succeed(
            "train", path, "--threads", 2, "--no-progress", "--resume", self.folder / "cut"
        )
        self.assertIn(
            newest.name, answer.err + answer.out, "nothing is said about the damaged checkpoint"
        )
        self.assertEqual(read_safetensors(self.folder / "cut" / "weights.safetensors")[0], wanted)

    def test_interrupted_by_ctrl_c(self):
        path = self.make(2000)
        process = subprocess.Popen(
            [
                str(STRATA),
                "train",
                str(path),
                "--threads",
                "2",
                "--no-progress",
                "--run-dir",
                str(self.folder / "run"),
                "--events",
                str(self.folder / "events.jsonl"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        file = self.folder / "events.jsonl"
        while (
            not (file.exists() and b'"step":20,' in file.read_bytes().replace(b" ", b""))
            and time.monotonic() < deadline
        ):
            time.sleep(0.02)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertLess(time.monotonic() - started, 3)
        self.assertEqual(process.returncode, 130)
        self.assertTrue(
            (self.folder / "run" / "weights.safetensors").is_file(), "the network is not kept"
        )
        self.assertEqual(last(events(file), "end")["outcome"], "stopped")
        self.assertEqual(
            json.loads((self.folder / "run" / "project.json").read_text())["training"]["epochs"],
            2000,
        )


class Branch(RunTest):
    """A new run that begins with a checkpoint of another one."""

    def test_a_new_run_goes_on_from_an_earlier_checkpoint(self):
        path = self.make(3)
        first = path.parent / "killed.runs" / "001"
        self.train(path, first)
        files = {f: f.read_bytes() for f in sorted(first.rglob("*")) if f.is_file()}
        steps = sorted(int(f.stem) for f in (first / "checkpoints").iterdir())
        self.assertGreaterEqual(len(steps), 2)
        self.succeed(
            "train", path, "--threads", 2, "--no-progress", "--resume", first, "--from-step",
            steps[0],
        )  # fmt: skip
        self.assertEqual(
            {f: f.read_bytes() for f in sorted(first.rglob("*")) if f.is_file()}, files
        )
        second = first.parent / "002"
        self.assertEqual(history(second / "history.bin"), history(first / "history.bin"))
        self.assertEqual(
            read_safetensors(second / "weights.safetensors"),
            read_safetensors(first / "weights.safetensors"),
        )
        origin = json.loads((second / "record.json").read_text())["origin"]
        self.assertEqual(origin, {"run": str(first), "step": steps[0]})
        rows = self.succeed("runs", path, "--json").json["runs"]
        self.assertEqual([row["starts_from"] for row in rows], [str(first), None])
        # The first run cannot be deleted, because the second one starts from it
        refused = strata("runs", "delete", path, "1", "--yes")
        self.assertNotEqual(refused.code, 0, refused)
        self.assertTrue((first / "project.json").is_file())

    def test_wrong_steps_are_refused(self):
        path = self.make(1)
        run = path.parent / "run"
        self.train(path, run)
        answer = strata("train", path, "--resume", run, "--from-step", 7, "--run-dir", "new")
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("has no checkpoint of step 7 (expected one of: ", answer.err)
        answer = strata("train", path, "--from-step", 7)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("expected --resume DIR", answer.err)


if __name__ == "__main__":
    main()
