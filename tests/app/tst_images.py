#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that check, train, predict, evaluate and --resume read images in the same way, and that
networks of earlier versions read them as they did in training."""
import json
import shutil
import struct
import subprocess
import zlib

from program import STRATA, ProgramTest, main, strata, write_safetensors


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows, bits=8, color=0, orientation=0):
    """Returns a PNG with these rows of values. `color` is its color type."""
    pixels = b"".join(
        b"\0" + b"".join(struct.pack(">H" if bits == 16 else "B", value) for value in row)
        for row in rows
    )
    width = len(rows[0]) // {0: 1, 2: 3, 4: 2, 6: 4}[color]
    head = struct.pack(">IIBBBBB", width, len(rows), bits, color, 0, 0, 0)
    exif = b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + (chunk(b"eXIf", exif) if orientation else b"")
        + chunk(b"IDAT", zlib.compress(pixels))
        + chunk(b"IEND", b"")
    )


class Images(ProgramTest):
    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def project_of(self, shape, transforms=(), folder="img", **source):
        """Writes a project whose network returns the pixels of an image."""
        pixels = shape[0] * shape[1] * shape[2]
        path = self.folder / "p.json"
        path.write_text(
            json.dumps(
                {
                    "format": "strata-project",
                    "version": 1,
                    "data": {
                        "source": {"type": "image_folder", "path": folder, **source},
                        "transforms": list(transforms),
                    },
                    "model": {
                        "layers": [
                            {"type": "Input", "name": "i", "shape": shape},
                            {"type": "Flatten", "name": "f"},
                            {"type": "Dense", "name": "d", "units": pixels, "use_bias": False},
                        ]
                    },
                    "training": {
                        "loss": {"type": "sparse_categorical_crossentropy", "from_logits": True},
                        "optimizer": {"type": "sgd", "learning_rate": 1e-12},
                        "batch_size": 2,
                        "epochs": 1,
                        "shuffle": False,
                    },
                }
            )
        )
        weights = self.folder / "w.safetensors"
        identity = [float(i == k) for i in range(pixels) for k in range(pixels)]
        write_safetensors(weights, {"d/kernel": ([pixels, pixels], identity)})
        return path, weights

    def predict(self, path, weights, *images):
        answer = self.succeed("predict", path, "--weights", weights, "--json", *images)
        return [row["output"] for row in answer.json]

    def strata_json(self, path):
        """Returns what check prints for a project with errors."""
        answer = strata("check", path, "--json")
        self.assertEqual(answer.code, 2)
        return answer.json

    def problems(self, path):
        """Returns the problems of the data by code."""
        found = self.succeed("check", path, "--json").json["problems"]
        return {p["code"]: p for p in found if p["field"].startswith("/data")}

    def test_orientation_applies_to_check_and_predict(self):
        rows = [[255, 1, 2], [255, 3, 4]]
        for orientation in (1, 3):
            self.put(f"img/a/{orientation}.png", png(rows, orientation=orientation))
        turned = self.put("img/b/6.png", png(rows, orientation=6))
        path, weights = self.project_of([2, 3, 1], color_mode="grayscale", image_size=[2, 3])
        self.assertEqual(self.problems(path), {})
        images = [self.folder / "img/a" / name for name in ("1.png", "3.png")]
        first = self.predict(path, weights, *images)
        self.assertEqual(first, [[255, 1, 2, 255, 3, 4], [4, 3, 255, 2, 1, 255]])
        path, weights = self.project_of([3, 2, 1], color_mode="grayscale", image_size=[3, 2])
        self.assertEqual(self.predict(path, weights, turned)[0], [255, 255, 3, 1, 4, 2])
        # Standard input is read in the same way.
        piped = subprocess.run(
            [str(STRATA), "predict", str(path), "--weights", str(weights), "-", "--json"],
            input=turned.read_bytes(),
            capture_output=True,
        )
        self.assertEqual(json.loads(piped.stdout)[0]["output"], [255, 255, 3, 1, 4, 2])

    def test_sixteen_bits_in_check_and_predict(self):
        values = [[0, 100, 200, 300], [500, 1000, 2000, 4095]]
        deep = self.put("img/a/1.png", png(values, 16))
        self.put("img/b/1.png", png(values, 16))
        wrong = [{"type": "rescale", "scale": 1 / 255}]
        path, weights = self.project_of([2, 4, 1], color_mode="grayscale")
        self.assertEqual(self.problems(path), {})
        self.assertEqual(self.predict(path, weights, deep)[0], sum(values, []))
        path, weights = self.project_of([2, 4, 1], ["rescale"], color_mode="grayscale")
        for got, value in zip(self.predict(path, weights, deep)[0], sum(values, [])):
            self.assertAlmostEqual(got, value / 65535, delta=1e-8)
        path, weights = self.project_of([2, 4, 1], wrong, color_mode="grayscale")
        problem = self.problems(path)["wrong_scale"]
        self.assertEqual(problem["fixes"], ["Divide by 65535"])
        self.assertIn("values up to 65535", self.succeed("train", path, "--no-progress").err)

    def test_a_run_predicts_as_it_was_trained(self):
        gray_and_alpha = [[0, 0, 0, 255], [40, 128, 0, 0]]
        image = self.put("img/a/1.png", png(gray_and_alpha, color=4, orientation=2))
        self.put("img/b/1.png", png(gray_and_alpha, color=4, orientation=2))
        path, _ = self.project_of(
            [2, 2, 1], ["rescale"], color_mode="grayscale", background="#0a0a0a"
        )
        run = self.folder / "run"
        self.succeed("train", path, "--no-progress", "--run-dir", run)
        saved = json.loads((run / "preprocessing.json").read_text())
        encoding = saved["inputs"][0]["encoding"]
        self.assertEqual(encoding["background"], "#0a0a0a")
        self.assertEqual(encoding["bit_depth"], 8)
        self.assertIs(encoding["exif_orientation"], True)
        before = self.predict(path, run, image)
        loss = self.succeed("evaluate", path, "--weights", run, "--split", "train", "--json").json
        # The record of the run decides, not the project.
        changed, _ = self.project_of(
            [2, 2, 1],
            ["rescale"],
            color_mode="grayscale",
            background="white",
            exif_orientation=False,
        )
        self.assertEqual(self.predict(changed, run, image), before)
        again = self.succeed("evaluate", changed, "--weights", run, "--split", "train", "--json")
        self.assertEqual(again.json, loss)
        path.write_text((run / "project.json").read_text())
        resumed = self.succeed("train", path, "--resume", run, "--epochs", "2", "--no-progress")
        self.assertNotIn("/data", resumed.err)
        # Without the record, new images may be read in another way than until now.
        (run / "preprocessing.json").unlink()
        resumed = self.succeed("train", path, "--resume", run, "--epochs", "3", "--no-progress")
        self.assertIn("was restored from the data", resumed.err)
        (run / "preprocessing.json").unlink()
        self.put("img/a/2.png", png([[0, 40000], [1, 2]], 16))
        answer = strata("train", path, "--resume", run, "--epochs", "4", "--no-progress")
        self.assertNotEqual(answer.code, 0)
        self.assertIn("it describes how the run reads images", answer.err)

    def test_a_run_of_an_earlier_version_is_read_as_before(self):
        # White with alpha 128 was 186 on black in linear light, and the orientation was ignored.
        rows = [[255, 128, 255, 0], [255, 255, 0, 255]]
        image = self.put("img/a/1.png", png(rows, color=4, orientation=2))
        self.put("img/b/1.png", png(rows, color=4, orientation=2))
        path, weights = self.project_of([2, 2, 1], color_mode="grayscale")
        self.assertEqual(self.predict(path, weights, image)[0], [255, 255, 0, 255])
        old = self.folder / "old"
        old.mkdir()
        shutil.copy(weights, old / "weights.safetensors")
        encoding = {"type": "image", "height": 2, "width": 2, "channels": 1}
        (old / "preprocessing.json").write_text(
            json.dumps(
                {
                    "format": "strata-preprocessing",
                    "version": 2,
                    "inputs": [{"scale": 1, "offset": 0, "steps": [], "encoding": encoding}],
                    "classes": [["a", "b"]],
                }
            )
        )
        for given in (old, old / "weights.safetensors"):
            self.assertEqual(self.predict(path, given, image)[0], [186, 0, 255, 0])
        both = [
            self.succeed("evaluate", path, "--weights", given, "--split", "train", "--json").json
            for given in (weights, old)
        ]
        self.assertNotEqual(both[0]["loss"], both[1]["loss"])

    def test_alpha_is_a_channel_for_a_network_with_four(self):
        image = self.put("img/a/1.png", png([[9, 8, 7, 6], [5, 4, 3, 2]], color=6))
        self.put("img/b/1.png", png([[9, 8, 7, 6], [5, 4, 3, 2]], color=6))
        path, weights = self.project_of([2, 1, 4])
        answer = self.strata_json(path)
        problem = next(p for p in answer["problems"] if p["code"] == "shape_mismatch")
        self.assertIn("Set color_mode to rgba", problem["fixes"])
        path, weights = self.project_of([2, 1, 4], color_mode="rgba")
        self.assertEqual(self.predict(path, weights, image)[0], [9, 8, 7, 6, 5, 4, 3, 2])

    def test_folders_of_a_macos_archive(self):
        for name in ("cats", "dogs"):
            self.put(f"img/{name}/1.png", png([[1, 2], [3, 4]]))
            self.put(f"img/__MACOSX/{name}/._1.png", b"resource fork")
        path, _ = self.project_of([2, 2, 1], color_mode="grayscale")
        answer = self.succeed("check", path, "--json").json
        self.assertEqual(answer["data"]["stages"][0]["classes"], 2)
        self.assertIn("__MACOSX", self.problems(path)["skipped_files"]["message"])

    def test_a_split_folder_trains_without_validation_split(self):
        for part, count in (("train", 4), ("valid", 2), ("test", 2)):
            for name in ("a", "b"):
                for i in range(count):
                    self.put(f"img/{part}/{name}/{i}.png", png([[1, 2], [3, 4]]))
        path, _ = self.project_of([2, 2, 1], color_mode="grayscale")
        run = self.folder / "run"
        self.succeed("train", path, "--no-progress", "--run-dir", run)
        events = [json.loads(line) for line in (run / "events.jsonl").read_text().splitlines()]
        epoch = next(event for event in events if event["event"] == "epoch")
        self.assertIn("val_loss", epoch)
        for split, count in (("train", 8), ("validation", 4), ("test", 4)):
            answer = self.succeed("evaluate", path, "--weights", run, "--split", split, "--json")
            self.assertEqual(answer.json["samples"], count)


if __name__ == "__main__":
    main()
