#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects what a machine with a GPU may lack in one folder, so that gpu_test.py needs no network.

    gpu_pack.py [--to DIR]

The folder (default build/gpu-pack) gets the headers, static libraries and CMake files of the
packages that engine and command line need, and the reference cases, workloads and PyTorch programs
of the folder STRATA_SHARED (default ../shared). MNIST is in resources/mnist already. Copy the
folder with the tree; gpu_test.py finds it there."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("STRATA_SHARED") or ROOT.parent / "shared")
PACK = ROOT / "build" / "gpu-pack"
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
MAX_BYTES = 48 << 20


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


def fill(pack):
    if pack.is_dir() and any(path.name not in ("usr", "shared") for path in pack.iterdir()):
        sys.exit(f"gpu-pack: {pack} has other files. Name a new folder.")
    shutil.rmtree(pack, ignore_errors=True)
    for source, place in files_of_packages():
        (pack / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, pack / place)
    for name in ("golden", "peers"):
        if (SHARED / name).is_dir():
            shutil.copytree(
                SHARED / name, pack / "shared" / name, copy_function=shutil.copyfile,
                ignore=shutil.ignore_patterns("__pycache__"),
            )  # fmt: skip


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=pathlib.Path, default=PACK)
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
        sys.exit(f"gpu-pack: {options.to} has {size >> 20} MiB (expected at most 48 MiB)")
    print(f"{options.to}: {size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
