#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the times of a step that are known before training: the prediction for this machine, and
the lower bound for a GPU according to its data sheet."""
import json

from program import ROOT, ProgramTest, main, strata

PROJECT = ROOT / "projects/mnist-cnn.json"


class Prediction(ProgramTest):
    def test_a_plan_predicts_the_step_by_layer_and_keeps_its_calibration(self):
        cache = self.folder / "cache"
        first = strata("plan", PROJECT, "--json", env={"XDG_CACHE_HOME": str(cache)})
        self.assertEqual(first.code, 0, first)
        plan = first.json
        self.assertGreater(plan["predicted_step_us"], 0)
        self.assertEqual(plan["why_no_predicted_step_us"], "")
        layers = {layer["name"]: layer["predicted_step_us"] for layer in plan["layers"]}
        self.assertGreater(layers["conv2"], layers["pool2"])
        self.assertLess(sum(us or 0 for us in layers.values()), plan["predicted_step_us"])
        (kept,) = (cache / "strata/calibration").iterdir()
        self.assertEqual(json.loads(kept.read_text())["format"], "strata-calibration")

        calm = json.loads(kept.read_text())
        calm["disturbance"] = 1
        kept.write_text(json.dumps(calm))
        before = kept.stat().st_mtime_ns
        table = strata("plan", PROJECT, env={"XDG_CACHE_HOME": str(cache)})
        self.assertEqual(table.code, 0, table)
        self.assertRegex(table.out.splitlines()[0], r"predicted step +measured step$")
        self.assertEqual(kept.stat().st_mtime_ns, before, "a kept calibration was measured again")

        kept.write_text(kept.read_text()[:500])
        self.assertEqual(strata("plan", PROJECT, env={"XDG_CACHE_HOME": str(cache)}).code, 0)
        self.assertEqual(json.loads(kept.read_text())["threads"], calm["threads"])

    def test_a_cache_folder_that_cannot_be_created_is_no_error(self):
        blocked = self.folder / "file"
        blocked.write_text("")
        answer = strata("plan", PROJECT, "--json", env={"XDG_CACHE_HOME": str(blocked)})
        self.assertEqual(answer.code, 0, answer)
        self.assertGreater(answer.json["predicted_step_us"], 0)

    def test_the_reference_device_has_no_prediction(self):
        small = {"/training/batch_size": 2}
        words = [
            word
            for pointer, value in small.items()
            for word in ("--set", f"{pointer}={json.dumps(value)}")
        ]
        plan = self.succeed("plan", PROJECT, "--device", "reference", "--json", *words).json
        self.assertIsNone(plan["predicted_step_us"])
        self.assertIn("cpu", plan["why_no_predicted_step_us"])


class Dump(ProgramTest):
    def test_dump_and_plan_have_the_same_peak(self):
        # Kernels need workspaces only for the second project.
        for name in ("lenet5", "mnist-resnet"):
            path = ROOT / "projects" / (name + ".json")
            planned = self.succeed("plan", path, "--json").json
            for stage in ("optimized", "planned"):
                memory = self.succeed("dump", path, "--stage", stage, "--format", "json").json[
                    "memory"
                ]
                self.assertEqual(
                    [memory["peak_bytes"], memory["lower_bound_bytes"]],
                    [planned["peak_bytes"], planned["lower_bound_bytes"]],
                )
                self.assertEqual("storages" in memory, stage == "planned")
                text = self.succeed("dump", path, "--stage", stage).out
                self.assertIn(f"\n# planned peak: {planned['peak_bytes']} bytes ", text)
                self.assertRegex(text, r"\n# in_place: \d+ rewrites, .* nodes; live at most ")
        self.assertNotIn("planned peak", self.succeed("dump", path, "--stage", "lowered").out)


class Catalogue(ProgramTest):
    def test_a_plan_for_a_device_in_the_catalogue(self):
        plan = self.succeed("plan", PROJECT, "--for", "RTX 4090", "--json").json
        self.assertEqual(plan["device"], "GeForce RTX 4090")
        self.assertTrue(plan["fits"])
        self.assertGreater(plan["peak_bytes"], 0)
        self.assertIn(plan["limit"], ("compute", "memory", "launch"))
        self.assertAlmostEqual(
            sum(layer["lower_bound_us"] for layer in plan["layers"]), plan["lower_bound_us"], 3
        )
        self.assertAlmostEqual(sum(plan["by_limit_us"].values()), plan["lower_bound_us"], 3)
        slow = self.succeed("plan", PROJECT, "--for", "GTX 1080").out
        self.assertIn("A step takes at least", slow)
        self.assertIn("CUDA 13 does not support this GPU", slow)
        large = self.succeed(
            "plan", PROJECT, "--for", "GTX 1650", "--batch-size", 10_000_000, "--json"
        ).json
        self.assertFalse(large["fits"])

    def test_the_cost_of_a_block_includes_its_layers(self):
        plan = self.succeed(
            "plan", ROOT / "projects/mnist-resnet.json", "--for", "RTX 4090", "--json"
        ).json
        layers = {layer["name"]: layer["lower_bound_us"] for layer in plan["layers"]}
        # The blocks "fine" and "coarse" have seven layers each and are compared with single layers.
        self.assertGreater(layers["fine"], layers["stem"])
        self.assertGreater(layers["coarse"], layers["widen"])
        self.assertLess(layers[""], 0.2 * plan["lower_bound_us"])
        self.assertAlmostEqual(sum(layers.values()), plan["lower_bound_us"], 3)

    def test_options_for_this_machine_exclude_a_device_in_the_catalogue(self):
        for option, value in (
            ("--device", "cpu"),
            ("--threads", 1),
            ("--memory-limit", 1000),
            ("--recompute", "none"),
            ("--replicas", 2),
        ):
            answer = strata("plan", PROJECT, "--for", "RTX 4090", option, value)
            self.assertEqual(answer.code, 2, answer)
            self.assertEqual(answer.out, "")
            self.assertIn(option, answer.err)
        self.assertEqual(strata("plan", PROJECT, "--for", "").code, 2)

    def test_options_about_several_devices_need_their_number(self):
        for option in ("--gigabits", "--per-host"):
            answer = strata("plan", PROJECT, option, 2)
            self.assertEqual(answer.code, 2, answer)
            self.assertIn(option + " requires --replicas", answer.err)

    def test_an_unknown_device_suggests_the_nearest_name(self):
        answer = strata("plan", PROJECT, "--for", "RTX 4091")
        self.assertEqual(answer.code, 2, answer)
        self.assertEqual(answer.out, "")
        self.assertIn('Did you mean "GeForce RTX 4090"', answer.err)

    def test_an_ambiguous_name_lists_its_devices(self):
        answer = strata("plan", PROJECT, "--for", "a100 80gb")
        self.assertEqual(
            (answer.code, answer.out, len(answer.err.splitlines())), (2, "", 1), answer
        )
        self.assertIn("expected one of: A100 PCIe 80GB, A100 SXM 80GB). Choose one.", answer.err)
        self.assertEqual(
            self.succeed("plan", PROJECT, "--for", "h200", "--json").json["device"], "H200 SXM"
        )

    def test_devices_lists_the_catalogue(self):
        listed = self.succeed("devices", "--catalogue", "--json").json["catalogue"]
        self.assertGreaterEqual(len(listed), 80)
        for name in (
            "GeForce GTX 1650",
            "GeForce RTX 3060 12GB",
            "GeForce RTX 5090",
            "A100 SXM 80GB",
            "L4",
            "L40S",
            "H100 PCIe",
            "H100 SXM",
            "H200 SXM",
            "B200",
            "RTX 6000 Ada",
        ):
            self.assertIn(name, {device["name"] for device in listed})
        for device in listed:
            self.assertTrue(device["source"].startswith("https://"), device)
        self.assertEqual(len(self.succeed("devices", "--catalogue").out.splitlines()), len(listed))
        # Without --catalogue, the command lists the devices of this machine.
        self.assertIn(
            "cpu", [device["name"] for device in self.succeed("devices", "--json").json["devices"]]
        )


if __name__ == "__main__":
    main()
