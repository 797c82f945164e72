#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the engine and the command line for one card, and tests them on it.

    gpu_test.py [--quick] [--part NAME]... [--device D] [--out DIR] [--bin DIR] [--seconds N]

Needs no Qt and no network; what else the machine may lack is in the folder of gpu_pack.py. Runs
the parts in the groups a, b, c and d, or those of --part, and goes on after a failure. A call ends
within 9 minutes (--seconds; --quick: within 8), and says what to run next. Several calls with the
same --out make one page; a call that is killed loses only the part that ran. A part in --part runs
again; of a group, only parts without results run. --device simulated:NAME tries the command without
a card. --bin uses programs that are built. The exit code is 1 if a part failed. The folder --out
gets at most 8 files, with result.md first."""
import argparse
import atexit
import ctypes
import datetime
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import card_build
import card_machine
import card_order
import card_parts
import card_report
import card_results

ROOT = card_machine.ROOT
# A process that was killed should be gone after this time
KILL_SECONDS = 5
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def end_with_parent():
    """Lets a command end when this program is killed, so that it does not disturb later calls."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Session:
    """The options, the programs, and the results so far."""

    def __init__(self, options, capability, card):
        self.device, self.is_quick = options.device, options.quick
        self.is_simulated = self.device.startswith(card_machine.SIMULATED)
        self.capability, self.card = capability, card
        self.out = options.out.resolve()
        self.results = card_results.Results(self.out, self.device, card, capability)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strata-gpu-test-"))
        atexit.register(shutil.rmtree, self.work, ignore_errors=True)
        self.bin = options.bin.resolve() if options.bin else card_build.BUILD / "bin"
        self.is_built = options.bin is not None
        usual = card_order.QUICK_SECONDS if self.is_quick else card_order.CALL_SECONDS
        self.call_end = time.monotonic() + (options.seconds or usual) - card_order.RESERVE_SECONDS
        self.end, self.part, self.has_torch, self.asks_cudnn = 0.0, "", None, True
        self.rows, self.bench, self.torch, self.failures = [], [], [], []

    @property
    def shared(self):
        packed = card_build.PACK / "shared"
        folder = pathlib.Path(os.environ.get("STRATA_SHARED") or ROOT.parent / "shared")
        return packed if packed.is_dir() and not folder.is_dir() else folder

    def begin(self, part):
        self.part = part
        self.rows, self.bench, self.torch, self.failures = [], [], [], []
        limit = card_order.part_limit(part, self)
        self.end = min(self.call_end, time.monotonic() + limit)

    def record(self, begin):
        """Returns what is kept of the part."""
        return {
            "quick": self.is_quick, "seconds": round(time.monotonic() - begin, 1),
            "ended": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
            "rows": self.rows, "bench": self.bench, "torch": self.torch,
            "failures": self.failures,
        }  # fmt: skip

    def left(self):
        return self.end - time.monotonic()

    def add(self, name, state, detail=""):
        """Adds a result: "passed", "failed" or "skipped"."""
        detail = " ".join(str(detail).split())
        self.rows.append((name, state, detail))
        print(f"  {state}  {name}{': ' if detail else ''}{detail[:300]}", flush=True)

    def run(self, *command, env=None, cwd=None, seconds=None):
        """Runs a command within the time of the part. Returns its code and output; the code is None
        if the time was not enough. The log gets both."""
        limit = min(self.left(), seconds or self.left())
        if limit < 1:
            return None, "no time left"
        environment = {**os.environ, "NVIDIA_TF32_OVERRIDE": "0", **(env or {})}
        if self.bin == card_build.PACK / "bin":
            # They were built in another folder
            environment["STRATA_RESOURCES"] = str(ROOT / "resources")
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", env=environment, cwd=cwd or ROOT,
            start_new_session=True, preexec_fn=end_with_parent,
        )  # fmt: skip
        try:
            output, code = process.communicate(timeout=limit)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            code = None
            try:
                output = process.communicate(timeout=KILL_SECONDS)[0]
            except subprocess.TimeoutExpired:
                # A driver that hangs keeps its process
                output = "the process does not end"
        with open(self.out / "log.txt", "a") as log:
            shown = " ".join(str(word) for word in command)
            log.write(f"\n$ {shown}\n{output[-20000:]}\n[{code}]\n")
        return code, output

    def strata(self, *words, **more):
        return self.run(self.bin / "strata", *words, **more)

    def add_failure(self, title, text):
        """Adds what a person needs to understand a failure."""
        self.failures.append((title, text[-100000:]))


PARTS = {"build": card_build.build, **card_parts.PARTS}


def run_part(session, part):
    """Runs a part and keeps its results."""
    if session.results.begin(part):
        print(f"{part} was killed in an earlier call, and runs again", flush=True)
    session.begin(part)
    begin = time.monotonic()
    print(part, flush=True)
    try:
        PARTS[part](session)
    except Exception as error:
        # A fault of one part must not hide the results of the others
        session.add(part, "failed", f"{type(error).__name__}: {error}")
    print(f"  {time.monotonic() - begin:.0f} s", flush=True)
    session.results.keep(part, session.record(begin))
    return any(state == "failed" for _, state, _ in session.rows)


def run_parts(session, parts, write_page):
    """Runs parts while there is time. Returns the number of those that failed."""
    failed = 0
    for number, part in enumerate(parts):
        left = session.call_end - time.monotonic()
        # The first part runs in any case, so that each call makes progress
        if number > 0 and left < max(2, card_order.expected_seconds(part, session)):
            print(f"{part} does not begin: {max(0, left):.0f} s are left", flush=True)
            break
        # Without programs, a part keeps no result, so that a later call runs it
        if part != "build" and not (session.bin / "strata").is_file():
            print(f"{part} does not begin: the programs are not built", flush=True)
            failed += 1
            break
        failed += run_part(session, part)
        write_page()
        try:
            card_report.record(session)
        except Exception as error:
            print(f"recordings: {type(error).__name__}: {error}", flush=True)
    return failed


def read_options():
    parser = argparse.ArgumentParser(
        prog="./dev gpu-test", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    names = ", ".join([*card_order.GROUPS, *card_order.ORDER])
    parser.add_argument("--quick", action="store_true", help="a sample of each part")
    parser.add_argument("--part", action="append", help=names, metavar="NAME")
    parser.add_argument("--device", default="cuda:0", help="cuda:0 (default) or simulated:NAME")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "gpu-test")
    parser.add_argument("--bin", type=pathlib.Path, help="folder with built programs")
    parser.add_argument("--seconds", type=int, help="time limit of this call (default: 540)")
    return parser.parse_args()


def find_card(device):
    """Returns the compute capability and the name of the card."""
    if device.startswith(card_machine.SIMULATED):
        capability, card = card_machine.simulated_capability(device), device
        reason = "not in the catalogue"
    else:
        capability, card = card_machine.real_card(device)
        reason = card
    if capability is None:
        sys.exit(
            f"gpu-test: {device}: {reason}. To try it without a card, use --device simulated:H100."
        )
    return capability, card


def main():
    options = read_options()
    # A wrong name is refused before anything is written
    card_order.chosen_parts(options.part, lambda part: False)
    session = Session(options, *find_card(options.device))

    def is_done(part):
        return session.results.is_done(part, session.is_quick)

    started = datetime.datetime.now(datetime.timezone.utc)
    parts = card_order.chosen_parts(options.part, is_done)
    print(f"{session.card}, compute capability {session.capability}", flush=True)
    print(f"Parts: {', '.join(parts) or 'none, because all of them have results'}", flush=True)
    if parts and "build" not in parts and not (session.bin / "strata").is_file():
        parts.insert(0, "build")
    following = None

    def write_page():
        nonlocal following
        following = card_order.next_command(options, is_done)
        card_report.write(session, started, following)

    failed = run_parts(session, parts, write_page)
    write_page()
    if not parts:
        failed = sum(state == "failed" for _, _, state, _ in session.results.rows(card_order.ORDER))
    print(f"Results: {session.out}/result.md" + (f"; failed: {failed}" if failed else ""))
    print(f"next: {following}" if following else "all parts done")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
