#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests projects of a few MB with very many entries: each is checked within the limits of
SECURITY.md, and at most 50 problems are printed."""
import json
import os
import subprocess
import time

from program import STRATA, ProgramTest, main

SECONDS, BYTES = 20, 512 << 20
INPUT = {"type": "Input", "name": "x", "shape": [8]}
OUT = {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}
# More than the limit of 100,000
MANY = 300_000


def layers(count, layer):
    return {"/model/layers": [INPUT, *(layer(i) for i in range(count)), OUT]}


class ManyEntries(ProgramTest):
    def checked(self, changes):
        """Checks a project, and returns the exit code, the problems and their number of lines."""
        path = self.project("linear-regression", {
            "/data/source": {"type": "random", "samples": 8, "shape": [8], "classes": 3},
            "/data/transforms": [], "/data/validation_split": 0, "/model/layers": [INPUT, OUT],
            "/training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd",
                          "batch_size": 4, "epochs": 1, "seed": 1},
            **changes,
        }, to="many")  # fmt: skip
        path.write_text(json.dumps(json.loads(path.read_text()), separators=(",", ":")))
        started = time.monotonic()
        with open(self.folder / "errors", "w+") as errors:
            process = subprocess.Popen([STRATA, "check", path], stdout=subprocess.DEVNULL,
                                       stderr=errors)  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            lines = errors.read().splitlines()
        seconds = min(time.monotonic() - started, usage.ru_utime + usage.ru_stime)
        self.assertLess(seconds, SECONDS)
        self.assertLess(usage.ru_maxrss << 10, BYTES)
        self.assertLessEqual(len(lines), 51)
        return process.returncode, lines

    def refused(self, text, changes):
        code, lines = self.checked(changes)
        self.assertEqual(code, 2, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(text, lines[0])

    def test_more_layers_than_allowed(self):
        text = "too many layers (expected at most 100000)"
        self.refused(text, layers(MANY, lambda i: {"type": "ReLU"}))
        self.refused(text, layers(MANY, lambda i: {"type": "ReLU", "name": f"r{i}"}))
        self.refused(text, layers(MANY // 2, lambda i: {
            "type": "Block", "name": f"b{i}", "layers": [{"type": "ReLU", "name": "r"}]
        }))  # fmt: skip
        self.refused(text, {"/model/layers": [INPUT, {"type": "Block", "name": "b", "layers": [
            {"type": "ReLU", "name": f"r{i}"} for i in range(MANY)]}, OUT]})  # fmt: skip

    def test_as_many_layers_as_allowed(self):
        code, lines = self.checked(layers(99_000, lambda i: {"type": "ReLU"}))
        self.assertEqual(code, 2)
        self.assertEqual(len(lines), 51)
        self.assertRegex(lines[-1], r"[\d,]+ more problems are not shown\.$")
        code, lines = self.checked(layers(99_000, lambda i: {"type": "ReLU", "name": f"r{i}"}))
        self.assertEqual((code, lines), (0, []))

    def test_lists_of_the_training_and_the_data(self):
        for name, most, entry in (
            ("/training/stages", 100, {"epochs": 1, "trainable": ["out"]}),
            ("/training/callbacks", 100, {"type": "EarlyStopping", "monitor": "loss"}),
            ("/training/changes", 1000, {"step": 1, "name": "learning_rate", "value": 0.1}),
            ("/training/metrics", 100, "accuracy"),
            ("/data/transforms", 100, {"type": "rescale", "scale": 0.5}),
        ):
            with self.subTest(name):
                self.refused(f"has 100000 entries (expected at most {most})",
                             {name: [entry] * 100_000})  # fmt: skip
                self.refused(f"has {most + 1} entries", {name: [entry] * (most + 1)})
                _, lines = self.checked({name: [entry] * most})
                self.assertNotIn("entries (expected", " ".join(lines))

    def test_unknown_fields(self):
        code, lines = self.checked({"/training": {
            "loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "batch_size": 4,
            "epochs": 1, "seed": 1, **{f"k{i}": 1 for i in range(1_000_000)}}})  # fmt: skip
        self.assertEqual((code, len(lines)), (0, 51))
        answer = self.succeed("check", "--json", self.folder / "many.json").json
        self.assertEqual((len(answer["problems"]), answer["hidden_problems"]), (50, 51))

    def test_other_lists(self):
        count = 100_000
        for name, value in (
            ("/training/stages", [{"epochs": 1, "frozen": ["out"] * count}, {}]),
            ("/training/stages", [{"epochs": 1, "frozen": [f"q{i}" for i in range(count)]}, {}]),
            ("/training/loss", {f"o{i}": "mse" for i in range(count)}),
            ("/training/class_weight", {str(i): 1 for i in range(count)}),
            ("/training/validation_freq", list(range(1, count))),
            ("/execution", {"disabled_passes": [f"p{i}" for i in range(count)]}),
            ("/execution", {"algorithms": {f"p{i}": "x" for i in range(count)}}),
            ("/model/layers", [INPUT, {"type": "Add", "name": "a", "inputs": ["x"] * count}, OUT]),
            ("/model/layers", [INPUT, {**OUT, **{f"f{i}": 1 for i in range(count)}}]),
        ):
            with self.subTest(name, value=str(value)[:40]):
                self.checked({name: value})

    def test_many_outputs(self):
        outputs = [{**OUT, "name": f"o{i}", "inputs": ["x"]} for i in range(5000)]
        self.checked({
            "/model/layers": [INPUT, *outputs],
            "/training/loss": {each["name"]: "mse" for each in outputs},
            "/data/source": {"type": "numpy", "x": "x.npy",
                             "y": {each["name"]: "y.npy" for each in outputs}},
        })  # fmt: skip


if __name__ == "__main__":
    main()
