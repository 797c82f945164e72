#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `strata train --layer-statistics`, `strata runs layers`, `strata verify --layer` and the
batch that a failed run keeps, as a user calls them."""
import json
import math
import os
import signal
import struct
import subprocess
import time

from program import STRATA, ProgramTest, events, last, main, read_safetensors, strata

LAYERS = [
    {"type": "Input", "name": "x", "shape": [8]},
    {"type": "Dense", "name": "first", "units": 24, "activation": "tanh"},
    {"type": "BatchNormalization", "name": "norm"},
    {"type": "Dropout", "name": "drop", "rate": 0.2},
    {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"},
]
SOURCE = {"type": "random", "samples": 400, "shape": [8], "classes": 4, "seed": 3}
ADAM = {"type": "adam", "learning_rate": 0.001}


class LayerStatistics(ProgramTest):
    def write(self, layers=None, epochs=3, source=None, optimizer=None, loss=None, name="p"):
        path = self.folder / f"{name}.json"
        training = {
            "loss": loss or "sparse_categorical_crossentropy",
            "optimizer": optimizer or ADAM,
            "batch_size": 16,
            "epochs": epochs,
            "seed": 2,
        }
        project = {
            "format": "strata-project",
            "version": 1,
            "data": {"source": source or SOURCE},
            "model": {"layers": layers or LAYERS},
            "training": training,
        }
        path.write_text(json.dumps(project))
        return path

    def train(self, path, run, *more):
        return strata(
            "train", path, "--run-dir", run, "--device", "cpu", "--threads", 1, "--no-progress",
            *more,
        )

    def test_statistics_of_a_run(self):
        path, run = self.write(), self.folder / "run"
        plain = self.train(path, self.folder / "plain")
        self.assertEqual(plain.code, 0, plain)
        done = self.train(path, run, "--layer-statistics")
        self.assertEqual(done.code, 0, done)
        self.assertEqual(
            read_safetensors(self.folder / "plain/weights.safetensors"),
            read_safetensors(run / "weights.safetensors"),
        )
        begun = last(events(run / "events.jsonl"), "layer_sampling")
        self.assertEqual(begun["samples"], 16)
        self.assertGreater(begun["bytes"], 0)
        self.assertTrue(json.loads((run / "environment.json").read_text())["layer_statistics"])
        shown = strata("runs", "layers", run, "--json", "--history")
        self.assertEqual(shown.code, 0, shown)
        answer = shown.json
        names = [layer["name"] for layer in answer["layers"]]
        self.assertEqual(names, ["first", "norm", "drop", "out"])
        self.assertEqual(len(answer["history"]), answer["records"])
        self.assertEqual(answer["history"][0]["step"], 1)
        self.assertIsNone(answer["bad_batch"])
        first = answer["layers"][0]
        self.assertEqual(first["weights"]["count"], 8 * 24 + 24)
        self.assertEqual(first["activations"]["count"], 16 * 24)
        for tensor in ("weights", "gradients", "activations"):
            histogram = first[tensor]["histogram"]
            counted = sum(histogram["bins"]) + histogram["below"] + histogram["above"]
            self.assertEqual(counted, first[tensor]["count"])
        self.assertEqual(len(first["variables"]), 2)
        self.assertIn(first["verdict"], ("fine", "saturated", "exploding"))
        self.assertGreaterEqual(first["saturated"], 0)
        self.assertIsNone(answer["layers"][1]["saturated"])
        text = strata("runs", "layers", run)
        self.assertEqual(text.code, 0, text)
        self.assertEqual(len(text.out.splitlines()[1].split()), 10)
        for name in names:
            self.assertIn(name, text.out)
        one = strata("runs", "layers", run, "--layer", "norm", "--json")
        self.assertEqual([layer["name"] for layer in one.json["layers"]], ["norm"])

    def test_initial_weights_and_first_update(self):
        # The first record is about the initial weights, which the test knows
        layers = [
            {"type": "Input", "name": "x", "shape": [2]},
            {
                "type": "Dense",
                "name": "out",
                "units": 1,
                "use_bias": False,
                "kernel_initializer": {"type": "constant", "value": 2},
            },
        ]
        source = {"type": "values", "x": [[1, 2], [3, 4]], "y": [[0], [0]]}
        optimizer = {"type": "sgd", "learning_rate": 0.01}
        path = self.write(
            layers, 1, source, optimizer, "mean_squared_error"
        )
        project = json.loads(path.read_text())
        project["training"]["batch_size"] = 2
        path.write_text(json.dumps(project))
        run = self.folder / "run"
        self.assertEqual(self.train(path, run, "--layer-statistics").code, 0)
        (layer,) = strata("runs", "layers", run, "--json").json["layers"]
        outputs = [2 * (1 + 2), 2 * (3 + 4)]
        gradient = [sum(o * x for o, x in zip(outputs, column)) for column in ((1, 3), (2, 4))]
        self.assertAlmostEqual(layer["weights"]["mean"], 2)
        self.assertAlmostEqual(layer["activations"]["mean"], sum(outputs) / 2)
        self.assertAlmostEqual(layer["gradients"]["maximum"], max(gradient), places=4)
        ratio = 0.01 * math.hypot(*gradient) / math.hypot(2, 2)
        self.assertAlmostEqual(layer["log10_update_ratio"], math.log10(ratio), places=4)

    def test_verdicts(self):
        dead = json.loads(json.dumps(LAYERS))
        dead[1].update(
            activation="relu", bias_initializer={"type": "constant", "value": -1000}
        )
        run = self.folder / "dead"
        self.assertEqual(self.train(self.write(dead), run, "--layer-statistics").code, 0)
        shown = strata("runs", "layers", run)
        self.assertIn("first: dead. 24 of 24 units have the same output", shown.out)
        layer = strata("runs", "layers", run, "--layer", "first", "--json").json["layers"][0]
        self.assertEqual(layer["verdict"], "dead")
        self.assertEqual(layer["figure"], 1)
        self.assertEqual(layer["dead_units"], 24)
        self.assertTrue(layer["advice"])

    def test_kept_batch(self):
        source = {
            "type": "values",
            "x": [[1, 2], [3e38, 3e38], [0, 1], [1, 0]],
            "y": [[1], [2], [3], [4]],
        }
        layers = [
            {"type": "Input", "name": "x", "shape": [2]},
            {"type": "Dense", "name": "hidden", "units": 3, "kernel_initializer": "ones"},
            {"type": "Dense", "name": "out", "units": 1},
        ]
        path, run = self.write(layers, 2, source, None, "mean_squared_error"), self.folder / "run"
        done = self.train(path, run, "--layer-statistics")
        self.assertEqual(done.code, 1, done)
        self.assertIn("hidden", done.err)
        self.assertIn("The run has no checkpoint yet.", done.err)
        self.assertIn(f"The batch is in {run / 'bad_batch.safetensors'}.", done.err)
        self.assertNotIn("checkpoints are kept", done.err)
        kept = last(events(run / "events.jsonl"), "bad_batch")
        self.assertEqual((kept["step"], kept["layer"], kept["samples"]), (1, "hidden", 4))
        tensors, metadata = read_safetensors(run / "bad_batch.safetensors")
        self.assertEqual(sorted(tensors), ["indices", "input/x", "target/out"])
        self.assertEqual(metadata["layer"], "hidden")
        record = json.loads((run / "record.json").read_text())
        self.assertEqual(record["bad_batch"]["step"], 1)

    def test_killed_run(self):
        path, run = self.write(epochs=2000), self.folder / "run"
        process = subprocess.Popen(
            [
                str(STRATA), "train", str(path), "--run-dir", str(run), "--device", "cpu",
                "--threads", "1", "--no-progress", "--layer-statistics",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            shown = strata("runs", "layers", run, "--json")
            if shown.code == 0 and shown.json["records"] >= 5:
                break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = strata("runs", "layers", run, "--json").json
        self.assertGreaterEqual(before["records"], 5)
        # Half a record at the end
        with open(run / "layers.bin", "ab") as file:
            file.write(b"\x01" * 100)
        again = strata("runs", "layers", run, "--json").json
        self.assertEqual(again["records"], before["records"])
        epochs = again["epoch"] + 20
        resumed = strata(
            "train", path, "--resume", run, "--no-progress", "--threads", 1, "--epochs", epochs
        )
        self.assertEqual(resumed.code, 0, resumed)
        whole = self.train(self.write(epochs=epochs, name="q"), self.folder / "whole")
        self.assertEqual(whole.code, 0, whole)
        self.assertEqual(
            read_safetensors(self.folder / "whole/weights.safetensors")[0],
            read_safetensors(run / "weights.safetensors")[0],
        )
        history = strata("runs", "layers", run, "--json", "--history").json["history"]
        steps = [record["step"] for record in history]
        self.assertEqual(steps, sorted(set(steps)))

    def check_damage(self, run):
        """Checks what is said of damaged records. Leaves the file whole."""
        file = run / "layers.bin"
        whole = file.read_bytes()
        head, size = struct.unpack_from("<2I", whole, 12)
        one = whole[: head + size]
        flipped = bytearray(one)
        flipped[head + size // 2] ^= 1
        self.assertEqual(strata("runs", "layers", run).err, "")
        for content, lost in (
            (one + one[-size:-1], "1 record"),
            (one + flipped[-size:] + one[-size:], "2 records"),
        ):
            file.write_bytes(content)
            answer = strata("runs", "layers", run, "--json")
            self.assertEqual(answer.code, 0, answer)
            self.assertIn(f"layers.bin: is damaged or truncated, so {lost} after step", answer.err)
            self.assertEqual(answer.json["records"], 1)
            self.assertEqual(answer.json["lost_records"], int(lost[0]))
        for content in (one[:-9], one[: head + 9], flipped):
            file.write_bytes(content)
            answer = strata("runs", "layers", run)
            self.assertEqual(answer.code, 2, answer)
            self.assertIn("is damaged or truncated (1 record cannot be read)", answer.err)
        file.write_bytes(whole)

    def test_wrong_input(self):
        path, run = self.write(epochs=1), self.folder / "run"
        self.assertEqual(self.train(path, run).code, 0)
        missing = strata("runs", "layers", run)
        self.assertEqual(missing.code, 2, missing)
        self.assertIn("Train with --layer-statistics", missing.err)
        self.assertEqual(len(missing.err.splitlines()), 1)
        (run / "layers.bin").write_bytes(b"STRATAL1" + b"\xff" * 100)
        damaged = strata("runs", "layers", run)
        self.assertEqual(damaged.code, 2, damaged)
        self.assertEqual(len(damaged.err.splitlines()), 1)
        # A file that no run wrote is not replaced
        other = self.folder / "other"
        other.mkdir()
        (other / "layers.bin").write_bytes(b"mine")
        refused = self.train(path, other, "--layer-statistics")
        self.assertEqual(refused.code, 2, refused)
        self.assertEqual((other / "layers.bin").read_bytes(), b"mine")
        good = self.folder / "good"
        self.assertEqual(self.train(path, good, "--layer-statistics").code, 0)
        self.check_damage(good)
        unknown = strata("runs", "layers", good, "--layer", "nope")
        self.assertEqual(unknown.code, 2, unknown)
        self.assertEqual(strata("runs", "layers", good, good).code, 2)

    def test_verify_layer(self):
        path = self.write()
        for layer in ("first", "norm", "drop", "out"):
            done = strata("verify", path, "--layer", layer, "--device", "cpu", "--json")
            self.assertEqual(done.code, 0, done)
            self.assertTrue(done.json["equal"])
            self.assertEqual(done.json["inputs"], "data")
        names = [tensor["name"] for tensor in done.json["tensors"]]
        self.assertEqual(
            names,
            ["output", "gradient of input 1", "gradient of out/kernel", "gradient of out/bias"],
        )
        run = self.folder / "run"
        self.assertEqual(self.train(path, run).code, 0)
        text = strata("verify", path, "--layer", "first", "--weights", run, "--random")
        self.assertEqual(text.code, 0, text)
        self.assertIn("equals the reference", text.out)
        for words in (["--layer", "nope"], ["--random"], ["--layer", "first", "--device", "x"]):
            wrong = strata("verify", path, *words)
            self.assertEqual(wrong.code, 2, wrong)
            self.assertEqual(len(wrong.err.splitlines()), 1)


if __name__ == "__main__":
    main()
