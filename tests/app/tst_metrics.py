#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the metrics of one answer agree, and that the programs say which weights they used."""
import json

from program import ProgramTest, main, strata, write_safetensors


class Metrics(ProgramTest):
    def write(self, x, y, layers, training):
        path = self.folder / "project.json"
        inputs = {"type": "Input", "name": "x", "shape": [len(x[0])]}
        project = {
            "format": "strata-project",
            "version": 1,
            "data": {"source": {"type": "values", "x": x, "y": y}},
            "model": {"layers": [inputs, *layers]},
            "training": {"optimizer": "sgd", "batch_size": 3, "epochs": 1, **training},
        }
        path.write_text(json.dumps(project))
        return path

    def test_each_metric_has_a_direction(self):
        metrics = self.succeed("layers", "--json").json["metrics"]
        found = {metric["type"]: metric["direction"] for metric in metrics}
        self.assertEqual(set(found.values()), {"up", "down", None})
        for name, direction in (
            ("accuracy", "up"),
            ("io_u", "up"),
            ("pearson_correlation", "up"),
            ("kl_divergence", "down"),
            ("true_positives", None),
        ):
            self.assertEqual(found[name], direction, name)

    def test_metrics_of_logits_agree_with_the_confusion_matrix(self):
        names = ["accuracy", "auc", "precision", "recall", "f1_score"]
        exact = {"type": "auc", "num_thresholds": "exact", "name": "exact"}
        path = self.write(
            [[0.2], [0.4], [0.45], [-0.3], [-0.1], [-2.0]],
            [[1], [1], [1], [0], [0], [0]],
            [{"type": "Dense", "name": "d", "units": 1}],
            {
                "loss": {"type": "binary_crossentropy", "from_logits": True},
                "metrics": [*names, exact],
            },
        )
        weights = self.folder / "w.safetensors"
        write_safetensors(weights, {"d/kernel": ([1, 1], [1.0]), "d/bias": ([1], [0.0])})
        answer = self.succeed("evaluate", path, "--weights", weights, "--json").json
        self.assertEqual(answer["confusion_matrix"], [[3, 0], [0, 3]])
        for name in [*names, "exact"]:
            self.assertAlmostEqual(answer["metrics"][name], 1, 5, name)

    def test_a_sample_that_a_layer_cannot_use_is_not_predicted(self):
        path = self.write(
            [[1, 2], [2, 3]],
            [[1], [2]],
            [
                {
                    "type": "Embedding",
                    "name": "e",
                    "input_dim": 4,
                    "output_dim": 1,
                    "mask_zero": True,
                },
                {"type": "GlobalAveragePooling1D", "name": "g"},
            ],
            {"loss": "mean_squared_error"},
        )
        weights = self.folder / "w.safetensors"
        write_safetensors(weights, {"e/embeddings": ([4, 1], [0.0, 1.0, 2.0, 3.0])})
        table = self.folder / "rows.csv"
        for row, words in (
            ("1,1.5", "value 2 of the sample is 1.5 (expected a whole number from 0 to 3"),
            ("9,1", "value 1 of the sample is 9 (expected 0 to 3"),
            ("0,0", "so e masks all of its steps"),
        ):
            with self.subTest(row):
                table.write_text(row + "\n")
                answer = strata("predict", path, "--weights", weights, table)
                self.assertNotEqual(answer.code, 0, answer)
                self.assertIn(words, answer.err)
        table.write_text("1,3\n")
        found = self.succeed("predict", path, "--weights", weights, table, "--json").json
        self.assertEqual(found[0]["output"], [2.0])

    def test_an_index_of_a_table_is_named_by_its_column(self):
        (self.folder / "words.csv").write_text("word,next,y\n1,2,0.5\n3,2.5,0.25\n")
        layers = [
            {"type": "Embedding", "name": "e", "input_dim": 4, "output_dim": 1},
            {"type": "Flatten", "name": "f"},
            {"type": "Dense", "name": "d", "units": 1},
        ]
        path = self.write([[1, 2]], [[1]], layers, {"loss": "mean_squared_error"})
        document = json.loads(path.read_text())
        document["data"] = {"source": {"type": "csv", "path": "words.csv"}}
        path.write_text(json.dumps(document))
        for words in (["check", path], ["train", path, "--no-progress"]):
            answer = strata(*words)
            self.assertNotEqual(answer.code, 0, answer)
            self.assertIn('row 3, column "next": value 2 of the sample is 2.5', answer.err)

    def test_a_run_says_that_it_validates_averaged_weights(self):
        for uses in (True, False):
            with self.subTest(uses):
                path = self.write(
                    [[1.0], [2.0], [3.0], [4.0], [5.0]],
                    [[2.0], [4.0], [6.0], [8.0], [10.0]],
                    [{"type": "Dense", "name": "d", "units": 1}],
                    {
                        "loss": "mean_squared_error",
                        "optimizer": {"type": "sgd", "learning_rate": 0.01, "use_ema": uses},
                        "epochs": 3,
                    },
                )
                document = json.loads(path.read_text())
                document["data"]["validation_split"] = 0.2
                path.write_text(json.dumps(document))
                run = self.folder / f"run-{uses}"
                out = self.succeed("train", path, "--no-progress", "--run-dir", run).out
                self.assertEqual("use the moving average of the weights" in out, uses)
                events = [json.loads(e) for e in (run / "events.jsonl").read_text().splitlines()]
                self.assertEqual(events[0].get("evaluated_weights"), "average" if uses else None)
                last = [e for e in events if e["event"] == "epoch"][-1]["val_loss"]
                for weights in (run, run / "checkpoints" / "000000000006.safetensors"):
                    answer = self.succeed(
                        "evaluate", path, "--weights", weights, "--split", "validation", "--json"
                    )
                    self.assertAlmostEqual(answer.json["loss"], last, 4)


if __name__ == "__main__":
    main()
