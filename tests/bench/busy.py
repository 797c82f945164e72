#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how Strata shares the machine with a busy program: the time of a training step with one
thread, divided by the time with all threads, while another program keeps one processor busy. The
ratio should be at least 1.

   busy.py [--strata PROGRAM] [--before PROGRAM] [--threads N] [--rounds N] [--quiet]
           PROJECT[:BATCH]...

With --before, the ratio is the time of another build with the same threads, divided by the time of
this build, and the hashes of the weights must be equal. --quiet starts no busy program. Rounds
alternate, so that changes in the speed of the machine affect both equally."""
import argparse
import json
import multiprocessing
import os
import subprocess
import sys


def spin():
    while True:
        pass


def measure(program, item, threads):
    """Returns the median time of a step in microseconds, and the hash of the weights."""
    path, _, batch = item.rpartition(":")
    command = [program, "bench", path or item, "--threads", str(threads), "--json"]
    if path:
        command += ["--batch-size", batch]
    result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return result["step_us"]["median"], result["weights_hash"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strata", default="build/release/bin/strata", metavar="PROGRAM")
    parser.add_argument("--before", metavar="PROGRAM")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("projects", nargs="+", metavar="PROJECT[:BATCH]")
    options = parser.parse_args()
    other = (options.before, options.threads) if options.before else (options.strata, 1)
    own = (options.strata, options.threads)
    busy = None if options.quiet else multiprocessing.Process(target=spin, daemon=True)
    if busy:
        busy.start()
    for item in options.projects:
        rounds = []
        for _ in range(options.rounds):
            (other_time, other_hash), (time, own_hash) = (
                measure(program, item, threads) for program, threads in (other, own)
            )
            rounds.append((other_time, time))
            if options.before and own_hash != other_hash:
                sys.exit(f"{item}: the weights differ ({other_hash} before, {own_hash} now)")
        best = [min(times) for times in zip(*rounds)]
        pairs = " ".join(f"{before / after:.2f}" for before, after in rounds)
        print(
            f"{os.path.basename(item):24} {best[0]:9.1f} us, {best[1]:9.1f} us"
            f"  ratio {best[0] / best[1]:.3f}  (pairs: {pairs})",
            flush=True,
        )
    if busy:
        busy.terminate()


if __name__ == "__main__":
    main()
