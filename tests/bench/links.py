#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures runs of several processes over links of a given speed. Network namespaces stand for
hosts, a token bucket (tc) for the link of each, and a script for ssh. It needs root.

    links.py PROJECT [--processes N] [--gigabits G]... [--steps N] [--rounds N]
             [--set POINTER=VALUE]...

For each speed, prints the step with communication, with all communication after the backward pass
(pass start_sums off), the step of one process alone with the same share of the batch, what the run
says about its communication, and the step that `strata plan` predicts. The runs of each kind
alternate, and the figures are medians of the rounds, because other load changes all times."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRATA = ROOT / "build/release/bin/strata"
# Parts of a step, as phases of the end event name them
PARTS = ("forward", "backward", "update", "communication", "exposed_communication",
         "communication_processor_time")  # fmt: skip


class Host:
    """A namespace with a network and a host name, which a sleeping process keeps."""

    def __init__(self, number):
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "3600"])
        time.sleep(0.3)
        self.words = ["nsenter", "-t", str(self.process.pid), "--net", "--uts"]
        self.address = f"10.78.0.{number + 1}"
        self.call("hostname", f"host{number}")
        self.call("ip", "link", "set", "lo", "up")

    def call(self, *words):
        subprocess.run([*self.words, *words], check=True, capture_output=True)

    def connect(self, switch, number, gigabits):
        """Connects the host to a bridge in the namespace `switch`. What it sends and receives is
        limited."""
        here, there = f"h{number}", f"s{number}"
        self.call("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns",
                  str(switch.process.pid))  # fmt: skip
        self.call("ip", "addr", "add", f"{self.address}/24", "dev", here)
        self.call("ip", "link", "set", here, "up")
        switch.call("ip", "link", "set", there, "master", "bridge")
        switch.call("ip", "link", "set", there, "up")
        # Linux would divide packets, of at most 64 KiB, that are larger than the burst
        rate, burst = f"{gigabits * 1000:.0f}mbit", f"{max(128, gigabits * 128):.0f}kb"
        for host, device in ((self, here), (switch, there)):
            host.call("tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst",
                      burst, "latency", "50ms")  # fmt: skip

    def close(self):
        self.process.kill()
        self.process.wait()


def phases(run):
    lines = (run / "events.jsonl").read_text().splitlines()
    return json.loads(lines[-1])["phases"]


def train(hosts, agent, project, run, words):
    command = [*hosts[0].words, STRATA, "launch", "-np", len(hosts), "--hosts",
               ",".join(host.address for host in hosts), "train", project, "--threads", 1,
               "--device", "cpu", "--run-dir", run, *words]  # fmt: skip
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, "OMPI_MCA_plm_rsh_agent": str(agent)})  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return phases(run)


def medians(runs):
    """Returns the median of each figure, in microseconds a step where it is a part of the step."""
    def value(run, name):
        return run[name] * (run["step_us"] if name in PARTS else 1)

    return {name: statistics.median(value(run, name) for run in runs) for name in runs[0]}


def measure(project, count, gigabits, words, folder, turns):
    hosts = [Host(number) for number in range(count)]
    switch = Host(200)
    try:
        switch.call("ip", "link", "add", "bridge", "type", "bridge")
        switch.call("ip", "link", "set", "bridge", "up")
        for number, host in enumerate(hosts):
            host.connect(switch, number, gigabits)
        agent = folder / "agent"
        cases = "".join(
            f'{host.address}) exec {" ".join(host.words)} sh -c "$*" ;;\n' for host in hosts
        )
        agent.write_text(f"#!/bin/sh\nhost=$1; shift\ncase $host in\n{cases}esac\n")
        agent.chmod(0o755)
        rounds = []
        for number in range(turns):
            place = folder / f"{gigabits}-{number}"
            rounds.append((
                alone(project, count, words, place),
                train(hosts, agent, project, place / "a", words),
                train(hosts, agent, project, place / "b", [*words, "--disable-pass", "start_sums"]),
            ))  # fmt: skip
        return [medians(each) for each in zip(*rounds)]
    finally:
        for host in (*hosts, switch):
            host.close()


def alone(project, count, words, folder):
    """Returns the step of a process without communication, while others compute the same."""
    batch = json.loads(pathlib.Path(project).read_text())["training"]["batch_size"]
    for word in words:
        if word.startswith("/training/batch_size="):
            batch = int(word.split("=")[1])
    runs = []
    for number in range(count):
        command = [STRATA, "train", project, "--threads", 1, "--device", "cpu", "--batch-size",
                   batch // count, "--run-dir", folder / f"alone{number}", "--no-progress",
                   *words]  # fmt: skip
        runs.append(subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL))
    for run in runs:
        run.wait()
    all_phases = [phases(folder / f"alone{n}") for n in range(count)]
    return {name: sum(each[name] for each in all_phases) / count for name in all_phases[0]}


def predicted(project, count, gigabits, words):
    """Returns the step that `strata plan` predicts for processes that share this machine."""
    command = [STRATA, "plan", project, "--device", "cpu", "--threads", 1, "--replicas", count,
               "--gigabits", gigabits, "--per-host", count, "--json",
               *(word for at in range(2, len(words), 2) for word in words[at:at + 2])]  # fmt: skip
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["replicas"][0]["predicted_step_us"]


def text(step):
    parts = ", ".join(f"{name} {step[name] / 1000:.2f}" for name in PARTS[:3])
    return f"step {step['step_us'] / 1000:.2f} ms ({parts})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("project")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--gigabits", type=float, action="append")
    parser.add_argument("--steps", default="20")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    words = ["--steps", options.steps, *(w for each in options.set for w in ("--set", each))]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for gigabits in options.gigabits or [1.0]:
            single, step, after = measure(options.project, options.processes, gigabits, words,
                                          folder, options.rounds)  # fmt: skip
            plan = predicted(options.project, options.processes, gigabits, words)
            total, exposed = step["communication"], step["exposed_communication"]
            print(
                f"{gigabits:g} Gb/s: predicted {plan / 1000:.2f} ms "
                f"({100 * (plan / step['step_us'] - 1):+.0f}%), {text(step)}, not overlapped "
                f"{after['step_us'] / 1000:.2f} ms, without communication {text(single)}; "
                f"communication {total / 1000:.2f} ms, exposed {exposed / 1000:.2f} ms "
                f"(hidden {100 * (1 - exposed / total):.0f}%), difference "
                f"{(step['step_us'] - single['step_us']) / 1000:.2f} ms, processor "
                f"{step['communication_processor_time'] / 1000:.2f} ms; "
                f"{step['sent_bytes_per_step'] / 2**20:.2f} MiB sent in "
                f"{step['collectives_per_step']:.1f} sums"
            )


if __name__ == "__main__":
    main()
