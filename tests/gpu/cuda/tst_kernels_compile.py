#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every kernel of gpu/cuda/kernels for real GPUs, and reads what the assembler says about
registers and spilled values. A kernel that spills fails unless SPILLS names it with a reason. Every
kernel must also have a version for simulated cards.

    tst_kernels_compile.py --nvcc NVCC --root ROOT [--plugin LIBSTRATA_CUDA] [ARCHITECTURE ...]

Without architectures, all that Strata supports are compiled. Needs no GPU.
"""
import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
# Kernels that may spill values to memory: a pattern of their names, and the reason
SPILLS = {}
# Blocks have at most this many threads, and a multiprocessor has 65,536 registers
MAX_THREADS = 256
REGISTERS = 65536

ENTRY = re.compile(r"Compiling entry function '(\w+)'")
PROPERTIES = re.compile(r"Function properties for (\w+)")
SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")


class Kernel:
    def __init__(self, name, file, architecture):
        self.name = name
        self.file = file
        self.architecture = architecture
        self.registers = 0
        self.spilled = 0


def kernels_in(log, file, architecture):
    """Returns the kernels in the messages of ptxas -v."""
    result = []
    is_entry = False
    for line in log.splitlines():
        if match := ENTRY.search(line):
            result.append(Kernel(match[1], file, architecture))
        elif match := PROPERTIES.search(line):
            is_entry = bool(result) and match[1] == result[-1].name
        elif (match := SPILL.search(line)) and result:
            # Spills of a device function count for the kernel that calls it
            result[-1].spilled += int(match[1]) + int(match[2])
        elif (match := USED.search(line)) and is_entry:
            result[-1].registers = int(match[1])
    return result


def compile_file(nvcc, root, file, architecture):
    """Returns the kernels of a file, or the messages of the compiler if it fails."""
    done = subprocess.run(
        [nvcc, "-std=c++20", "-cubin", f"-arch=sm_{architecture}", "-Xptxas", "-v", "-I", str(root)]
        + ["-o", "/dev/null", str(file)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        return None, done.stdout + done.stderr
    return kernels_in(done.stderr, file.name, architecture), ""


def reason_to_spill(kernel):
    for pattern, reason in SPILLS.items():
        if re.fullmatch(pattern, kernel.name):
            return reason
    return None


def faults_of(kernel):
    place = f"{kernel.file}: {kernel.name} for {kernel.architecture}"
    if kernel.spilled and not reason_to_spill(kernel):
        yield f"{place} spills {kernel.spilled} bytes (expected 0, or a reason in SPILLS)"
    if kernel.registers * MAX_THREADS > REGISTERS:
        yield f"{place} uses {kernel.registers} registers, too many for {MAX_THREADS} threads"


class Plugin(ctypes.Structure):
    """The first members of StrataCudaPlugin."""

    _fields_ = [
        ("version", ctypes.c_uint32),
        ("architectures", ctypes.c_char_p),
        ("parameters", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_char_p)),
    ]


def without_host_version(library, names):
    entry = ctypes.CDLL(library).strataCudaPlugin
    entry.restype = ctypes.POINTER(Plugin)
    plugin = entry().contents
    return [name for name in sorted(names) if plugin.parameters(name.encode()) is None]


def self_test():
    log = """ptxas info    : Compiling entry function 'good' for 'sm_75'
ptxas info    : Function properties for good
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'bad' for 'sm_75'
ptxas info    : Function properties for bad
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers"""
    good, bad = kernels_in(log, "x.cu", 75)
    assert good.registers == 20 and not list(faults_of(good))
    assert bad.registers == 255 and bad.spilled == 28
    assert "spills 28 bytes" in next(faults_of(bad))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--plugin")
    parser.add_argument("architectures", nargs="*", type=int)
    options = parser.parse_args()
    self_test()
    files = sorted((options.root / "gpu" / "cuda" / "kernels").glob("*.cu"))
    architectures = options.architectures or ARCHITECTURES
    jobs = [(file, architecture) for architecture in architectures for file in files]
    faults, kernels = [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: compile_file(options.nvcc, options.root, *job), jobs)
        for (file, architecture), (found, messages) in zip(jobs, results):
            if found is None:
                faults.append(f"{file.name} does not compile for {architecture}:\n{messages}")
                continue
            kernels += found
            faults += [fault for kernel in found for fault in faults_of(kernel)]
    names = {kernel.name for kernel in kernels}
    if not names:
        faults.append("found no kernels")
    if options.plugin:
        for name in without_host_version(options.plugin, names):
            faults.append(f"{name} has no host version (expected STRATA_KERNEL after it)")
    for fault in faults:
        print(fault)
    largest = max(kernels, key=lambda kernel: kernel.registers, default=None)
    if largest:
        print(f"most registers: {largest.registers}, {largest.name} for {largest.architecture}")
    print(
        f"{len(files)} files, {len(names)} kernels, architectures "
        f"{' '.join(map(str, architectures))}: {len(faults)} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
