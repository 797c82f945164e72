# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that training increases the resident memory by at most 1.1 times the sum of the peak that
`strata plan` predicts and the size of the data set, plus 40 MiB. A step that does not fit is
refused before any of its memory is allocated."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from program import ROOT, STRATA, strata

MIB = 1 << 20


def measured(*words):
    """Returns the exit code, standard output, standard error and peak resident bytes of a call."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        child = subprocess.Popen([str(STRATA), *map(str, words)], stdout=out, stderr=error)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, error):
            file.seek(0)
        return child.returncode, out.read().decode(), error.read().decode(), usage.ru_maxrss * 1024


def most_resident(*words):
    """Returns the peak resident bytes of a call, which must succeed."""
    code, _, error, resident = measured(*words)
    assert code == 0, error
    return resident


def wide(units, samples):
    """Returns a project whose memory is mostly weights and the state of Adam."""
    return {
        "format": "strata-project",
        "version": 1,
        "name": "Wide",
        "data": {"source": {"type": "random", "samples": samples, "shape": [units], "classes": 10}},
        "model": {
            "layers": [
                {"type": "Input", "shape": [units]},
                {"type": "Dense", "units": units, "activation": "relu"},
                {"type": "Dense", "units": units, "activation": "relu"},
                {"type": "Dense", "units": 10, "activation": "softmax"},
            ]
        },
        "training": {
            "loss": "sparse_categorical_crossentropy",
            "optimizer": "adam",
            "batch_size": 64,
            "epochs": 1,
        },
    }


def deep(limit=None):
    """Returns a project whose memory is mostly activations."""
    layers = [{"type": "Input", "shape": [32, 32, 3]}]
    for _ in range(6):
        layers += [
            {"type": "Conv2D", "filters": 32, "kernel_size": [3, 3], "padding": "same"},
            {"type": "BatchNormalization"},
            {"type": "Activation", "activation": "relu"},
        ]
    layers += [
        {"type": "GlobalAveragePooling2D"},
        {"type": "Dense", "units": 10, "activation": "softmax"},
    ]
    project = {
        "format": "strata-project",
        "version": 1,
        "name": "Deep",
        "data": {"source": {"type": "random", "samples": 300, "shape": [32, 32, 3], "classes": 10}},
        "model": {"layers": layers},
        "training": {
            "loss": "sparse_categorical_crossentropy",
            "optimizer": "sgd",
            "batch_size": 64,
            "epochs": 1,
        },
    }
    if limit:
        project["execution"] = {"memory_limit": limit}
    return project


def large(*units):
    """Returns a project of dense layers with the given units."""
    layers = (
        [{"type": "Input", "shape": [16]}]
        + [{"type": "Dense", "units": each} for each in units]
        + [{"type": "Dense", "units": 3, "activation": "softmax"}]
    )
    return {
        "format": "strata-project",
        "version": 1,
        "name": "Large",
        "data": {"source": {"type": "random", "samples": 20, "shape": [16], "classes": 3}},
        "model": {"layers": layers},
        "training": {
            "loss": "sparse_categorical_crossentropy",
            "optimizer": "adam",
            "batch_size": 4,
            "epochs": 1,
        },
    }


class Memory(unittest.TestCase):
    def check(self, project):
        plan = strata("plan", project, "--json", "--threads", 2).json
        with tempfile.TemporaryDirectory() as folder:
            grown = most_resident(
                "train",
                project,
                "--steps",
                40,
                "--threads",
                2,
                "--run-dir",
                f"{folder}/run",
                "--no-progress",
            ) - most_resident("--version")
        predicted = plan["peak_bytes"] + plan["data_bytes"]
        print(
            f"{pathlib.Path(project).name}: predicted {predicted / MIB:.1f} MiB, "
            f"grown by {grown / MIB:.1f} MiB",
            flush=True,
        )
        self.assertLessEqual(grown, 1.1 * predicted + 40 * MIB)
        return plan

    def test_example_projects(self):
        for name in ("mnist-mlp", "mnist-cnn", "mnist-resnet"):
            with self.subTest(name):
                self.check(ROOT / f"projects/{name}.json")

    def written(self, name, project):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="strata-test-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for i, layer in enumerate(project["model"]["layers"]):
            layer["name"] = f"layer{i}"
        path = folder / f"{name}.json"
        path.write_text(json.dumps(project))
        return path

    def test_large_weights_and_large_activations_also_under_a_limit(self):
        self.assertGreater(
            self.check(self.written("wide", wide(2048, 400)))["peak_bytes"], 90 * MIB
        )
        kept = self.check(self.written("deep", deep()))["peak_bytes"]
        self.assertGreater(kept, 90 * MIB)
        limit = int(0.6 * kept)
        self.assertLessEqual(self.check(self.written("limited", deep(limit)))["peak_bytes"], limit)

    def plan_and_train(self, project, *words, says):
        """Checks that plan succeeds and train fails for a network that does not fit, and that
        neither allocates its memory. Returns the plan."""
        for form in ([], ["--json"]):
            code, out, error, resident = measured("plan", project, *words, *form)
            self.assertEqual(code, 0, error)
            # Calibrating the machine needs less memory than this limit.
            self.assertLess(resident, 1000 * MIB)
        plan = json.loads(out)
        self.assertFalse(plan["fits"])
        self.assertIsNone(plan["step_us"])
        self.assertGreaterEqual(plan["peak_bytes"], plan["lower_bound_bytes"])
        code, _, error, resident = measured(
            "train", project, *words, "--run-dir", project.parent / "run", "--no-progress"
        )
        self.assertEqual(code, 1, error)
        self.assertEqual(len(error.splitlines()), 1, error)
        self.assertIn(says, error)
        self.assertLess(resident, 1000 * MIB)
        return plan

    def test_a_limit_is_checked_before_state_and_arena_are_allocated(self):
        project = self.written("limited", large(10000, 20000))
        plan = self.plan_and_train(
            project,
            "--memory-limit",
            300_000_000,
            says="strata: memory_limit: the training step does not fit",
        )
        self.assertGreater(plan["peak_bytes"], 2_400_000_000)

    def test_a_step_that_fits_only_by_recomputing_is_never_allocated_in_full(self):
        kept = strata("plan", self.written("deep", deep()), "--json").json["peak_bytes"]
        limit = int(0.6 * kept)
        code, out, error, resident = measured(
            "plan", self.written("limited", deep(limit)), "--json"
        )
        self.assertEqual(code, 0, error)
        plan = json.loads(out)
        self.assertTrue(plan["fits"])
        self.assertIsNotNone(plan["step_us"])
        self.assertIsNone(plan["recompute"]["kept_step_us"])

    def test_a_network_too_large_for_any_machine_has_a_plan(self):
        plan = self.plan_and_train(
            self.written("huge", large(250000, 250000, 250000)), says="(this machine has "
        )
        self.assertGreater(plan["peak_bytes"], 500e9)
        self.assertEqual(
            plan["parameters"], 16 * 250000 + 2 * 250000**2 + 3 * 250000 + 3 * 250000 + 3
        )


if __name__ == "__main__":
    unittest.main()
