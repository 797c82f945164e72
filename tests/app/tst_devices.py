#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests how devices are named, listed and examined: simulated cards in all commands, strata devices
and strata doctor. Where Strata was built without the CUDA Toolkit, simulated cards are refused with
the reason."""
import json
import shutil
import unittest

from program import ROOT, STRATA, ProgramTest, main, strata

PROJECT = ROOT / "projects/mnist-cnn.json"
CARD = "simulated:RTX 4090"
HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]


class Listing(ProgramTest):
    def test_devices_lists_gpus_and_simulated_cards(self):
        listed = self.succeed("devices", "--json").json
        gpus = [device for device in listed["devices"] if device["kind"] == "cuda"]
        self.assertGreaterEqual(len(gpus), 1)
        for gpu in gpus:
            self.assertTrue(gpu["usable"] or gpu["why_not"], gpu)
        self.assertEqual(listed["simulated"]["name"], "simulated:NAME")
        self.assertGreater(listed["simulated"]["cards"], 50)
        self.assertEqual(listed["simulated"]["usable"], listed["simulated"]["why_not"] == "")
        self.assertIn("simulated:NAME", self.succeed("devices").out)

    def test_the_catalogue_says_which_cards_can_be_simulated(self):
        cards = {
            card["name"]: card
            for card in self.succeed("devices", "--catalogue", "--json").json["catalogue"]
        }
        self.assertEqual(cards["H100 SXM"]["can_be_simulated"], HAS_PLUGIN)
        self.assertIn("7.5", cards["GeForce GTX 1080"]["why_not_simulated"])
        self.assertIn("NVIDIA", cards["Radeon RX 7600"]["why_not_simulated"])

    def test_doctor_examines_every_kind_of_device(self):
        examined = self.succeed("doctor", "--json").json
        kinds = {device["device"]: device for device in examined["devices"]}
        self.assertEqual(list(kinds), ["cpu", "cuda", "simulated", "several processes"])
        self.assertTrue(kinds["cpu"]["usable"])
        self.assertEqual(kinds["simulated"]["usable"], HAS_PLUGIN)
        parts = {finding["part"]: finding for finding in kinds["cuda"]["findings"]}
        for part in ("driver", "libcuda", "visible devices", "cuBLASLt", "cuDNN", "NVRTC", "CUPTI"):
            self.assertIn(parts[part]["state"], ("ok", "missing", "wrong", "optional"))
            self.assertTrue(parts[part]["text"])
        text = self.succeed("doctor").out
        self.assertIn("cuDNN", text)

    def test_doctor_explains_the_visible_devices(self):
        for value, text in (("", "hides all GPUs"), ("-1", "hides all"), ("x", "not a switch")):
            answer = strata("doctor", "--json", env={"CUDA_VISIBLE_DEVICES": value})
            (cuda,) = [d for d in answer.json["devices"] if d["device"] == "cuda"]
            (found,) = [f for f in cuda["findings"] if f["part"] == "visible devices"]
            self.assertEqual(found["state"], "wrong")
            self.assertIn(text, found["text"])
            self.assertEqual(found["command"], "unset CUDA_VISIBLE_DEVICES")

    def test_without_the_plug_in_simulated_cards_are_refused_with_the_reason(self):
        alone = self.folder / "bin" / "strata"
        alone.parent.mkdir()
        shutil.copy(STRATA, alone)
        resources = {"STRATA_RESOURCES": str(ROOT / "resources")}
        answer = strata("train", PROJECT, "--device", CARD, env=resources, program=alone)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("no plug-in for NVIDIA GPUs", answer.err)
        listed = strata("devices", "--json", env=resources, program=alone).json["simulated"]
        self.assertFalse(listed["usable"])
        self.assertIn("no plug-in", listed["why_not"])
        examined = strata("doctor", env=resources, program=alone)
        self.assertEqual(examined.code, 0)
        self.assertIn("CUDA Toolkit 13", examined.out)
        # The estimate by the data sheet works, and says why it is only one.
        words = ("plan", PROJECT, "--for", "RTX 4090", "--json")
        plan = strata(*words, env=resources, program=alone).json
        self.assertFalse(plan["simulated"])
        self.assertIn("no plug-in", plan["why_not_simulated"])


class Names(ProgramTest):
    def test_every_command_refuses_names_that_mean_no_card(self):
        weights = ("--weights", self.folder)
        for command in (
            ("train", PROJECT),
            ("plan", PROJECT),
            ("bench", PROJECT),
            ("dump", PROJECT, "--stage", "optimized"),
            ("evaluate", PROJECT, *weights),
            ("predict", PROJECT, ROOT / "resources/mnist/digit-7.png", *weights),
            ("find", "batch-size", PROJECT),
            ("verify", PROJECT),
        ):
            for name, text in (
                ("simulated:RTX 4091", 'Did you mean "GeForce RTX 4090"?'),
                ("simulated:A100 80GB", "A100 PCIe 80GB, A100 SXM 80GB"),
                ("simulated:RX 7600", "not an NVIDIA GPU"),
                ("simulated:GTX 1080", "compute capability 7.5"),
                ("simulated:H100,simulated:H100", "several cards must be equal"),
                ("simulated:", "there is no"),
                ("simulated:Foo", "(expected simulated:NAME). `strata devices --catalogue` lists"),
            ):
                with self.subTest(command=command[0], name=name):
                    answer = strata(*command, "--device", name)
                    self.assertEqual(answer.code, 2, answer)
                    self.assertIn(text, answer.err)
                    self.assertEqual(len(answer.err.splitlines()), 1, answer)

    def test_a_project_with_a_wrong_card_has_a_problem_with_a_fix(self):
        answer = strata(
            "check", PROJECT, "--json", "--set", "/execution/devices=simulated:RTX 4091"
        )
        self.assertEqual(answer.code, 2, answer)
        (problem,) = [p for p in answer.json["problems"] if p["severity"] == "error"]
        self.assertIn("GeForce RTX 4090", problem["message"])
        self.assertGreaterEqual(len(problem["fixes"]), 2)


@unittest.skipUnless(HAS_PLUGIN, "simulated cards need the CUDA Toolkit")
class Simulated(ProgramTest):
    def test_training_gives_the_losses_of_the_reference(self):
        losses = {}
        for device in ("reference", CARD):
            lines = self.succeed(
                "train", PROJECT, "--device", device, "--steps", 4, "--events", "-",
                "--run-dir", self.folder / device[:3],
            ).out.splitlines()
            events = [json.loads(line) for line in lines]
            losses[device] = [e["loss"] for e in events if e["event"] == "step"]
            self.assertEqual(
                events[0]["device"],
                "reference" if device == "reference" else "simulated:GeForce RTX 4090",
            )
        for one, other in zip(losses["reference"], losses[CARD]):
            self.assertAlmostEqual(one, other, delta=1e-4 * abs(one))

    def test_plans_have_the_memory_and_the_predicted_times_of_the_card(self):
        plan = self.succeed("plan", PROJECT, "--device", "simulated:H100", "--json").json
        self.assertEqual(plan["device"], "simulated:H100 SXM")
        self.assertGreater(plan["limit_bytes"], 70e9)
        self.assertGreater(plan["predicted_step_us"], 0)
        self.assertIsNone(plan["step_us"])
        self.assertIn("simulated", plan["why_no_step_us"])
        short = self.succeed("plan", PROJECT, "--for", "h100", "--json").json
        self.assertTrue(short["simulated"], short["why_not_simulated"])
        self.assertEqual(short["peak_bytes"], plan["peak_bytes"])
        self.assertEqual(short["workspace_bytes"], plan["by_category"]["workspace"])
        self.assertEqual(short["predicted_step_us"], plan["predicted_step_us"])
        self.assertLess(short["lower_bound_us"], short["predicted_step_us"])
        old = self.succeed("plan", PROJECT, "--for", "GTX 1080", "--json").json
        self.assertFalse(old["simulated"])
        self.assertIn("7.5", old["why_not_simulated"])
        self.assertIsNone(old["workspace_bytes"])

    def test_tf32_is_for_gpus(self):
        words = ("--steps", 2, "--precision", "tf32", "--json")
        fast = self.succeed("bench", PROJECT, "--device", CARD, *words).json
        self.assertTrue(fast["predicted"])
        full = self.succeed("bench", PROJECT, "--device", CARD, "--steps", 2, "--json").json
        self.assertNotEqual(fast["weights_hash"], full["weights_hash"])
        self.assertAlmostEqual(fast["last_loss"], full["last_loss"], delta=0.02)
        # This card computes TF32 as fast as float32, others compute it faster
        times = [
            self.succeed(
                "plan", ROOT / "projects" / "mnist-resnet.json", "--device", "simulated:H100",
                "--batch-size", 1024, "--precision", precision, "--json",
            ).json["predicted_step_us"]
            for precision in ("float32", "tf32")
        ]  # fmt: skip
        self.assertLess(times[1], times[0])
        answer = strata("bench", PROJECT, "--device", "cpu", *words)
        self.assertEqual(answer.code, 2)
        self.assertIn("the precision tf32 is for NVIDIA GPUs", answer.err)

    def test_a_run_that_continues_on_another_device_says_so_once(self):
        path = self.project("penguins", {"/execution": {"devices": CARD}})
        run = self.folder / "run"
        self.succeed("train", path, "--steps", 2, "--run-dir", run)
        for steps, device, count in ((3, "cpu", 1), (4, "", 0), (5, CARD, 1)):
            words = ("--device", device) if device else ()
            answer = self.succeed("train", path, "--resume", run, "--steps", steps, *words)
            self.assertEqual(answer.err.count("was trained on"), count, answer)
            self.assertNotIn("own project", answer.err)

    def test_a_memory_limit_belongs_to_one_device(self):
        limits = {"simulated:rtx4090": 10000, "cpu": 2**33}
        answer = strata(
            "train", PROJECT, "--device", CARD, "--steps", 1,
            "--set", f"/execution/memory_limit={json.dumps(limits)}",
        )
        self.assertEqual(answer.code, 1, answer)
        self.assertIn("expected at most 9.8 KiB", answer.err)
        self.assertIn("Raise the limit", answer.err)


if __name__ == "__main__":
    main()
