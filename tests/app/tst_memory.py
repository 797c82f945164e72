# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operating system sees of a training's memory stays near what `strata plan` says: the resident memory grows by no more than the plan's peak and
the data set, a tenth, and 40 MiB."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import ROOT, STRATA, strata

MIB = 1 << 20


def most_resident(*words):
    """Peak resident bytes of a call that must end well."""
    child = subprocess.Popen([str(STRATA), *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.stderr.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, error.decode()
    return usage.ru_maxrss * 1024


def wide(units, samples):
    """Weights and the state of adam are most of it."""
    return {"format": "strata-project", "version": 1, "name": "Wide",
            "data": {"source": {"type": "random", "samples": samples, "shape": [units], "classes": 10}},
            "model": {"layers": [{"type": "Input", "shape": [units]}, {"type": "Dense", "units": units, "activation": "relu"},
                                 {"type": "Dense", "units": units, "activation": "relu"}, {"type": "Dense", "units": 10, "activation": "softmax"}]},
            "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "batch_size": 64, "epochs": 1}}


def deep(limit=None):
    """Activations are most of it."""
    layers = [{"type": "Input", "shape": [32, 32, 3]}]
    for _ in range(6):
        layers += [{"type": "Conv2D", "filters": 32, "kernel_size": [3, 3], "padding": "same"}, {"type": "BatchNormalization"},
                   {"type": "Activation", "activation": "relu"}]
    layers += [{"type": "GlobalAveragePooling2D"}, {"type": "Dense", "units": 10, "activation": "softmax"}]
    project = {"format": "strata-project", "version": 1, "name": "Deep",
               "data": {"source": {"type": "random", "samples": 300, "shape": [32, 32, 3], "classes": 10}}, "model": {"layers": layers},
               "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "batch_size": 64, "epochs": 1}}
    if limit:
        project["execution"] = {"memory_limit": limit}
    return project


class Memory(unittest.TestCase):
    def check(self, project):
        plan = strata("plan", project, "--json", "--threads", 2).json
        with tempfile.TemporaryDirectory() as folder:
            grown = most_resident("train", project, "--steps", 40, "--threads", 2, "--run-dir", f"{folder}/run", "--no-progress") - most_resident("--version")
        predicted = plan["peak_bytes"] + plan["data_bytes"]
        print(f"{pathlib.Path(project).name}: predicted {predicted / MIB:.1f} MiB, grown by {grown / MIB:.1f} MiB", flush=True)
        self.assertLessEqual(grown, 1.1 * predicted + 40 * MIB)
        return plan

    def test_example_projects(self):
        for name in ("mnist-mlp", "mnist-cnn", "mnist-resnet"):
            with self.subTest(name):
                self.check(ROOT / f"projects/{name}.json")

    def test_large_weights_and_large_activations_also_under_a_limit(self):
        with tempfile.TemporaryDirectory() as folder:
            def written(name, project):
                for i, layer in enumerate(project["model"]["layers"]):
                    layer["name"] = f"layer{i}"
                path = pathlib.Path(folder) / f"{name}.json"
                path.write_text(json.dumps(project))
                return path
            self.assertGreater(self.check(written("wide", wide(2048, 400)))["peak_bytes"], 90 * MIB)
            kept = self.check(written("deep", deep()))["peak_bytes"]
            self.assertGreater(kept, 90 * MIB)
            limit = int(0.6 * kept)
            self.assertLessEqual(self.check(written("limited", deep(limit)))["peak_bytes"], limit)


if __name__ == "__main__":
    unittest.main()
