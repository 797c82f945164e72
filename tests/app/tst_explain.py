#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `strata explain` as a user calls it: the maps of small networks whose gradients are known,
occlusion maps against `strata predict`, files of maps, and errors."""
import ast
import json
import struct
import zlib

from program import ProgramTest, main, strata, write_safetensors

SIZE, CHANNELS = 6, 2


def read_npy(path):
    """Returns the shape and the values of a float32 array."""
    data = path.read_bytes()
    assert data[:6] == b"\x93NUMPY"
    (length,) = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10 : 10 + length].decode())
    assert head["descr"] == "<f4" and not head["fortran_order"]
    values = data[10 + length :]
    return head["shape"], struct.unpack(f"<{len(values) // 4}f", values)


def paeth(left, above, corner):
    """Returns the neighbor that predicts a pixel best, as the PNG filter of this name."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda each: abs(guess - each))


def read_png(path):
    """Returns the width, the height and the pixels of a gray PNG of 8 bits."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        chunk = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack(">IIBB", chunk[:10])
            assert (bits, color) == (8, 0)
        if kind == b"IDAT":
            packed += chunk
        at += length + 12
    raw, pixels, above = zlib.decompress(packed), [], [0] * width
    for row in range(height):
        kind, *values = raw[row * (width + 1) : (row + 1) * (width + 1)]
        for i in range(width):
            left, corner = (values[i - 1], above[i - 1]) if i else (0, 0)
            both = (left + above[i]) // 2
            predicted = (0, left, above[i], both, paeth(left, above[i], corner))[kind]
            values[i] = (values[i] + predicted) % 256
        pixels += values
        above = values
    return width, height, pixels


class Explain(ProgramTest):
    def write(self, layers, tensors, loss, x, y, name="p"):
        path = self.folder / f"{name}.json"
        project = {
            "format": "strata-project",
            "version": 1,
            "data": {"source": {"type": "values", "x": x, "y": y}},
            "model": {"layers": layers},
            "training": {"optimizer": "sgd", "batch_size": 1, "epochs": 1, "loss": loss},
        }
        path.write_text(json.dumps(project))
        weights = self.folder / f"{name}.safetensors"
        write_safetensors(weights, tensors)
        return path, weights

    def dense(self, activation="softmax"):
        """Returns a network with a single Dense layer, its weights and a sample."""
        kernel = [0.5, -1.0, 2.0, 0.25, -0.75, 1.5]
        layers = [
            {"type": "Input", "name": "x", "shape": [3]},
            {"type": "Dense", "name": "out", "units": 2, "activation": activation},
        ]
        tensors = {"out/kernel": ([3, 2], kernel), "out/bias": ([2], [0.1, -0.2])}
        path, weights = self.write(
            layers, tensors, "sparse_categorical_crossentropy", [[0, 0, 0]], [[0]]
        )
        sample = self.folder / "sample.csv"
        sample.write_text("1,2,-0.5\n")
        return path, weights, sample, kernel

    def image(self):
        """Returns a network that adds weighted pixels, with a convolution of one pixel before it,
        and a sample as .npy."""
        count = SIZE * SIZE
        layers = [
            {"type": "Input", "name": "x", "shape": [SIZE, SIZE, CHANNELS]},
            {"type": "Conv2D", "name": "conv", "filters": 2, "kernel_size": [1, 1]},
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 1},
        ]
        last = [(7 * i % 11 - 5) / 10 for i in range(2 * count)]
        tensors = {
            "conv/kernel": ([1, 1, CHANNELS, 2], [1.0, 0.0, 0.0, -2.0]),
            "conv/bias": ([2], [0.0, 0.0]),
            "out/kernel": ([2 * count, 1], last),
            "out/bias": ([1], [0.5]),
        }
        zeros = [[[0] * CHANNELS for _ in range(SIZE)] for _ in range(SIZE)]
        path, weights = self.write(layers, tensors, "mean_squared_error", [zeros], [[0]], "image")
        values = [(3 * i % 7 - 3) / 4 for i in range(CHANNELS * count)]
        return path, weights, self.sample(values), values, last

    def sample(self, values, name="sample.npy"):
        """Writes an image as .npy."""
        shape = f"(1, {SIZE}, {SIZE}, {CHANNELS})"
        head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
        head += " " * (64 - (len(head) + 11) % 64) + "\n"
        path = self.folder / name
        path.write_bytes(
            b"\x93NUMPY\x01\x00"
            + struct.pack("<H", len(head))
            + head.encode()
            + struct.pack(f"<{len(values)}f", *values)
        )
        return path

    def explain(self, path, weights, *words):
        return self.succeed("explain", path, "--weights", weights, "--json", *words).json

    def test_columns_of_a_linear_network_contribute_weight_times_value(self):
        rows = [("red", 1.5, 0), ("green", -2.0, 1), ("red", 0.5, 1), ("green", 3.0, 0)]
        table = self.folder / "table.csv"
        table.write_text(
            "colour,height,class\n" + "".join(f"{c},{h},{k}\n" for c, h, k in rows)
        )
        layers = [
            {"type": "Input", "name": "x", "shape": [3]},
            {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"},
        ]
        project = {
            "format": "strata-project",
            "version": 1,
            "data": {"source": {"type": "csv", "path": "table.csv", "label": "class",
                                "columns": ["colour", "height"]}},
            "model": {"layers": layers},
            "training": {"optimizer": "sgd", "batch_size": 1, "epochs": 1,
                         "loss": "sparse_categorical_crossentropy"},
        }  # fmt: skip
        path = self.folder / "table.json"
        path.write_text(json.dumps(project))
        weights = self.folder / "table.safetensors"
        # The values are colour=green, colour=red and height
        kernel = [0.5, -1.0, 2.0, 0.25, -0.75, 1.5]
        write_safetensors(
            weights, {"out/kernel": ([3, 2], kernel), "out/bias": ([2], [0.1, -0.2])}
        )
        words = (table, "--sample", 2, "--method", "gradient_times_input", "--class", 1)
        answer = self.explain(path, weights, *words)
        found = [(each["column"], each["value"]) for each in answer["columns"]]
        self.assertEqual(found, [("colour", "red"), ("height", 0.5)])
        for each, wanted in zip(answer["columns"], (0.25, 1.5 * 0.5)):
            self.assertAlmostEqual(each["contribution"], wanted, places=6)
        self.assertEqual(len(answer["values"]), 3)
        text = self.succeed("explain", path, "--weights", weights, *words).out
        self.assertIn("colour = red: 0.25\nheight = 0.5: 0.75\n", text)

    def test_the_saliency_of_a_linear_network_is_its_kernel(self):
        path, weights, sample, kernel = self.dense()
        for device in ("cpu", "reference"):
            for index in (0, 1):
                words = (sample, "--method", "saliency", "--class", index, "--device", device)
                answer = self.explain(path, weights, *words)
                self.assertEqual(answer["shape"], [3])
                for i in range(3):
                    self.assertAlmostEqual(answer["values"][i], abs(kernel[2 * i + index]), 6)
                score = 1 * kernel[index] + 2 * kernel[2 + index] - 0.5 * kernel[4 + index]
                self.assertAlmostEqual(answer["score"], score + (0.1, -0.2)[index], 5)
                self.assertEqual(answer["class"], index)
        # Without --class, the predicted class is explained
        label = self.succeed("predict", path, "--weights", weights, sample, "--json").json[0]
        answer = self.explain(path, weights, sample, "--method", "saliency")
        self.assertEqual(answer["label"], label["label"])

    def test_the_saliency_of_an_image_is_the_largest_over_its_channels(self):
        path, weights, sample, _, last = self.image()
        answer = self.explain(path, weights, sample, "--method", "saliency")
        for i in range(SIZE):
            for k in range(SIZE):
                place = 2 * (SIZE * i + k)
                expected = max(abs(last[place]), 2 * abs(last[place + 1]))
                self.assertAlmostEqual(answer["values"][i][k], expected, 5)

    def test_grad_cam_is_the_weighted_sum_of_the_channels(self):
        path, weights, sample, values, last = self.image()
        answer = self.explain(path, weights, sample, "--method", "grad_cam")
        self.assertEqual(answer["layer"], "conv")
        count = SIZE * SIZE
        means = [sum(last[channel::2]) / count for channel in (0, 1)]
        for i in range(count):
            total = means[0] * values[2 * i] + means[1] * -2 * values[2 * i + 1]
            found = answer["values"][i // SIZE][i % SIZE]
            self.assertAlmostEqual(found, max(0, total), 5)
        self.assertEqual(answer["values"], answer["layer_map"])

    def test_an_occlusion_map_agrees_with_predictions(self):
        path, weights, sample, values, _ = self.image()

        def predict(pixels):
            covered = self.sample(pixels, "covered.npy")
            answer = self.succeed("predict", path, "--weights", weights, covered, "--json")
            return answer.json[0]["output"][0]

        words = ("--method", "occlusion", "--patch", 3, "--stride", 2, "--fill", "0.5")
        answer = self.explain(path, weights, sample, *words)
        self.assertEqual(answer["shape"], [3, 3])
        self.assertEqual((answer["patch"], answer["stride"]), ([3, 3], [2, 2]))
        for i, k in ((0, 0), (1, 2), (2, 2)):
            pixels = list(values)
            for row in range(2 * i, min(2 * i + 3, SIZE)):
                for column in range(2 * k, min(2 * k + 3, SIZE)):
                    place = CHANNELS * (SIZE * row + column)
                    pixels[place : place + CHANNELS] = [0.5] * CHANNELS
            drop = predict(values) - predict(pixels)
            self.assertAlmostEqual(answer["values"][i][k], drop, 4)

    def test_feature_maps_and_filters(self):
        path, weights, sample, values, _ = self.image()
        words = ("--method", "feature_maps", "--layer", "conv")
        answer = self.explain(path, weights, sample, *words)
        self.assertEqual(answer["shape"], [SIZE, SIZE, 2])
        self.assertAlmostEqual(answer["values"][2][3][0], values[2 * (2 * SIZE + 3)], 6)
        self.assertAlmostEqual(answer["values"][2][3][1], -2 * values[2 * (2 * SIZE + 3) + 1], 6)
        answer = self.explain(path, weights, "--method", "filters", "--layer", "conv")
        self.assertEqual(answer["values"], [[[[1, 0]]], [[[0, -2]]]])

    def test_maps_are_written_as_pictures_and_arrays(self):
        path, weights, sample, _, _ = self.image()
        words = (path, "--weights", weights, sample, "--method", "saliency", "--to")
        array, picture = self.folder / "map.npy", self.folder / "map.png"
        self.succeed("explain", *words, array)
        answer = self.explain(path, weights, sample, "--method", "saliency", "--to", picture)
        shape, values = read_npy(array)
        self.assertEqual(shape, (SIZE, SIZE))
        flat = [value for row in answer["values"] for value in row]
        for found, expected in zip(values, flat):
            self.assertAlmostEqual(found, expected, 6)
        width, height, pixels = read_png(picture)
        self.assertEqual((width, height), (SIZE, SIZE))
        low, high = min(flat), max(flat)
        for pixel, value in zip(pixels, flat):
            self.assertAlmostEqual(pixel, 255 * (value - low) / (high - low), delta=0.51)
        # Filters and feature maps are tiles with a space between them
        more = (path, "--weights", weights, "--layer", "conv", "--to", picture, "--method")
        self.succeed("explain", *more, "feature_maps", sample)
        self.assertEqual(read_png(picture)[:2], (2 * SIZE + 1, SIZE))
        self.succeed("explain", *more, "filters")
        self.assertEqual(read_png(picture)[:2], (3, 3))
        # Another file is not replaced
        other = self.folder / "other.png"
        other.write_text("my notes")
        self.assertEqual(strata("explain", *words, other).code, 2)
        self.assertEqual(other.read_text(), "my notes")
        self.assertEqual(strata("explain", *words, self.folder / "map.jpg").code, 2)

    def test_text_has_the_values_of_a_small_map(self):
        path, weights, sample, kernel = self.dense()
        words = ("explain", path, "--weights", weights, sample, "--method", "saliency")
        lines = self.succeed(*words, "--class", 1).out.splitlines()
        self.assertIn("class 1", lines[0])
        self.assertEqual([float(word) for word in lines[1].split()], [1, 0.25, 1.5])

    def test_wrong_arguments_are_one_line(self):
        path, weights, sample, _, _ = self.image()
        two = self.folder / "two.csv"
        two.write_text("\n".join([",".join(["0"] * SIZE * SIZE * CHANNELS)] * 2) + "\n")
        for words, message in (
            ((sample, "--method", "grad_cam", "--layer", "nothing"), "there is no such layer"),
            ((sample, "--method", "grad_cam", "--layer", "flat"), "no spatial axes"),
            ((sample, "--method", "saliency", "--class", 1), "expected 0 to 0"),
            ((sample, "--method", "saliency", "--output", "conv"), "no such output"),
            ((sample, "--method", "feature_maps"), "--layer: is missing"),
            ((sample, "--method", "saliency", "--layer", "conv"), "has no effect"),
            ((sample, "--method", "occlusion", "--patch", 7), "expected 1 to 6"),
            ((sample, "--method", "occlusion", "--fill", "black"), "is not a number"),
            ((sample, "--method", "filters", "--layer", "conv"), "has no effect"),
            (("--method", "filters", "--layer", "flat"), "has no filters"),
            (("--method", "saliency"), "INPUT: is missing"),
            ((two, "--method", "saliency"), "expected 1, got 2"),
            ((two, "--method", "saliency", "--sample", 2), "expected 0 to 1"),
        ):
            answer = strata("explain", path, "--weights", weights, *words)
            self.assertEqual(answer.code, 2, f"{words}\n{answer}")
            self.assertIn(message, answer.err)
            self.assertEqual(len(answer.err.strip().splitlines()), 1, answer.err)
        self.succeed("explain", path, "--weights", weights, two, "--method", "saliency",
                     "--sample", 1)
        self.assertEqual(strata("explain", path, "--weights", weights, sample).code, 2)

    def test_an_embedding_has_no_saliency(self):
        layers = [
            {"type": "Input", "name": "words", "shape": [4], "dtype": "int32"},
            {"type": "Embedding", "name": "embed", "input_dim": 3, "output_dim": 2},
            {"type": "GlobalAveragePooling1D", "name": "mean"},
            {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"},
        ]
        tensors = {
            "embed/embeddings": ([3, 2], [1.0, 0.0, 0.0, 1.0, 2.0, 2.0]),
            "out/kernel": ([2, 2], [1.0, 0.0, 0.0, 1.0]),
            "out/bias": ([2], [0.0, 0.0]),
        }
        loss = "sparse_categorical_crossentropy"
        path, weights = self.write(layers, tensors, loss, [[0, 1, 2, 0]], [[0]])
        sample = self.folder / "words.csv"
        sample.write_text("1,1,0,2\n")
        words = ("explain", path, "--weights", weights, sample, "--method", "saliency")
        answer = strata(*words)
        self.assertEqual(answer.code, 2)
        self.assertIn("words: the score has no gradient here", answer.err)
        words = (sample, "--method", "occlusion", "--patch", 1, "--class", 1)
        answer = self.explain(path, weights, *words)
        # Word 0 has the value 0 for class 1, and word 1 the value 1, of four words
        for found, expected in zip(answer["values"], [0.25, 0.25, 0, 0.5]):
            self.assertAlmostEqual(found, expected, 5)


if __name__ == "__main__":
    main()
