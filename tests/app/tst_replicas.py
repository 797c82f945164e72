#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests replicas on logical processors (cpu*N) and simulated cards: the same bits as accumulation,
killed runs, faults of one replica, stops, and what the program says. STRATA_STOPS sets the number
of stops (4 by default)."""
import os
import random
import shutil
import signal
import subprocess
import time

from program import STRATA, ProgramTest, events, history, last, main, read_safetensors, strata

SOURCE = {"type": "random", "samples": 2150, "shape": [28, 28, 1], "classes": 10, "seed": 3}
STOPS = int(os.environ.get("STRATA_STOPS", "4"))


class Replicas(ProgramTest):
    def train(self, project, run, *words, **more):
        return strata("train", project, "--no-progress", "--run-dir", run, *words, **more)

    def small(self, **changes):
        return self.project(
            "mnist-mlp-128",
            {"/training/batch_size": 100, "/training/epochs": 2, **changes},
            to="replicas",
        )

    def weights(self, run):
        return read_safetensors(self.folder / run / "weights.safetensors")[0]

    def test_an_epoch_has_the_bits_of_accumulation(self):
        for name in ("mnist-cnn", "mnist-resnet"):
            changes = {
                "/training/batch_size": 100,
                "/data/source": SOURCE,
                "/data/transforms": [],
                "/training/epochs": 1,
            }
            project = self.project(name, changes, to=name)
            for count in (2, 3):
                with self.subTest(name=name, count=count):
                    for run in ("side", "after"):
                        shutil.rmtree(self.folder / run, ignore_errors=True)
                    side = self.train(project, self.folder / "side", "--device", f"cpu*{count}",
                                      "--threads", 1)  # fmt: skip
                    self.assertEqual(side.code, 0, side)
                    pieces = f"/training/gradient_accumulation_steps={count}"
                    after = self.train(project, self.folder / "after", "--device", "cpu",
                                       "--threads", 1, "--set", pieces)  # fmt: skip
                    self.assertEqual(after.code, 0, after)
                    self.assertEqual(self.weights("side"), self.weights("after"))

    def test_simulated_cards_have_the_bits_of_accumulation(self):
        devices = strata("doctor", "--json").json["devices"]
        if not any(each["device"] == "simulated" and each["usable"] for each in devices):
            self.skipTest("this build has no simulated cards")
        source = {**SOURCE, "samples": 215}
        project = self.small(**{"/data/source": source, "/data/transforms": [],
                                "/training/batch_size": 50})  # fmt: skip
        detour = "values go from card to card through the memory of this machine"
        for card, count, env in (("H100", 2, {}), ("H100", 3, {"STRATA_SIMULATED_PEER": "1"}),
                                 ("H100", 4, {"STRATA_SIMULATED_PEER": "2"}),
                                 ("RTX 4090", 2, {"STRATA_GENERATE": "1"})):  # fmt: skip
            with self.subTest(card=card, count=count):
                for run in ("side", "after"):
                    shutil.rmtree(self.folder / run, ignore_errors=True)
                side = self.train(project, self.folder / "side", "--device",
                                  f"simulated:{card}*{count}", "--threads", 1, env=env)  # fmt: skip
                self.assertEqual(side.code, 0, side)
                self.assertEqual(detour in side.err, "STRATA_SIMULATED_PEER" in env, side.err)
                pieces = f"/training/gradient_accumulation_steps={count}"
                after = self.train(project, self.folder / "after", "--device", f"simulated:{card}",
                                   "--threads", 1, "--set", pieces, env=env)  # fmt: skip
                self.assertEqual(after.code, 0, after)
                self.assertEqual(self.weights("side"), self.weights("after"))

    def test_the_events_name_each_replica(self):
        answer = self.train(self.small(), self.folder / "run", "--device", "cpu*3", "--steps", 5,
                            "--events", self.folder / "events.jsonl")  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        found = events(self.folder / "events.jsonl")
        start = found[0]
        self.assertEqual(start["device"], "cpu*3")
        self.assertEqual(start["devices"], ["cpu:0", "cpu:1", "cpu:2"])
        self.assertEqual(start["replicas"], 3)
        memory = last(found, "step")["memory"]
        self.assertEqual([each["device"] for each in memory], start["devices"])
        self.assertTrue(all(each["bytes"] > 0 for each in memory))
        self.assertEqual(len(last(found, "step")["waiting_us"]), 3)

    def test_figures_of_cards_belong_together_in_short_runs(self):
        devices = strata("doctor", "--json").json["devices"]
        if not any(each["device"] == "simulated" and each["usable"] for each in devices):
            self.skipTest("this build has no simulated cards")
        for words in (("--steps", 2), ("--steps", 5), ("--steps", 25, "--trace-steps", 3),
                      ("--steps", 40, "--profile")):  # fmt: skip
            with self.subTest(words=words):
                shutil.rmtree(self.folder / "figures", ignore_errors=True)
                log = self.folder / "figures.jsonl"
                log.unlink(missing_ok=True)
                answer = self.train(self.small(), self.folder / "figures", "--device",
                                    "simulated:H100*2", "--events", log, *words)  # fmt: skip
                self.assertEqual(answer.code, 0, answer)
                self.assertNotIn("slower than the others", answer.out + answer.err)
                end = last(events(log), "end")
                replicas, phases = end["replicas"]["replicas"], end["phases"]
                computing = [each["compute_us"] for each in replicas]
                # Both cards compute the same
                self.assertGreater(min(computing), 5)
                self.assertLess(max(computing), 1.25 * min(computing))
                first = replicas[0]
                together = first["exposed_communication_us"] + first["waiting_us"]
                self.assertAlmostEqual(phases["in_collectives"] * phases["step_us"], together,
                                       delta=0.1)  # fmt: skip
                whole = sum(phases[each] for each in ("forward", "backward", "update"))
                self.assertAlmostEqual(whole * phases["step_us"], together + computing[0],
                                       delta=0.1)  # fmt: skip
                for each in end["replicas"]["collectives"]:
                    self.assertEqual(each["calls"], end["replicas"]["steps"])

    def test_the_predicted_step_of_cards_is_that_of_a_run(self):
        devices = strata("doctor", "--json").json["devices"]
        if not any(each["device"] == "simulated" and each["usable"] for each in devices):
            self.skipTest("this build has no simulated cards")
        # Three layers have more than 1 MiB of weights each, so several sums overlap computing
        wide = [{"type": "Input", "name": "image", "shape": [28, 28, 1]},
                {"type": "Flatten", "name": "flat"},
                *({"type": "Dense", "name": f"wide{i}", "units": 600} for i in range(3)),
                {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"}]  # fmt: skip
        norm = {"type": "BatchNormalization", "name": "norm", "synchronized": True}
        source = {"/data/source": {**SOURCE, "samples": 215}, "/data/transforms": []}
        for count, changes, hides, has_nodes in (
            (2, {}, False, True),
            (3, {"/execution/shard_optimizer": True}, False, False),
            (2, {"/model/layers": wide}, True, True),
            (4, {"/model/layers": [*wide[:3], norm, *wide[3:]]}, False, True),
            # Only the nodes of the last micro-batch are measured
            (2, {"/training/gradient_accumulation_steps": 2}, False, False),
        ):
            with self.subTest(count=count, changes=changes):
                project = self.small(**source, **changes)
                device = f"simulated:H100*{count}"
                plan = strata("plan", project, "--device", device, "--json").json
                self.assertFalse(plan["prediction_without_exchange"])
                exposed = plan["predicted_communication_us"]
                self.assertGreater(exposed, 4)
                shutil.rmtree(self.folder / "run", ignore_errors=True)
                log = self.folder / "run.jsonl"
                log.unlink(missing_ok=True)
                answer = self.train(project, self.folder / "run", "--device", device, "--steps",
                                    20, "--profile", "--events", log)  # fmt: skip
                self.assertEqual(answer.code, 0, answer)
                profile = strata("profile", self.folder / "run", "--json").json
                for layer in plan["layers"] if has_nodes else ():
                    # The rows of sums contain communication
                    rows = [row for row in profile["rows"] if row["layer"] == layer["name"]]
                    times = [row["nanoseconds"] for row in rows if row["phase"] != "update"]
                    if times and not any(row["op"] == "sync_sum" for row in rows):
                        self.assertAlmostEqual(1e-3 * sum(times) / profile["steps"],
                                               layer["predicted_step_us"], delta=0.1)  # fmt: skip
                end = last(events(log), "end")
                first = end["replicas"]["replicas"][0]
                # What is not in the phases
                phases = end["phases"]
                # With a sharded optimizer, a card may wait for one that updates more
                most = 2.5 if "/execution/shard_optimizer" in changes else 0.05
                self.assertAlmostEqual(phases["step_us"], plan["predicted_step_us"], delta=most)
                self.assertLess(first["waiting_us"], most)
                rest = 1 - sum(phases[each] for each in ("forward", "backward", "update"))
                self.assertAlmostEqual(rest * phases["step_us"], plan["predicted_transfers_us"],
                                       delta=0.1)  # fmt: skip
                bench = strata("bench", project, "--device", device, "--json").json
                self.assertAlmostEqual(bench["step_us"]["median"], plan["predicted_step_us"],
                                       delta=0.02)  # fmt: skip
                self.assertAlmostEqual(first["exposed_communication_us"], exposed, delta=0.02)
                self.assertEqual(first["hidden_communication_us"] > 1, hides, first)
                self.assertAlmostEqual(
                    first["compute_us"] + exposed + plan["predicted_transfers_us"],
                    plan["predicted_step_us"], delta=0.02)  # fmt: skip

    def test_the_plan_of_layers_on_several_cards_leaves_out_their_exchange(self):
        devices = strata("doctor", "--json").json["devices"]
        if not any(each["device"] == "simulated" and each["usable"] for each in devices):
            self.skipTest("this build has no simulated cards")
        for name in ("pipeline", "model-parallel", "parameter-server"):
            with self.subTest(name=name):
                project = self.project(name, {}, to=name)
                answer = strata("plan", project, "--device", "simulated:H100*2", "--json")
                self.assertEqual(answer.code, 0, answer)
                self.assertTrue(answer.json["prediction_without_exchange"])
                self.assertGreater(answer.json["predicted_step_us"], 0)

    def test_equal_devices_of_a_list_are_replicas(self):
        changes = {"/execution": {"devices": ["cpu", "cpu", "cpu"]}}
        answer = self.train(self.small(**changes), self.folder / "list", "--steps", 3)
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual(events(self.folder / "list" / "events.jsonl")[0]["replicas"], 3)
        changes = {"/execution": {"devices": ["cuda:0", "cuda:0"]}}
        answer = strata("check", self.small(**changes))
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("cuda:0 is listed 2 times", answer.err)

    def test_a_fault_of_one_replica_is_named(self):
        for fault, words in (
            ("throws:1:20", "replica 1: a fault for tests"),
            ("flip:1:20", "replica 1 has other values than the first one"),
            ("drop:2:20", "replica 2 has other values than the first one"),
        ):
            with self.subTest(fault=fault):
                run = self.folder / fault.split(":")[0]
                answer = self.train(self.small(), run, "--device", "cpu*3", "--threads", 1,
                                    env={"STRATA_REPLICA_FAULT": fault}, timeout=60)  # fmt: skip
                self.assertEqual(answer.code, 1, answer)
                self.assertIn(words, answer.err)
                checkpoints = run / "checkpoints"
                self.assertFalse(checkpoints.is_dir() and any(checkpoints.iterdir()))

    def test_a_slow_replica_is_named_and_the_run_goes_on(self):
        answer = self.train(self.small(), self.folder / "slow", "--device", "cpu*2", "--threads", 1,
                            "--steps", 25, env={"STRATA_REPLICA_FAULT": "slow:1:2"})  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        self.assertIn("replica 1 is slow", answer.err)
        found = events(self.folder / "slow" / "events.jsonl")
        self.assertEqual(last(found, "warning")["code"], "slow_replica")

    def test_too_few_samples_are_refused_with_what_would_fit(self):
        changes = {"/execution": {"devices": "cpu*4"}, "/training/batch_size": 3}
        answer = strata("check", self.small(**changes))
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("a batch has 3 samples, but 4 replicas share it", answer.err)
        changes["/training/batch_size"] = 53999
        answer = strata("check", self.small(**changes))
        self.assertIn("the last batch of an epoch has 1 samples", answer.err)
        answer = self.train(self.small(), self.folder / "few", "--device", "cpu*4", "--batch-size",
                            3)  # fmt: skip
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("a batch has 3 samples, but 4 replicas share it", answer.err)

    def test_a_strategy_must_fit_the_devices(self):
        changes = {"/execution": {"devices": "cpu*2", "strategy": "one_device"}}
        self.assertIn("one_device does not fit", strata("check", self.small(**changes)).err)
        changes["/execution"]["strategy"] = "mirrored"
        self.assertEqual(strata("check", self.small(**changes)).code, 0)

    def test_a_killed_run_continues_with_the_same_bits(self):
        project = self.small(**{"/training/epochs": 6})
        whole = self.train(project, self.folder / "whole", "--device", "cpu*3", "--threads", 1)
        self.assertEqual(whole.code, 0, whole)
        process = subprocess.Popen(
            [str(STRATA), "train", str(project), "--device", "cpu*3", "--threads", "1",
             "--no-progress", "--run-dir", str(self.folder / "killed")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        checkpoints = self.folder / "killed" / "checkpoints"
        deadline = time.monotonic() + 60
        while not (checkpoints.is_dir() and any(checkpoints.iterdir())):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        answer = strata("train", project, "--device", "cpu*3", "--threads", 1, "--no-progress",
                        "--resume", self.folder / "killed")  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual(self.weights("killed"), self.weights("whole"))

    def test_a_run_continues_on_fewer_replicas(self):
        project = self.small()
        first = self.train(project, self.folder / "run", "--device", "cpu*4", "--steps", 20)
        self.assertEqual(first.code, 0, first)
        answer = strata("train", project, "--device", "cpu*2", "--no-progress", "--resume",
                        self.folder / "run", "--steps", 40)  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        self.assertIn("was trained on cpu*4 until now, and continues on cpu*2", answer.err)
        alone = self.train(project, self.folder / "alone", "--device", "cpu", "--steps", 40)
        self.assertEqual(alone.code, 0, alone)
        losses = [
            [each[5] for each in history(self.folder / run / "history.bin") if each[2] == 0]
            for run in ("run", "alone")
        ]
        self.assertEqual([len(each) for each in losses], [40, 40])
        # Only the rounding differs, so the samples are the same
        for side, other in zip(*losses):
            self.assertAlmostEqual(side / other, 1, delta=1e-3)

    def test_stops_at_random_moments_do_not_hang(self):
        project = self.small(**{"/training/epochs": 20})
        seed = int(os.environ.get("STRATA_SEED", time.time_ns() % 10**6))
        moments = random.Random(seed)
        for number in range(STOPS):
            with self.subTest(number=number, seed=seed):
                run = self.folder / f"stopped-{number}"
                process = subprocess.Popen(
                    [str(STRATA), "train", str(project), "--device", "cpu*3", "--threads", "1",
                     "--no-progress", "--run-dir", str(run)],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
                time.sleep(moments.uniform(0.05, 1.2))
                process.send_signal(signal.SIGINT)
                # A hang fails here. Replicas that differ fail before the checkpoint of the stop.
                _, said = process.communicate(timeout=30)
                self.assertNotEqual(process.returncode, 1, said)
                self.assertNotIn("other values", said)


if __name__ == "__main__":
    main()
