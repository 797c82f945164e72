#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests pipes, devices and sockets in all places where a project or the command line names a file.
One error line must refuse them, the command must not wait, and its memory must not grow. Only
`predict ... -` reads from a pipe."""
import json
import os
import pathlib
import resource
import subprocess
import zipfile

from program import ROOT, STRATA, ProgramTest, main, strata, write_safetensors


def limited():
    """Limits the memory, so that reading an endless device fails early."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


class SpecialFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.pipe = self.folder / "pipe"
        os.mkfifo(self.pipe)
        self.weights = self.folder / "w.safetensors"
        write_safetensors(self.weights, {"line/kernel": ([1, 1], [2.0]), "line/bias": ([1], [0.0])})

    def refused(
        self, *words, said=r"is not a regular file \(expected a file, got a (pipe|device)\)"
    ):
        done = subprocess.run(
            [str(STRATA), *map(str, words)],
            capture_output=True,
            text=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
            preexec_fn=limited,
        )
        context = f"strata {' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, 2, context)
        self.assertRegex(done.stderr, said, context)
        self.assertEqual(len(done.stderr.splitlines()), 1, context)

    def source(self, fields):
        return self.project("mnist-mlp-128", {"/data/source": fields}, to="special")

    def test_data(self):
        good = self.folder / "good.csv"
        good.write_text("a,b,y\n1,2,0\n3,4,1\n")
        for file in (self.pipe, pathlib.Path("/dev/zero"), pathlib.Path("/dev/urandom")):
            for fields in (
                {"type": "csv", "path": str(file)},
                {"type": "csv", "path": str(good), "test_path": str(file)},
                {"type": "numpy", "path": str(file)},
                {"type": "numpy", "x": str(file), "y": str(file)},
                {
                    "type": "idx",
                    "images": str(file),
                    "labels": str(ROOT / "resources/mnist/train-labels-idx1-ubyte.gz"),
                },
                {
                    "type": "idx",
                    "images": str(ROOT / "resources/mnist/t10k-images-idx3-ubyte.gz"),
                    "labels": str(file),
                },
            ):
                with self.subTest(file=file, fields=fields):
                    self.refused("check", self.source(fields))

    def test_within_folders(self):
        images = self.folder / "images"
        for name in ("a", "b"):
            (images / name).mkdir(parents=True)
            os.mkfifo(images / name / "1.png")
            os.symlink("/dev/zero", images / name / "2.jpg")
        self.refused(
            "check",
            self.source(
                {
                    "type": "image_folder",
                    "path": str(images),
                    "image_size": [28, 28],
                    "color_mode": "grayscale",
                }
            ),
        )
        cifar = self.folder / "cifar"
        cifar.mkdir()
        os.mkfifo(cifar / "train.bin")
        self.refused(
            "check", self.source({"type": "cifar", "path": str(cifar)}), said="has no CIFAR data"
        )

    def test_the_command_line(self):
        path = self.project("linear-regression")
        run = self.folder / "run"
        run.mkdir()
        (run / "project.json").write_text(path.read_text())
        os.mkfifo(run / "weights.safetensors")
        for file in (self.pipe, "/dev/zero"):
            for words in (
                ["check", file],
                ["train", file, "--no-progress"],
                ["plan", file],
                ["verify", file],
                ["import", file, "-o", self.folder / "w.npz"],
                ["evaluate", path, "--weights", file],
                ["predict", path, "--weights", file, "rows.csv"],
                ["predict", path, "--weights", self.weights, file],
                ["export", path, "--weights", file, "--to", self.folder / "w.npz"],
                ["find", "learning-rate", path, "--weights", file],
                ["check", path, "--set", f'/training/initial_weights="{file}"'],
            ):
                with self.subTest(words=words):
                    self.refused(*words)
        self.refused("evaluate", path, "--weights", run)
        manifest = self.folder / "manifest.json"
        manifest.write_text(
            json.dumps({"format": "strata-reference", "version": 1, "tensors": "pipe", "cases": []})
        )
        self.refused("verify", manifest)

    def test_measurements_of_the_machine(self):
        """If a cached measurement cannot be read, it is measured again."""
        cache = self.folder / "cache"
        path = self.project("linear-regression")
        self.succeed("plan", path, env={"XDG_CACHE_HOME": str(cache)})
        kept = [file for file in cache.rglob("*") if file.is_file()]
        for file in kept:
            file.unlink()
            os.mkfifo(file)
        done = subprocess.run(
            [str(STRATA), "plan", str(path)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        )
        self.assertEqual(done.returncode, 0, done)

    def predicted(self, data, *files, code=0):
        path = self.project("linear-regression")
        done = subprocess.run(
            [str(STRATA), "predict", str(path), "--weights", str(self.weights), *files, "--json"],
            input=data,
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, code, done)
        return (
            [(row["input"], row["output"]) for row in json.loads(done.stdout)]
            if code == 0
            else done.stderr.decode()
        )

    def test_standard_input(self):
        self.assertEqual(self.predicted(b"1\n-2\n", "-"), [("-:1", [2.0]), ("-:2", [-4.0])])
        head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n"
        array = (
            b"\x93NUMPY\x01\x00" + bytes([len(head), 0]) + head + bytes.fromhex("0000803f00000040")
        )
        self.assertEqual(self.predicted(array, "-"), [("-:0", [2.0]), ("-:1", [4.0])])
        with zipfile.ZipFile(self.folder / "x.npz", "w") as archive:
            archive.writestr("x.npy", array)
        self.assertEqual(
            self.predicted((self.folder / "x.npz").read_bytes(), "-"),
            [("-:0", [2.0]), ("-:1", [4.0])],
        )
        self.assertEqual(
            self.predicted(b"\0\0\x08\x02\0\0\0\x01\0\0\0\x01\x05", "-"), [("-:0", [10.0])]
        )
        (self.folder / "rows.csv").write_text("3\n")
        rows = str(self.folder / "rows.csv")
        self.assertEqual(self.predicted(b"1\n", rows, "-"), [(f"{rows}:1", [6.0]), ("-:1", [2.0])])
        self.assertRegex(
            self.predicted(b"", "-", code=2), "^strata: standard input: is empty .*\n$"
        )
        self.assertRegex(
            self.predicted(b"one\n", "-", code=2),
            "^strata: -: row 1, column 1: 'one' is not a number.*\n$",
        )
        self.assertRegex(
            self.predicted(b"1\n", "-", "-", code=2),
            "^strata: INPUT: - is given more than once .*\n$",
        )
        self.assertRegex(
            self.predicted(bytes((256 << 20) + 1), "-", code=2),
            r"^strata: standard input: has too much data \(expected at most 268435456 bytes.*\n$",
        )
        digit = (ROOT / "resources/mnist/digit-7.png").read_bytes()
        self.assertRegex(
            self.predicted(digit, "-", code=2),
            "^strata: -: is an image, but the network's input is ",
        )


if __name__ == "__main__":
    main()
