#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the class that `predict` reports follows from the loss of the training."""
import json
import math
import os
import shutil
import subprocess

from program import STRATA, ProgramTest, main, write_safetensors


class Predict(ProgramTest):
    def answers(self, loss, activation, rows, y, units):
        path = self.folder / "project.json"
        path.write_text(
            json.dumps(
                {
                    "format": "strata-project",
                    "version": 1,
                    "data": {"source": {"type": "values", "x": [[1.0], [2.0]], "y": y}},
                    "model": {
                        "layers": [
                            {"type": "Input", "name": "x", "shape": [1]},
                            {
                                "type": "Dense",
                                "name": "out",
                                "units": units,
                                "activation": activation,
                            },
                        ]
                    },
                    "training": {"loss": loss, "optimizer": "sgd", "batch_size": 2},
                }
            )
        )
        weights = self.folder / "w.safetensors"
        write_safetensors(
            weights,
            {
                "out/kernel": ([1, units], [float(i + 1) for i in range(units)]),
                "out/bias": ([units], [0.0] * units),
            },
        )
        table = self.folder / "rows.csv"
        table.write_text("".join(f"{row}\n" for row in rows))
        found = self.succeed("predict", path, "--weights", weights, table, "--json").json
        return [(a["label"], a["probability"]) for a in found]

    def check(self, found, expected):
        self.assertEqual([label for label, _ in found], [label for label, _ in expected])
        for (_, got), (_, wanted) in zip(found, expected):
            self.assertTrue(got == wanted or abs(got - wanted) < 1e-5, (found, expected))

    def test_one_of_several_classes(self):
        # This is the largest element of softmax(1, 2, 3).
        top = 1 / (1 + math.exp(-1) + math.exp(-2))
        expected = [("2", top), ("0", top)]
        one_hot = [[1, 0, 0], [0, 0, 1]]
        self.check(
            self.answers("categorical_crossentropy", "softmax", [1, -1], one_hot, 3), expected
        )
        self.check(
            self.answers(
                {"type": "categorical_crossentropy", "from_logits": True},
                "linear",
                [1, -1],
                one_hot,
                3,
            ),
            expected,
        )
        self.check(
            self.answers("sparse_categorical_crossentropy", "softmax", [1, -1], [0, 2], 3), expected
        )
        self.check(
            self.answers(
                {"type": "sparse_categorical_crossentropy", "from_logits": True},
                "linear",
                [1, -1],
                [0, 2],
                3,
            ),
            expected,
        )

    def test_two_classes(self):
        expected = [("1", 1 / (1 + math.exp(-1))), ("0", 1 / (1 + math.exp(-2)))]
        self.check(self.answers("binary_crossentropy", "sigmoid", [1, -2], [[0], [1]], 1), expected)
        self.check(
            self.answers(
                {"type": "binary_crossentropy", "from_logits": True},
                "linear",
                [1, -2],
                [[0], [1]],
                1,
            ),
            expected,
        )

    def test_a_file_whose_name_is_not_utf8(self):
        self.answers("mean_squared_error", "linear", [1], [[0], [1]], 1)
        odd = os.fsencode(self.folder) + b"/odd\xff.csv"
        shutil.copy(self.folder / "rows.csv", odd)
        done = subprocess.run(
            [
                str(STRATA),
                "predict",
                self.folder / "project.json",
                "--weights",
                self.folder / "w.safetensors",
                odd,
                "--json",
            ],
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout)[0]["output"], [1.0])

    def test_outputs_without_a_class(self):
        nothing = [(None, None)]
        self.check(self.answers("mean_squared_error", "linear", [1], [[0, 1], [1, 0]], 2), nothing)
        # The two units are independent binary outputs, so the sample has no class.
        self.check(
            self.answers("binary_crossentropy", "sigmoid", [1], [[0, 1], [1, 0]], 2), nothing
        )


if __name__ == "__main__":
    main()
