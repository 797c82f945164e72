#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the figures of `strata evaluate --curves`: that they describe the outputs of `strata
predict`, and that figures that the data does not define are unknown, with a reason."""
import json
import math

from program import ProgramTest, main, strata, write_safetensors


def area(scores, positive):
    """Returns the share of pairs of a positive and a negative sample in the right order."""
    pairs = right = 0
    for a, is_a in zip(scores, positive):
        for b, is_b in zip(scores, positive):
            if is_a and not is_b:
                pairs += 1
                right += 1 if a > b else 0.5 if a == b else 0
    return right / pairs


class Figures(ProgramTest):
    def write(self, x, y, layers, loss, tensors):
        path = self.folder / "project.json"
        inputs = {"type": "Input", "name": "x", "shape": [len(x[0])]}
        project = {
            "format": "strata-project",
            "version": 1,
            "data": {"source": {"type": "values", "x": x, "y": y}},
            "model": {"layers": [inputs, *layers]},
            "training": {"optimizer": "sgd", "batch_size": 3, "epochs": 1, "loss": loss},
        }
        path.write_text(json.dumps(project))
        weights = self.folder / "w.safetensors"
        write_safetensors(weights, tensors)
        return path, weights

    def identity(self, count, **more):
        """Returns a layer that passes on its inputs, and its weights."""
        kernel = [1.0 if i == k else 0.0 for i in range(count) for k in range(count)]
        layer = {"type": "Dense", "name": "d", "units": count, **more}
        return layer, {"d/kernel": ([count, count], kernel), "d/bias": ([count], [0.0] * count)}

    def figures(self, path, weights, *words):
        words = ("evaluate", path, "--weights", weights, "--curves", "--json", *words)
        return self.succeed(*words).json["figures"]

    def test_logits_enter_the_figures_as_probabilities(self):
        x = [[2, 0, 1], [0, 1, 0.5], [1, 1, 1], [0, 3, 1], [0.5, 0, 2], [1, 0, 1], [3, 0, 1]]
        y = [[0], [1], [2], [1], [2], [2], [1]]
        layer, tensors = self.identity(3)
        loss = {"type": "sparse_categorical_crossentropy", "from_logits": True}
        path, weights = self.write(x, y, [layer], loss, tensors)
        found = self.figures(path, weights, "--curve-points", 100)["d"]
        self.assertEqual(found["kind"], "classes")
        self.assertEqual(found["samples"], len(x))
        probabilities = []
        for row in x:
            powers = [math.exp(value) for value in row]
            probabilities.append([power / sum(powers) for power in powers])
        brier = 0
        for k in range(3):
            positive = [truth == [k] for truth in y]
            scores = [row[k] for row in probabilities]
            each = found["classes"][k]
            self.assertAlmostEqual(each["roc"]["auc"], area(scores, positive), 6)
            self.assertEqual(each["samples"], sum(positive))
            self.assertEqual(each["roc"]["thresholds"][0], "inf")
            self.assertAlmostEqual(each["roc"]["thresholds"][1], max(scores), 6)
            brier += sum((p - is_true) ** 2 for p, is_true in zip(scores, positive)) / len(x)
        self.assertAlmostEqual(found["brier"], brier, 6)
        self.assertEqual(sum(map(sum, found["confusion_matrix"])), len(x))
        error = 0
        for bin_ in found["calibration"]["bins"]:
            if bin_["samples"]:
                error += abs(bin_["confidence"] - bin_["share"]) * bin_["samples"] / len(x)
        self.assertAlmostEqual(found["calibration"]["ece"], error, 6)

    def test_one_sigmoid_has_the_curves_of_class_1(self):
        x, y = [[0.2], [0.4], [0.4], [-0.3], [0.1], [-2.0]], [[1], [1], [0], [0], [1], [0]]
        layer, tensors = self.identity(1, activation="sigmoid")
        path, weights = self.write(x, y, [layer], "binary_crossentropy", tensors)
        found = self.figures(path, weights)["d"]
        self.assertEqual(found["kind"], "binary")
        self.assertEqual([each["name"] for each in found["classes"]], ["0", "1"])
        self.assertNotIn("roc", found["classes"][0])
        truth = [label == [1] for label in y]
        self.assertAlmostEqual(
            found["classes"][1]["roc"]["auc"], area([row[0] for row in x], truth), 6
        )
        self.assertEqual(found["micro"]["roc"], found["classes"][1]["roc"])
        self.assertEqual(found["confusion_matrix"], [[2, 1], [0, 3]])

    def test_several_sigmoids_are_labels(self):
        x, y = [[1, -1], [-1, 2], [2, 3], [-3, -1]], [[1, 0], [1, 1], [1, 1], [0, 0]]
        layer, tensors = self.identity(2, activation="sigmoid")
        path, weights = self.write(x, y, [layer], "binary_crossentropy", tensors)
        found = self.figures(path, weights)["d"]
        self.assertEqual(found["kind"], "labels")
        self.assertNotIn("confusion_matrix", found)
        self.assertAlmostEqual(found["classes"][0]["recall"], 2 / 3, 6)
        self.assertAlmostEqual(found["classes"][1]["roc"]["auc"], 1, 6)

    def test_values_have_errors_and_residuals(self):
        x, y = [[1], [2], [3], [4]], [[1.5], [2], [2], [4]]
        layer, tensors = self.identity(1)
        path, weights = self.write(x, y, [layer], "mean_squared_error", tensors)
        found = self.figures(path, weights, "--bins", 3)["d"]
        self.assertEqual(found["kind"], "values")
        self.assertAlmostEqual(found["mae"], 0.375, 6)
        self.assertAlmostEqual(found["rmse"], math.sqrt(1.25 / 4), 6)
        self.assertAlmostEqual(found["median_absolute_error"], 0.25, 6)
        self.assertAlmostEqual(found["r2"], 1 - 1.25 / 3.6875, 6)
        self.assertEqual(found["true_range"], [1.5, 4])
        self.assertEqual(found["residuals"]["counts"], [1, 0, 3])
        self.assertEqual(found["residuals"]["edges"], [-1, -0.5, 0, 0.5])

    def test_figures_without_a_value_say_why(self):
        layer, tensors = self.identity(3, activation="softmax")
        path, weights = self.write(
            [[1, 0, 0], [0, 1, 0]], [[0], [0]], [layer], "sparse_categorical_crossentropy", tensors
        )
        found = self.figures(path, weights)["d"]
        self.assertIn("all samples belong", found["classes"][0]["roc"]["unknown"])
        self.assertIn("no sample belongs", found["classes"][1]["precision_recall"]["unknown"])
        self.assertIn("unknown", found["mean_auc"])
        text = str(self.succeed("evaluate", path, "--weights", weights, "--curves"))
        self.assertIn("unknown, because all samples belong to this class", text)
        path, weights = self.write(
            [[1, 0, 0], [0, 1, 0]], [[3, 3, 3], [3, 3, 3]], [self.identity(3)[0]],
            "mean_squared_error", tensors
        )
        found = self.figures(path, weights)["d"]
        self.assertEqual(found["r2"], {"unknown": "all true values are equal"})
        # A loss that compares scores has neither probabilities nor values
        path, weights = self.write([[1, 0, 0]], [[1, 0, 0]], [self.identity(3)[0]],
                                   "categorical_hinge", tensors)
        self.assertIn("categorical_hinge", self.figures(path, weights)["d"]["unknown"])

    def test_the_other_answers_stay_the_same(self):
        layer, tensors = self.identity(2, activation="softmax")
        path, weights = self.write(
            [[1, 0], [0, 1], [2, 0]], [[0], [1], [1]], [layer], "sparse_categorical_crossentropy",
            tensors
        )
        plain = self.succeed("evaluate", path, "--weights", weights, "--json").json
        more = self.succeed("evaluate", path, "--weights", weights, "--json", "--curves").json
        self.assertEqual(list(more)[-1], "figures")
        del more["figures"]
        self.assertEqual(plain, more)

    def test_a_number_of_points_that_is_too_small_is_refused(self):
        layer, tensors = self.identity(2, activation="softmax")
        path, weights = self.write([[1, 0]], [[0]], [layer], "sparse_categorical_crossentropy",
                                   tensors)
        words = ("evaluate", path, "--weights", weights, "--curves", "--curve-points", 1)
        self.assertEqual(strata(*words).code, 2)
        for option in ("--curve-points", "--bins"):
            answer = strata("evaluate", path, "--weights", weights, option, 5)
            self.assertEqual(answer.code, 2, answer)
            self.assertIn(option + " requires --curves", answer.err)


if __name__ == "__main__":
    main()
