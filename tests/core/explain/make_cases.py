#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the reference maps of tst_explain.cpp with NumPy: it runs small networks forward and
backward in double precision. The tests themselves do not need it.

    make_cases.py > cases.json        needs numpy
"""
import json

import numpy as np


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return float(f"{value:.10g}") if isinstance(value, float) else value


def tensor(values):
    return {"shape": list(values.shape), "values": values.ravel()}


class Dense:
    def __init__(self, name, kernel, bias, activation):
        self.name, self.kernel, self.bias, self.activation = name, kernel, bias, activation

    def describe(self):
        return {
            "type": "Dense",
            "name": self.name,
            "units": self.kernel.shape[1],
            "activation": self.activation,
        }

    def weights(self):
        return {f"{self.name}/kernel": self.kernel, f"{self.name}/bias": self.bias}

    def forward(self, x):
        self.before = x @ self.kernel + self.bias
        # The score is the logit, before a softmax or sigmoid
        return np.maximum(self.before, 0) if self.activation == "relu" else self.before

    def backward(self, gradient):
        if self.activation == "relu":
            gradient = gradient * (self.before > 0)
        return gradient @ self.kernel.T


class Conv:
    """A convolution over all spatial axes, with a valid padding and strides of 1."""

    def __init__(self, name, kernel, bias, activation):
        self.name, self.kernel, self.bias, self.activation = name, kernel, bias, activation
        self.axes = kernel.ndim - 2

    def describe(self):
        return {
            "type": f"Conv{self.axes}D",
            "name": self.name,
            "filters": self.kernel.shape[-1],
            "kernel_size": list(self.kernel.shape[:-2]),
            "activation": self.activation,
        }

    def weights(self):
        return {f"{self.name}/kernel": self.kernel, f"{self.name}/bias": self.bias}

    def places(self, x):
        """Yields each place of the output, and the part of the input that it sees."""
        sizes = self.kernel.shape[:-2]
        for place in np.ndindex(*(n - k + 1 for n, k in zip(x.shape, sizes))):
            yield place, tuple(slice(p, p + k) for p, k in zip(place, sizes))

    def forward(self, x):
        self.x = x
        sizes = self.kernel.shape[:-2]
        shape = [n - k + 1 for n, k in zip(x.shape, sizes)] + [self.kernel.shape[-1]]
        self.out = np.zeros(shape)
        for place, part in self.places(x):
            self.out[place] = np.tensordot(x[part], self.kernel, self.axes + 1) + self.bias
        self.out = np.maximum(self.out, 0) if self.activation == "relu" else np.tanh(self.out)
        return self.out

    def backward(self, gradient):
        slope = self.out > 0 if self.activation == "relu" else 1 - self.out**2
        gradient = gradient * slope
        result = np.zeros_like(self.x)
        for place, part in self.places(self.x):
            result[part] += self.kernel @ gradient[place]
        return result


class MaxPool:
    """Pools 2 x 2 places."""

    name = "pool"

    def describe(self):
        return {"type": "MaxPooling2D", "name": self.name, "pool_size": [2, 2]}

    def weights(self):
        return {}

    def forward(self, x):
        height, width, channels = x.shape[0] // 2, x.shape[1] // 2, x.shape[2]
        self.x = x
        self.out = np.zeros((height, width, channels))
        for i, k, c in np.ndindex(height, width, channels):
            self.out[i, k, c] = x[2 * i : 2 * i + 2, 2 * k : 2 * k + 2, c].max()
        return self.out

    def backward(self, gradient):
        result = np.zeros_like(self.x)
        for i, k, c in np.ndindex(*gradient.shape):
            part = self.x[2 * i : 2 * i + 2, 2 * k : 2 * k + 2, c]
            row, column = np.unravel_index(part.argmax(), part.shape)
            result[2 * i + row, 2 * k + column, c] += gradient[i, k, c]
        return result


class Flatten:
    name = "flat"

    def describe(self):
        return {"type": "Flatten", "name": self.name}

    def weights(self):
        return {}

    def forward(self, x):
        self.shape = x.shape
        return x.ravel()

    def backward(self, gradient):
        return gradient.reshape(self.shape)


class MeanOverSteps:
    name = "mean"

    def describe(self):
        return {"type": "GlobalAveragePooling1D", "name": self.name}

    def weights(self):
        return {}

    def forward(self, x):
        self.steps = x.shape[0]
        return x.mean(0)

    def backward(self, gradient):
        return np.repeat(gradient[None] / self.steps, self.steps, 0)


def resized(values, sizes):
    """Interpolates linearly along each axis, with pixel centers at half coordinates."""
    for axis, size in enumerate(sizes):
        count = values.shape[axis]
        centers = np.clip((np.arange(size) + 0.5) * count / size - 0.5, 0, count - 1)
        moved = np.moveaxis(values, axis, -1).reshape(-1, count)
        rows = np.array([np.interp(centers, np.arange(count), row) for row in moved])
        shape = np.moveaxis(values, axis, -1).shape[:-1] + (size,)
        values = np.moveaxis(rows.reshape(shape), -1, axis)
    return values


def case(name, raw, scale, layers, loss, index, cam_layer, occluded):
    def scores(x):
        for layer in layers:
            x = layer.forward(x)
        return x

    def score(x):
        values = scores(x * scale)
        if len(values) == 1:
            return values[0] if index == 1 else -values[0]
        return values[index]

    value = score(raw)
    seed = np.zeros_like(layers[-1].before)
    seed[0 if len(seed) == 1 else index] = -1 if len(seed) == 1 and index == 0 else 1
    gradient, cam = seed, None
    for layer in reversed(layers):
        if layer.name == cam_layer:
            axes = tuple(range(gradient.ndim - 1))
            cam = np.maximum((layer.out * gradient.mean(axes)).sum(-1), 0)
        gradient = layer.backward(gradient)
    saliency = np.abs(gradient)
    saliency = saliency.max(-1) if saliency.ndim > 1 else saliency
    size, stride, fill = occluded
    spatial = raw.shape[:-1] if raw.ndim > 1 else raw.shape
    counts = [-(-(n - size) // stride) + 1 for n in spatial]
    drops = np.zeros(counts)
    for place in np.ndindex(*counts):
        covered = raw.copy()
        covered[tuple(slice(p * stride, p * stride + size) for p in place)] = fill
        drops[place] = value - score(covered)
    weights = {}
    for layer in layers:
        weights |= layer.weights()
    return {
        "name": name,
        "scale": scale,
        "loss": loss,
        "layers": [{"type": "Input", "name": "x", "shape": list(raw.shape)}]
        + [layer.describe() for layer in layers],
        "weights": {key: tensor(each) for key, each in weights.items()},
        "input": tensor(raw),
        "index": index,
        "occlusion": {"size": size, "stride": stride, "fill": fill, "map": tensor(drops)},
        "score": value,
        "saliency": tensor(saliency),
        "cam_layer": cam_layer,
        "layer_map": None if cam is None else tensor(cam),
        "cam": None if cam is None else tensor(resized(cam, spatial)),
    }


def main():
    random = np.random.default_rng(11)

    def weights(*shape):
        return random.normal(size=shape).astype(np.float32).astype(float) * 0.5

    sparse = "sparse_categorical_crossentropy"
    dense = [
        Dense("hidden", weights(5, 6), weights(6), "relu"),
        Dense("out", weights(6, 3), weights(3), "softmax"),
    ]
    image = [
        Conv("conv", weights(3, 3, 2, 4), weights(4), "relu"),
        MaxPool(),
        Flatten(),
        Dense("out", weights(16, 3), weights(3), "softmax"),
    ]
    sequence = [
        Conv("conv", weights(3, 2, 4), weights(4), "tanh"),
        MeanOverSteps(),
        Dense("out", weights(4, 1), weights(1), "sigmoid"),
    ]
    cases = [
        case("dense", weights(5), 1.0, dense, sparse, 2, "", (1, 1, 0.0)),
        case("image, last layer", weights(6, 6, 2), 1.0, image, sparse, 1, "pool", (2, 1, 0.5)),
        case("image, convolution", weights(6, 6, 2), 0.5, image, sparse, 0, "conv", (3, 2, 0.0)),
        case("sequence", weights(10, 2), 1.0, sequence, "binary_crossentropy", 1, "conv",
             (4, 3, 0.0)),
        case("sequence, class 0", weights(10, 2), 2.0, sequence, "binary_crossentropy", 0, "conv",
             (2, 2, 1.0)),
    ]
    lines = [json.dumps(plain(each), separators=(",", ":")) for each in cases]
    print("[\n" + ",\n".join(lines) + "\n]")


if __name__ == "__main__":
    main()
