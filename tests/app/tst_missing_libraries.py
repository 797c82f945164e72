#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that programs start without each of NVIDIA's libraries, and without the plug-in, or with a
damaged one: they use the CPU, and say what is missing and how to get it. Files are hidden in a
mount namespace, so the tests of NVIDIA's libraries are skipped where the system allows none."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import BIN, ROOT, STRATA, ProgramTest, main, strata

CARD = "simulated:RTX 4090"
PLUGIN = "libstrata_cuda.so"
# Copies the names of a folder to a layer in memory, and removes or cuts off one file there
HIDE = """
set -e
layer=$1 folder=$2 file=$3 bytes=$4
shift 4
mount -t tmpfs tmpfs "$layer"
mkdir "$layer/upper" "$layer/work"
mount -t overlay overlay \\
  -o "lowerdir=$folder,upperdir=$layer/upper,workdir=$layer/work" "$folder"
for each in "$folder/$file"*; do
  [ "$bytes" = 0 ] || head -c "$bytes" "$each" > "$layer/cut"
  rm -f "$each"
  [ "$bytes" = 0 ] || cp "$layer/cut" "$each"
done
exec "$@"
"""
UNSHARE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
# Beginning of the file name, the part of doctor's report, and whether that part is then not "ok"
LIBRARIES = (
    ("libcudnn.so", "cuDNN", True),
    ("libcudnn_graph.so", "cuDNN", True),
    ("libcudnn_heuristic.so", "cuDNN", True),
    ("libcudnn_engines_precompiled.so", "cuDNN", True),
    ("libcudnn_engines_runtime_compiled.so", "cuDNN", True),
    ("libcudnn_ops.so", "cuDNN", False),
    ("libcublasLt.so", "cuBLASLt", True),
    ("libnvrtc.so", "NVRTC", True),
    ("libnvrtc-builtins.so", "NVRTC", True),
    ("libcupti.so", "CUPTI", True),
    ("libnccl.so", "NCCL", True),
)
# What a loader and a library print, which says nothing to a person
BARE = ("cannot open shared object", "Cannot load symbol", "file too short", "invalid ELF header")


def findings(**more):
    """Returns what doctor finds for NVIDIA GPUs, by part."""
    examined = strata("doctor", "--json", **more).json["devices"]
    (cuda,) = [device for device in examined if device["device"] == "cuda"]
    return {finding["part"]: finding for finding in cuda["findings"]}


def hide(layer, folder, file, size):
    """Returns the words before a command that hide files, or cut them off after `size` bytes."""
    return (*UNSHARE, "sh", "-c", HIDE, "sh", str(layer), str(folder), file, str(size))


def may_hide():
    try:
        words = [*hide("/mnt", "/usr/include", "none", 0), "true"]
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


FOUND = findings()
MAY_HIDE = may_hide()


class Small(ProgramTest):
    def small_project(self):
        path = self.folder / "small.json"
        layers = [
            {"type": "Input", "shape": [8, 8, 1]},
            {"type": "Conv2D", "filters": 4, "kernel_size": [3, 3]},
            {"type": "Flatten"},
            {"type": "Dense", "units": 3, "activation": "softmax"},
        ]
        path.write_text(json.dumps({
            "format": "strata-project", "version": 1, "name": "Small",
            "data": {"source": {"type": "random", "samples": 16, "shape": [8, 8, 1],
                                "classes": 3}},
            "model": {"layers": [{"name": f"layer{i}", **layers[i]} for i in range(4)]},
            "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd",
                         "batch_size": 8, "epochs": 1},
        }))  # fmt: skip
        return path


@unittest.skipUnless(MAY_HIDE, "mount namespaces are not allowed")
@unittest.skipUnless(any(FOUND[part]["state"] == "ok" for _, part, _ in LIBRARIES),
                     "no library of NVIDIA is found")  # fmt: skip
class Libraries(Small):
    def check(self, **more):
        """Checks that the commands work, and returns what doctor finds."""
        project = self.small_project()
        self.succeed("--version", **more)
        for number, words in enumerate((
            ("devices",), ("doctor",),
            ("train", project, "--device", "cpu", "--run-dir", self.folder / "cpu"),
            ("train", project, "--device", CARD, "--run-dir", self.folder / "card"),
        )):  # fmt: skip
            answer = self.succeed(*words, **more)
            for text in BARE:
                self.assertNotIn(text, answer.out + answer.err, words)
            if number == 0:
                self.assertIn("cpu  ", answer.out)
        for name in ("cpu", "card"):
            shutil.rmtree(self.folder / name)
        return findings(**more)

    def without(self, part, file, size=0):
        folder = pathlib.Path(FOUND[part]["path"]).resolve().parent
        if not list(folder.glob(f"{file}*")):
            self.skipTest(f"{folder} has no {file}")
        layer = self.folder / "layer"
        layer.mkdir(exist_ok=True)
        return hide(layer, folder, file, size)

    def test_each_library_may_be_missing(self):
        for file, part, matters in LIBRARIES:
            if FOUND[part]["state"] != "ok":
                continue
            with self.subTest(file):
                finding = self.check(prefix=self.without(part, file))[part]
                if not matters:
                    self.assertEqual(finding["state"], "ok", finding)
                    continue
                self.assertIn(finding["state"], ("missing", "wrong", "optional"))
                self.assertIn(file, finding["text"])
                self.assertIn("not found", finding["text"])
                self.assertIn("pip install nvidia-", finding["command"])

    def test_an_incomplete_library_is_reported(self):
        for file, part in (("libcudnn.so", "cuDNN"), ("libcudnn_graph.so", "cuDNN")):
            if FOUND[part]["state"] != "ok":
                continue
            for size in (1, 100_000):
                with self.subTest(file, size=size):
                    finding = self.check(prefix=self.without(part, file, size))[part]
                    self.assertIn(finding["state"], ("missing", "wrong"))
                    self.assertIn("is incomplete", finding["text"])


@unittest.skipUnless((BIN / PLUGIN).is_file(), "needs the plug-in, which looks for cuDNN")
@unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
class OtherCudnn(Small):
    """A made-up cuDNN that is first in the loader's path."""

    def finding(self, cuda, **more):
        parts = ("", "_graph", "_heuristic", "_engines_precompiled", "_engines_runtime_compiled")
        source = self.folder / "cudnn.c"
        source.write_text(f"unsigned long cudnnGetCudartVersion(void) {{ return {cuda}; }}\n"
                          "unsigned long cudnnGetVersion(void) { return 90305; }\n")  # fmt: skip
        for part in parts:
            library = self.folder / f"libcudnn{part}.so.9"
            subprocess.run(["cc", "-shared", "-o", library, source], check=True)
        path = {"LD_LIBRARY_PATH": f"{self.folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
        return findings(env={**path, **more})["cuDNN"]

    @unittest.skipUnless(FOUND["cuBLASLt"]["state"] == "ok", "needs cuBLASLt")
    def test_any_9_is_taken(self):
        finding = self.finding(13000)
        self.assertEqual((finding["state"], finding["version"]), ("ok", "9.3.5"), finding)

    def test_one_for_another_cuda_needs_the_cublaslt_of_that_cuda(self):
        finding = self.finding(99000)
        self.assertEqual(finding["state"], "wrong", finding)
        self.assertIn("needs libcublasLt.so.99, which was not found", finding["text"])
        (self.folder / "libcublasLt.so.99").touch()
        self.assertEqual(self.finding(99000)["state"], "ok")


class Driver(unittest.TestCase):
    def test_it_may_be_missing(self):
        if FOUND["libcuda"]["state"] == "ok":
            self.skipTest("a driver is installed")
        self.assertIn("libcuda.so.1", FOUND["libcuda"]["text"])
        self.assertRegex(FOUND["driver"]["command"], "apt-get install|ubuntu-drivers|--gpus all")
        if FOUND["NVML"]["state"] != "ok":
            self.assertEqual(FOUND["NVML"]["state"], "optional")
            self.assertIn("comes with the driver", FOUND["NVML"]["text"])


class Plugin(Small):
    """The plug-in next to a copy of the program."""

    def setUp(self):
        super().setUp()
        self.program = self.folder / "bin" / "strata"
        self.program.parent.mkdir()
        shutil.copy(STRATA, self.program)
        self.file = self.program.parent / PLUGIN
        self.more = {"program": self.program, "env": {"STRATA_RESOURCES": str(ROOT / "resources")}}

    def check_refused(self, text):
        project = self.small_project()
        self.succeed("--version", **self.more)
        for words in (("devices",), ("doctor",)):
            self.assertIn(text, self.succeed(*words, **self.more).out)
        self.succeed("train", project, "--run-dir", self.folder / "cpu", **self.more)
        answer = strata("train", project, "--device", CARD, **self.more)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn(text, answer.err)
        self.assertRegex(answer.err, "Build (Strata|or install)")
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        for bare in BARE:
            self.assertNotIn(bare, answer.err)

    def test_it_may_be_missing(self):
        self.check_refused("this installation has no plug-in for NVIDIA GPUs")

    def test_it_may_be_damaged(self):
        whole = (BIN / PLUGIN).read_bytes() if (BIN / PLUGIN).is_file() else b""
        cases = [(b"", "is empty"), (b"\x7fELF", "is incomplete"), (b"no library" * 99, "damaged")]
        if whole:
            cases += [(whole[: len(whole) // 3], "is incomplete"), (whole[:5000], "is incomplete")]
        for content, text in cases:
            with self.subTest(text, size=len(content)):
                self.file.write_bytes(content)
                self.check_refused(text)
                shutil.rmtree(self.folder / "cpu")
        self.file.unlink()
        self.file.mkdir()
        self.check_refused("is not a regular file")


if __name__ == "__main__":
    main()
