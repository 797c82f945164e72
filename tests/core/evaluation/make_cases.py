#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the reference values of tst_evaluation.cpp with NumPy and scikit-learn, which the tests
themselves do not need.

    make_cases.py > cases.json        needs numpy and scikit-learn
"""
import json
import warnings

import numpy as np
from sklearn import calibration, metrics

BINS = 10
warnings.filterwarnings("ignore")


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(each) for each in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    # Ten digits tell any two float32 values apart
    return float(f"{value:.10g}") if np.isfinite(value) else str(value)


def diagram(truth, probabilities):
    """Returns the filled bins of a reliability diagram, and its expected calibration error."""
    edges = np.linspace(0, 1, BINS + 1)
    share, confidence = calibration.calibration_curve(truth, probabilities, n_bins=BINS)
    places = np.searchsorted(edges[1:-1], probabilities)
    counts = np.bincount(places, minlength=BINS)
    filled = counts[counts > 0]
    error = np.sum(filled / len(truth) * np.abs(share - confidence))
    return {"counts": counts, "share": share, "confidence": confidence, "error": error}


def curves(truth, scores):
    result = {"roc": None, "pr": None}
    if truth.any():
        precisions, recalls, thresholds = metrics.precision_recall_curve(truth, scores)
        result["pr"] = {
            "precisions": precisions,
            "recalls": recalls,
            "thresholds": thresholds,
            "average": metrics.average_precision_score(truth, scores),
        }
        if not truth.all():
            false, true, thresholds = metrics.roc_curve(truth, scores, drop_intermediate=False)
            result["roc"] = {
                "false": false,
                "true": true,
                "thresholds": thresholds,
                "area": metrics.roc_auc_score(truth, scores),
            }
    return result


def of_class(truth, scores):
    return curves(truth, scores) | {
        "calibration": diagram(truth, scores),
        "brier": np.mean((scores.astype(float) - truth) ** 2),
    }


def means(truth, predicted):
    result = {}
    for average in ("macro", "micro", "weighted"):
        result[average] = metrics.precision_recall_fscore_support(
            truth, predicted, average=average, zero_division=0
        )[:3]
    return result


def of_classes(name, probabilities, truth):
    """A case with one of several classes for each sample; -1 is ignored."""
    probabilities = probabilities.astype(np.float32)
    predicted = probabilities.argmax(1)
    count, columns = probabilities.shape
    kept = truth >= 0
    p, t, chosen = probabilities[kept], truth[kept], predicted[kept]
    one_hot = t[:, None] == np.arange(columns)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        t, chosen, labels=range(columns), zero_division=0
    )
    return {
        "name": name,
        "kind": "classes",
        "columns": columns,
        "predicted": probabilities.ravel(),
        "classes": truth,
        "want": {
            "confusion": metrics.confusion_matrix(t, chosen, labels=range(columns)).ravel(),
            "scores": np.stack([precision, recall, f1, support], 1),
            "means": means(t, chosen),
            "each": [of_class(one_hot[:, k], p[:, k]) for k in range(columns)],
            "micro": curves(one_hot.ravel(), p.ravel()),
            "calibration": diagram(t == chosen, p.max(1)),
            "brier": metrics.brier_score_loss(t, p.astype(float), labels=range(columns))
            if np.allclose(p.sum(1), 1)
            else np.mean(np.sum((p.astype(float) - one_hot) ** 2, 1)),
        },
    }


def of_binary(name, probabilities, truth):
    probabilities = probabilities.astype(np.float32)
    predicted = (probabilities > 0.5).astype(int)
    confidence = np.where(predicted == 1, probabilities, np.float32(1) - probabilities)
    scores = metrics.precision_recall_fscore_support(
        truth, predicted, labels=[0, 1], zero_division=0
    )
    return {
        "name": name,
        "kind": "binary",
        "columns": 1,
        "predicted": probabilities,
        "classes": truth,
        "want": {
            "confusion": metrics.confusion_matrix(truth, predicted, labels=[0, 1]).ravel(),
            "scores": np.stack(scores, 1),
            "means": means(truth, predicted),
            "each": [of_class(truth == 1, probabilities)],
            "micro": curves(truth == 1, probabilities),
            "calibration": diagram(predicted == truth, confidence),
            "brier": metrics.brier_score_loss(truth, probabilities.astype(float), pos_label=1),
        },
    }


def of_labels(name, probabilities, truth):
    probabilities = probabilities.astype(np.float32)
    predicted = (probabilities > 0.5).astype(int)
    scores = metrics.precision_recall_fscore_support(truth, predicted, zero_division=0)
    columns = probabilities.shape[1]
    return {
        "name": name,
        "kind": "labels",
        "columns": columns,
        "predicted": probabilities.ravel(),
        "truth": truth.ravel(),
        "want": {
            "confusion": None,
            "scores": np.stack(scores, 1),
            "means": means(truth, predicted),
            "each": [of_class(truth[:, k] == 1, probabilities[:, k]) for k in range(columns)],
            "micro": curves(truth.ravel() == 1, probabilities.ravel()),
            "calibration": diagram(truth.ravel() == 1, probabilities.ravel()),
            "brier": np.mean((probabilities.astype(float) - truth) ** 2),
        },
    }


def of_values(name, predicted, truth, bins):
    predicted, truth = predicted.astype(np.float32), truth.astype(np.float32)
    p, t = predicted.astype(float), truth.astype(float)
    columns = p.shape[1]
    counts, edges = np.histogram(t - p, bins)

    def scores(multioutput):
        return [
            metrics.mean_absolute_error(t, p, multioutput=multioutput),
            metrics.root_mean_squared_error(t, p, multioutput=multioutput),
            metrics.median_absolute_error(t, p, multioutput=multioutput),
            metrics.r2_score(t, p, multioutput=multioutput),
        ]

    is_constant = [len(set(t[:, k])) == 1 for k in range(columns)]
    each = [list(row) for row in np.stack(scores("raw_values"), 1)]
    overall = scores("uniform_average")
    for k in range(columns):
        if is_constant[k]:
            each[k][3] = overall[3] = None
    return {
        "name": name,
        "kind": "values",
        "columns": columns,
        "bins": bins,
        "predicted": predicted.ravel(),
        "truth": truth.ravel(),
        "want": {
            "overall": overall,
            "each": each,
            "counts": counts,
            "edges": edges,
            "extremes": [t.min(), t.max(), p.min(), p.max()],
        },
    }


def of_histogram(name, values, bins):
    values = np.asarray(values, np.float32)
    finite = values[np.isfinite(values)].astype(float)
    counts, edges = np.histogram(finite, bins)
    moments = [finite.mean(), finite.std(), finite.min(), finite.max()] if finite.size else None
    return {
        "name": name,
        "bins": bins,
        "values": values,
        "want": {
            "counts": counts if finite.size else [],
            "edges": edges if finite.size else [],
            "moments": moments,
            "others": [np.isnan(values).sum(), np.isinf(values).sum()],
        },
    }


def softmax(logits):
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def main():
    random = np.random.default_rng(7)
    outputs, histograms = [], []
    for count, columns in ((30, 4), (2, 2)):
        truth = random.integers(0, columns, count)
        truth[:2] = (0, 1)
        logits = random.normal(size=(count, columns)) + 1.5 * (
            truth[:, None] == np.arange(columns)
        )
        outputs.append(of_classes(f"{count} samples, {columns} classes", softmax(logits), truth))
    # Scores in steps of 0.125 have many ties, which also lie on the edges of some bins
    steps = random.integers(0, 9, (24, 3)) / 8
    truth = random.integers(0, 3, 24)
    outputs.append(of_classes("ties", steps, truth))
    ignored = truth.copy()
    ignored[::4] = -1
    outputs.append(of_classes("ignored samples", softmax(random.normal(size=(24, 3))), ignored))
    outputs.append(of_classes("a class without samples", softmax(random.normal(size=(12, 4))),
                              random.integers(0, 3, 12)))
    outputs.append(of_classes("all samples of one class", softmax(random.normal(size=(9, 3))),
                              np.ones(9, int)))
    outputs.append(of_classes("one sample", softmax(random.normal(size=(1, 3))), np.array([2])))
    outputs.append(of_classes("certain and equal", np.eye(3)[[0, 1, 2, 0, 1, 2]],
                              np.array([0, 1, 2, 1, 1, 0])))
    outputs.append(of_binary("binary", random.random(24), random.integers(0, 2, 24)))
    outputs.append(of_binary("binary with ties", random.integers(0, 11, 24) / 10,
                             random.integers(0, 2, 24)))
    outputs.append(of_binary("perfect", np.array([0, 0.2, 0.7, 1]), np.array([0, 0, 1, 1])))
    outputs.append(of_binary("all wrong", np.array([1, 0.8, 0.3, 0]), np.array([0, 0, 1, 1])))
    outputs.append(of_binary("one score", np.full(8, 0.5), np.array([0, 1] * 4)))
    labels = random.integers(0, 2, (16, 3))
    outputs.append(of_labels("labels", random.random((16, 3)), labels))
    labels = labels.copy()
    labels[:, 1] = 0
    outputs.append(of_labels("a label of no sample", random.random((16, 3)) * 0.5, labels))
    truth = random.normal(size=(20, 1)) * 3
    outputs.append(of_values("values", truth + random.normal(size=(20, 1)), truth, 7))
    truth = random.normal(size=(31, 3)) * (1, 10, 100)
    outputs.append(of_values("columns", truth * 0.9 + 0.1, truth, 10))
    truth = truth.copy()
    truth[:, 1] = 4
    outputs.append(of_values("a constant column", truth * 0.9, truth, 10))
    outputs.append(of_values("no errors", truth[:, :1], truth[:, :1], 4))

    histograms.append(of_histogram("normal", random.normal(size=60), 10))
    histograms.append(of_histogram("on the edges", np.arange(11) / 10, 10))
    histograms.append(of_histogram("whole numbers", random.integers(-5, 6, 40), 10))
    histograms.append(of_histogram("equal", [2.5] * 5, 3))
    histograms.append(of_histogram("one value", [0], 1))
    histograms.append(of_histogram("not finite", [np.nan, 1, np.inf, -np.inf, 3, np.nan, 2], 4))
    histograms.append(of_histogram("nothing finite", [np.nan, np.inf], 4))
    histograms.append(of_histogram("empty", [], 4))
    histograms.append(of_histogram("largest", [-3e38, 0, 3e38, 1], 5))
    histograms.append(of_histogram("far from zero", 1e6 + random.random(40), 16))
    lists = []
    for name, cases in (("outputs", outputs), ("histograms", histograms)):
        lines = [json.dumps(plain(case), separators=(",", ":")) for case in cases]
        lists.append(f'"{name}": [\n' + ",\n".join(lines) + "\n]")
    print("{\n" + ",\n".join(lists) + "\n}")


if __name__ == "__main__":
    main()
