#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that weights saved by Keras, as safetensors and as NPZ, continue to train in Strata with
the same losses, and that weights trained in Strata continue to train in Keras. STRATA_KERAS must
name an interpreter with Keras 3; without one the test is skipped."""
import json
import os
import pathlib
import random
import subprocess

from program import ProgramTest, events, floats, main, read_safetensors

KERAS = pathlib.Path(
    os.environ.get("STRATA_KERAS", pathlib.Path.home() / ".cache/strata-peers/tf/bin/python")
)
STEPS, BATCH, SAMPLES, TOLERANCE = 20, 8, 40, 2e-4


def conv(name, filters, **more):
    return {
        "type": "Conv2D",
        "name": name,
        "filters": filters,
        "kernel_size": [3, 3],
        "padding": "same",
        **more,
    }


CROSS = {"type": "sparse_categorical_crossentropy"}
# Maps the name of a network to a tuple: the shape of a sample, the highest integer or None, the
# loss, the shape of a target or the number of classes, the optimizer, and the layers after the
# Input.
NETWORKS = {
    "dense": (
        [12],
        None,
        CROSS,
        5,
        {"type": "adam", "learning_rate": 0.01},
        [
            {"type": "Dense", "name": "hidden", "units": 16},
            {"type": "LayerNormalization", "name": "norm"},
            {"type": "PReLU", "name": "bend"},
            {"type": "Dense", "name": "out", "units": 5, "activation": "softmax"},
        ],
    ),
    "residual": (
        [8, 8, 3],
        None,
        CROSS,
        4,
        {"type": "sgd", "learning_rate": 0.05, "momentum": 0.9, "nesterov": True},
        [
            conv("stem", 6, use_bias=False),
            {"type": "BatchNormalization", "name": "bn"},
            {"type": "ReLU", "name": "relu"},
            conv("inner", 6, activation="relu"),
            conv("outer", 6),
            {"type": "Add", "name": "sum", "inputs": ["relu", "outer"]},
            {"type": "MaxPooling2D", "name": "pool", "pool_size": [2, 2]},
            {"type": "GlobalAveragePooling2D", "name": "mean"},
            {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"},
        ],
    ),
    "separable": (
        [8, 8, 3],
        None,
        CROSS,
        4,
        {"type": "rmsprop", "learning_rate": 0.005, "momentum": 0.5, "centered": True},
        [
            {
                "type": "SeparableConv2D",
                "name": "sep",
                "filters": 8,
                "kernel_size": [3, 3],
                "depth_multiplier": 2,
                "activation": "relu",
            },
            {"type": "DepthwiseConv2D", "name": "deep", "kernel_size": [3, 3], "padding": "same"},
            {"type": "GroupNormalization", "name": "groups", "groups": 4},
            {"type": "Concatenate", "name": "both", "inputs": ["sep", "groups"]},
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"},
        ],
    ),
    "gates": (
        [7, 7, 3],
        None,
        CROSS,
        4,
        {"type": "sgd", "learning_rate": 0.05, "momentum": 0.9},
        [
            conv("stem", 6),
            {
                "type": "BatchNormalization",
                "name": "bn",
                "momentum": 0.8,
                "renorm": True,
                "renorm_momentum": 0.9,
                "renorm_clipping": {"rmax": 3.0, "rmin": 0.3, "dmax": 5.0},
            },
            {"type": "GlobalAveragePooling2D", "name": "squeeze"},
            {"type": "Dense", "name": "excite", "units": 6, "activation": "sigmoid"},
            {"type": "Multiply", "name": "gate", "inputs": ["bn", "excite"]},
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"},
        ],
    ),
    "inside": (
        [9],
        None,
        {"type": "mean_squared_error"},
        [3],
        {"type": "adam", "learning_rate": 0.01},
        [
            {
                "type": "Block",
                "name": "left",
                "layers": [
                    {"type": "Dense", "name": "dense", "units": 6, "activation": "tanh"},
                    {"type": "Dense", "name": "out", "units": 5},
                ],
            },
            {
                "type": "Block",
                "name": "right",
                "inputs": ["input"],
                "layers": [{"type": "Dense", "name": "dense", "units": 5, "activation": "relu"}],
            },
            {"type": "Concatenate", "name": "both", "inputs": ["left", "right"]},
            {"type": "Dense", "name": "out", "units": 3},
        ],
    ),
    "lstm": (
        [7, 5],
        None,
        {"type": "mean_squared_error"},
        [3],
        {"type": "adam", "learning_rate": 0.01},
        [
            {"type": "LSTM", "name": "rnn", "units": 9, "return_sequences": True},
            {"type": "LSTM", "name": "top", "units": 6},
            {"type": "Dense", "name": "out", "units": 3},
        ],
    ),
    "bidirectional": (
        [6, 4],
        None,
        {"type": "mean_absolute_error"},
        [6, 2],
        {"type": "nadam", "learning_rate": 0.01},
        [
            {
                "type": "Bidirectional",
                "name": "both",
                "layer": {"type": "GRU", "units": 5, "return_sequences": True},
            },
            {
                "type": "TimeDistributed",
                "name": "steps",
                "layer": {"type": "Dense", "units": 7, "activation": "tanh"},
            },
            {
                "type": "Bidirectional",
                "name": "again",
                "merge_mode": "sum",
                "layer": {"type": "SimpleRNN", "units": 4, "return_sequences": True},
            },
            {"type": "Dense", "name": "out", "units": 2},
        ],
    ),
    "words": (
        [9],
        20,
        {"type": "binary_crossentropy"},
        [1],
        {"type": "adamw", "learning_rate": 0.01, "weight_decay": 0.01},
        [
            {"type": "Embedding", "name": "words", "input_dim": 20, "output_dim": 6},
            {"type": "GRU", "name": "rnn", "units": 8, "reset_after": False},
            {"type": "Dense", "name": "out", "units": 1, "activation": "sigmoid"},
        ],
    ),
    "transformer": (
        [6],
        15,
        CROSS,
        3,
        {"type": "adam", "learning_rate": 0.005},
        [
            {"type": "Embedding", "name": "words", "input_dim": 15, "output_dim": 8},
            {
                "type": "MultiHeadAttention",
                "name": "attn",
                "num_heads": 2,
                "key_dim": 4,
                "use_causal_mask": True,
                "inputs": ["words", "words"],
            },
            {"type": "Add", "name": "sum1", "inputs": ["words", "attn"]},
            {"type": "LayerNormalization", "name": "norm1"},
            {
                "type": "EinsumDense",
                "name": "wide",
                "equation": "abc,cd->abd",
                "output_shape": [None, 16],
                "bias_axes": "d",
                "activation": "gelu",
            },
            {"type": "Dense", "name": "narrow", "units": 8},
            {"type": "Add", "name": "sum2", "inputs": ["norm1", "narrow"]},
            {"type": "RMSNormalization", "name": "norm2"},
            {"type": "GlobalAveragePooling1D", "name": "mean"},
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
        ],
    ),
    "waves": (
        [16, 3],
        None,
        {"type": "huber"},
        [16, 3],
        {"type": "adagrad", "learning_rate": 0.05},
        [
            {
                "type": "Conv1D",
                "name": "down",
                "filters": 8,
                "kernel_size": 4,
                "strides": 2,
                "padding": "same",
                "activation": "elu",
            },
            {
                "type": "SeparableConv1D",
                "name": "sep",
                "filters": 6,
                "kernel_size": 3,
                "padding": "same",
            },
            {
                "type": "Conv1DTranspose",
                "name": "up",
                "filters": 3,
                "kernel_size": 4,
                "strides": 2,
                "padding": "same",
            },
        ],
    ),
    "pictures": (
        [6, 6, 2],
        None,
        {"type": "mean_squared_error"},
        [12, 12, 2],
        {"type": "adamax", "learning_rate": 0.01},
        [
            conv("in", 5, activation="swish"),
            {"type": "BatchNormalization", "name": "bn", "momentum": 0.9},
            {
                "type": "Conv2DTranspose",
                "name": "up",
                "filters": 4,
                "kernel_size": [3, 3],
                "strides": [2, 2],
                "padding": "same",
                "activation": "relu",
            },
            conv("out", 2),
        ],
    ),
    "films": (
        [4, 6, 6, 2],
        None,
        CROSS,
        3,
        {"type": "lion", "learning_rate": 0.001},
        [
            {
                "type": "ConvLSTM2D",
                "name": "film",
                "filters": 3,
                "kernel_size": [3, 3],
                "padding": "same",
            },
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
        ],
    ),
    "volumes": (
        [5, 5, 5, 2],
        None,
        CROSS,
        3,
        {"type": "adadelta", "learning_rate": 1.0},
        [
            {
                "type": "Conv3D",
                "name": "cube",
                "filters": 4,
                "kernel_size": [3, 3, 3],
                "activation": "relu",
            },
            {"type": "GlobalMaxPooling3D", "name": "most"},
            {
                "type": "SpectralNormalization",
                "name": "bound",
                "layer": {"type": "Dense", "units": 6},
            },
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
        ],
    ),
    "translator": (
        [6, 4],
        None,
        {"type": "mean_squared_error"},
        [6, 5],
        {"type": "adam", "learning_rate": 0.01},
        [
            {
                "type": "LSTM",
                "name": "encoder",
                "units": 5,
                "return_state": True,
                "return_sequences": True,
            },
            {
                "type": "LSTM",
                "name": "decoder",
                "units": 5,
                "return_sequences": True,
                "inputs": ["input", "encoder:1", "encoder:2"],
            },
            {
                "type": "Bidirectional",
                "name": "ways",
                "merge_mode": None,
                "layer": {"type": "GRU", "units": 5, "return_sequences": True},
            },
            {"type": "Subtract", "name": "less", "inputs": ["ways", "ways:1"]},
            {"type": "Add", "name": "sum", "inputs": ["less", "encoder"]},
        ],
    ),
    "queries": (
        [8, 6],
        None,
        {"type": "log_cosh"},
        [8, 6],
        {"type": "adam", "learning_rate": 0.01, "amsgrad": True},
        [
            {
                "type": "GroupQueryAttention",
                "name": "attn",
                "head_dim": 4,
                "num_query_heads": 4,
                "num_key_value_heads": 2,
                "inputs": ["input", "input"],
            },
            {"type": "AdditiveAttention", "name": "again", "inputs": ["attn", "attn"]},
            {"type": "UnitNormalization", "name": "unit"},
            {"type": "Dense", "name": "out", "units": 6},
        ],
    ),
    # This network has several Input layers and outputs. Shapes, losses and targets are therefore
    # given by the names of Input layers and outputs. LOSS_WEIGHTS contains the loss weights.
    "ends": (
        {"person": [5], "steps": [6, 3], "word": [2]},
        {"word": 12},
        {
            "age": {"type": "mean_squared_error"},
            "kind": CROSS,
            "sign": {"type": "binary_crossentropy"},
        },
        {"age": [2], "kind": 4, "sign": [1]},
        {"type": "adam", "learning_rate": 0.01},
        [
            {"type": "LSTM", "name": "rnn", "units": 6, "inputs": ["steps"]},
            {
                "type": "Embedding",
                "name": "words",
                "input_dim": 12,
                "output_dim": 4,
                "inputs": ["word"],
            },
            {"type": "Flatten", "name": "flat"},
            {"type": "Concatenate", "name": "both", "inputs": ["person", "rnn", "flat"]},
            {
                "type": "Dense",
                "name": "shared",
                "units": 10,
                "activation": "tanh",
                "kernel_regularizer": "l2",
            },
            {"type": "Dense", "name": "age", "units": 2, "inputs": ["shared"]},
            {
                "type": "Dense",
                "name": "kind",
                "units": 4,
                "activation": "softmax",
                "inputs": ["shared"],
            },
            {
                "type": "Dense",
                "name": "sign",
                "units": 1,
                "activation": "sigmoid",
                "inputs": ["both"],
            },
        ],
    ),
}
LOSS_WEIGHTS = {"ends": {"age": 0.3, "kind": 2.0, "sign": 0.75}}


def numbers(source, shape, high=None):
    if not shape:
        return source.randrange(high) if high else round(source.gauss(0, 1), 4)
    return [numbers(source, shape[1:], high) for _ in range(shape[0])]


def document(name):
    shape, high, loss, target, optimizer, layers = NETWORKS[name]
    source = random.Random(name)

    def targets(loss, target):
        if isinstance(target, int):
            return [source.randrange(target) for _ in range(SAMPLES)]
        return numbers(
            source, [SAMPLES, *target], 2 if loss["type"] == "binary_crossentropy" else None
        )

    isChain = not any("inputs" in layer for layer in layers)
    if isinstance(shape, dict):
        y = {output: targets(loss[output], target[output]) for output in target}
        x = {each: numbers(source, [SAMPLES, *shape[each]], high.get(each)) for each in shape}
        inputs = [{"type": "Input", "name": each, "shape": shape[each]} for each in shape]
        more = {
            "loss_weights": LOSS_WEIGHTS[name],
            "metrics": {"kind": ["accuracy"], "age": ["mae"]},
        }
    else:
        y, more = targets(loss, target), {}
        x, inputs = numbers(source, [SAMPLES, *shape], high), [
            {"type": "Input", "name": "input", "shape": shape}
        ]
    return {
        "format": "strata-project",
        "version": 1,
        "name": name,
        "notes": "sequential" if isChain and len(layers) != 4 else "",
        "data": {
            "source": {"type": "values", "x": x, "y": y},
            "validation_split": 0,
            "transforms": [],
        },
        "model": {"layers": [*inputs, *layers]},
        "training": {
            "loss": loss,
            "optimizer": optimizer,
            "metrics": [],
            "batch_size": BATCH,
            "epochs": 1,
            "shuffle": False,
            "seed": 3,
            **more,
        },
    }


class KerasWeights(ProgramTest):
    def keras(self, what):
        script = pathlib.Path(__file__).parent / "keras_networks.py"
        done = subprocess.run(
            [str(KERAS), str(script), str(self.folder), what],
            capture_output=True,
            text=True,
            timeout=1500,
        )
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def trained(self, project, weights, run):
        answer = self.succeed(
            "train",
            project,
            "--steps",
            STEPS,
            "--no-progress",
            "--run-dir",
            run,
            "--events",
            run.with_suffix(".jsonl"),
            "--set",
            f"/training/initial_weights={json.dumps(str(weights))}",
        )
        steps = [e for e in events(run.with_suffix(".jsonl")) if e["event"] == "step"]
        return answer, [e["loss"] for e in steps], [e["metrics"] for e in steps]

    def compare(self, name, ours, theirs):
        self.assertEqual(len(ours), STEPS)
        worst = max(abs(a - b) / max(1, abs(b)) for a, b in zip(ours, theirs))
        print(
            f"{name}: loss {theirs[0]:.4f} to {theirs[-1]:.4f}, largest difference {worst:.1e}",
            flush=True,
        )
        self.assertLess(worst, TOLERANCE, f"{name}\n{ours}\n{theirs}")

    def test_networks_both_ways(self):
        if (
            subprocess.run([str(KERAS), "-c", "import keras"], capture_output=True).returncode
            if KERAS.exists()
            else True
        ):
            self.skipTest(f"no Keras at {KERAS} (STRATA_KERAS names an interpreter that has it)")
        projects = {}
        for name in NETWORKS:
            projects[name] = self.folder / f"{name}.json"
            projects[name].write_text(json.dumps(document(name)))
        self.keras("start")
        for name, project in projects.items():
            with self.subTest(network=name):
                theirs = json.loads(project.with_suffix(".keras.json").read_text())
                _, ours, metrics = self.trained(
                    project, project.with_suffix(".safetensors"), self.folder / f"{name}-a"
                )
                self.compare(name, ours, theirs["losses"])
                tensors, _ = read_safetensors(self.folder / f"{name}-a/weights.safetensors")
                size, expected = sum(
                    abs(value) for tensor in tensors.values() for value in floats(tensor)
                ), sum(theirs["after"].values())
                self.assertLess(
                    abs(size - expected) / expected,
                    1e-3,
                    f"{name}: the weights that are saved are not those that were trained",
                )
                for metric in theirs["metrics"][0]:
                    self.compare(
                        f"{name}, {metric}",
                        [each[metric] for each in metrics],
                        [each[metric] for each in theirs["metrics"]],
                    )
                answer, again, _ = self.trained(
                    project, project.with_suffix(".npz"), self.folder / f"{name}-b"
                )
                self.assertEqual(again, ours, "NPZ and safetensors hold the same")
                self.assertRegex(answer.out + answer.err, "ignored, because")
                for suffix in (".npz", ".safetensors"):
                    self.succeed(
                        "export",
                        project,
                        "--weights",
                        self.folder / f"{name}-a",
                        "--to",
                        project.with_suffix(".back" + suffix),
                    )
        self.keras("continue")
        for name, project in projects.items():
            with self.subTest(network=name, way="back"):
                theirs = json.loads(project.with_suffix(".continued.json").read_text())
                _, ours, _ = self.trained(
                    project, project.with_suffix(".back.npz"), self.folder / f"{name}-c"
                )
                self.compare(name + ", back", ours, theirs["losses"])


if __name__ == "__main__":
    main()
