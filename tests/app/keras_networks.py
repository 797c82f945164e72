# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds and trains the network of each project in a folder with Keras, and saves the weights with
their names. tst_keras_weights.py runs this program in an interpreter that has Keras.

    python keras_networks.py FOLDER start
        writes the initial weights to PROJECT.npz and PROJECT.safetensors, trains 20 steps and
        writes the losses to PROJECT.keras.json
    python keras_networks.py FOLDER continue
        loads PROJECT.back.npz and PROJECT.back.safetensors, which Strata wrote, trains 20 steps
        and writes the losses to PROJECT.continued.json

Projects use the same types and fields of layers as Keras. A Block becomes a nested model. A project
with "sequential" in its notes becomes a keras.Sequential, which prefixes variables with its
name."""
import json
import os
import pathlib
import re
import struct
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import keras  # noqa: E402
import numpy as np  # noqa: E402

STEPS = 20


def made(value):
    """Returns a layer if the value of a field describes a layer, and otherwise the value itself."""
    if isinstance(value, dict) and value.get("type", "")[:1].isupper():
        return layer(value)
    return value


def layer(spec):
    if spec["type"] == "Block":
        return keras.Sequential([layer(each) for each in spec["layers"]], name=spec["name"])
    fields = {k: made(v) for k, v in spec.items() if k not in ("type", "inputs", "use_causal_mask")}
    return getattr(keras.layers, spec["type"])(**fields)


def build(project):
    layers = project["model"]["layers"]
    if "sequential" in project.get("notes", ""):
        return keras.Sequential(
            [
                keras.Input(layers[0]["shape"], name=layers[0]["name"]),
                *[layer(spec) for spec in layers[1:]],
            ]
        )
    values, previous, entrances = {}, None, {}
    for spec in layers:
        if spec["type"] == "Input":
            previous = entrances[spec["name"]] = keras.Input(spec["shape"], name=spec["name"])
        else:
            inputs = [values[name] for name in spec["inputs"]] if "inputs" in spec else [previous]
            call = {"use_causal_mask": True} if spec.get("use_causal_mask") else {}
            if spec["type"] in ("LSTM", "GRU", "SimpleRNN") and len(inputs) > 1:
                inputs, call = inputs[:1], {"initial_state": inputs[1:]}
            # These layers take several arguments; other layers take a list.
            isSeparate = len(inputs) == 1 or spec["type"] in (
                "MultiHeadAttention",
                "GroupQueryAttention",
            )
            previous = layer(spec)(*inputs, **call) if isSeparate else layer(spec)(inputs)
        outputs = previous if isinstance(previous, (list, tuple)) else [previous]
        previous = values[spec["name"]] = outputs[0]
        values.update({f"{spec['name']}:{i}": output for i, output in enumerate(outputs)})
    if isinstance(project["training"]["loss"], dict) and "type" not in project["training"]["loss"]:
        previous = {name: values[name] for name in project["training"]["loss"]}
    return keras.Model(
        entrances if len(entrances) > 1 else next(iter(entrances.values())), previous
    )


def compiled(project):
    model = build(project)
    training = project["training"]
    settings = dict(training["optimizer"])
    kind = settings.pop("type")
    named = {name.lower(): name for name in dir(keras.optimizers)}[kind]
    optimizer, loss = getattr(keras.optimizers, named)(**settings), training["loss"]
    if "type" in loss:
        model.compile(optimizer, keras.losses.get(loss["type"]))
    else:
        model.compile(
            optimizer,
            {name: keras.losses.get(each["type"]) for name, each in loss.items()},
            loss_weights=training["loss_weights"],
            metrics=training["metrics"],
        )
    return model


def losses(project, model):
    """Trains the model. Returns for each step the loss and the other values that Keras reports, by
    name."""
    source, loss = project["data"]["source"], project["training"]["loss"]
    isOne = "type" in loss

    def targets(given, loss):
        return np.array(given).astype("int32" if loss["type"].startswith("sparse") else "float32")

    x = (
        np.array(source["x"], "float32")
        if isOne
        else {name: np.array(given, "float32") for name, given in source["x"].items()}
    )
    y = (
        targets(source["y"], loss)
        if isOne
        else {name: targets(given, loss[name]) for name, given in source["y"].items()}
    )
    batch, samples = project["training"]["batch_size"], len(
        source["y"] if isOne else next(iter(source["y"].values()))
    )

    def part(arrays, at):
        return (
            arrays[at : at + batch]
            if isOne
            else {name: array[at : at + batch] for name, array in arrays.items()}
        )

    result, metrics = [], []
    for step in range(STEPS):
        # Without a reset, Keras averages metrics over all steps.
        model.reset_metrics()
        values = {
            name: float(value)
            for name, value in model.train_on_batch(
                part(x, step * batch % samples), part(y, step * batch % samples), return_dict=True
            ).items()
        }
        result.append(values.pop("loss"))
        metrics.append(values)
    return result, metrics


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, value in tensors.items():
        data = np.ascontiguousarray(value, "<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(value.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    return {
        n: np.frombuffer(
            data[8 + length :], "<f4", int(np.prod(t["shape"])), t["data_offsets"][0]
        ).reshape(t["shape"])
        for n, t in header.items()
    }


def weights(model):
    return [v for v in model.variables if "seed_generator" not in v.path]


def start(path, project):
    model = compiled(project)
    by_path = {v.path: v.numpy() for v in weights(model)}
    write_safetensors(path.with_suffix(".safetensors"), by_path)
    # The file contains all variables, including those of random layers and of the optimizer.
    everything = {v.path: v.numpy() for v in [*model.variables, *model.optimizer.variables]}
    if len(by_path) % 2:
        np.savez_compressed(path.with_suffix(".npz"), **everything)
    else:
        np.savez(
            path.with_suffix(".npz"),
            **{name: np.asfortranarray(value) for name, value in everything.items()},
        )
    history, metrics = losses(project, model)
    answer = {
        "losses": history,
        "metrics": metrics,
        "after": {v.path: float(np.abs(v.numpy()).sum()) for v in weights(model)},
    }
    path.with_suffix(".keras.json").write_text(json.dumps(answer))


def go_on(path, project):
    first = np.load(path.with_suffix(".back.npz"))
    second = read_safetensors(path.with_suffix(".back.safetensors"))
    assert sorted(first.files) == sorted(second), "the two files hold other names"
    for name in second:
        assert np.array_equal(first[name], second[name]), f"{name} differs between the two files"
    model = compiled(project)
    prefix = model.name + "/" if isinstance(model, keras.Sequential) else ""
    left = set(second)
    for variable in weights(model):
        name = variable.path.removeprefix(prefix)
        if name not in second:  # the variable may belong to a Block
            name = name.replace("/", "/0/", 1) if name.replace("/", "/0/", 1) in second else name
        if name not in second:  # Keras appends a number to layers without a name
            name = next(n for n in left if n == re.sub(r"_\d+(?=/)", "", name))
        variable.assign(second[name])
        left.discard(name)
    assert not left, f"Keras has no variable for {left}"
    path.with_suffix(".continued.json").write_text(
        json.dumps({"losses": losses(project, model)[0]})
    )


for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    if file.name.count(".") > 1:
        continue
    keras.utils.set_random_seed(7)
    (start if sys.argv[2] == "start" else go_on)(file, json.loads(file.read_text()))
    print(file.stem, flush=True)
