#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what programs do on machines with NVIDIA GPUs, with a driver of made-up GPUs
(gpu/cuda/fake_driver): listing, opening, refusing."""
import os
import subprocess
import unittest

from program import BIN, ROOT, STRATA, ProgramTest, main, strata

PROJECT = ROOT / "projects/mnist-mlp-128.json"
DRIVER = BIN.parent / "fake_driver"
HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]
# A real driver would answer instead
HAS_DRIVER = any(d["kind"] == "cuda" and "driver_cuda" in d for d in
                 strata("devices", "--json").json["devices"])  # fmt: skip


def machine(**settings):
    return {
        "LD_LIBRARY_PATH": f"{DRIVER}:{os.environ.get('LD_LIBRARY_PATH', '')}",
        **{name: str(value) for name, value in settings.items()},
    }


def gpus_of(**settings):
    listed = strata("devices", "--json", env=machine(**settings)).json["devices"]
    return [device for device in listed if device["kind"] == "cuda"]


def missing_library():
    """Returns why the made-up cards cannot be used, or "" if all their libraries are there."""
    gpus = gpus_of() if HAS_PLUGIN and not HAS_DRIVER else []
    why = gpus[0].get("why_not", "") if gpus else ""
    return why if "was not found" in why else ""


needs_libraries = unittest.skipIf(MISSING := missing_library(), MISSING)


@unittest.skipUnless(HAS_PLUGIN and not HAS_DRIVER and (DRIVER / "libcuda.so.1").is_file(),
                     "needs the plug-in, and no driver")  # fmt: skip
class MadeUp(ProgramTest):
    @needs_libraries
    def test_all_cards_are_listed_with_what_the_driver_says(self):
        gpus = gpus_of()
        self.assertEqual([gpu["name"] for gpu in gpus], ["cuda:0", "cuda:1"])
        for number, gpu in enumerate(gpus):
            self.assertTrue(gpu["usable"], gpu)
            self.assertEqual(gpu["title"], f"NVIDIA Made-up {number}")
            self.assertEqual(gpu["compute_capability"], "9.0")
            self.assertEqual(gpu["memory_bytes"], 80 << 30)
            self.assertEqual(gpu["clock_mhz"], 1980)
            self.assertEqual(gpu["driver_cuda"], "13.0")
            self.assertEqual(gpu["pci_address"], f"0000:{0x65 + number:02X}:00.0")
        text = self.succeed("devices", env=machine()).out
        self.assertIn("cuda:1  NVIDIA Made-up 1, compute capability 9.0, 80.0 GiB", text)
        self.assertNotIn("0 threads", text)
        examined = self.succeed("doctor", "--json", env=machine()).json["devices"]
        (cuda,) = [device for device in examined if device["device"] == "cuda"]
        self.assertTrue(cuda["usable"], cuda)
        states = {finding["part"]: finding["state"] for finding in cuda["findings"]}
        self.assertEqual((states["driver"], states["libcuda"]), ("ok", "ok"))

    def test_every_reason_why_there_is_no_card_has_its_sentence(self):
        for settings, text in (
            ({"STRATA_FAKE_DRIVER": 12040}, "supports CUDA 12.4, but Strata needs CUDA 13.0"),
            ({"STRATA_FAKE_CARDS": 0}, "finds no NVIDIA GPU"),
            ({"CUDA_VISIBLE_DEVICES": ""}, "which hides all GPUs"),
            ({"CUDA_VISIBLE_DEVICES": "-1"}, "which hides all GPUs"),
            ({"CUDA_VISIBLE_DEVICES": "GPU-1"}, "no GPU with that UUID"),
            ({"STRATA_FAKE_MODE": 2}, "compute mode"),
        ):
            with self.subTest(settings):
                gpu = gpus_of(**settings)[0]
                self.assertFalse(gpu["usable"])
                self.assertIn(text, gpu["why_not"])
                answer = strata("train", PROJECT, "--device", "cuda:0", env=machine(**settings))
                self.assertEqual(answer.code, 2, answer)
                self.assertEqual(len(answer.err.splitlines()), 1, answer)
                self.assertIn(text, answer.err)
                self.assertNotIn("..", answer.err)

    def test_a_number_that_no_card_has_is_refused(self):
        answer = strata("train", PROJECT, "--device", "cuda:2", env=machine())
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("no GPU with that number", answer.err)
        self.assertEqual([gpu["name"] for gpu in gpus_of(CUDA_VISIBLE_DEVICES="1")], ["cuda:0"])

    @needs_libraries
    def test_auto_takes_a_usable_card_and_else_the_cpu(self):
        # The libraries of a made-up card refuse it, so the refusal names it
        answer = strata("train", PROJECT, "--steps", 1, "--run-dir", self.folder / "a",
                        env=machine())  # fmt: skip
        self.assertNotEqual(answer.code, 0)
        self.assertIn("cuda:0", answer.err)
        self.assertIn("cublasLt", answer.err)
        answer = strata("train", PROJECT, "--steps", 1, "--run-dir", self.folder / "b",
                        env=machine(CUDA_VISIBLE_DEVICES=""))  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        self.assertIn("Training on cpu", answer.out + answer.err)

    @needs_libraries
    def test_a_card_is_opened_with_its_context_memory_and_streams(self):
        tests = BIN / "strata_gpu_tests"
        if not tests.is_file():
            self.skipTest("strata_gpu_tests is not built")
        done = subprocess.run(
            [tests, "-tc=what is written to the memory of a card*"], capture_output=True, text=True,
            env={**os.environ, **machine(STRATA_TEST_DEVICE="cuda:0")},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 passed", done.stdout)


@unittest.skipIf(HAS_DRIVER, "a driver is installed")
class Absent(ProgramTest):
    def test_without_a_driver_a_card_is_refused_with_the_reason(self):
        answer = strata("train", PROJECT, "--device", "cuda:0")
        self.assertEqual(answer.code, 2, answer)
        self.assertRegex(answer.err, r"cuda:0.*(GPU|driver|container)")
        self.assertEqual(len(answer.err.splitlines()), 1, answer)


if __name__ == "__main__":
    main()
