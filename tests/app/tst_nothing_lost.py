#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests runs with problems: a second process, a full disk, non-finite weights and kills. Nothing
may be lost, no damaged file may be accepted, and messages must go to standard error."""
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import time

from program import (
    STRATA,
    ProgramTest,
    floats,
    last,
    events,
    main,
    read_safetensors,
    strata,
    write_safetensors,
)

SOURCE = {"type": "random", "samples": 600, "shape": [8], "classes": 3, "seed": 3}
LAYERS = [
    {"type": "Input", "name": "x", "shape": [8]},
    {"type": "Dense", "name": "first", "units": 24, "activation": "tanh"},
    {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
]


class NothingLost(ProgramTest):
    def make(self, epochs=3, transforms=(), **training):
        changes = {
            "/model/layers": LAYERS,
            "/data/source": SOURCE,
            "/data/transforms": list(transforms),
            "/data/validation_split": 0.1,
            "/training": {
                "loss": "sparse_categorical_crossentropy",
                "metrics": ["accuracy"],
                "batch_size": 20,
                "seed": 7,
                "epochs": epochs,
                "optimizer": {"type": "adam", "learning_rate": 0.01},
                **training,
            },
        }
        return self.project("mnist-cnn", changes, to="net")

    def train(self, path, run, *words, **more):
        return strata(
            "train",
            path,
            "--threads",
            2,
            "--no-progress",
            *(["--resume", run] if "--resume" in words else ["--run-dir", run]),
            *(w for w in words if w != "--resume"),
            **more,
        )

    def test_resuming_a_running_run_does_not_disturb_it(self):
        path, run = self.make(epochs=200000), self.folder / "run"
        process = subprocess.Popen(
            [
                str(STRATA),
                "train",
                str(path),
                "--threads",
                "2",
                "--no-progress",
                "--run-dir",
                str(run),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            deadline = time.monotonic() + 60
            while not list(run.glob("checkpoints/*.safetensors")) and time.monotonic() < deadline:
                time.sleep(0.01)
            ended = time.monotonic() + 2
            while time.monotonic() < ended:
                answer = self.train(path, run, "--resume")
                self.assertEqual(answer.code, 2, answer)
                self.assertIn("is being trained by another process", answer.err)
                self.assertIsNone(process.poll(), "the run that is being trained failed")
        finally:
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, error)
        self.assertEqual(error, "")

    def test_a_limit_on_file_size_is_a_write_error(self):
        path, run = self.make(), self.folder / "run"
        answer = subprocess.run(
            [
                str(STRATA),
                "train",
                str(path),
                "--threads",
                "2",
                "--no-progress",
                "--run-dir",
                str(run),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
        )
        self.assertEqual(answer.returncode, 1, answer)
        self.assertIn("exceed the size limit", answer.stderr)
        self.assertEqual(len(answer.stderr.splitlines()), 1, answer.stderr)
        self.assertEqual([p.name for p in run.rglob("*.tmp")], [])
        self.assertEqual(self.train(path, run, "--resume").code, 0)

    def test_weights_that_are_not_finite_are_refused(self):
        path, run = self.make(), self.folder / "run"
        self.assertEqual(self.train(path, run).code, 0)
        (self.folder / "row.csv").write_text(",".join(["0.5"] * 8) + "\n")
        good, _ = read_safetensors(run / "weights.safetensors")
        for value in (math.nan, math.inf):
            tensors = {name: (shape, floats((shape, data))) for name, (shape, data) in good.items()}
            tensors["out/kernel"][1][4] = value
            write_safetensors(self.folder / "bad.safetensors", tensors)
            for words in (
                [
                    "predict",
                    path,
                    "--weights",
                    self.folder / "bad.safetensors",
                    self.folder / "row.csv",
                ],
                [
                    "export",
                    path,
                    "--weights",
                    self.folder / "bad.safetensors",
                    "--to",
                    self.folder / "out.safetensors",
                ],
            ):
                answer = strata(*words)
                self.assertEqual(answer.code, 2, answer)
                self.assertIn("out/kernel", answer.err)
                self.assertIn("not finite", answer.err)
                self.assertEqual(answer.out, "")
        self.assertFalse((self.folder / "out.safetensors").exists())

    def test_an_events_pipe_that_nobody_reads(self):
        path = self.make()
        os.mkfifo(self.folder / "pipe")
        answer = self.train(path, self.folder / "run", "--events", self.folder / "pipe", timeout=60)
        self.assertEqual(answer.code, 1, answer)
        self.assertIn("is a pipe that nobody reads", answer.err)

    def test_warnings_go_to_standard_error(self):
        path, run = self.make(), self.folder / "run"
        self.assertEqual(self.train(path, run).code, 0)
        (run / "choices.json").write_text("")
        answer = self.train(path, run, "--resume", "--epochs", 4)
        self.assertEqual(answer.code, 0, answer)
        self.assertIn("choices.json: is empty, so the kernels are timed again", answer.err)
        self.assertNotIn("warning", answer.out)

    def test_a_killed_run_leaves_no_temporary_files_once_resumed(self):
        path, run = (
            self.make(
                epochs=100000,
                callbacks=[{"type": "ModelCheckpoint", "monitor": "loss", "mode": "min"}],
            ),
            self.folder / "run",
        )
        left = 0
        for attempt in range(8):
            words = ["--resume", str(run)] if run.exists() else ["--run-dir", str(run)]
            process = subprocess.Popen(
                [str(STRATA), "train", str(path), "--threads", "2", "--no-progress", *words],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            deadline = time.monotonic() + 60
            while not list(run.glob("checkpoints/*.safetensors")) and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(0.15 + 0.02 * attempt)
            process.kill()
            process.wait()
            left += len(list(run.rglob("*.tmp")))
        (run / "mine.tmp").write_text("mine")
        (run / "best.safetensors.77-1.tmp").write_text("half")
        (run / "checkpoints/000000000001.safetensors.77-1.tmp").write_text("half")
        answer = self.train(path, run, "--resume", "--steps", 1)
        self.assertEqual(answer.code, 0, answer)
        print(f"{left} temporaries left by 8 kills", flush=True)
        self.assertEqual([p.name for p in run.rglob("*.tmp")], ["mine.tmp"])

    def test_flipped_bits_in_a_run_never_change_a_result_silently(self):
        path, run = self.make(transforms=[{"type": "standardize"}]), self.folder / "run"
        self.assertEqual(self.train(path, run, "--steps", 40).code, 0)
        (self.folder / "row.csv").write_text(",".join(["0.5"] * 8) + "\n")
        wanted = strata("predict", path, "--weights", run, self.folder / "row.csv", "--json")
        self.assertEqual(wanted.code, 0, wanted)
        copy = self.folder / "copy"
        shutil.copytree(run, copy)
        self.assertEqual(self.train(path, copy, "--resume", "--steps", 60).code, 0)
        ended = read_safetensors(copy / "weights.safetensors")[0]
        seed = int(os.environ.get("STRATA_SEED", time.time_ns() % 10**6))
        count = int(os.environ.get("STRATA_FLIPS", "3"))
        moments = random.Random(seed)
        print(f"{count} flips a file, seed {seed}", flush=True)
        for name in sorted(
            str(p.relative_to(run)) for p in run.rglob("*") if p.is_file() and p.name != "lock"
        ):
            for _ in range(count):
                shutil.rmtree(copy)
                shutil.copytree(run, copy)
                data = bytearray((copy / name).read_bytes())
                at, bit = moments.randrange(len(data)), moments.randrange(8)
                data[at] ^= 1 << bit
                (copy / name).write_bytes(data)
                with self.subTest(file=name, byte=at, bit=bit, seed=seed):
                    found = strata(
                        "predict", path, "--weights", copy, self.folder / "row.csv", "--json"
                    )
                    self.assertIn(found.code, (0, 2), found)
                    if found.code == 0:
                        self.assertEqual(found.out, wanted.out)
                    answer = self.train(path, copy, "--resume", "--steps", 60)
                    self.assertIn(answer.code, (0, 2), answer)
                    if answer.code == 0 and "choices.json" not in answer.err:
                        self.assertEqual(read_safetensors(copy / "weights.safetensors")[0], ended)
                    if answer.code == 2:
                        self.assertIn(str(copy), answer.err)


if __name__ == "__main__":
    main()
