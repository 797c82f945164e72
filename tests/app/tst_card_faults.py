#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what a user reads when a card fails or is too small, on simulated cards."""
import json
import os
import re
import shutil
import unittest

from program import ROOT, ProgramTest, events, last, main, strata

PROJECT = ROOT / "projects/mnist-mlp-128.json"
CARD = "simulated:RTX 4090"
SMALL = "simulated:GTX 1650"
HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]
ILLEGAL_ADDRESS, OUT_OF_MEMORY, UNKNOWN, ECC = 700, 2, 999, 214
# A large batch, so that an epoch is short; calls of the driver while the first step is compiled
# and run, and after the first epoch
BATCH, EARLY_CALL, LATE_CALL = 1000, 130, 1500


def wide_network(batch):
    """Returns a project whose activations need much memory and little arithmetic."""
    return {
        "format": "strata-project", "version": 1, "name": "Wide",
        "data": {"source": {"type": "random", "samples": batch, "shape": [64, 64, 1],
                            "classes": 2, "seed": 1}},
        "model": {"layers": [
            {"type": "Input", "name": "image", "shape": [64, 64, 1]},
            {"type": "Conv2D", "name": "wide", "filters": 8, "kernel_size": [1, 1],
             "activation": "relu"},
            {"type": "GlobalAveragePooling2D", "name": "pool"},
            {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}]},
        "training": {"loss": {"type": "sparse_categorical_crossentropy"},
                     "optimizer": {"type": "sgd", "learning_rate": 0.01}, "metrics": ["accuracy"],
                     "batch_size": batch, "epochs": 1, "seed": 1},
        "execution": {"devices": SMALL, "recompute": "none"},
    }  # fmt: skip


@unittest.skipUnless(HAS_PLUGIN, "simulated cards need the CUDA Toolkit")
class Memory(ProgramTest):
    def test_a_network_larger_than_the_card_is_refused_and_the_first_remedy_trains(self):
        path = self.folder / "wide.json"
        path.write_text(json.dumps(wide_network(16384)))
        answer = strata("train", path, "--run-dir", self.folder / "a")
        self.assertEqual(answer.code, 1, answer)
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        self.assertIn("does not fit in the memory of simulated:GeForce GTX 1650", answer.err)
        self.assertRegex(answer.err, r"layer (wide|pool) holds the most, [0-9.]+ .iB")
        # The memory of a card cannot be raised
        self.assertNotIn("Raise", answer.err)
        self.assertIn("or use a larger card", answer.err)
        best = re.search(r"Best setting: (\w+) (\d+)[^,]*, ([0-9.]+) (.)iB", answer.err)
        self.assertTrue(best, answer)
        if not os.environ.get("STRATA_LONG_TESTS"):
            # A simulated card takes minutes for a step of this size
            return
        project = wide_network(16384)
        project["training"][best.group(1)] = int(best.group(2))
        path.write_text(json.dumps(project))
        self.succeed("train", path, "--run-dir", self.folder / "b", "--steps", 1,
                     "--events", self.folder / "events.jsonl", timeout=1700)  # fmt: skip
        found = events(self.folder / "events.jsonl")
        self.assertEqual(last(found, "end")["steps"], 1)
        # The predicted peak is the one that the run has
        unit = 1024 ** (" KMG".index(best.group(4)))
        for peak in found[0]["planned_peak_bytes"], last(found, "end")["peak_bytes"]:
            self.assertEqual(f"{peak / unit:.1f}", best.group(3))

    def test_a_failed_allocation_says_what_fits(self):
        answers = []
        for call in range(10, 200, 6):
            answer = strata("train", PROJECT, "--device", CARD, "--steps", 1,
                            "--run-dir", self.folder / str(call),
                            env={"STRATA_SIMULATED_FAULT": f"{call}:{OUT_OF_MEMORY}"})  # fmt: skip
            if answer.code == 0:
                continue
            self.assertEqual(len([line for line in answer.err.splitlines()
                                  if line.startswith("strata: ")]), 1, answer)
            answers.append(answer.err)
        self.assertTrue(any("iB for this program" in line for line in answers), answers)


@unittest.skipUnless(HAS_PLUGIN, "simulated cards need the CUDA Toolkit")
class Failures(ProgramTest):
    def failing_line(self, call, result, **settings):
        env = {"STRATA_SIMULATED_FAULT": f"{call}:{result}", **settings}
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        answer = strata("train", PROJECT, "--device", CARD, "--run-dir", self.folder / "run",
                        "--batch-size", BATCH, "--steps", 250, "--no-progress",
                        env=env)  # fmt: skip
        self.assertEqual(answer.code, 1, answer)
        return [line for line in answer.err.splitlines() if line.startswith("strata: ")][-1]

    def test_a_lasting_error_names_op_layer_and_that_there_is_no_checkpoint(self):
        for call in range(EARLY_CALL, EARLY_CALL + 60, 4):
            line = self.failing_line(call, ILLEGAL_ADDRESS, STRATA_SKIP_CAPTURE="1")
            self.assertRegex(line, r"cu\w+ failed")
            if " of layer " in line:
                break
        self.assertRegex(line, r'op "\w+" of layer (hidden|out): ')
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", line)
        self.assertIn("not usable until Strata is started again", line)
        self.assertIn("The run has no checkpoint yet", line)

    def test_a_lost_card_names_the_last_checkpoint_and_the_run_continues(self):
        line = self.failing_line(LATE_CALL, UNKNOWN)
        self.assertIn("The GPU no longer answers", line)
        found = re.search(r"The last checkpoint is (\S+); --resume (\S+) continues",
                          line)  # fmt: skip
        self.assertTrue(found, line)
        self.assertTrue((self.folder / "run").samefile(found.group(2)))
        answer = self.succeed("train", PROJECT, "--device", CARD, "--resume", found.group(2),
                              "--steps", 110)  # fmt: skip
        self.assertIn("110", answer.out)

    def test_an_error_of_the_memory_has_its_sentence(self):
        self.assertIn("an error that it cannot correct", self.failing_line(EARLY_CALL, ECC))


if __name__ == "__main__":
    main()
