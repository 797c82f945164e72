#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects what a machine with a GPU may lack in one folder, so that gpu_test.py needs no network.

    gpu_pack.py [--to DIR] [--capability N] [--no-programs]

The folder (default build/gpu-pack) gets the headers, static libraries and CMake files of the
packages that engine and command line need, NVIDIA's headers, and the reference cases, workloads and
PyTorch programs of the folder STRATA_SHARED (default ../shared). MNIST is in resources/mnist
already. It also gets the programs, built in build/card for one compute capability (default 90), if
they and the tree fit in 64 MiB. Copy the folder with the tree; gpu_test.py finds it there."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import card_build
import card_machine

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("STRATA_SHARED") or ROOT.parent / "shared")
PACK = card_build.PACK
PACKAGES = (
    "nlohmann-json3-dev", "libcli11-dev", "doctest-dev", "libpng-dev", "libjpeg62-turbo-dev",
    "libjpeg-turbo8-dev", "zlib1g-dev", "libxxhash-dev",
)  # fmt: skip
NEEDED = (
    "usr/include/nlohmann/json.hpp", "usr/include/CLI/CLI.hpp", "usr/include/doctest/doctest.h",
    "usr/include/png.h", "usr/include/jpeglib.h", "usr/include/jconfig.h", "usr/include/zlib.h",
    "usr/include/xxhash.h", "usr/lib/libpng.a", "usr/lib/libjpeg.a", "usr/lib/libz.a",
    "usr/lib/libxxhash.a",
)  # fmt: skip
# NVIDIA's headers that the plug-in includes, and what these include
NVIDIA_HEADERS = (
    "cublas*.h", "nvrtc.h", "cupti*.h", "generated_*.h", "cuda_stdint.h", "cudnn*.h", "cuda.h",
)  # fmt: skip
MAX_BYTES = 48 << 20
# What travels to the machine with the card: the files of the tree, and the pack
MAX_TRAVEL_BYTES = 64 << 20


def place_of(path):
    """Returns where the pack has a file of a package, or None if nobody needs it there."""
    parts = list(pathlib.PurePosixPath(path).parts)
    if len(parts) < 4 or parts[1] != "usr":
        return None
    # Files of one architecture go where those of all architectures are
    if parts[2] in ("include", "lib") and parts[3].endswith("-linux-gnu"):
        del parts[3]
    is_needed = (
        parts[2] == "include"
        or (parts[2] == "lib" and parts[-1].endswith(".a"))
        or "cmake" in parts[3:]
    )
    return pathlib.Path(*parts[1:]) if is_needed else None


def files_of_packages():
    for package in PACKAGES:
        listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True)
        for line in listed.stdout.splitlines() if listed.returncode == 0 else []:
            source = pathlib.Path(line)
            # Aliases are copied as files
            if source.is_file() and (place := place_of(line)):
                yield source, place


def nvidia_headers():
    """Returns NVIDIA's headers on this machine, the toolkit's first, by name."""
    folders = [pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"]
    folders += [*folders[0].parent.glob("targets/*/include")]
    folders += [folders[0].parent / "extras" / "CUPTI" / "include", pathlib.Path("/usr/include")]
    found = {}
    for folder in [*folders, *card_machine.nvidia_folders("include")]:
        for pattern in NVIDIA_HEADERS:
            for path in folder.glob(pattern):
                found.setdefault(path.name, path)
    return found


def fill(pack):
    known = ("usr", "shared", "nvidia", "bin")
    if pack.is_dir() and any(path.name not in known for path in pack.iterdir()):
        sys.exit(f"gpu-pack: {pack} has other files. Name a new folder.")
    shutil.rmtree(pack, ignore_errors=True)
    for source, place in files_of_packages():
        (pack / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, pack / place)
    for name, path in nvidia_headers().items():
        (pack / "nvidia").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, pack / "nvidia" / name)
    for name in ("golden", "peers"):
        if (SHARED / name).is_dir():
            shutil.copytree(
                SHARED / name, pack / "shared" / name, copy_function=shutil.copyfile,
                ignore=shutil.ignore_patterns("__pycache__"),
            )  # fmt: skip


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def tree_bytes():
    """Returns the size of the files of the tree that git tracks or does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
        capture_output=True, text=True,
    )  # fmt: skip
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return sum(path.stat().st_size for path in paths if path.is_file())


def mib(count):
    return f"{count / 2**20:.1f} MiB"


def why_too_large(pack, limit):
    """Returns why the programs cannot travel, or an empty text."""
    tree, others = tree_bytes(), size_of(pack) - size_of(pack / "bin")
    total = tree + size_of(pack)
    figures = f"tree {mib(tree)}, pack {mib(others)}, programs {mib(size_of(pack / 'bin'))}"
    print(f"{figures}: {mib(total)} of {mib(limit)}")
    return "" if total <= limit else f"{mib(total - limit)} over the limit"


def add_programs(pack, capability, limit=MAX_TRAVEL_BYTES):
    """Builds the programs and adds them, so that the machine with the card need not. Returns why
    they are left out, or an empty text."""
    print(f"Building the programs for compute capability {capability} in {card_build.BUILD}")
    for step in card_build.build_steps(capability):
        done = subprocess.run(
            [str(word) for word in step], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )  # fmt: skip
        if done.returncode != 0:
            return f"they do not build: {done.stdout.strip()[-300:]}"
    card_build.copy_programs(pack / "bin", capability)
    reason = why_too_large(pack, limit)
    if reason:
        shutil.rmtree(pack / "bin")
    return reason


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=pathlib.Path, default=PACK)
    parser.add_argument("--capability", type=int, default=90, help="of the card (default: 90)")
    parser.add_argument("--no-programs", action="store_true", help="do not build programs")
    options = parser.parse_args()
    if not shutil.which("dpkg"):
        sys.exit("gpu-pack: dpkg is missing (expected Debian or Ubuntu). Pack on such a machine.")
    fill(options.to)
    missing = [name for name in NEEDED if not (options.to / name).is_file()]
    if missing:
        sys.exit(
            f"gpu-pack: {', '.join(missing)}: not found. Run ./dev build once, which installs the "
            "packages."
        )
    for name in ("golden", "peers/workloads"):
        if not (options.to / "shared" / name).is_dir():
            print(f"gpu-pack: {SHARED / name} is missing, and so are the parts that need it")
    size = size_of(options.to)
    if size > MAX_BYTES:
        sys.exit(f"gpu-pack: {options.to} has {mib(size)} (expected at most {mib(MAX_BYTES)})")
    if not options.no_programs:
        if reason := add_programs(options.to, options.capability):
            print(f"gpu-pack: the programs are left out: {reason}. gpu-test builds them there.")
    print(f"{options.to}: {mib(size_of(options.to))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
