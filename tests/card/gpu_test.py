#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the engine and the command line for one card, and tests them on it.

    gpu_test.py [--quick] [--part NAME]... [--device D] [--out DIR] [--bin DIR]

Needs no Qt and no network; what else the machine may lack is in the folder of gpu_pack.py. Goes on
after a failure. Each part ends within 9 minutes, and --quick within 8 minutes for all of them.
--device simulated:NAME tries the command without a card. --bin uses programs that are built. The
exit code is 1 if a part failed. The folder --out gets at most 8 files, with result.md first."""
import argparse
import atexit
import datetime
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import card_machine
import card_parts
import card_report

ROOT = card_machine.ROOT
BUILD = ROOT / "build" / "card"
PACK = ROOT / "build" / "gpu-pack"
# What earlier runs may have left in the folder for results
OUTPUTS = {
    "result.md", "bench.json", "log.txt", "failures.txt", "recording-mnist-cnn.jsonl",
    "recording-profile.json", "recording-devices.json", "cudnn-properties.json",
}  # fmt: skip
PART_SECONDS, QUICK_SECONDS = 9 * 60, 8 * 60
# A part ends this long before its limit, so that the page is written in time
RESERVE_SECONDS = 15
# A process that was killed should be gone after this time
KILL_SECONDS = 5


class Session:
    """The options, the programs, and the results so far."""

    def __init__(self, options):
        self.device, self.is_quick = options.device, options.quick
        self.is_simulated = self.device.startswith(card_machine.SIMULATED)
        self.out = options.out.resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        if others := sorted(p.name for p in self.out.iterdir() if p.name not in OUTPUTS):
            sys.exit(f"gpu-test: {self.out} has other files ({others[0]}). Name a new folder.")
        for path in self.out.iterdir():
            path.unlink()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strata-gpu-test-"))
        atexit.register(shutil.rmtree, self.work, ignore_errors=True)
        self.bin = options.bin.resolve() if options.bin else BUILD / "bin"
        self.is_built = options.bin is not None
        self.capability, self.card = self.find_card()
        self.rows, self.bench, self.end, self.part = [], [], 0.0, ""
        self.quick_end = time.monotonic() + QUICK_SECONDS

    def find_card(self):
        if self.is_simulated:
            return card_machine.simulated_capability(self.device), self.device
        return card_machine.real_card(self.device)

    @property
    def shared(self):
        packed = PACK / "shared"
        folder = pathlib.Path(os.environ.get("STRATA_SHARED") or ROOT.parent / "shared")
        return packed if packed.is_dir() and not folder.is_dir() else folder

    def begin(self, part):
        self.part = part
        self.end = time.monotonic() + PART_SECONDS - RESERVE_SECONDS
        if self.is_quick:
            self.end = min(self.end, self.quick_end - RESERVE_SECONDS)

    def left(self):
        return self.end - time.monotonic()

    def add(self, name, state, detail=""):
        """Adds a result: "passed", "failed" or "skipped"."""
        detail = " ".join(str(detail).split())
        self.rows.append((self.part, name, state, detail))
        print(f"  {state}  {name}{': ' if detail else ''}{detail[:300]}", flush=True)

    def run(self, *command, env=None, cwd=None, seconds=None):
        """Runs a command within the time of the part. Returns its code and output; the code is None
        if the time was not enough. The log gets both."""
        limit = min(self.left(), seconds or self.left())
        if limit < 1:
            return None, "no time left"
        environment = {**os.environ, "NVIDIA_TF32_OVERRIDE": "0", **(env or {})}
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", env=environment, cwd=cwd or ROOT,
            start_new_session=True,
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
        with open(self.out / "failures.txt", "a") as file:
            file.write(f"--- {self.part}: {title}\n{text[-100000:]}\n\n")


def cmake_options(session):
    """Returns the options that build engine and command line for the card alone."""
    options = [
        "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSTRATA_WITH_UI=OFF",
        "-DSTRATA_WITH_ONEDNN=OFF", "-DSTRATA_BUILD_TESTS=ON", "-DSTRATA_WITH_CUDA=ON",
        "-DSTRATA_WERROR=OFF", f"-DSTRATA_CUDA_ARCHITECTURES={session.capability}",
    ]  # fmt: skip
    includes = [str(folder) for folder in card_machine.nvidia_folders("include")]
    if includes:
        options.append(f"-DCMAKE_INCLUDE_PATH={';'.join(includes)}")
    if nvcc := card_machine.find_tool("nvcc"):
        options.append(f"-DSTRATA_NVCC={nvcc}")
    if PACK.is_dir():
        options += [
            f"-DCMAKE_PREFIX_PATH={PACK / 'usr'}",
            f"-DCMAKE_CXX_FLAGS=-idirafter {PACK / 'usr/include'}",
            f"-DCMAKE_EXE_LINKER_FLAGS=-L{PACK / 'usr/lib'}",
        ]
    return options


def build(session):
    """Builds engine, command line and the tests that run on a card."""
    if session.is_built:
        return session.add("programs", "skipped", f"--bin {session.bin}")
    if not card_machine.find_tool("nvcc"):
        return session.add("programs", "failed", "nvcc is missing. Install the CUDA Toolkit 13.")
    begin = time.monotonic()
    steps = (
        ["cmake", "-S", ROOT, "-B", BUILD, *cmake_options(session)],
        ["cmake", "--build", BUILD, "--target", "strata", "strata_cuda", "strata_card_tests"],
    )
    for step in steps:
        code, output = session.run(*step)
        if code != 0:
            session.add_failure("build", output)
            what = "no end in time" if code is None else output.strip()[-300:]
            return session.add("programs", "failed", what)
    session.is_built = True
    text = f"compute capability {session.capability}, {time.monotonic() - begin:.0f} s"
    return session.add("programs", "passed", text)


PARTS = {"build": build, **card_parts.PARTS}


def chosen_parts(names):
    """Returns the parts with these names or beginnings; "bench" means all that begin so."""
    if not names:
        return list(PARTS)
    for name in names:
        if not any(part == name or part.startswith(name + "-") for part in PARTS):
            sys.exit(f"gpu-test: {name}: no such part (expected one of {', '.join(PARTS)})")
    return [
        part for part in PARTS if any(part == n or part.startswith(n + "-") for n in names)
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        prog="./dev gpu-test", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a sample of each part")
    parser.add_argument("--part", action="append", help=", ".join(PARTS), metavar="NAME")
    parser.add_argument("--device", default="cuda:0", help="cuda:0 (default) or simulated:NAME")
    parser.add_argument("--out", type=pathlib.Path, default=BUILD.parent / "gpu-test")
    parser.add_argument("--bin", type=pathlib.Path, help="folder with built programs")
    options = parser.parse_args()
    parts = chosen_parts(options.part)
    session = Session(options)
    if session.capability is None:
        reason = session.card if not session.is_simulated else "not in the catalogue"
        sys.exit(
            f"gpu-test: {options.device}: {reason}. To try it without a card, use --device "
            "simulated:H100."
        )
    started = datetime.datetime.now(datetime.timezone.utc)
    print(f"{session.card}, compute capability {session.capability}", flush=True)
    if "build" not in parts and not (session.bin / "strata").is_file():
        parts.insert(0, "build")
    for part in parts:
        session.begin(part)
        begin = time.monotonic()
        print(f"{part}", flush=True)
        try:
            if part != "build" and not (session.bin / "strata").is_file():
                session.add("programs", "failed", "they are not built")
            else:
                PARTS[part](session)
        except Exception as error:
            # A fault of one part must not hide the results of the others
            session.add(part, "failed", f"{type(error).__name__}: {error}")
        print(f"  {time.monotonic() - begin:.0f} s", flush=True)
        card_report.write(session, started)
    card_report.record(session)
    failed = sum(state == "failed" for _, _, state, _ in session.rows)
    others = len(session.rows) - failed
    print(f"{others} passed or skipped, {failed} failed: {session.out}/result.md")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
