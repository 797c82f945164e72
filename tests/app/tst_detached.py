#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the device `detached`, whose memory the host cannot read and whose results come several
steps late: a run that is killed twice and resumed has the bits of an uninterrupted run on the
cpu."""
import signal
import subprocess
import time

from program import STRATA, ProgramTest, events, history, last, main, strata

STEPS = 300


class Detached(ProgramTest):
    def trained(self, device, run, *words):
        self.succeed(
            "train", self.path, "--device", device, "--threads", 2, "--no-progress", *words, run
        )
        return last(events(run / "events.jsonl"), "end")

    def kill(self, run, seconds, *words):
        """Starts or resumes the run and kills it. Returns the exit code."""
        process = subprocess.Popen(
            [str(STRATA), "train", str(self.path), "--device", "detached", "--threads", "2"]
            + ["--no-progress", *map(str, words), str(run)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while (
            not any((run / "checkpoints").glob("*.safetensors"))
            and process.poll() is None
            and time.monotonic() < deadline
        ):
            time.sleep(0.01)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        return process.wait()

    def test_kill(self):
        # Epochs are short, so that there are checkpoints to resume from
        self.path = self.project(
            "mnist-cnn",
            {"/training/steps_per_epoch": 25, "/training/epochs": STEPS // 25},
        )
        cpu, run = self.folder / "cpu", self.folder / "run"
        wanted = self.trained("cpu", cpu, "--run-dir")
        pause = wanted["seconds"] / 4
        codes = [self.kill(run, pause, "--run-dir"), self.kill(run, pause, "--resume")]
        self.assertIn(-9, codes)
        end = self.trained("detached", run, "--resume")
        self.assertEqual(end["steps"], STEPS)
        self.assertEqual(end["weights_hash"], wanted["weights_hash"])
        self.assertEqual(end["test_loss"], wanted["test_loss"])
        self.assertEqual(history(run / "history.bin"), history(cpu / "history.bin"))

    def test_it_is_not_offered(self):
        names = [device["name"] for device in strata("devices", "--json").json["devices"]]
        self.assertNotIn("detached", names)


main()
