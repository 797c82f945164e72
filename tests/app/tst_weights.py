#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that other programs can use exported weights. The safetensors package loads the weights.
A forward pass in NumPy, and in PyTorch if it is installed, gives the outputs of `strata predict`
within 1e-5. NumPy and safetensors are installed into a virtual environment in the build tree."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import unittest
import zlib

from program import BIN, ProgramTest, main, mnist_test_images

VENV = pathlib.Path(os.environ.get("STRATA_VENV", BIN.parent / "venv"))

FORWARD = r'''
import json, sys
import numpy as np
from safetensors.numpy import load_file

project = json.load(open(sys.argv[1]))
weights, inputs = load_file(sys.argv[2]), np.load(sys.argv[3])

def convolve(x, kernel, stride, padding, groups):
    r, s = kernel.shape[:2]
    if padding == "same":
        pads = []
        for size, k, step in ((x.shape[1], r, stride[0]), (x.shape[2], s, stride[1])):
            total = max((-(-size // step) - 1) * step + k - size, 0)
            pads.append((total // 2, total - total // 2))
        x = np.pad(x, ((0, 0), *pads, (0, 0)))
    h, w = (x.shape[1] - r) // stride[0] + 1, (x.shape[2] - s) // stride[1] + 1
    inside, outside = kernel.shape[2], kernel.shape[3] // groups
    y = np.zeros((x.shape[0], h, w, kernel.shape[3]))
    for g in range(groups):
        of_input = slice(g * inside, (g + 1) * inside)
        of_output = slice(g * outside, (g + 1) * outside)
        for i in range(r):
            for j in range(s):
                rows = slice(i, i + h * stride[0], stride[0])
                columns = slice(j, j + w * stride[1], stride[1])
                part = x[:, rows, columns, of_input]
                y[..., of_output] += part @ kernel[i, j, :, of_output]
    return y

def activate(x, name):
    if name == "relu": return np.maximum(x, 0)
    if name == "tanh": return np.tanh(x)
    if name == "softmax":
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
    assert name in (None, "linear"), name
    return x

x = inputs.astype(np.float64)
for transform in project["data"]["transforms"]:
    assert transform["type"] == "rescale"
    x = x * transform["scale"] + transform.get("offset", 0)
values = {}
previous = None
for layer in project["model"]["layers"]:
    kind, name = layer["type"], layer["name"]
    sources = [values[n] for n in layer.get("inputs", [previous])] if previous else []
    v = {
        k[len(name) + 1 :]: t.astype(np.float64)
        for k, t in weights.items()
        if k.startswith(name + "/")
    }
    if kind == "Input": y = x.reshape(len(x), *layer["shape"])
    elif kind == "Dense": y = sources[0] @ v["kernel"] + v.get("bias", 0)
    elif kind == "Conv2D":
        strides, padding = layer.get("strides", [1, 1]), layer.get("padding", "valid")
        y = convolve(sources[0], v["kernel"], strides, padding, layer.get("groups", 1))
        y = y + v.get("bias", 0)
    elif kind == "MaxPooling2D":
        p, q = layer["pool_size"]
        s = sources[0][:, :sources[0].shape[1] // p * p, :sources[0].shape[2] // q * q]
        y = s.reshape(len(s), s.shape[1] // p, p, s.shape[2] // q, q, -1).max(axis=(2, 4))
    elif kind == "GlobalAveragePooling2D": y = sources[0].mean(axis=(1, 2))
    elif kind == "Flatten": y = sources[0].reshape(len(sources[0]), -1)
    elif kind == "Rescaling": y = sources[0] * layer["scale"] + layer.get("offset", 0)
    elif kind == "Dropout": y = sources[0]
    elif kind == "Add": y = sum(sources)
    elif kind == "BatchNormalization":
        deviation = np.sqrt(v["moving_variance"] + layer.get("epsilon", 1e-3))
        y = (sources[0] - v["moving_mean"]) / deviation * v["gamma"] + v["beta"]
    else: raise SystemExit("no forward pass here for " + kind)
    values[name] = activate(y, layer.get("activation"))
    previous = name
json.dump(values[previous].tolist(), sys.stdout)
'''

TORCH_FORWARD = r'''
import json, sys
import numpy as np, torch
import torch.nn.functional as F
from safetensors.torch import load_file
w = load_file(sys.argv[2])
x = torch.from_numpy(np.load(sys.argv[3])).float().reshape(-1, 1, 28, 28) / 255
for name in ("conv1", "conv2", "conv3"):
    x = F.relu(F.conv2d(x, w[name + "/kernel"].permute(3, 2, 0, 1), w[name + "/bias"]))
    if name != "conv3": x = F.max_pool2d(x, 2)
x = x.permute(0, 2, 3, 1).flatten(1)
x = F.relu(x @ w["hidden/kernel"] + w["hidden/bias"])
json.dump(torch.softmax(x @ w["out/kernel"] + w["out/bias"], -1).tolist(), sys.stdout)
'''


def environment():
    """Returns the interpreter of the virtual environment, which the first call creates. Skips the
    test if the packages cannot be downloaded."""
    python = VENV / "bin/python"
    probe = [str(python), "-c", "import numpy, safetensors"]
    if python.exists() and subprocess.run(probe, capture_output=True).returncode == 0:
        return str(python)
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True
    )
    if made.returncode == 0:
        made = subprocess.run(
            [
                str(python),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "numpy",
                "safetensors",
            ],
            capture_output=True,
            text=True,
            timeout=600,
        )
    if made.returncode != 0:
        reason = (made.stderr or made.stdout).strip().splitlines()
        raise unittest.SkipTest(
            "no numpy and safetensors (is there a network?): "
            + (reason[-1] if reason else "pip failed")
        )
    return str(python)


def png(pixels, width=28, height=28):
    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(b"\0" + pixels[width * y : width * (y + 1)] for y in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


# This network has features that the example projects lack: branches, batch normalization, groups,
# dropout, and strides with "same" padding.
MIXED = [
    {"type": "Input", "name": "image", "shape": [28, 28, 1]},
    {
        "type": "Conv2D",
        "name": "stem",
        "filters": 8,
        "kernel_size": [3, 3],
        "strides": [2, 2],
        "padding": "same",
        "use_bias": False,
    },
    {"type": "BatchNormalization", "name": "norm"},
    {
        "type": "Conv2D",
        "name": "left",
        "filters": 16,
        "kernel_size": [3, 3],
        "padding": "same",
        "groups": 4,
        "activation": "tanh",
        "inputs": ["norm"],
    },
    {
        "type": "Conv2D",
        "name": "right",
        "filters": 16,
        "kernel_size": [1, 1],
        "activation": "relu",
        "inputs": ["norm"],
    },
    {"type": "Add", "name": "sum", "inputs": ["left", "right"]},
    {"type": "GlobalAveragePooling2D", "name": "mean"},
    {"type": "Dropout", "name": "drop", "rate": 0.3},
    {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"},
]


class Weights(ProgramTest):
    def compare(self, project, rows, steps, script=FORWARD, python=None):
        python = python or environment()
        self.succeed(
            "train", project, "--steps", steps, "--run-dir", self.folder / "run", "--no-progress"
        )
        exported = self.folder / "exported.safetensors"
        self.succeed("export", project, "--weights", self.folder / "run", "--to", exported)
        table = self.folder / "rows.csv"
        table.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
        ours = [
            a["output"]
            for a in self.succeed("predict", project, "--weights", exported, table, "--json").json
        ]
        array, code = self.folder / "rows.npy", self.folder / "forward.py"
        code.write_text(script)
        subprocess.run(
            [
                python,
                "-c",
                "import sys, numpy\n"
                "rows = numpy.loadtxt(sys.argv[1], delimiter=',', ndmin=2)\n"
                "numpy.save(sys.argv[2], rows)",
                table,
                array,
            ],
            check=True,
        )
        theirs = json.loads(
            subprocess.run(
                [python, code, project, exported, array], check=True, capture_output=True, text=True
            ).stdout
        )
        self.assertEqual((len(ours), len(ours[0])), (len(theirs), len(theirs[0])))
        worst = max(abs(a - b) for o, t in zip(ours, theirs) for a, b in zip(o, t))
        print(f"{project.stem}: {len(ours)} samples, largest difference {worst:.2e}", flush=True)
        self.assertLess(worst, 1e-5)
        return exported, ours

    def test_mnist_cnn(self):
        images = mnist_test_images(50)
        project = self.project("mnist-cnn")
        exported, ours = self.compare(project, [list(i) for i in images], 40)
        # The same digits are predicted from PNG files.
        for n, image in enumerate(images[:5]):
            (self.folder / f"{n}.png").write_bytes(png(image))
        answers = self.succeed(
            "predict",
            project,
            "--weights",
            exported,
            *[self.folder / f"{n}.png" for n in range(5)],
            "--json",
        ).json
        for answer, row in zip(answers, ours):
            self.assertLess(max(abs(a - b) for a, b in zip(answer["output"], row)), 1e-6)

    def test_mnist_mlp(self):
        self.compare(self.project("mnist-mlp"), [list(i) for i in mnist_test_images(50)], 20)

    def test_lenet5(self):
        self.compare(self.project("lenet5"), [list(i) for i in mnist_test_images(50)], 40)

    def test_linear_regression(self):
        self.compare(self.project("linear-regression"), [[-1], [0], [2.5]], 50)

    def test_branches_norm_groups(self):
        self.compare(
            self.project("mnist-cnn", {"/model/layers": MIXED}, to="mixed"),
            [list(i) for i in mnist_test_images(50)],
            60,
        )

    def test_pytorch(self):
        if subprocess.run(
            [sys.executable, "-c", "import torch, numpy, safetensors.torch"], capture_output=True
        ).returncode:
            self.skipTest("PyTorch is not installed")
        self.compare(
            self.project("mnist-cnn"),
            [list(i) for i in mnist_test_images(50)],
            40,
            TORCH_FORWARD,
            sys.executable,
        )


if __name__ == "__main__":
    main()
