#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the user's own data on the command line: tables, damaged samples, rows for predict, and
indices and labels outside the network's range."""
import json
import random
import struct
import zipfile

from program import ROOT, ProgramTest, events, last, main, strata

STAGES = ["source", "slice", "split", "cache", "shuffle", "batch", "map", "prefetch"]


class Data(ProgramTest):
    def write(self, source, layers, data=None, **training):
        path = self.folder / "project.json"
        path.write_text(
            json.dumps(
                {
                    "format": "strata-project",
                    "version": 1,
                    "data": {"source": source, **(data or {})},
                    "model": {"layers": layers},
                    "training": {
                        "loss": "sparse_categorical_crossentropy",
                        "optimizer": {"type": "adam", "learning_rate": 0.05},
                        "metrics": ["accuracy"],
                        "batch_size": 20,
                        "epochs": 20,
                        **training,
                    },
                }
            )
        )
        return path

    def dense(self, inputs, outputs, activation="softmax"):
        return [
            {"type": "Input", "name": "x", "shape": [inputs]},
            {"type": "Dense", "name": "out", "units": outputs, "activation": activation},
        ]

    def table(self, rows=200, name="table.csv"):
        """Writes a table with a height in centimetres, a colour, and a label that depends on
        both."""
        rng = random.Random(1)
        lines = ["height,colour,kind"]
        for _ in range(rows):
            height, colour = rng.uniform(100, 200), rng.choice(["red", "green"])
            lines.append(
                f"{height:.2f},{colour},"
                f"{'big' if height + 40 * (colour == 'red') > 170 else 'small'}"
            )
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def test_a_table_from_check_to_predict(self):
        self.table()
        path = self.write(
            {"type": "csv", "path": "table.csv"},
            self.dense(3, 2),
            {"test_split": 0.2, "validation_split": 0.1, "transforms": ["standardize"]},
        )
        checked = self.succeed("check", path, "--json").json
        self.assertEqual([stage["stage"] for stage in checked["data"]["stages"]], STAGES)
        split = checked["data"]["stages"][2]
        self.assertEqual((split["train"], split["validation"], split["test"]), (144, 16, 40))
        run = self.folder / "run"
        self.succeed("train", path, "--run-dir", run, "--no-progress")
        end = last(events(run / "events.jsonl"), "end")
        self.assertGreater(end["test_metrics"]["accuracy"], 0.9)
        found = self.succeed("evaluate", path, "--weights", run, "--json").json
        self.assertEqual(found["samples"], 40)
        self.assertAlmostEqual(found["loss"], end["test_loss"], places=6)
        # `predict` transforms rows like the training data, although the table no longer exists.
        # Columns are found by name.
        (self.folder / "table.csv").unlink()
        (self.folder / "rows.csv").write_text("colour,height\nred,190\ngreen,110\n")
        rows = self.succeed(
            "predict", path, "--weights", run, self.folder / "rows.csv", "--json"
        ).json
        self.assertEqual([row["label"] for row in rows], ["big", "small"])
        self.assertEqual(rows[1]["input"], f"{self.folder / 'rows.csv'}:3")
        (self.folder / "rows.csv").write_text("colour,height\nred,tall\n")
        answer = strata("predict", path, "--weights", run, self.folder / "rows.csv")
        self.assertEqual(answer.code, 2)
        self.assertIn("row 2, column \"height\": 'tall' is not a number", answer.err)

    def npy(self, name, shape, values, kind="<f4"):
        """Writes a .npy file of version 1."""
        sizes = "".join(f"{n}, " for n in shape)
        head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        body = b"".join(struct.pack("<f" if kind == "<f4" else "<q", v) for v in values)
        (self.folder / name).write_bytes(
            b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body
        )
        return self.folder / name

    def test_predict_takes_arrays(self):
        self.table()
        path = self.write(
            {"type": "csv", "path": "table.csv", "columns": ["height"]},
            self.dense(1, 2),
            {"transforms": ["standardize"]},
            epochs=1,
        )
        run = self.folder / "run"
        self.succeed("train", path, "--run-dir", run, "--no-progress")
        (self.folder / "rows.csv").write_text("height\n190\n110\n")
        rows = self.succeed(
            "predict", path, "--weights", run, self.folder / "rows.csv", "--json"
        ).json
        array = self.npy("rows.npy", [2, 1], [190, 110])
        archive = self.folder / "rows.npz"
        with zipfile.ZipFile(archive, "w") as members:
            members.write(array, "x.npy")
        idx = self.folder / "rows-idx1-int"
        idx.write_bytes(struct.pack(">BBBBIII", 0, 0, 0x0C, 1, 2, 190, 110))
        for file in (array, archive, idx):
            with self.subTest(file.name):
                found = self.succeed("predict", path, "--weights", run, file, "--json").json
                self.assertEqual([row["input"] for row in found], [f"{file}:0", f"{file}:1"])
                self.assertEqual([row["output"] for row in found], [row["output"] for row in rows])
                self.assertEqual([row["label"] for row in found], [row["label"] for row in rows])
        answer = strata("predict", path, "--weights", run, self.npy("wide.npy", [2, 3], [0] * 6))
        self.assertEqual(answer.code, 2)
        self.assertRegex(
            answer.err,
            r"^strata: .*wide.npy: does not fit the network \(expected samples of \[1\] .*"
            r"got an array of \[2,3\]\)",
        )

    def test_images_that_are_not_kept_in_memory(self):
        project = json.loads((ROOT / "projects/shapes.json").read_text())
        project["data"]["source"]["path"] = str(ROOT / "projects/data/shapes")
        project["training"].update(epochs=2)
        hashes = []
        for cache in ("memory", "none"):
            project["data"]["source"]["cache"] = cache
            path = self.folder / f"{cache}.json"
            path.write_text(json.dumps(project))
            run = self.folder / cache
            self.succeed("train", path, "--run-dir", run, "--no-progress")
            hashes.append(last(events(run / "events.jsonl"), "end")["weights_hash"])
            stages = {
                stage["stage"]: stage
                for stage in self.succeed("check", path, "--json").json["data"]["stages"]
            }
            planned = self.succeed("plan", path, "--json").json["data_bytes"]
            if cache == "none":
                self.assertLess(stages["cache"]["bytes"], stages["cache"]["decoded_bytes"])
                self.assertEqual(planned, stages["cache"]["bytes"] + stages["prefetch"]["bytes"])
            else:
                self.assertEqual(planned, stages["cache"]["bytes"])
        self.assertEqual(hashes[0], hashes[1])
        answer = strata("check", self.folder / "none.json", "--set", '/data/source/cache="disk"')
        self.assertEqual(answer.code, 2)
        self.assertIn(
            "(expected one of: auto, memory, none, got \"disk\")", answer.out + answer.err
        )

    def test_policies_for_damaged_rows(self):
        self.table()
        with open(self.folder / "table.csv", "a") as file:
            file.write("1e2,red\ntall,red,big\n")
        source, layers = {"type": "csv", "path": "table.csv"}, self.dense(3, 2)
        answer = strata("check", self.write(source, layers), "--json")
        self.assertEqual(answer.code, 2)
        self.assertEqual([p["code"] for p in answer.json["problems"]], ["damaged_sample"] * 2)
        self.assertIn("row 202 has 2 cells (expected 3)", answer.json["problems"][0]["message"])
        answer = strata("train", self.write(source, layers), "--no-progress")
        self.assertEqual(answer.code, 2)
        for policy, samples in (("skip", 200), ("replace", 202)):
            with self.subTest(policy):
                path = self.write(source, layers, {"on_damaged": policy}, epochs=1)
                checked = self.succeed("check", path, "--json").json
                self.assertEqual(len(checked["data"]["damaged"]), 2)
                self.assertEqual(checked["data"]["stages"][2]["train"], samples)
                run = self.folder / policy
                self.succeed("train", path, "--run-dir", run, "--no-progress")
                warnings = [e for e in events(run / "events.jsonl") if e["event"] == "warning"]
                self.assertEqual(len(warnings), 2)
                self.assertIn("row 203", json.dumps(warnings[1]))

    def test_numbers_outside_the_range_of_the_network(self):
        (self.folder / "words.csv").write_text(
            "\n".join(f"{i},{i % 7},{i % 2}" for i in range(1, 41)) + "\n"
        )
        embed = [
            {"type": "Input", "name": "x", "shape": [2]},
            {"type": "Embedding", "name": "words", "input_dim": 40, "output_dim": 2},
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"},
        ]
        answer = strata("check", self.write({"type": "csv", "path": "words.csv"}, embed))
        self.assertEqual(answer.code, 2)
        self.assertIn("words: ", answer.err)
        self.assertIn(
            "words.csv, row 40: value 1 of the sample is 40 (expected 0 to 39", answer.err
        )
        embed[1]["input_dim"] = 41
        self.succeed(
            "train",
            self.write({"type": "csv", "path": "words.csv"}, embed, epochs=1),
            "--no-progress",
        )
        made = {
            "type": "random",
            "kind": "integer",
            "high": 50,
            "shape": [2],
            "classes": 2,
            "samples": 100,
        }
        self.assertIn("input_dim is 41", strata("check", self.write(made, embed)).err)

    def test_a_batch_larger_than_the_data_is_reported(self):
        self.table(rows=30)
        found = self.succeed(
            "check",
            self.write({"type": "csv", "path": "table.csv"}, self.dense(3, 2), batch_size=64),
            "--json",
        ).json
        self.assertEqual([p["code"] for p in found["problems"]], ["batch_too_large"])

    def value_project(self, text, inputs, source=None, data=None, name="t.csv", **training):
        """Writes a table and a project whose network has one value as output."""
        (self.folder / name).write_bytes(text.encode())
        training.setdefault("loss", "mean_squared_error")
        training.setdefault("metrics", [])
        layers = [
            {"type": "Input", "name": "x", "shape": [inputs]},
            {"type": "Dense", "name": "out", "units": 1, "use_bias": False},
        ]
        return self.write({"type": "csv", "path": name, **(source or {})}, layers, data, **training)

    def problems(self, path):
        answer = strata("check", path, "--json").json
        return answer, {p["code"]: p for p in answer["problems"]}

    def test_timestamps_keep_their_digits_in_predict(self):
        text = "t,y\n" + "".join(f"{1700000000 + i},{i}\n" for i in range(12))
        standardized = {"transforms": ["standardize"]}
        path = self.value_project(text, 1, data=standardized, epochs=1, batch_size=12)
        answer, problems = self.problems(path)
        self.assertEqual(problems, {})
        run = self.folder / "run"
        self.succeed("train", path, "--run-dir", run, "--no-progress")
        (self.folder / "table.csv").write_text("")
        (self.folder / "rows.csv").write_text("t\n1700000000\n1700000011\n1700000005.5\n")
        rows = self.succeed(
            "predict", path, "--weights", run, self.folder / "rows.csv", "--json"
        ).json
        low, high, mean = (row["output"][0] for row in rows)
        self.assertNotEqual(low, 0)
        self.assertAlmostEqual(low, -high, places=6)
        self.assertAlmostEqual(mean, 0, places=6)
        plain = self.value_project(text, 1)
        self.assertIn("lost_digits", self.problems(plain)[1])

    def test_notations_of_numbers_are_reported(self):
        path = self.value_project("a;b;y\n0,5;1.234,5;0\n1,5;12,25;1\n2,5;9;2\n", 2)
        answer, problems = self.problems(path)
        self.assertTrue(answer["ok"])
        messages = [p["message"] for p in answer["problems"]]
        self.assertTrue(any("decimal comma" in m and '"a"' in m for m in messages), messages)
        self.assertTrue(any("thousands" in m and '"b"' in m for m in messages), messages)
        self.succeed("train", path, "--no-progress", "--run-dir", self.folder / "run")

    def test_lines_before_the_data_are_recognized(self):
        text = "sep=;\r\n# logger 7\r\na;b;y\r\n[mm];[g];\r\n1;2;3\r\n3;4;7\r\n"
        answer, problems = self.problems(self.value_project(text, 2, batch_size=2))
        self.assertTrue(answer["ok"])
        self.assertEqual(set(problems), {"comment_lines", "unit_line"})
        self.assertEqual(answer["data"]["stages"][2]["train"], 2)
        confirmed = {"comment": "#", "units": "yes"}
        answer, problems = self.problems(self.value_project(text, 2, confirmed, batch_size=2))
        self.assertEqual(problems, {})

    def test_replaced_cells_are_counted(self):
        text = "alley,area,y\nNone,20,1\nGrvl,30,2\nNone,,3\nPave,50,4\nNone,60,5\n"
        path = self.value_project(text, 3, {"missing": "mean"})
        answer, problems = self.problems(path)
        self.assertIn('Column "alley": 3 of 5 cells', problems["missing_word"]["message"])
        self.assertEqual(answer["data"]["stages"][0]["filled"], 4)
        self.assertEqual([f["cells"] for f in answer["data"]["filled"]], [3, 1])
        self.assertIn("missing values replaced: alley 3/5, area 1/5", strata("check", path).out)

    def test_a_run_refuses_a_table_that_gives_other_classes(self):
        self.table()
        path = self.write({"type": "csv", "path": "table.csv"}, self.dense(3, 2), epochs=2)
        run = self.folder / "run"
        self.succeed("train", path, "--run-dir", run, "--no-progress", "--epochs", "1")
        # A damaged record of the table says nothing about the table: it is restored.
        kept = (run / "preprocessing.json").read_bytes()
        (run / "preprocessing.json").write_bytes(kept[: len(kept) // 2])
        resumed = self.succeed("train", path, "--resume", run, "--no-progress", "--epochs", "2")
        self.assertIn("was restored from the data", resumed.err)
        self.assertEqual((run / "preprocessing.json").read_bytes(), kept)
        text = (self.folder / "table.csv").read_text()
        (self.folder / "table.csv").write_text(text.replace("small", "tiny"))
        for command in (
            ("evaluate", path, "--weights", run, "--split", "train"),
            ("train", path, "--resume", run, "--no-progress"),
        ):
            answer = strata(*command)
            self.assertNotEqual(answer.code, 0, command)
            self.assertIn("the table now gives other classes", answer.err)

    def test_sorted_tables_and_class_weights(self):
        text = "a,b,kind\n" + "".join(
            f"{i % 7},{i},{kind}\n" for kind in ("cat", "dog", "owl") for i in range(10)
        )
        (self.folder / "s.csv").write_text(text)
        source = {"type": "csv", "path": "s.csv"}
        path = self.write(source, self.dense(2, 3), {"validation_split": 0.2}, epochs=1)
        answer, problems = self.problems(path)
        self.assertIn("has only 1 of the 3 classes", problems["unseen_class"]["message"])
        self.assertIn("Set split to stratified", problems["unseen_class"]["fixes"])
        split = {"validation_split": 0.2, "split": "stratified"}
        for weights in ("balanced", {"dog": 3.0, "owl": 0.5}):
            path = self.write(source, self.dense(2, 3), split, epochs=1, class_weight=weights)
            self.assertEqual(self.problems(path)[1], {})
            run = self.folder / f"run-{len(weights)}"
            self.succeed("train", path, "--run-dir", run, "--no-progress")
            recorded = json.loads((run / "project.json").read_text())
            self.assertEqual(recorded["training"]["class_weight"], weights)
        path = self.write(source, self.dense(2, 3), split, epochs=1, class_weight={"dgo": 3.0})
        answer, problems = self.problems(path)
        self.assertFalse(answer["ok"])
        self.assertIn('Did you mean "dog"?', problems["unknown_name"]["message"])

    def test_sample_weights(self):
        # The rows contradict each other. The logit of the row with three times the weight must be
        # larger by ln 3.
        (self.folder / "w.csv").write_text("x,kind,count\n1,a,1\n1,b,3\n")
        source = {"type": "csv", "path": "w.csv", "label": "kind", "weights": "count"}
        path = self.write(
            source,
            [
                {"type": "Input", "name": "x", "shape": [1]},
                {
                    "type": "Dense",
                    "name": "out",
                    "units": 2,
                    "activation": "softmax",
                    "use_bias": False,
                },
            ],
            batch_size=2,
            epochs=400,
        )
        run = self.folder / "run"
        self.succeed("train", path, "--run-dir", run, "--no-progress")
        (self.folder / "rows.csv").write_text("x\n1\n")
        row = self.succeed(
            "predict", path, "--weights", run, self.folder / "rows.csv", "--json"
        ).json[0]
        self.assertEqual(row["label"], "b")
        self.assertAlmostEqual(row["probability"], 0.75, delta=0.01)

    def test_layers_data_lists_everything_about_data(self):
        text = self.succeed("layers", "data").out
        for word in (
            "image_folder",
            "csv",
            "numpy",
            "idx",
            "cifar",
            "standardize",
            "on_damaged",
            "prefetch",
        ):
            self.assertIn(word, text)
        groups = self.succeed("layers", "--json").json
        self.assertEqual([s["type"] for s in groups["stages"]], STAGES[1:])
        fields = {s["type"]: [f["name"] for f in s["fields"]] for s in groups["sources"]}
        self.assertIn("missing", fields["csv"])
        self.assertIn("image_size", fields["image_folder"])


if __name__ == "__main__":
    main()
