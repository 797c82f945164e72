# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the command line program for the tests in this folder, and reads its files with only the
standard library."""
import gzip
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("STRATA_BIN", ROOT / "build/release/bin"))
STRATA = BIN / "strata"
SHARED = pathlib.Path(os.environ.get("STRATA_SHARED") or ROOT.parent / "shared")


class Answer:
    """The exit code, output and duration of a call."""

    def __init__(self, done, seconds):
        self.code, self.out, self.err, self.seconds = (
            done.returncode,
            done.stdout,
            done.stderr,
            seconds,
        )

    @property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return (
            f"exit code {self.code}\n--- standard output\n{self.out[-3000:]}\n"
            f"--- standard error\n{self.err[-3000:]}"
        )


def strata(*words, cwd=None, timeout=600, prefix=(), env=None, program=STRATA):
    started = time.monotonic()
    done = subprocess.run(
        [*prefix, str(program), *map(str, words)],
        cwd=cwd,
        timeout=timeout,
        capture_output=True,
        text=True,
        env=None if env is None else {**os.environ, **env},
        stdin=subprocess.DEVNULL,
    )
    return Answer(done, time.monotonic() - started)


def events(path):
    """Returns the events of a file. Ignores a last line that is incomplete because of a kill."""
    found = []
    for line in pathlib.Path(path).read_text().splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return found


def history(path):
    """Returns the records of a run's history.bin without their times, as tuples (step, epoch, kind,
    learning rate, samples, loss, metrics). Kind 0 is a step."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"STRATAH1", f"{path}: no history"
    _, head, size, metrics = struct.unpack_from("<4I", data, 8)
    found = []
    for at in range(head, len(data) - size + 1, size):
        step, epoch, kind, _, rate, samples, loss, *values = struct.unpack_from(
            f"<qii2dqd{metrics}d", data, at
        )
        found.append((step, epoch, kind, rate, samples, loss, tuple(values)))
    return found


def last(found, kind):
    return [e for e in found if e["event"] == kind][-1]


def read_safetensors(path):
    """Returns the tensors as {name: (shape, bytes)}, and the metadata."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    body = data[8 + length :]
    return {
        name: (t["shape"], body[slice(*t["data_offsets"])]) for name, t in header.items()
    }, metadata


def floats(tensor):
    shape, data = tensor
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def write_safetensors(path, tensors):
    """Writes tensors, which are given as {name: (shape, list of floats)}."""
    header, body = {}, b""
    for name, (shape, values) in sorted(tensors.items()):
        data = struct.pack(f"<{len(values)}f", *values)
        header[name] = {
            "dtype": "F32",
            "shape": shape,
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def mnist_test_images(count):
    """Returns the first images of the bundled test set, each as 784 bytes."""
    with gzip.open(ROOT / "resources/mnist/t10k-images-idx3-ubyte.gz") as file:
        data = file.read(16 + 784 * count)
    return [data[16 + 784 * i : 16 + 784 * (i + 1)] for i in range(count)]


class ProgramTest(unittest.TestCase):
    """Base of tests that use a temporary folder for copies of the example projects."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="strata-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def project(self, name, changes=None, to=None):
        """Copies an example project to the test's folder and applies `changes`, which are given as
        {"/json/pointer": value}. Returns its path."""
        document = json.loads((ROOT / "projects" / f"{name}.json").read_text())
        for pointer, value in (changes or {}).items():
            place, *rest = pointer.strip("/").split("/")
            parent = document
            for part in rest:
                parent, place = parent[int(place) if isinstance(parent, list) else place], part
            parent[int(place) if isinstance(parent, list) else place] = value
        source = document["data"]["source"]
        if (
            isinstance(source, dict)
            and not pathlib.PurePath(source.get("path") or "/").is_absolute()
        ):
            source["path"] = str(ROOT / "projects" / source["path"])
        path = self.folder / f"{to or name}.json"
        path.write_text(json.dumps(document, indent=1))
        return path

    def succeed(self, *words, **more):
        answer = strata(*words, **more)
        self.assertEqual(answer.code, 0, f"strata {' '.join(map(str, words))}\n{answer}")
        return answer


def main():
    if not STRATA.is_file():
        print(f"{STRATA} is missing: build first, or set STRATA_BIN to the folder of the programs")
        sys.exit(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    unittest.main(verbosity=2)
