#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that every command has the same figures: the times of layers and the memory that plan,
bench, train and profile show, and what they say about settings that a card does not have."""
import json
import re
import unittest

from program import ROOT, ProgramTest, events, main, strata

CARD = "simulated:RTX 4090"
HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]
PROJECT = ROOT / "projects/mnist-cnn.json"


def layer_times(rows, steps):
    """Returns the microseconds of a step by layer, of its updates, and of nodes without a layer."""
    times = {}
    for row in rows:
        name = "(update)" if row["phase"] == "update" else row["layer"].split("/")[0] or "(other)"
        times[name] = times.get(name, 0) + row["nanoseconds"]
    return {name: round(total / steps) / 1000 for name, total in times.items()}


@unittest.skipUnless(HAS_PLUGIN, "Strata was built without the CUDA Toolkit")
class SimulatedCards(ProgramTest):
    def small(self, name):
        """Returns a project with few samples, because a simulation takes time."""
        source = {"type": "random", "samples": 80, "shape": [28, 28, 1], "classes": 10, "seed": 1}
        return self.project(name, {"/data": {"source": source}, "/training/batch_size": 4})

    def profile_of(self, project, *words):
        run = self.folder / "run"
        trained = self.succeed("train", project, "--device", CARD, "--steps", 64, "--profile",
                               "--run-dir", run, "--no-progress", *words)  # fmt: skip
        return json.loads((run / "profile.json").read_text()), trained.out, run

    def check_times(self, path, *words):
        plan = self.succeed("plan", path, "--device", CARD, "--json", *words).json
        step = plan["predicted_step_us"]
        other = self.succeed("plan", path, "--for", "RTX 4090", "--json", *words).json
        bench = self.succeed("bench", path, "--device", CARD, "--steps", 2, "--json", *words).json
        profile, printed, run = self.profile_of(path, *words)
        self.assertEqual(other["predicted_step_us"], step)
        self.assertEqual(bench["step_us"], {"median": step, "min": step, "max": step})
        self.assertEqual(profile["step_microseconds"], step)
        self.assertIn(f"Predicted time of a step: {step:.1f} us", printed)
        self.assertIn(f" of {step:.1f} us, predicted", self.succeed("profile", run).out)
        # By layer
        ran = layer_times(profile["rows"], profile["steps"])
        self.assertEqual(ran.pop("(update)"), plan["predicted_update_us"])
        self.assertEqual(ran.pop("(other)"), plan["predicted_other_us"])
        planned = {layer["name"]: layer["predicted_step_us"] for layer in plan["layers"]}
        self.assertEqual({k: v for k, v in planned.items() if v is not None}, ran)
        listed = {layer["name"]: layer["predicted_us"] for layer in other["layers"]}
        self.assertEqual(listed.pop(""), plan["predicted_other_us"])
        self.assertEqual(listed, ran)
        rest = (plan[f"predicted_{part}_us"] for part in ("update", "other", "transfers"))
        self.assertAlmostEqual(sum(ran.values()) + sum(rest), step, 3)
        # Two launches: one for the inputs, one for the results
        self.assertEqual(plan["predicted_transfers_us"], 4)
        recorded = [r for d in profile["devices"] for r in d["kernels"] if r["op"] == ""]
        launches = [r["name"] for r in recorded if r["stream"] == "compute"]
        self.assertEqual(sorted(launches), ["finish_step", "place_inputs"])
        # A bound from the data sheet is never above the prediction
        self.assertLessEqual(other["lower_bound_us"], step)
        return plan, bench

    def test_all_commands_predict_the_same_times(self):
        plan, bench = self.check_times(self.small("mnist-cnn"))
        # The memory, too. A benchmark measures it on the card
        planned, used = plan["device_memory"], bench["device_memory"]
        for key in ("network_bytes", "samples_bytes", "transfer_bytes", "context_bytes",
                    "machine_bytes", "total_bytes", "limit_bytes"):  # fmt: skip
            self.assertEqual(planned[key], used[key], key)
        self.assertEqual(planned["network_bytes"], plan["peak_bytes"])
        self.assertEqual(
            sum(planned[f"{part}_bytes"] for part in ("network", "samples", "transfer", "context")),
            planned["total_bytes"],
        )

    def test_other_networks_and_precisions(self):
        self.check_times(self.small("mnist-resnet"))

    def test_bfloat16_is_predicted_by_its_rate(self):
        self.check_times(self.small("mnist-cnn"), "--precision", "bfloat16")

    def test_a_precision_that_the_card_lacks_is_a_warning(self):
        for precision, warns in (("tf32", True), ("bfloat16", True), ("float32", False)):
            project = self.project(
                "mnist-mlp-128",
                {"/execution": {"devices": "simulated:GTX 1650", "precision": precision}},
            )
            answer = self.succeed("check", project, "--json").json
            problems = [p for p in answer["problems"] if p["code"] == "slow_on_device"]
            self.assertEqual(len(problems), warns, answer)
            if warns:
                self.assertIn("GTX 1650 has no arithmetic in " + precision, problems[0]["message"])
                self.assertTrue(problems[0]["fixes"])
        trained = self.succeed("train", self.small("mnist-cnn"), "--precision", "tf32", "--device",
                               "simulated:GTX 1650", "--steps", 1, "--no-progress", "--run-dir",
                               self.folder / "run")  # fmt: skip
        self.assertIn("has no arithmetic in tf32", trained.err)
        new = self.project("mnist-mlp-128", {"/execution": {"devices": "simulated:RTX 3060 12GB"}})
        answer = self.succeed("check", new, "--json", "--set", '/execution/precision="tf32"').json
        self.assertEqual(answer["problems"], [])

    def test_too_few_steps_to_profile_are_told(self):
        run = self.folder / "run"
        answer = self.succeed("train", self.small("mnist-cnn"), "--device", CARD, "--steps", 1,
                              "--profile", "--run-dir", run, "--no-progress")  # fmt: skip
        self.assertIn("profile.json has no kernels, because too few steps were trained", answer.err)
        self.assertIn("expected at least 20, got 1", answer.err)
        warnings = [e for e in events(run / "events.jsonl") if e["event"] == "warning"]
        self.assertTrue(any("has no kernels" in e["message"] for e in warnings), warnings)


class ThisMachine(ProgramTest):
    def test_a_continued_run_is_profiled_as_before(self):
        run = self.folder / "run"
        project = self.project("mnist-mlp-128")
        self.succeed("train", project, "--steps", 30, "--profile", "--run-dir", run, "--device",
                     "cpu", "--no-progress")  # fmt: skip
        (run / "profile.json").unlink()
        self.succeed("train", project, "--resume", run, "--steps", 80, "--no-progress")
        profile = json.loads((run / "profile.json").read_text())
        self.assertGreater(profile["steps"], 0)
        self.assertTrue(profile["devices"][0]["kernels"])

    def test_the_times_of_layers_update_and_others_are_the_step(self):
        plan = self.succeed("plan", PROJECT, "--device", "cpu", "--json").json
        for prefix in ("", "predicted_"):
            layers = [layer[prefix + "step_us"] or 0 for layer in plan["layers"]]
            total = sum(layers) + plan[prefix + "update_us"] + plan[prefix + "other_us"]
            self.assertLess(abs(total - plan[prefix + "step_us"]), 0.15 * total + 20)
        text = self.succeed("plan", PROJECT, "--device", "cpu").out
        memory = plan["device_memory"]
        self.assertEqual(memory["network_bytes"], plan["peak_bytes"])
        self.assertEqual(memory["samples_bytes"], plan["data_bytes"])
        self.assertRegex(text, r"\nMemory: network .*, data set .*; together .* on this machine\n")
        self.assertRegex(text, r"\n\(update\) +\d")

    def test_all_commands_limit_a_batch_to_the_samples(self):
        column = [[0.0], [1.0], [2.0], [3.0]]
        values = {"type": "values", "x": column, "y": column}
        project = self.project("linear-regression", {"/data": {"source": values}})
        count = self.succeed("plan", project, "--json").json["batch_size"]
        for words in (("--batch-size", 1000), ("--set", "/training/batch_size=1000")):
            plan = self.succeed("plan", project, "--json", "--device", "cpu", *words).json
            self.assertEqual((plan["batch_size"], plan["requested_batch_size"]), (count, 1000))
        other = self.succeed("plan", project, "--json", "--for", "H100", "--batch-size", 1000).json
        self.assertEqual(other["batch_size"], count)
        trained = self.succeed("train", project, "--batch-size", 1000, "--steps", 2, "--device",
                               "cpu", "--no-progress", "--run-dir",
                               self.folder / "run")  # fmt: skip
        planned = re.search(r"batch (\d+), (.*) planned", trained.out)
        self.assertEqual(int(planned[1]), count)
        text = self.succeed("plan", project, "--device", "cpu", "--batch-size", 1000).out
        self.assertIn(f"so a batch has {count} instead of 1000", text)
        self.assertIn(f": {planned[2]} (lower bound", text)


if __name__ == "__main__":
    main()
