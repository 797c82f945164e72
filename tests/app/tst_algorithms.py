#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the algorithms of convolutions on simulated cards: listed by strata plan, timed and stored
by a training with the kernel choice "fastest", and pinned in the project."""
import json
import unittest

from program import ProgramTest, events, main, strata

CARD = "simulated:H100"
EXAMINED = strata("doctor", "--json").json
PARTS = {f["part"]: f for d in EXAMINED["devices"] if d["device"] == "cuda" for f in d["findings"]}
IS_USABLE = (
    strata("devices", "--json").json["simulated"]["usable"] and PARTS["cuDNN"]["state"] == "ok"
)
SMALL = {
    "format": "strata-project",
    "version": 1,
    "name": "Small",
    "data": {
        "source": {"type": "random", "samples": 48, "shape": [8, 8, 2], "classes": 3, "seed": 4}
    },
    "model": {
        "layers": [
            {"type": "Input", "name": "image", "shape": [8, 8, 2]},
            {"type": "Conv2D", "name": "conv1", "filters": 4, "kernel_size": [3, 3]},
            {"type": "Conv2D", "name": "conv2", "filters": 4, "kernel_size": [3, 3]},
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
        ]
    },
    "training": {
        "loss": "sparse_categorical_crossentropy",
        "optimizer": {"type": "adam", "learning_rate": 0.01},
        "batch_size": 16,
        "epochs": 2,
        "seed": 5,
    },
}


@unittest.skipUnless(IS_USABLE, "needs simulated cards and cuDNN")
class Algorithms(ProgramTest):
    def project(self, **execution):
        path = self.folder / "small.json"
        path.write_text(json.dumps({**SMALL, "execution": execution}))
        return path

    def train(self, project, name):
        run, log = self.folder / name, self.folder / f"{name}.jsonl"
        answer = strata(
            *("train", project, "--device", CARD, "--run-dir", run, "--events", log),
            env={"XDG_CACHE_HOME": str(self.folder / "cache")},
        )
        self.assertEqual(answer.code, 0, answer)
        losses = [event["loss"] for event in events(log) if event["event"] == "step"]
        self.assertEqual(len(losses), 6)
        return answer, losses

    def algorithms(self, project, device=CARD):
        plan = self.succeed("plan", project, "--device", device, "--json").json
        return {(each["layer"], each["op"]): each for each in plan["algorithms"]}

    def test_a_plan_lists_algorithms_and_workspaces(self):
        listed = self.algorithms(self.project())
        # The first convolution has no gradient of its input
        self.assertNotIn(("conv1", "conv2d_backward_data"), listed)
        for key in (
            ("conv1", "conv2d"),
            ("conv1", "conv2d_backward_weights"),
            ("conv2", "conv2d_backward_data"),
        ):
            each = listed[key]
            self.assertRegex(each["algorithm"], r"^eng\d+")
            self.assertFalse(each["pinned"])
            offered = {one["name"]: one["workspace_bytes"] for one in each["offered"]}
            self.assertGreater(len(offered), 2, each)
            self.assertEqual(len(offered), len(each["offered"]))
            self.assertEqual(offered[each["algorithm"]], each["workspace_bytes"])
        # Only cards have such algorithms
        self.assertEqual(self.algorithms(self.project(), "cpu"), {})
        # Another card has others
        self.assertNotEqual(self.algorithms(self.project(), "simulated:GTX 1650"), listed)

    def test_a_training_times_algorithms_and_keeps_the_choice(self):
        _, expected = self.train(self.project(kernel_choice="rule"), "rule")
        fastest = self.project(kernel_choice="fastest")
        _, losses = self.train(fastest, "first")
        for mine, other in zip(losses, expected):
            self.assertAlmostEqual(mine, other, delta=1e-4 * abs(other))
        (kept,) = (self.folder / "cache/strata/algorithms").iterdir()
        self.assertEqual(kept.name, "simulated-H100-SXM.json")
        # On a busy machine the budget may not suffice; later trainings time the rest
        for attempt in range(6):
            text = kept.read_text()
            self.train(fastest, f"more-{attempt}")
            if kept.read_text() == text:
                break
        stored = json.loads(text)
        self.assertIn("cuDNN", stored["made_for"])
        forward = [c for c in stored["calls"] if c["call"].startswith("conv2d f32[16,8,8,2]")]
        self.assertEqual(len(forward), 1)
        times = {one["name"]: one["microseconds"] for one in forward[0]["algorithms"]}
        self.assertGreater(len(times), 2)
        self.assertEqual(times[forward[0]["chosen"]], forward[0]["microseconds"])
        # The next training times nothing and chooses the same
        self.train(fastest, "last")
        self.assertEqual(kept.read_text(), text)
        runs = [self.folder / name / "choices.json" for name in (f"more-{attempt}", "last")]
        choices = [json.loads(run.read_text())["ways"] for run in runs]
        self.assertTrue(choices[0])
        self.assertEqual(choices[0], choices[1])
        # A damaged or outdated file is ignored with one message, and made again
        outdated = text.replace('"cuDNN": "9', '"cuDNN": "8')
        self.assertNotEqual(outdated, text)
        for damaged in (text[: len(text) // 2], outdated):
            kept.write_text(damaged)
            answer, _ = self.train(fastest, f"again-{len(damaged)}")
            self.assertEqual(answer.err.count(kept.name), 1, answer)
            self.assertIn("times the algorithms again", answer.err)
            self.assertEqual(json.loads(kept.read_text())["made_for"], stored["made_for"])

    def test_a_pinned_algorithm_is_used_and_an_unknown_one_refused(self):
        offered = self.algorithms(self.project())[("conv1", "conv2d")]["offered"]
        name = offered[-1]["name"]
        _, expected = self.train(self.project(), "free")
        pinned = self.project(algorithms={"conv1": {"conv2d": name}})
        each = self.algorithms(pinned)[("conv1", "conv2d")]
        self.assertEqual((each["algorithm"], each["pinned"]), (name, True))
        self.assertEqual(each["workspace_bytes"], offered[-1]["workspace_bytes"])
        _, losses = self.train(pinned, "pinned")
        for mine, other in zip(losses, expected):
            self.assertAlmostEqual(mine, other, delta=1e-4 * abs(other))
        # Pinned algorithms are for cards
        self.succeed("train", pinned, "--device", "cpu", "--run-dir", self.folder / "on-cpu")
        unknown = self.project(devices=CARD, algorithms={"conv1": {"conv2d": "eng12345"}})
        for words in (("plan", "--device", CARD), ("train", "--device", CARD), ("check",)):
            answer = strata(words[0], unknown, *words[1:])
            self.assertEqual(answer.code, 2, answer)
            self.assertIn("conv1", answer.err)
            self.assertIn('no algorithm "eng12345"', answer.err)
            self.assertIn(name, answer.err)
        for op in "conv2d_backward_data", "reduce_sum":
            absent = self.project(devices=CARD, algorithms={"conv1": {op: name}})
            for words in (("plan", "--device", CARD), ("check",)):
                answer = strata(words[0], absent, *words[1:])
                self.assertEqual(answer.code, 2, answer)
                self.assertIn("(expected one of: conv2d, conv2d_backward_weights)", answer.err)

    def test_check_names_every_wrong_algorithm_at_once(self):
        wrong = {"conv1": {"conv2d": "eng12345", "reduce_sum": "eng0"}, "flat": {"conv2d": "eng0"}}
        answer = strata("check", self.project(devices=CARD, algorithms=wrong), "--json")
        self.assertEqual(answer.code, 2, answer)
        self.assertEqual(
            [(p["code"], p["layer"]) for p in answer.json["problems"]],
            [("unknown_algorithm", layer) for layer in ("conv1", "conv1", "flat")],
        )

    def test_the_project_file_is_checked(self):
        for algorithms, code in (
            ({"conv": {"conv2d": "eng0"}}, "unknown_layer"),
            ({"conv1": "eng0"}, "wrong_type"),
            ({"conv1": {"conv2d": 3}}, "wrong_type"),
            (["conv1"], "wrong_type"),
        ):
            answer = strata("check", self.project(algorithms=algorithms), "--json")
            self.assertEqual(answer.code, 2, answer)
            self.assertEqual([p["code"] for p in answer.json["problems"]], [code])
        good = self.project(algorithms={"conv1": {"conv2d": "eng0"}})
        self.assertEqual(self.succeed("check", good, "--json").json["problems"], [])

    def test_the_memory_of_the_context_is_a_category_of_its_own(self):
        plan = self.succeed("plan", self.project(), "--device", CARD, "--json").json
        self.assertTrue(plan["context_estimated"])
        self.assertGreater(plan["context_bytes"], 0)
        self.assertLessEqual(
            plan["limit_bytes"] + plan["context_bytes"] + plan["transfer_bytes"],
            plan["card_bytes"],
        )
        text = self.succeed("plan", self.project(), "--device", CARD).out
        self.assertIn("context and libraries 480.0 MiB (an estimate); together ", text)
        alone = self.succeed("plan", self.project(), "--device", "cpu", "--json").json
        self.assertEqual((alone["context_bytes"], alone["card_bytes"]), (0, None))


@unittest.skipUnless(strata("devices", "--json").json["simulated"]["usable"],
                     "needs simulated cards")  # fmt: skip
class RefusedProducts(ProgramTest):
    def test_a_plan_names_the_own_kernel_and_a_training_computes_the_same(self):
        path = self.folder / "dense.json"
        layers = [SMALL["model"]["layers"][i] for i in (0, 3, 4)]
        path.write_text(json.dumps({**SMALL, "model": {"layers": layers}}))
        losses = []
        for refused, expected in ((0, "host"), (1, "host"), (2, "matmul")):
            env = {"STRATA_SIMULATED_REFUSAL": str(refused)}
            plan = strata("plan", path, "--device", CARD, "--json", env=env)
            self.assertEqual(plan.code, 0, plan)
            listed = {(each["layer"], each["op"]): each for each in plan.json["algorithms"]}
            self.assertEqual(listed[("out", "matmul")]["algorithm"], expected)
            log = self.folder / f"{refused}.jsonl"
            answer = strata("train", path, "--device", CARD, "--events", log,
                            "--run-dir", self.folder / str(refused), env=env)  # fmt: skip
            self.assertEqual(answer.code, 0, answer)
            losses.append([event["loss"] for event in events(log) if event["event"] == "step"])
            self.assertEqual(len(losses[-1]), 6)
        for other in losses[1:]:
            for mine, first in zip(other, losses[0]):
                self.assertAlmostEqual(mine, first, delta=1e-4 * abs(first))


if __name__ == "__main__":
    main()
