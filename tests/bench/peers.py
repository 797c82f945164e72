#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Strata with PyTorch and Keras on the same networks. Prints the median time of a training
step of each peer, and the ratio to the time of the fastest peer.

   peers.py [--strata PROGRAM] [--threads N] [--rounds N] PROJECT[:BATCH]...

Looks for a Python interpreter with torch or keras in STRATA_PEERS (a list separated by ':') and on
the path. If there is none, the program reports this and measures nothing. Rounds alternate, so that
changes in the speed of the machine affect all peers equally."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time


def batch_of(item):
    path, _, batch = item.rpartition(":")
    if not path or not batch.isdigit():
        path, batch = item, ""
    with open(path, encoding="utf-8") as file:
        project = json.load(file)
    return project, path, int(batch or project["training"].get("batch_size", 32))


def made_up(project, batch):
    """Returns random batches of inputs and classes for the network."""
    import numpy

    layers = project["model"]["layers"]
    shape = next(layer["shape"] for layer in layers if layer["type"] == "Input")
    classes = next(layer["units"] for layer in reversed(layers) if "units" in layer)
    random = numpy.random.default_rng(1)
    return [
        (
            random.standard_normal((batch, *shape)).astype("float32"),
            random.integers(0, classes, batch).astype("int64"),
        )
        for _ in range(8)
    ]


def kind_of(value):
    """Returns the type and the other fields of a value such as {"type": "adam", ...} or "adam"."""
    fields = {"type": value} if isinstance(value, str) else dict(value)
    return fields.pop("type"), fields


# --- Keras: projects use the same types and fields of layers


def keras_runs(project, batch, threads):
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    import keras
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    for mode in ("graph", "xla"):
        keras.utils.set_random_seed(1)
        values, last = {}, None
        for layer in project["model"]["layers"]:
            fields = dict(layer)
            kind, inputs = fields.pop("type"), fields.pop("inputs", None)
            if kind == "Input":
                last = entry = keras.Input(shape=fields["shape"], name=fields["name"])
            else:
                given = [values[name] for name in inputs] if inputs else [last]
                last = getattr(keras.layers, kind)(**fields)(given[0] if len(given) == 1 else given)
            values[layer["name"]] = last
        model = keras.Model(entry, last)
        name, fields = kind_of(project["training"]["optimizer"])
        optimizer = keras.optimizers.get({"class_name": name, "config": fields})
        optimizer.build(model.trainable_variables)
        loss = keras.losses.SparseCategoricalCrossentropy()

        def step(x, y):
            with tf.GradientTape() as tape:
                value = loss(y, model(x, training=True))
            optimizer.apply(
                tape.gradient(value, model.trainable_variables), model.trainable_variables
            )
            return value

        compiled = tf.function(step, jit_compile=mode == "xla")
        batches = [(tf.constant(x), tf.constant(y)) for x, y in made_up(project, batch)]

        def run(steps):
            for i in range(steps):
                value = compiled(*batches[i % len(batches)])
            float(value)

        yield "TensorFlow " + mode, run


# --- PyTorch: with channels_last samples, fused optimizers, and a loss that takes logits


def torch_runs(project, batch, threads):
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    activations = {
        "relu": F.relu,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "gelu": F.gelu,
        "silu": F.silu,
        "elu": F.elu,
    }

    def pair(value):
        return [value, value] if isinstance(value, int) else list(value)

    def pad_same(x, kernel, strides):
        amounts = []
        for size, window, stride in zip(x.shape[:1:-1], kernel[::-1], strides[::-1]):
            total = max((math.ceil(size / stride) - 1) * stride + window - size, 0)
            amounts += [total // 2, total - total // 2]
        return F.pad(x, amounts) if any(amounts) else x

    def module_of(kind, fields, x):
        """Returns a function or module that computes a layer of `x`, and whether it has weights."""
        channels = x.shape[1]
        if kind == "Dense":
            return nn.Linear(x.shape[-1], fields["units"], bias=fields.get("use_bias", True))
        if kind in ("Conv2D", "DepthwiseConv2D"):
            filters, groups = (
                (channels, channels)
                if kind == "DepthwiseConv2D"
                else (fields["filters"], fields.get("groups", 1))
            )
            kernel, strides = pair(fields["kernel_size"]), pair(fields.get("strides", 1))
            is_same = fields.get("padding", "valid") == "same"
            is_even = is_same and strides == [1, 1] and all(k % 2 == 1 for k in kernel)
            conv = nn.Conv2d(
                channels,
                filters,
                kernel,
                strides,
                padding=[k // 2 for k in kernel] if is_even else 0,
                groups=groups,
                dilation=pair(fields.get("dilation_rate", 1)),
                bias=fields.get("use_bias", True),
            )
            return conv if not is_same or is_even else nn.Sequential(Padded(kernel, strides), conv)
        if kind == "BatchNormalization":
            norm = nn.BatchNorm2d if x.dim() == 4 else nn.BatchNorm1d
            return norm(
                channels, eps=fields.get("epsilon", 1e-3), momentum=1 - fields.get("momentum", 0.99)
            )
        if kind in ("MaxPooling2D", "AveragePooling2D"):
            if fields.get("padding", "valid") == "same":
                raise ValueError("no twin here for pooling with padding")
            window = pair(fields.get("pool_size", 2))
            return (nn.MaxPool2d if kind == "MaxPooling2D" else nn.AvgPool2d)(
                window, pair(fields.get("strides") or window)
            )
        if kind == "Dropout":
            return nn.Dropout(fields["rate"])
        raise ValueError(f"no twin here for {kind}")

    class Padded(nn.Module):
        def __init__(self, kernel, strides):
            super().__init__()
            self.kernel, self.strides = kernel, strides

        def forward(self, x):
            return pad_same(x, self.kernel, self.strides)

    class Network(nn.Module):
        def __init__(self, x):
            super().__init__()
            self.parts, self.rows = nn.ModuleDict(), []
            values, last = {}, None
            layers = project["model"]["layers"]
            for i, layer in enumerate(layers):
                fields = dict(layer)
                kind, name, inputs = (
                    fields.pop("type"),
                    fields.pop("name"),
                    fields.pop("inputs", None),
                )
                activation = fields.get("activation", "linear") or "linear"
                if i + 1 == len(layers) and activation == "softmax":
                    activation = "linear"  # the loss takes logits
                if activation != "linear" and activation not in activations:
                    raise ValueError(f"no twin here for the activation {activation}")
                given = inputs or ([last] if last else [])
                if kind not in (
                    "Input",
                    "Add",
                    "Multiply",
                    "Concatenate",
                    "Flatten",
                    "GlobalAveragePooling2D",
                    "Activation",
                    "Rescaling",
                ):
                    self.parts[name] = module_of(kind, fields, values[given[0]])
                self.rows.append((kind, name, given, activations.get(activation), fields))
                values[name] = (
                    x
                    if kind == "Input"
                    else self.one(self.rows[-1], [values[key] for key in given])
                )
                last = name
            self.last = last

        def one(self, row, given):
            kind, name, _, activation, fields = row
            if name in self.parts:
                y = self.parts[name](given[0])
            elif kind == "Add":
                y = sum(given[1:], given[0])
            elif kind == "Multiply":
                y = math.prod(given[1:], start=given[0])
            elif kind == "Concatenate":
                y = torch.cat(given, 1)
            elif kind == "Flatten":
                y = torch.flatten(given[0], 1)
            elif kind == "GlobalAveragePooling2D":
                y = given[0].mean((2, 3))
            elif kind == "Rescaling":
                y = given[0] * fields["scale"] + fields.get("offset", 0)
            else:
                y = given[0]
            return activation(y) if activation else y

        def forward(self, x):
            values = {}
            for row in self.rows:
                values[row[1]] = (
                    x if row[0] == "Input" else self.one(row, [values[key] for key in row[2]])
                )
            return values[self.last]

    def tensors(x, y):
        x = torch.from_numpy(x)
        if x.dim() == 4:
            x = x.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
        return x, torch.from_numpy(y)

    batches = [tensors(x, y) for x, y in made_up(project, batch)]
    for mode in ("eager", "compile"):
        torch.manual_seed(1)
        network = Network(batches[0][0][:2]).train()
        if batches[0][0].dim() == 4:
            network = network.to(memory_format=torch.channels_last)
        name, fields = kind_of(project["training"]["optimizer"])
        rate = fields.get("learning_rate", 0.001)
        makers = {
            "sgd": lambda p: torch.optim.SGD(
                p, rate, momentum=fields.get("momentum", 0), fused=True
            ),
            "adam": lambda p: torch.optim.Adam(p, rate, eps=1e-7, fused=True),
            "adamw": lambda p: torch.optim.AdamW(
                p, rate, eps=1e-7, weight_decay=fields.get("weight_decay", 0.004), fused=True
            ),
        }
        if name not in makers:
            raise ValueError(f"no twin here for the optimizer {name}")
        optimizer = makers[name](list(network.parameters()))
        forward = network if mode == "eager" else torch.compile(network)

        def run(steps):
            for i in range(steps):
                x, y = batches[i % len(batches)]
                loss = F.cross_entropy(forward(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            float(loss.detach())

        yield "PyTorch " + mode, run


RUNS = {"torch": torch_runs, "keras": keras_runs}


def step_seconds(run, window=0.5, windows=3):
    run(3)
    steps, seconds = 1, 0.0
    while seconds < window / 2:
        steps *= 2
        start = time.perf_counter()
        run(steps)
        seconds = time.perf_counter() - start
    steps = max(1, round(steps * window / seconds))
    means = []
    for _ in range(windows):
        start = time.perf_counter()
        run(steps)
        means.append((time.perf_counter() - start) / steps)
    return statistics.median(means)


def be_peer(peer, item, threads):
    project, _, batch = batch_of(item)
    try:
        for name, run in RUNS[peer](project, batch, threads):
            print(json.dumps({"name": name, "us": step_seconds(run) * 1e6}), flush=True)
    except Exception as error:  # report a peer that cannot build this network and go on
        print(json.dumps({"name": peer, "error": str(error).split("\n")[0][:200]}), flush=True)


# --- running all of them


def interpreters():
    found = {}
    for python in [*filter(None, os.environ.get("STRATA_PEERS", "").split(":")), sys.executable]:
        if not os.access(python, os.X_OK):
            print(f"peers: STRATA_PEERS names {python}, which is no program", file=sys.stderr)
            continue
        for peer in RUNS:
            asked = (
                f"import importlib.util, sys; sys.exit(importlib.util.find_spec({peer!r}) is None)"
            )
            if (
                peer not in found
                and subprocess.run([python, "-c", asked], check=False).returncode == 0
            ):
                found[peer] = python
    return found


def lines_of(command):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        print(
            "peers:",
            " ".join(command[:3]),
            "ended without a result:",
            done.stderr.strip()[-300:],
            file=sys.stderr,
        )
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--strata", default="build/release/bin/strata")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--peer", choices=RUNS, help=argparse.SUPPRESS)
    parser.add_argument("projects", nargs="+", metavar="PROJECT[:BATCH]")
    options = parser.parse_args()
    if options.peer:
        for item in options.projects:
            be_peer(options.peer, item, options.threads)
        return
    pythons = interpreters()
    if not pythons:
        print(
            "No PyTorch or Keras found to compare with. Set STRATA_PEERS=PYTHON[:PYTHON...] to "
            "interpreters that have one."
        )
        return
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    for item in options.projects:
        project, path, batch = batch_of(item)
        own, peers = [], {}
        for _ in range(options.rounds):
            done = subprocess.run(
                [
                    options.strata,
                    "bench",
                    path,
                    "--device",
                    "cpu",
                    "--threads",
                    str(options.threads),
                    "--batch-size",
                    str(batch),
                    "--json",
                ],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            own.append(json.loads(done.stdout)["step_us"]["median"])
            for peer, python in pythons.items():
                for line in lines_of(
                    [
                        python,
                        __file__,
                        "--peer",
                        peer,
                        "--threads",
                        str(options.threads),
                        f"{path}:{batch}",
                    ]
                ):
                    if "error" in line:
                        print(f"  {line['name']}: {line['error']}")
                    else:
                        peers.setdefault(line["name"], []).append(line["us"])
        mine = statistics.median(own)
        medians = {name: statistics.median(times) for name, times in peers.items()}
        text = ", ".join(
            f"{name} {us:.0f} us" for name, us in sorted(medians.items(), key=lambda pair: pair[1])
        )
        ratio = (
            f"  {min(medians.values()) / mine:.2f} times as fast as the fastest of: {text}"
            if medians
            else ""
        )
        print(
            f"{project.get('name', path)}, batch {batch}: {mine:.0f} us per step{ratio}", flush=True
        )


if __name__ == "__main__":
    main()
