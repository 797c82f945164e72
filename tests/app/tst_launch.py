#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests runs of several processes (strata launch): the same bits as replicas in one process, lost
processes of each kind, restarts, stops and wrong use. Two network namespaces stand for two hosts,
where namespaces are allowed. STRATA_LAUNCH_FAULTS sets how often each kind of loss is tried (1 by
default)."""
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


class LaunchTest(ProgramTest):
    # Words that start a program on the first host
    prefix = ()

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
                      "--threads", 1, "--run-dir", run, *words, prefix=self.prefix,
                      **more)  # fmt: skip

    def begin(self, count, project, run, *words, options=(), env=None, device="cpu"):
        """Starts processes whose steps take 100 ms, and waits for a few steps."""
        log = open(self.folder / f"{run.name}.log", "w")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [*self.prefix, STRATA, "launch", "-np", str(count), *options, "train", project,
             "--device", device, "--threads", "1", "--run-dir", run, *words],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL,
            env={**os.environ, "STRATA_REPLICA_FAULT": "slow:0:1", **(env or {})},
        )  # fmt: skip
        self.addCleanup(lambda: process.poll() is None and process.kill())
        log_of_run = run / "events.jsonl"

        def trains():
            return log_of_run.exists() and '"event":"start"' in log_of_run.read_text()

        self.wait_for(lambda: len(workers(run)) == count or process.poll() is not None, 30)
        self.wait_for(lambda: trains() or process.poll() is not None, 30)
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

    def lose(self, run, act, words, options=(), env=None, device="cpu"):
        """Starts four processes and calls act(launch, PIDs by rank) to lose one. Returns what
        launch said."""
        launch = self.begin(4, self.small(), run, options=options, env=env, device=device)
        started = time.monotonic()
        act(launch, workers(run))
        reported = self.wait_for(lambda: re.search(words, self.text(run)), REPORT_SECONDS)
        self.assertTrue(reported, self.text(run))
        launch.wait(timeout=GONE_SECONDS)
        self.assertTrue(self.wait_for(lambda: not workers(run), GONE_SECONDS), workers(run))
        self.assertLess(time.monotonic() - started, GONE_SECONDS)
        self.assertEqual(launch.returncode, 1, self.text(run))
        # The newest checkpoint is intact
        self.succeed("train", self.small(), "--resume", run, "--steps", 60, "--device",
                     f"{device}*4", "--threads", 1, "--no-progress")  # fmt: skip
        return self.text(run)


class Launch(LaunchTest):
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

    def test_cards_of_processes_have_the_bits_of_cards_in_one(self):
        devices = strata("doctor", "--json").json["devices"]
        if not any(each["device"] == "simulated" and each["usable"] for each in devices):
            self.skipTest("this build has no simulated cards")
        source = {**SOURCE, "samples": 230}
        project = self.small(**{"/data/source": source, "/data/transforms": [],
                                "/training/batch_size": 50, "/training/epochs": 1})  # fmt: skip
        for count, words in ((2, ()), (3, ("--set", "/execution/precision=bfloat16"))):
            with self.subTest(count=count):
                for run in ("one", "many", "fast"):
                    shutil.rmtree(self.folder / run, ignore_errors=True)
                self.succeed("train", project, "--device", f"simulated:H100*{count}", "--threads",
                             1, "--run-dir", self.folder / "one", "--no-progress",
                             *words)  # fmt: skip
                for run, more in (("many", ()), ("fast", ("--set", "/execution/all_reduce=fast"))):
                    answer = strata("launch", "-np", count, "train", project, "--device",
                                    "simulated:H100", "--threads", 1, "--run-dir",
                                    self.folder / run, *words, *more)  # fmt: skip
                    self.assertEqual(answer.code, 0, answer)
                    self.assertEqual("add in any order" in answer.err, run == "fast", answer)
                self.assertEqual(self.hash("one"), self.hash("many"))
                environment = json.loads((self.folder / "fast/environment.json").read_text())
                self.assertFalse(environment["deterministic"])
        answer = strata("launch", "-np", 2, "train", project, "--device", "simulated:H100*2",
                        timeout=60)  # fmt: skip
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("each process has one card", answer.err)

    def test_a_lost_process_ends_the_run(self):
        def signal_of(number):
            return lambda launch, pids: os.kill(pids[2], number)

        for how, act, words in (
            ("kill", signal_of(signal.SIGKILL), "process 2 on .* ended unexpectedly"),
            ("crash", signal_of(signal.SIGSEGV), "process 2 on .* ended unexpectedly"),
            ("freeze", signal_of(signal.SIGSTOP), "process 2 on .* was silent for 10 s"),
            ("exit", lambda launch, pids: None, "process 2 on .* ended unexpectedly"),
            ("mpirun", lambda launch, pids: os.kill(mpirun_of(launch), signal.SIGKILL),
             "mpirun was killed by signal 9"),
        ):  # fmt: skip
            env = {"STRATA_REPLICA_FAULT": "exits:2:20"} if how == "exit" else {}
            for turn in range(TIMES):
                with self.subTest(how=how, turn=turn):
                    text = self.lose(self.folder / f"{how}-{turn}", act, words, env=env)
                    self.assertIn("strata launch -np 4 train", text)

    def test_a_lost_process_with_a_card_ends_the_run(self):
        devices = strata("doctor", "--json").json["devices"]
        if not any(each["device"] == "simulated" and each["usable"] for each in devices):
            self.skipTest("this build has no simulated cards")
        for how, number, words in (("kill", signal.SIGKILL, "process 2 on .* ended unexpectedly"),
                                   ("freeze", signal.SIGSTOP,
                                    "process 2 on .* was silent for 10 s")):  # fmt: skip
            for turn in range(TIMES):
                with self.subTest(how=how, turn=turn):
                    run = self.folder / f"card-{how}-{turn}"
                    self.lose(run, lambda launch, pids: os.kill(pids[2], number), words,
                              device="simulated:H100")  # fmt: skip
                    # The first process has saved what it had
                    self.assertTrue(any((run / "checkpoints").iterdir()))

    def test_a_restart_reaches_the_same_weights(self):
        self.launch(2, self.small(), self.folder / "whole", "--steps", 60)
        run = self.folder / "again"
        launch = self.begin(2, self.small(), run, "--steps", "60", options=("--max-restarts", "1"))
        os.kill(workers(run)[1], signal.SIGKILL)
        launch.wait(timeout=120)
        self.assertEqual(launch.returncode, 0, self.text(run))
        self.assertIn("restart 1 of 1 from the newest checkpoint", self.text(run))
        self.assertEqual(self.hash("whole"), self.hash("again"))

    def test_a_slow_process_is_named_and_the_run_goes_on(self):
        answer = self.launch(2, self.small(), self.folder / "slow", "--steps", 25,
                             env={"STRATA_REPLICA_FAULT": "slow:1:2"})  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        self.assertIn("process 1 on", answer.err)
        self.assertIn("is slow: the others wait for it", answer.err)
        # One process waits for nobody
        alone = self.launch(1, self.small(), self.folder / "alone", "--epochs", 1)
        self.assertEqual(alone.code, 0, alone)
        self.assertNotIn("is slow", alone.err)

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
            (("launch", "-np", 2, "train", project, "--set", "/execution/strategy=one_device"), 2,
             "one_device does not fit several processes"),
            (("train", project, "--set", "/execution/strategy=multi_worker"), 2,
             "trains in several processes"),
            (("launch", "-np", 2, "bench", project), 2, "starts only the command train"),
            (("launch", "-np", 0, "train", project), 2, "--np"),
            (("launch", "-np", 2, "--hosts", "a;b", "train", project), 2, "is no name of a host"),
            (("launch", "-np", 2, "train", self.folder / "none.json"), 2, "none.json"),
            (("launch", "-np", 2, "train", project, "--device", "cuda:0*2"), 2, "cuda:0"),
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


class Namespace:
    """A separate network and host name, which a sleeping process keeps."""

    def __init__(self, host):
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "1000"])
        time.sleep(0.3)
        self.words = ("nsenter", "-t", str(self.process.pid), "--net", "--uts")
        self.call("hostname", host)

    def call(self, *words):
        subprocess.run([*self.words, *words], check=True, capture_output=True)

    def close(self):
        self.process.kill()
        self.process.wait()


class Hosts(LaunchTest):
    """Two hosts, 10.77.0.1 and 10.77.0.2. A script stands for ssh."""

    def setUp(self):
        super().setUp()
        try:
            first, second = Namespace("first"), Namespace("second")
            self.addCleanup(first.close)
            self.addCleanup(second.close)
            first.call("ip", "link", "add", "link1", "type", "veth", "peer", "name", "link2",
                       "netns", str(second.process.pid))  # fmt: skip
            for host, place, device in ((first, 1, "link1"), (second, 2, "link2")):
                host.call("ip", "addr", "add", f"10.77.0.{place}/24", "dev", device)
                host.call("ip", "link", "set", "lo", "up")
                host.call("ip", "link", "set", device, "up")
        except (OSError, subprocess.CalledProcessError) as error:
            self.skipTest(f"network namespaces are not allowed here: {error}")
        self.second, self.prefix = second, first.words
        agent = self.folder / "agent"
        agent.write_text(
            "#!/bin/sh\nhost=$1; shift\ncase $host in\n"
            f'10.77.0.1) exec {" ".join(first.words)} sh -c "$*" ;;\n'
            f'10.77.0.2) exec {" ".join(second.words)} sh -c "$*" ;;\nesac\n'
        )
        agent.chmod(0o755)
        self.env = {"OMPI_MCA_plm_rsh_agent": str(agent)}
        self.options = ("--hosts", "10.77.0.1,10.77.0.2")

    def daemons(self):
        """Returns the process IDs of Open MPI's daemons on the second host."""
        own = os.readlink(f"/proc/{self.second.process.pid}/ns/net")
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                name = (entry / "comm").read_text().strip()
                if name == "orted" and os.readlink(entry / "ns/net") == own:
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def test_two_hosts_have_the_bits_of_one(self):
        project = self.small()
        self.succeed("train", project, "--device", "cpu*4", "--threads", 1, "--steps", 30,
                     "--run-dir", self.folder / "one", "--no-progress")  # fmt: skip
        answer = self.launch(4, project, self.folder / "two", "--steps", 30, env=self.env,
                             options=self.options)  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual(self.hash("one"), self.hash("two"))

    def test_a_lost_host_ends_the_run(self):
        def cut(launch, pids):
            self.second.call("ip", "link", "set", "link2", "down")

        def kill_daemon(launch, pids):
            os.kill(self.daemons()[0], signal.SIGKILL)

        for how, act in (("daemon", kill_daemon), ("cut", cut)):
            for turn in range(TIMES):
                with self.subTest(how=how, turn=turn):
                    self.second.call("ip", "link", "set", "link2", "up")
                    self.lose(self.folder / f"{how}-{turn}", act, "process [23] on second",
                              options=self.options, env=self.env)  # fmt: skip
                    self.assertTrue(self.wait_for(lambda: not self.daemons(), 5))

    def test_other_data_on_a_host_is_refused(self):
        table = self.folder / "table.csv"
        project = self.folder / "project.json"
        project.write_text(json.dumps({
            "format": "strata-project", "version": 1,
            "data": {"source": {"type": "csv", "path": str(table), "target": "y"}},
            "model": {"layers": [{"type": "Input", "name": "x", "shape": [1]},
                                 {"type": "Dense", "name": "out", "units": 1}]},
            "training": {"loss": "mean_squared_error", "optimizer": "sgd", "batch_size": 4},
        }))  # fmt: skip
        table.write_text("x,y\n" + "".join(f"{i},{2 * i}\n" for i in range(40)))
        other = self.folder / "other.csv"
        other.write_text("x,y\n" + "".join(f"{i},{3 * i}\n" for i in range(40)))
        # The second host sees another file at the same place
        agent = pathlib.Path(self.env["OMPI_MCA_plm_rsh_agent"])
        agent.write_text(agent.read_text().replace(
            f"{' '.join(self.second.words)} sh -c",
            f"{' '.join(self.second.words)} unshare --mount sh -c "
            f"'mount --bind {other} {table}; exec sh -c \"$1\"' sh",
        ))  # fmt: skip
        answer = self.launch(2, project, self.folder / "run", env=self.env, options=self.options)
        self.assertNotEqual(answer.code, 0, answer)
        self.assertRegex(answer.err, "process 1 on second: the data differs from process 0")


main()
