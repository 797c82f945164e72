#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests runs of several processes (strata launch): the same bits as replicas in one process, lost
processes of each kind, restarts, stops and wrong use. STRATA_LAUNCH_FAULTS sets how often each kind
of loss is tried (1 by default)."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from program import STRATA, ProgramTest, events, last, main, read_safetensors, strata

SOURCE = {"type": "random", "samples": 2150, "shape": [28, 28, 1], "classes": 10, "seed": 3}
TIMES = int(os.environ.get("STRATA_LAUNCH_FAULTS", "1"))
# A loss is reported within the first time, and no process is left after the second one
REPORT_SECONDS, GONE_SECONDS = 15, 30


def why_not():
    for device in strata("doctor", "--json").json["devices"]:
        if device["device"] == "several processes":
            return "" if device["usable"] else device["text"]
    return "unknown"


def workers(run):
    """Returns the process IDs of the processes that train in `run`, by rank."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if len(words) < 2 or words[1] != b"train" or str(run).encode() not in words:
                continue
            variables = (entry / "environ").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        for variable in variables:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(entry.name)
    return found


def mpirun_of(launch):
    children = pathlib.Path(f"/proc/{launch.pid}/task/{launch.pid}/children").read_text().split()
    return int(children[0])


class Launch(ProgramTest):
    @classmethod
    def setUpClass(cls):
        if reason := why_not():
            print(f"skipped: {reason}")
            raise unittest.SkipTest(reason)

    def small(self, **changes):
        return self.project(
            "mnist-mlp-128",
            {"/training/batch_size": 100, "/training/epochs": 2, **changes},
            to="processes",
        )

    def launch(self, count, project, run, *words, options=(), **more):
        return strata("launch", "-np", count, *options, "train", project, "--device", "cpu",
                      "--threads", 1, "--run-dir", run, *words, **more)  # fmt: skip

    def begin(self, count, project, run, *words, options=(), env=None):
        """Starts processes whose steps take 100 ms, and waits for a few steps."""
        log = open(self.folder / f"{run.name}.log", "w")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [STRATA, "launch", "-np", str(count), *options, "train", project, "--device", "cpu",
             "--threads", "1", "--run-dir", run, *words],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            env={**os.environ, "STRATA_REPLICA_FAULT": "slow:0:1", **(env or {})},
        )  # fmt: skip
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.wait_for(lambda: (run / "checkpoints").is_dir() or "run" in self.text(run), 60)
        self.wait_for(lambda: len(workers(run)) == count or process.poll() is not None, 30)
        time.sleep(1.5)
        return process

    def text(self, run):
        return (self.folder / f"{run.name}.log").read_text()

    def wait_for(self, condition, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.05)
        return False

    def hash(self, run):
        return last(events(self.folder / run / "events.jsonl"), "end")["weights_hash"]

    def test_processes_have_the_bits_of_replicas(self):
        changes = {"/data/source": SOURCE, "/data/transforms": [], "/training/epochs": 1}
        for name, count, each in (("mnist-mlp-128", 4, 1), ("mnist-cnn", 2, 1),
                                  ("mnist-cnn", 4, 2)):  # fmt: skip
            with self.subTest(name=name, count=count, each=each):
                project = self.project(name, {"/training/batch_size": 100, **changes}, to=name)
                for run in ("one", "many"):
                    shutil.rmtree(self.folder / run, ignore_errors=True)
                self.succeed("train", project, "--device", f"cpu*{count}", "--threads", 1,
                             "--run-dir", self.folder / "one", "--no-progress")  # fmt: skip
                answer = strata("launch", "-np", count // each, "train", project, "--device",
                                f"cpu*{each}" if each > 1 else "cpu", "--threads", 1, "--run-dir",
                                self.folder / "many")  # fmt: skip
                self.assertEqual(answer.code, 0, answer)
                self.assertEqual(self.hash("one"), self.hash("many"))
                one, many = (last(events(self.folder / run / "events.jsonl"), "end")
                             for run in ("one", "many"))  # fmt: skip
                self.assertEqual(one["test_loss"], many["test_loss"])

    def lose(self, run, how):
        """Loses a process of four. Returns the text and how long it took until launch ended."""
        env = {"STRATA_REPLICA_FAULT": "exits:2:20"} if how == "exit" else {}
        launch = self.begin(4, self.small(), run, env=env)
        pids = workers(run)
        started = time.monotonic()
        if how == "mpirun":
            os.kill(mpirun_of(launch), signal.SIGKILL)
        elif how != "exit":
            os.kill(pids[2], how)
        reported = self.wait_for(
            lambda: re.search(r"process 2 on|mpirun was killed", self.text(run)), REPORT_SECONDS
        )
        self.assertTrue(reported, self.text(run))
        launch.wait(timeout=GONE_SECONDS)
        gone = self.wait_for(lambda: not workers(run), GONE_SECONDS)
        self.assertTrue(gone, workers(run))
        self.assertLess(time.monotonic() - started, GONE_SECONDS)
        self.assertEqual(launch.returncode, 1, self.text(run))
        return self.text(run)

    def test_a_lost_process_ends_the_run(self):
        for how in (signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP, "exit", "mpirun"):
            for turn in range(TIMES):
                with self.subTest(how=how, turn=turn):
                    run = self.folder / f"lost-{how}-{turn}"
                    text = self.lose(run, how)
                    self.assertIn("strata launch -np 4 train", text)
                    self.succeed("train", self.small(), "--resume", run, "--steps", 60, "--device",
                                 "cpu*4", "--threads", 1, "--no-progress")  # fmt: skip

    def test_a_restart_reaches_the_same_weights(self):
        self.launch(2, self.small(), self.folder / "whole", "--steps", 60)
        run = self.folder / "again"
        launch = self.begin(2, self.small(), run, "--steps", "60", options=("--max-restarts", "1"))
        os.kill(workers(run)[1], signal.SIGKILL)
        launch.wait(timeout=120)
        self.assertEqual(launch.returncode, 0, self.text(run))
        self.assertIn("restart 1 of 1 from the newest checkpoint", self.text(run))
        self.assertEqual(self.hash("whole"), self.hash("again"))

    def test_ctrl_c_saves_the_network(self):
        run = self.folder / "stopped"
        launch = self.begin(2, self.small(), run)
        launch.send_signal(signal.SIGINT)
        launch.wait(timeout=30)
        self.assertEqual(launch.returncode, 130, self.text(run))
        self.assertTrue(read_safetensors(run / "weights.safetensors")[0])
        self.assertFalse(workers(run))

    def test_faults_of_a_replica_are_named(self):
        for fault, words in (
            ("throws:1:20", "replica 1: a fault for tests"),
            ("flip:1:20", "process 1 on"),
            ("drop:2:20", "process 2 on"),
        ):
            with self.subTest(fault=fault):
                run = self.folder / fault.split(":")[0]
                answer = self.launch(3, self.small(), run, timeout=60,
                                     env={"STRATA_REPLICA_FAULT": fault})  # fmt: skip
                self.assertEqual(answer.code, 1, answer)
                self.assertIn(words, answer.err)

    def test_wrong_use_is_refused(self):
        project = self.small()
        for words, code, text in (
            (("launch", "train", project), 2, "-np is missing"),
            (("launch", "-np", 2, "bench", project), 2, "starts only the command train"),
            (("launch", "-np", 0, "train", project), 2, "--np"),
            (("launch", "-np", 2, "--hosts", "a;b", "train", project), 2, "is no name of a host"),
            (("launch", "-np", 2, "train", self.folder / "none.json"), 2, "none.json"),
            (("launch", "-np", 2, "train", project, "--device", "simulated:H100"), 2,
             "several processes train on processors only"),
            (("launch", "-np", 3, "train", project, "--batch-size", 2), 2,
             "has fewer samples than replicas"),
        ):  # fmt: skip
            with self.subTest(words=words):
                answer = strata(*words, timeout=60, cwd=self.folder)
                self.assertEqual(answer.code, code, answer)
                self.assertIn(text, answer.err)

    def test_mpirun_without_launch_is_refused(self):
        env = {"OMPI_COMM_WORLD_SIZE": "2"}
        answer = strata("train", self.small(), "--steps", 1, env=env)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("strata launch -np 2 train", answer.err)


main()
