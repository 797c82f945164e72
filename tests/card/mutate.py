#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes one wait, event, barrier or copy at a time from the code for cards, in a copy of the
tree, and checks that a test fails.

    mutate.py [--count N] [--seed S] [--only TEXT] [--work DIR] [--list]

Draws N places (default 3; 0: all) by the seed, among those whose path contains the text. Builds the
engine and its tests in DIR (default build/mutants) once, and again after each deletion. Prints one
line per place. Places whose deletion no test notices must be in redundant.txt with the reason;
otherwise the exit code is 1."""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLUGIN = ROOT / "build" / "release" / "bin" / "libstrata_cuda.so"
REDUNDANT = pathlib.Path(__file__).resolve().parent / "redundant.txt"
CALL = re.compile(
    r"\b(streamWaitEvent|eventSynchronize|streamSynchronize|eventRecord|memcpy\w+Async|"
    r"memsetD8Async|encoder\.copy|encoder\.clear|__syncthreads|__syncwarp)\("
)
SUITES = (
    "card,failing cards,launches on cards,rows on cards,kernels on cards,norms on cards,"
    "convolutions of cards,own products,algorithms of cards"
)
# A deletion can make a test wait forever
TEST_SECONDS = 300


def files():
    for pattern in ("*.cpp", "ops/*.cpp", "kernels/*.cu", "kernels/*.cuh"):
        yield from sorted((ROOT / "gpu" / "cuda").glob(pattern))


def statements(text):
    """Yields begin and end of each statement that is nothing but one of the calls."""
    for match in CALL.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        # A call after "if (...)" is a statement of its own
        lead = text[begin : match.start()]
        condition = re.fullmatch(r"\s*(?:if \(.*\) )?(?:[\w\->.()]*(?:->|\.))?", lead)
        if not condition:
            continue
        begin = match.start() - len(re.search(r"[\w\->.()]*$", lead).group())
        if "if (" in lead:
            begin = text.rfind("\n", 0, match.start()) + 1 + lead.rindex(") ") + 2
        depth, at = 0, match.end() - 1
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                break
        if text[at] == ";":
            yield begin, at + 1


def places():
    result = []
    for path in files():
        text = path.read_text()
        for begin, end in statements(text):
            line = text.count("\n", 0, begin) + 1
            shown = " ".join(text[begin:end].split())
            result.append((path.relative_to(ROOT), line, begin, end, shown))
    return result


def known_redundant():
    """Returns the file and the beginning of each statement that may be deleted."""
    # Indented lines are reasons
    lines = [line for line in REDUNDANT.read_text().splitlines() if not line.startswith(("#", " "))]
    return [line.split(" | ", 1) for line in lines if line]


def run(command, **more):
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )


class Copy:
    def __init__(self, work):
        self.source, self.build = work / "source", work / "build"
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
            check=True, capture_output=True, text=True,
        ).stdout.splitlines()
        wanted = {self.source / name for name in listed if (ROOT / name).is_file()}
        for path in self.source.rglob("*"):
            if path.is_file() and path not in wanted:
                path.unlink()
        for path in wanted:
            origin = ROOT / path.relative_to(self.source)
            # A file that changes is newer than what was built from it
            if not path.is_file() or path.read_bytes() != origin.read_bytes():
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(origin, path)
                path.chmod(origin.stat().st_mode)
        configured = run(
            ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DSTRATA_WITH_UI=OFF",
             "-DSTRATA_WERROR=OFF", "-DSTRATA_BUILD_TESTS=ON", "-DCMAKE_BUILD_TYPE=Release",
             "-DSTRATA_CUDA_ARCHITECTURES=none"]
        )  # fmt: skip
        if configured.returncode:
            sys.exit(configured.stdout)

    def make(self):
        return run(
            ["cmake", "--build", self.build, "--target", "strata_cuda", "strata_gpu_tests"]
        )

    def test(self):
        """Returns the first failure, or None."""
        try:
            tests = run(
                [self.build / "bin" / "strata_gpu_tests", f"-ts={SUITES}", "--abort-after=1"],
                cwd=self.source / "tests", timeout=TEST_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"no end after {TEST_SECONDS} s"
        if tests.returncode == 0:
            return None
        # The last one that is named is the one that failed
        found = re.findall(r"TEST CASE:\s*(.*)", tests.stdout)
        return found[-1] if found else f"exit code {tests.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [place for place in places() if options.only in str(place[0])]
    random.Random(options.seed).shuffle(chosen)
    if options.count:
        chosen = chosen[: options.count]
    if options.list:
        for path, line, _, _, shown in sorted(chosen):
            print(f"{path}:{line}: {shown}")
        return 0
    os.environ.pop("STRATA_TEST_ROWS", None)
    if not PLUGIN.is_file():
        print("mutate: skipped, because Strata was built without the CUDA Toolkit")
        return 0
    copy = Copy(options.work)
    built = copy.make()
    if built.returncode:
        sys.exit(built.stdout[-4000:])
    if failure := copy.test():
        sys.exit(f"mutate: the tests fail without a deletion ({failure}). Fix them first.")
    redundant, survivors, killed = known_redundant(), [], 0
    for path, line, begin, end, shown in chosen:
        target = copy.source / path
        text = target.read_text()
        target.write_text(text[:begin] + ";" + text[end:])
        built = copy.make()
        failure = "it does not compile" if built.returncode else copy.test()
        target.write_text(text)
        reason = failure or (
            "redundant"
            if any(str(path) == file and shown.startswith(begin_of) for file, begin_of in redundant)
            else "NO TEST FAILS"
        )
        if not failure and reason != "redundant":
            survivors.append(f"{path}:{line}: {shown}")
        killed += bool(failure)
        print(f"{path}:{line}: {shown[:70]}: {reason}", flush=True)
    print(f"{killed} of {len(chosen)} deletions made a test fail")
    for survivor in survivors:
        print(f"mutate: no test fails without {survivor}. Add a test, or a line to redundant.txt.")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
