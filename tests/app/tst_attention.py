#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which kernels compute attention on simulated cards: strata plan names them, and a run
records whether its bits may change from run to run."""
import json
import unittest

from program import ProgramTest, events, main, strata

CARD = "simulated:H100"
EXAMINED = strata("doctor", "--json").json
PARTS = {f["part"]: f for d in EXAMINED["devices"] if d["device"] == "cuda" for f in d["findings"]}
IS_USABLE = (
    strata("devices", "--json").json["simulated"]["usable"] and PARTS["cuDNN"]["state"] == "ok"
)


def project(steps, batch, heads=12, samples=None, **execution):
    """A project with one self-attention layer with heads of 64 elements."""
    width = 16
    return {
        "format": "strata-project",
        "version": 1,
        "name": "Attention",
        "data": {
            "source": {
                "type": "random",
                "samples": samples or batch,
                "shape": [steps, width],
                "classes": 3,
                "seed": 4,
            }
        },
        "model": {
            "layers": [
                {"type": "Input", "name": "x", "shape": [steps, width]},
                {
                    "type": "MultiHeadAttention",
                    "name": "attend",
                    "inputs": ["x", "x"],
                    "num_heads": heads,
                    "key_dim": 64,
                },
                {"type": "Flatten", "name": "flat"},
                {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
            ]
        },
        "training": {
            "loss": "sparse_categorical_crossentropy",
            "optimizer": {"type": "sgd", "learning_rate": 0.01},
            "batch_size": batch,
            "epochs": 1,
            "seed": 5,
        },
        "execution": {"precision": "bfloat16", **execution},
    }


@unittest.skipUnless(IS_USABLE, "needs simulated cards and cuDNN")
class Attention(ProgramTest):
    def write(self, *sizes, **options):
        path = self.folder / "attention.json"
        path.write_text(json.dumps(project(*sizes, **options)))
        return path

    def paths(self, path, *words):
        plan = self.succeed("plan", path, "--device", CARD, "--json", *words).json
        self.assertTrue(all(each["layer"] == "attend" for each in plan["paths"]), plan["paths"])
        return plan, {each["op"]: each for each in plan["paths"]}

    def test_a_plan_names_the_kernels_of_attention(self):
        for steps, batch in ((128, 64), (1024, 11), (4096, 1), (4096, 11)):
            with self.subTest(steps=steps, batch=batch):
                _, paths = self.paths(self.write(steps, batch))
                self.assertEqual(set(paths), {"attention", "attention_backward"})
                self.assertEqual(paths["attention"]["path"], "cuDNN fused")
                self.assertRegex(
                    paths["attention_backward"]["path"], r"^cuDNN fused( in \d+ parts)?$"
                )
                for each in paths.values():
                    self.assertIsNone(each["reason"])
                    self.assertTrue(each["deterministic"])
        # The workspace of the whole batch exceeds the limit
        self.assertRegex(paths["attention_backward"]["path"], r"in \d+ parts$")

    def test_a_plan_says_why_own_kernels_compute_attention(self):
        path = self.write(32, 4, heads=2)
        _, paths = self.paths(path, "--precision", "float32")
        for each in paths.values():
            self.assertEqual(each["path"], "own kernel")
            self.assertEqual(each["reason"], "cuDNN has no attention in float32")
        out = self.succeed("plan", path, "--device", CARD, "--precision", "float32").out
        self.assertIn(
            "The op attention_backward of attend: own kernel, because cuDNN has no attention in "
            "float32\n",
            out,
        )
        # Other devices have one kind of kernel
        plan = self.succeed("plan", path, "--device", "cpu", "--json").json
        self.assertEqual(plan["paths"], [])

    def test_attention_in_any_order_needs_less_memory(self):
        path = self.write(2048, 4)
        whole, _ = self.paths(path)
        less, paths = self.paths(path, "--deterministic-attention", "false")
        backward = paths["attention_backward"]
        self.assertEqual(backward["path"], "cuDNN fused, not deterministic")
        self.assertFalse(backward["deterministic"])
        self.assertTrue(paths["attention"]["deterministic"])
        self.assertLess(less["peak_bytes"], whole["peak_bytes"])

    def train(self, path, name, *words):
        run = self.folder / name
        answer = strata("train", path, "--device", CARD, "--run-dir", run, *words)
        self.assertEqual(answer.code, 0, answer)
        kernels = json.loads((run / "choices.json").read_text())["kernels"]
        (backward,) = [
            each["implementation"] for each in kernels if each["op"] == "attention_backward"
        ]
        return run, json.loads((run / "environment.json").read_text()), backward

    def test_a_run_records_whether_its_bits_may_change(self):
        path = self.write(16, 4, heads=2, samples=8)
        _, environment, backward = self.train(path, "same")
        self.assertIs(environment["deterministic"], True)
        self.assertNotIn("not deterministic", backward)
        run, environment, backward = self.train(
            path, "other", "--deterministic-attention", "false", "--steps", "1"
        )
        self.assertIs(environment["deterministic"], False)
        self.assertRegex(backward, r"^cuDNN eng.*, not deterministic$")
        stored = json.loads((run / "project.json").read_text())
        self.assertIs(stored["execution"]["deterministic_attention"], False)
        # A continued run keeps the choice
        refused = strata(
            *("train", path, "--resume", run, "--deterministic-attention", "true", "--steps", "2")
        )
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("the run was started with false, which cannot be changed", refused.err)
        self.succeed("train", path, "--resume", run, "--steps", "2")
        environment = json.loads((run / "environment.json").read_text())
        self.assertIs(environment["deterministic"], False)

    def test_a_run_takes_the_memory_of_its_plan(self):
        path = self.write(16, 4, heads=2, samples=8)
        peaks = set()
        for choice in ("true", "false"):
            words = ("--device", CARD, "--deterministic-attention", choice)
            plan = self.succeed("plan", path, "--json", *words).json
            log = self.folder / f"{choice}.jsonl"
            run = self.folder / f"run-{choice}"
            self.succeed("train", path, "--run-dir", run, "--events", log, *words)
            found = events(log)
            self.assertEqual(found[0]["planned_peak_bytes"], plan["peak_bytes"])
            self.assertEqual(found[-1]["peak_bytes"], plan["peak_bytes"])
            peaks.add(plan["peak_bytes"])
        self.assertEqual(len(peaks), 2)

    def test_a_run_without_such_kernels_is_deterministic(self):
        path = self.write(16, 4, heads=2, samples=8, deterministic_attention=False)
        run = self.folder / "cpu"
        self.succeed("train", path, "--device", "cpu", "--run-dir", run)
        self.assertIs(json.loads((run / "environment.json").read_text())["deterministic"], True)

    def test_a_wrong_value_is_one_error(self):
        path = self.write(16, 4, heads=2, deterministic_attention="sometimes")
        answer = strata("check", path)
        self.assertEqual(answer.code, 2, answer)
        (line,) = [each for each in answer.err.splitlines() if "deterministic_attention" in each]
        self.assertIn("true or false", line)
        answer = strata("train", path, "--deterministic-attention", "maybe")
        self.assertEqual(answer.code, 2, answer)


if __name__ == "__main__":
    main()
