# SPDX-License-Identifier: Apache-2.0
"""Builds the programs that gpu_test.py runs, or takes those of gpu_pack.py where they run."""
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time

import card_machine

ROOT = card_machine.ROOT
BUILD = ROOT / "build" / "card"
PACK = ROOT / "build" / "gpu-pack"
TARGETS = ("strata", "strata_cuda", "strata_card_tests")
# What a machine with a card needs of a build tree; the last file says what it was built from
PROGRAMS = ("strata", "strata_card_tests", "libstrata_cuda.so", "libstrata_driver_shim.so")
BUILT_FROM = "built-from.json"
SOURCES = ("gpu", "core", "app", "tests/gpu", "tests/support", "CMakeLists.txt")
SUFFIXES = {".cpp", ".h", ".inc", ".cu", ".cuh", ".cmake", ".txt"}


def source_hash():
    """Returns a hash of everything that the programs are built from."""
    found = hashlib.sha256()
    for name in SOURCES:
        top = ROOT / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.suffix in SUFFIXES and path.is_file():
                found.update(f"{path.relative_to(ROOT)}\0".encode())
                found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def cmake_options(capability):
    """Returns the options that build engine and command line for cards of one kind alone."""
    options = [
        "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DSTRATA_WITH_UI=OFF",
        "-DSTRATA_WITH_ONEDNN=OFF", "-DSTRATA_BUILD_TESTS=ON", "-DSTRATA_WITH_CUDA=ON",
        "-DSTRATA_WERROR=OFF", f"-DSTRATA_CUDA_ARCHITECTURES={capability}",
        f"-DSTRATA_PYTHON={sys.executable}",
    ]  # fmt: skip
    if nvcc := card_machine.find_tool("nvcc"):
        options.append(f"-DSTRATA_NVCC={nvcc}")
    if (PACK / "usr").is_dir():
        options += [
            f"-DCMAKE_PREFIX_PATH={PACK / 'usr'}",
            f"-DCMAKE_CXX_FLAGS=-idirafter {PACK / 'usr/include'}",
            f"-DCMAKE_EXE_LINKER_FLAGS=-L{PACK / 'usr/lib'}",
        ]
    if (PACK / "nvidia").is_dir():
        options.append(f"-DSTRATA_NVIDIA_FALLBACK={PACK / 'nvidia'}")
    return options


def build_steps(capability):
    return (
        ["cmake", "-S", ROOT, "-B", BUILD, *cmake_options(capability)],
        ["cmake", "--build", BUILD, "--target", *TARGETS],
    )


def why_not_packed(session):
    """Returns why the programs of the pack cannot be used here, or an empty text."""
    folder = PACK / "bin"
    missing = [name for name in (*PROGRAMS, BUILT_FROM) if not (folder / name).is_file()]
    if missing:
        return f"{folder} lacks {missing[0]}"
    built_from = json.loads((folder / BUILT_FROM).read_text())
    if built_from["sources"] != source_hash():
        return "the sources changed after ./dev gpu-pack"
    if not session.is_simulated and built_from["capability"] != session.capability:
        return f"they are for compute capability {built_from['capability']}"
    before, session.bin = session.bin, folder
    # A step on the card shows that libraries and kernels load
    code, output = session.strata(
        "train", ROOT / "projects" / "mnist-mlp-128.json", "--steps", 2, "--device", session.device,
        "--run-dir", session.work / "packed", "--no-progress", seconds=120,
    )  # fmt: skip
    if code == 0:
        code, output = session.run(folder / "strata_card_tests", "--list-test-cases", seconds=60)
    if code == 0:
        return ""
    session.bin = before
    return f"they do not run: {' '.join(output.split())[-200:]}"


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout.strip().splitlines() or [""])[0]


def versions():
    """Returns what a person wants to know of a machine before the numbers."""
    nvcc = card_machine.find_tool("nvcc")
    release = ""
    if nvcc:
        answer = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
        release = "".join(re.findall(r"release [\d.]+, V([\d.]+)", answer))
    driver = first_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return (
        f"driver {driver or 'unknown'}; nvcc {release or 'missing'}; "
        f"{first_line('g++', '--version') or 'g++ is missing'}; "
        f"{first_line('cmake', '--version') or 'cmake is missing'}; "
        f"Python {sys.version.split()[0]}"
    )


def header_folders():
    """Returns where the build found NVIDIA's headers."""
    cache = BUILD / "CMakeCache.txt"
    text = cache.read_text() if cache.is_file() else ""
    found = re.findall(r"^STRATA_([A-Z]+)_INCLUDE:PATH=(.*)$", text, re.M)
    return ", ".join(f"{name.lower()} {folder}" for name, folder in found)


def build(session):
    """Builds engine, command line and the tests that run on a card."""
    session.add("versions", "passed", versions())
    if session.is_built:
        return session.add("programs", "skipped", f"--bin {session.bin}")
    reason = why_not_packed(session)
    if not reason:
        session.is_built = True
        return session.add("programs", "passed", "those of ./dev gpu-pack run on this machine")
    print(f"  the programs of ./dev gpu-pack are not used: {reason}", flush=True)
    if not card_machine.find_tool("nvcc"):
        return session.add("programs", "failed", "nvcc is missing. Install the CUDA Toolkit 13.")
    begin = time.monotonic()
    for step in build_steps(session.capability):
        code, output = session.run(*step)
        if code != 0:
            session.add_failure("build", output)
            what = "no end in time" if code is None else output.strip()[-300:]
            return session.add("programs", "failed", what)
    session.is_built = True
    session.add("headers", "passed", header_folders())
    text = f"compute capability {session.capability}, {time.monotonic() - begin:.0f} s"
    return session.add("programs", "passed", text)


def copy_programs(folder, capability):
    """Copies the built programs into a folder, without symbols."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        shutil.copy(BUILD / "bin" / name, folder / name)
        subprocess.run(["strip", folder / name], check=True)
    built_from = {"sources": source_hash(), "capability": capability}
    (folder / BUILT_FROM).write_text(json.dumps(built_from))
