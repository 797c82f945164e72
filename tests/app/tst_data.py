#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Own data from the command line: tables, damaged samples, what predict makes of rows, indices and labels that a network has no place for."""
import json
import random

from program import ProgramTest, events, last, main, strata

STAGES = ["source", "slice", "split", "cache", "shuffle", "batch", "map", "prefetch"]


class Data(ProgramTest):
    def write(self, source, layers, data=None, **training):
        path = self.folder / "project.json"
        path.write_text(json.dumps({
            "format": "strata-project", "version": 1, "data": {"source": source, **(data or {})}, "model": {"layers": layers},
            "training": {"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "learning_rate": 0.05}, "metrics": ["accuracy"],
                         "batch_size": 20, "epochs": 20, **training}}))
        return path

    def dense(self, inputs, outputs, activation="softmax"):
        return [{"type": "Input", "name": "x", "shape": [inputs]}, {"type": "Dense", "name": "out", "units": outputs, "activation": activation}]

    def table(self, rows=200, name="table.csv"):
        """Height in centimetres, a word, and what follows from both."""
        rng = random.Random(1)
        lines = ["height,colour,kind"]
        for _ in range(rows):
            height, colour = rng.uniform(100, 200), rng.choice(["red", "green"])
            lines.append(f"{height:.2f},{colour},{'big' if height + 40 * (colour == 'red') > 170 else 'small'}")
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def test_a_table_from_check_to_predict(self):
        self.table()
        path = self.write({"type": "csv", "path": "table.csv"}, self.dense(3, 2),
                          {"test_split": 0.2, "validation_split": 0.1, "transforms": ["standardize"]})
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
        # Rows go the way of the training data even where that is gone; columns by name.
        (self.folder / "table.csv").unlink()
        (self.folder / "rows.csv").write_text("colour,height\nred,190\ngreen,110\n")
        rows = self.succeed("predict", path, "--weights", run, self.folder / "rows.csv", "--json").json
        self.assertEqual([row["label"] for row in rows], ["big", "small"])
        self.assertEqual(rows[1]["input"], f"{self.folder / 'rows.csv'}:3")
        (self.folder / "rows.csv").write_text("colour,height\nred,tall\n")
        answer = strata("predict", path, "--weights", run, self.folder / "rows.csv")
        self.assertEqual(answer.code, 2)
        self.assertIn("row 2, column \"height\": 'tall' is not a number", answer.err)

    def test_damaged_rows_by_policy(self):
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
                told = [e for e in events(run / "events.jsonl") if e["event"] == "warning"]
                self.assertEqual(len(told), 2)
                self.assertIn("row 203", json.dumps(told[1]))

    def test_numbers_that_the_network_has_no_place_for(self):
        (self.folder / "words.csv").write_text("\n".join(f"{i},{i % 7},{i % 2}" for i in range(1, 41)) + "\n")
        embed = [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Embedding", "name": "words", "input_dim": 40, "output_dim": 2},
                 {"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}]
        answer = strata("check", self.write({"type": "csv", "path": "words.csv"}, embed))
        self.assertEqual(answer.code, 2)
        self.assertIn("words: ", answer.err)
        self.assertIn("words.csv, row 40: value 1 of the sample is 40 (expected 0 to 39", answer.err)
        embed[1]["input_dim"] = 41
        self.succeed("train", self.write({"type": "csv", "path": "words.csv"}, embed, epochs=1), "--no-progress")
        made = {"type": "random", "kind": "integer", "high": 50, "shape": [2], "classes": 2, "samples": 100}
        self.assertIn("input_dim is 41", strata("check", self.write(made, embed)).err)

    def test_a_batch_larger_than_the_data_is_told(self):
        self.table(rows=30)
        found = self.succeed("check", self.write({"type": "csv", "path": "table.csv"}, self.dense(3, 2), batch_size=64), "--json").json
        self.assertEqual([p["code"] for p in found["problems"]], ["batch_too_large"])

    def test_weights_of_samples(self):
        # Two rows that contradict each other: the one that counts three times as much wins by ln 3.
        (self.folder / "w.csv").write_text("x,kind,count\n1,a,1\n1,b,3\n")
        source = {"type": "csv", "path": "w.csv", "label": "kind", "weights": "count"}
        path = self.write(source, [{"type": "Input", "name": "x", "shape": [1]},
                                   {"type": "Dense", "name": "out", "units": 2, "activation": "softmax", "use_bias": False}], batch_size=2, epochs=400)
        run = self.folder / "run"
        self.succeed("train", path, "--run-dir", run, "--no-progress")
        (self.folder / "rows.csv").write_text("x\n1\n")
        row = self.succeed("predict", path, "--weights", run, self.folder / "rows.csv", "--json").json[0]
        self.assertEqual(row["label"], "b")
        self.assertAlmostEqual(row["probability"], 0.75, delta=0.01)

    def test_all_about_data_in_one_place(self):
        text = self.succeed("layers", "data").out
        for word in ("image_folder", "csv", "numpy", "idx", "cifar", "standardize", "on_damaged", "prefetch"):
            self.assertIn(word, text)
        groups = self.succeed("layers", "--json").json
        self.assertEqual([s["type"] for s in groups["stages"]], STAGES[1:])
        fields = {s["type"]: [f["name"] for f in s["fields"]] for s in groups["sources"]}
        self.assertIn("missing", fields["csv"])
        self.assertIn("image_size", fields["image_folder"])


if __name__ == "__main__":
    main()
