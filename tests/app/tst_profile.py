#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests strata train --profile, strata profile, and its trace: slices are nested, do not overlap,
and add up to the time of the step. On simulated cards, all times are the same in every run."""
import csv
import json
import unittest

from program import ProgramTest, events, last, main, strata

CARD = "simulated:RTX 4090"
HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]


def nanoseconds(microseconds):
    return round(microseconds * 1000)


class Trace:
    """The slices and counters of a trace, by the name of their thread."""

    def __init__(self, path):
        document = json.loads(path.read_text())
        self.device = document["otherData"]["device"]
        names, self.slices, self.counters = {}, {}, []
        for event in document["traceEvents"]:
            if event["ph"] == "M" and event["name"] == "thread_name":
                names[event["tid"]] = event["args"]["name"]
            elif event["ph"] == "C":
                self.counters.append(event)
        for event in document["traceEvents"]:
            if event["ph"] == "X":
                begin = nanoseconds(event["ts"])
                self.slices.setdefault(names[event["tid"]], []).append(
                    (begin, begin + nanoseconds(event["dur"]), event["cat"], event["name"])
                )

    def of(self, category, thread="compute"):
        return [slice for slice in self.slices[thread] if slice[2] == category]


class Profile(ProgramTest):
    def train(self, project, *words, steps=40):
        run = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        self.events = self.folder / "events.jsonl"
        self.succeed("train", project, "--steps", steps, "--profile", "--run-dir", run,
                     "--events", self.events, "--no-progress", *words)  # fmt: skip
        return run

    def check_trace(self, path):
        trace = Trace(path)
        order = ["step", "layer", "kernel"]
        for name, slices in trace.slices.items():
            # Each slice lies in the open one around it, or begins after its end
            open_slices = []
            for begin, end, category, _ in slices:
                while open_slices and open_slices[-1][1] <= begin:
                    open_slices.pop()
                if open_slices:
                    self.assertLessEqual(end, open_slices[-1][1], name)
                    self.assertLess(order.index(open_slices[-1][2]), order.index(category), name)
                open_slices.append((begin, end, category))
        steps, layers, kernels = (trace.of(category) for category in order)
        self.assertGreaterEqual(len(steps), 1)
        for begin, end, _, _ in steps:
            inside = [s for s in kernels if begin <= s[0] and s[1] <= end]
            outer = [s for s in layers if begin <= s[0] and s[1] <= end]
            self.assertTrue(inside)
            computed = sum(s[1] - s[0] for s in inside)
            self.assertGreaterEqual(sum(s[1] - s[0] for s in outer), computed)
        self.assertEqual(sum(len([s for s in kernels if b <= s[0] < e]) for b, e, *_ in steps),
                         len(kernels))  # fmt: skip
        self.assertTrue(trace.counters)
        for counter in trace.counters:
            self.assertGreater(counter["args"]["parameter"], 0)
            self.assertGreater(counter["args"]["optimizer"], 0)
        return trace

    def test_a_run_on_the_cpu(self):
        run = self.train(self.project("mnist-cnn"), "--device", "cpu")
        trace, table = self.folder / "trace.json", self.folder / "kernels.csv"
        text = self.succeed("profile", run, "--trace", trace, "--csv", table).out
        self.assertIn("cpu: ", text)
        self.assertIn("conv1", text)
        checked = self.check_trace(trace)
        self.assertEqual(list(checked.slices), ["compute"])
        # The clock is read once between two nodes, so there are no gaps
        for begin, end, _, _ in checked.of("step"):
            inside = [s for s in checked.of("kernel") if begin <= s[0] < end]
            self.assertEqual(sum(s[1] - s[0] for s in inside), end - begin)
        document = json.loads((run / "profile.json").read_text())
        (device,) = document["devices"]
        self.assertEqual((device["device"], device["source"]), ("cpu", "host clock"))
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(device["kernels"]))
        self.assertEqual({row["layer"] for row in rows} >= {"conv1", "conv2"}, True)
        # The kernels of a node take the time of the node
        def times_of(entries, steps):
            sums = {}
            for each in entries:
                key = (each["op"], each["layer"], each["phase"])
                sums[key] = sums.get(key, 0) + each["nanoseconds"] / steps
            return sums
        nodes = times_of(document["rows"], document["steps"])
        for key, time in times_of(device["kernels"], device["profiled_steps"]).items():
            self.assertAlmostEqual(time, nodes[key], delta=0.01 * nodes[key] + 100, msg=key)
        self.assertEqual(self.succeed("profile", run, "--json").json, document)
        recorded = last(events(self.events), "profile")
        self.assertEqual(recorded["devices"][0]["kernels"], len(device["kernels"]))
        self.assertGreater(recorded["devices"][0]["most_memory"]["parameter"], 0)
        self.assertLess(recorded["overhead"], 1)
        self.assertEqual(last(events(run / "events.jsonl"), "profile")["event"], "profile")

    def test_recorded_steps(self):
        for device, lanes in (("cpu", 1), ("cpu*2", 2)):
            run = self.folder / f"recorded-{lanes}"
            self.succeed("train", self.project("mnist-cnn"), "--device", device, "--steps", 12,
                         "--trace-steps", 5, "--run-dir", run, "--no-progress")  # fmt: skip
            told = last(events(run / "events.jsonl"), "trace")
            self.assertEqual((told["first_step"], told["steps"]), (2, 5))
            path = self.folder / f"recorded-{lanes}.json"
            self.succeed("profile", run, "--trace", path)
            entries = json.loads(path.read_text())["traceEvents"]
            slices = [e for e in entries if e["ph"] == "X"]
            hosts = [e for e in slices if e["name"].startswith("run step ")]
            self.assertEqual([e["name"] for e in hosts], [f"run step {n}" for n in range(2, 7)])
            kernels = [e for e in slices if e.get("cat") == "kernel"]
            # Every kernel lies in the event that started it, and each has its arrow
            for kernel in kernels:
                inside = [h for h in hosts if h["ts"] <= kernel["ts"]
                          and kernel["ts"] + kernel["dur"] <= h["ts"] + h["dur"] + 0.001]
                self.assertEqual(len(inside), 1)
            self.assertEqual(len({e["pid"] for e in kernels}), lanes)
            self.assertEqual(sum(e["ph"] == "f" for e in entries), len(kernels))
        words = self.succeed("profile", run, "--by", "layer").out
        self.assertIn("conv1", words)
        self.assertIn("A step: ", words)
        other = self.folder / "recorded-1"
        words = self.succeed("profile", run, "--compare", other, "--by", "op").out
        self.assertIn("us before", words)
        words = self.succeed("profile", run, "--by", "collective").out
        self.assertIn("Communication of a step, mean of the devices:", words)
        self.assertRegex(words, r"all_reduce +1\.0 +\d+ ")
        figures = self.succeed("profile", run, "--by", "collective", "--json").json
        self.assertGreater(figures["collectives"][0]["total_us"], 0)
        self.assertEqual(figures["equal_after_step"], 12)
        self.assertIn("compared after step 12, and are equal", words)
        for arguments in ((other, "--by", "collective"),
                          (run, "--by", "collective", "--compare", other)):  # fmt: skip
            refused = strata("profile", *arguments)
            self.assertEqual(refused.code, 2)
            self.assertIn("collective", refused.err)
        refused = strata("profile", run, "--by", "colour")
        self.assertEqual(refused.code, 2)
        self.assertIn("colour", refused.err)

    def test_each_recorded_step_has_its_kernels(self):
        # Profiles of the run are taken while its steps are recorded
        run = self.folder / "profiled"
        self.succeed("train", self.project("mnist-cnn"), "--device", "cpu", "--steps", 60,
                     "--profile", "--trace-steps", 55, "--run-dir", run,
                     "--no-progress")  # fmt: skip
        path = self.folder / "profiled.json"
        self.succeed("profile", run, "--trace", path)
        slices = [e for e in json.loads(path.read_text())["traceEvents"] if e["ph"] == "X"]
        hosts = [e for e in slices if e["name"].startswith("run step ")]
        self.assertEqual(len(hosts), 55)
        counts = {sum(h["ts"] <= e["ts"] < h["ts"] + h["dur"] for e in slices
                      if e.get("cat") == "kernel") for h in hosts}  # fmt: skip
        self.assertEqual(len(counts), 1, counts)
        self.assertGreater(counts.pop(), 10)

    def test_a_recording_of_more_steps_than_there_are(self):
        run = self.folder / "short"
        answer = strata("train", self.project("mnist-cnn"), "--trace-steps", 1001)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("expected a whole number from 1 to 1000, got 1001", answer.err)
        self.succeed("train", self.project("mnist-cnn"), "--steps", 4, "--trace-steps", 900,
                     "--run-dir", run, "--no-progress")  # fmt: skip
        self.assertEqual(last(events(run / "events.jsonl"), "trace")["steps"], 3)
        warning = last(events(run / "events.jsonl"), "warning")["message"]
        self.assertIn("Only 3 steps were recorded", warning)
        # The recording needs no profile, which a killed run does not have
        (run / "profile.json").unlink(missing_ok=True)
        trace = self.folder / "killed.json"
        self.succeed("profile", run, "--trace", trace)
        self.assertTrue(json.loads(trace.read_text())["traceEvents"])
        answer = self.succeed("profile", run, "--trace", trace, "--json")
        self.assertEqual(answer.json, {"trace": str(trace), "profile": None})
        # A damaged recording is one error, and the rest of the profile stays
        data = (run / "trace.bin").read_bytes()
        (run / "trace.bin").write_bytes(data[: len(data) // 2])
        refused = strata("profile", run, "--trace", self.folder / "t.json")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("trace.bin", refused.err)

    def test_runs_without_kernels_say_so(self):
        run = self.folder / "plain"
        self.succeed("train", self.project("mnist-mlp"), "--steps", 3, "--run-dir", run)
        answer = strata("profile", run)
        self.assertEqual(answer.code, 2, str(answer))
        self.assertIn("--profile", answer.err)
        answer = strata("profile", self.folder / "absent")
        self.assertEqual(answer.code, 2, str(answer))
        self.assertIn("is not a run", answer.err)

    def test_a_damaged_profile(self):
        run = self.train(self.project("mnist-mlp"))
        file = run / "profile.json"
        whole = file.read_bytes()
        wrong = whole.replace(b'"steps"', b'"stfps"', 1)
        for content in (b"", whole[: len(whole) // 2], b"\xff{" * 50, wrong):
            file.write_bytes(content)
            for words in ((), ("--by", "collective")):
                answer = strata("profile", run, *words)
                self.assertEqual(answer.code, 2, str(answer))
                self.assertRegex(answer.err, r"^strata: \S+/profile\.json: is damaged \(.+\)\.")
                self.assertNotIn("--profile", answer.err)
        file.unlink()
        self.assertIn("Train with strata train --profile", strata("profile", run).err)

    def test_states_of_the_processor(self):
        run = self.folder / "plain"
        text = self.succeed("train", self.project("mnist-mlp"), "--steps", 30, "--device", "cpu",
                            "--run-dir", run, "--no-progress").out  # fmt: skip
        self.assertRegex(text, r"\ncpu: memory [^;]+ MiB, other processes .*; \d+ samples?\.\n")
        states = [e for e in events(run / "events.jsonl") if e["event"] == "device_state"]
        self.assertTrue(states)
        for state in states:
            self.assertEqual(state["device"], "cpu")
            self.assertLess(2**20, state["own_bytes"])
            self.assertLess(state["own_bytes"], state["total_bytes"])
            self.assertLess(state["other_bytes"], state["total_bytes"])
            self.assertNotIn("celsius", state)
            self.assertNotIn("simulated", state)
        (summary,) = last(events(run / "events.jsonl"), "end")["devices"]
        self.assertGreaterEqual(summary["samples"], len(states))
        self.assertEqual(summary["own_peak_bytes"], max(s["own_bytes"] for s in states))

    @unittest.skipUnless(HAS_PLUGIN, "Strata was built without the CUDA Toolkit")
    def test_states_of_a_simulated_card(self):
        source = {"type": "random", "samples": 80, "shape": [28, 28, 1], "classes": 10, "seed": 1}
        project = self.project("mnist-cnn", {"/data": {"source": source}})
        run = self.train(project, "--device", "simulated:H100", "--batch-size", 4, steps=24)
        device = "simulated:H100 SXM"
        states = [e for e in events(self.events) if e["event"] == "device_state"]
        # At the beginning and at the end
        self.assertGreaterEqual(len(states), 2)
        for state in states:
            self.assertEqual((state["device"], state["simulated"]), (device, True))
            self.assertEqual(state["other_bytes"], 0)
            self.assertEqual(state["megahertz"], states[0]["megahertz"])
            # What a data sheet does not say
            self.assertFalse({"celsius", "watts", "memory_megahertz"} & set(state))
        # The context of the driver, and more
        self.assertGreater(states[-1]["own_bytes"], 480 * 2**20)
        self.assertEqual(states[-1]["total_bytes"], 80 * 2**30)
        # A card that has not worked yet has none
        self.assertLess(0, max(state.get("utilization", 0) for state in states))
        self.assertLessEqual(states[-1]["utilization"], 1)
        (summary,) = json.loads((run / "profile.json").read_text())["device_states"]
        self.assertEqual((summary["device"], summary["simulated"]), (device, True))
        self.assertEqual(summary["samples"], len(states))
        self.assertEqual(summary["own_peak_bytes"], max(s["own_bytes"] for s in states))
        text = self.succeed("profile", run).out
        self.assertRegex(text, device + r": memory .*, total 80.0 GiB; utilization .*\(simulated\)")

    @unittest.skipUnless(HAS_PLUGIN, "Strata was built without the CUDA Toolkit")
    def test_a_run_on_a_simulated_card(self):
        documents = []
        source = {"type": "random", "samples": 80, "shape": [28, 28, 1], "classes": 10, "seed": 1}
        project = self.project("mnist-cnn", {"/data": {"source": source}})
        for _ in range(2):
            # Fewer steps are profiled where this machine is slow
            for steps in (24, 96, 384):
                run = self.train(project, "--device", CARD, "--batch-size", 4, steps=steps)
                documents.append(json.loads((run / "profile.json").read_text())["devices"][0])
                if documents[-1]["source"] == "predicted":
                    break
                documents.pop()
        self.assertEqual(len(documents), 2)
        device = documents[0]
        self.assertEqual(device["source"], "predicted")
        self.assertEqual(device["problem"], "")
        kernels = device["kernels"]
        # Times of one call and of the last steps do not depend on the speed of this machine
        for first, second in zip(*(document["kernels"] for document in documents)):
            for key in ("name", "layer", "op", "grid", "block", "registers", "occupancy"):
                self.assertEqual(first[key], second[key])
            self.assertEqual(first["nanoseconds"] / first["calls"],
                             second["nanoseconds"] / second["calls"])  # fmt: skip
        own = [k for k in kernels if k["grid"][0] > 0]
        self.assertTrue(all(k["block"][0] >= 1 and k["registers"] > 0 for k in own))
        self.assertTrue(all(0 < k["occupancy"] <= k["theoretical_occupancy"] <= 1 for k in own))
        named = [k for k in kernels if k["name"].startswith("convolution ")]
        self.assertTrue(named)
        self.assertTrue(all(k["layer"] in ("conv1", "conv2", "conv3") for k in named))
        self.assertTrue(all(0 < k["flops_per_second"] < 83e12 for k in named))
        self.assertGreater(device["memory"]["context_bytes"], 0)
        trace_path = self.folder / "trace.json"
        self.succeed("profile", run, "--trace", trace_path)
        trace = self.check_trace(trace_path)
        self.assertEqual(trace.device, "simulated:GeForce RTX 4090")
        self.assertEqual(set(trace.slices), {"compute", "copies"})
        # A step waits for its inputs, and then computes without a gap
        for begin, end, _, _ in trace.of("step"):
            inside = [s for s in trace.of("kernel") if begin <= s[0] < end]
            self.assertEqual(sum(s[1] - s[0] for s in inside), end - inside[0][0])
            copied = max(s[1] for s in trace.of("kernel", "copies") if begin <= s[0] < end)
            self.assertEqual(inside[0][0], copied)
        shown = self.succeed("profile", run).out
        last = device["steps"][-1]["nanoseconds"] / 1000
        self.assertIn(f"us, predicted; {last:,.1f} us with the copy of its inputs", shown)


if __name__ == "__main__":
    main()
