#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains every example project from the command line: small projects in full, the others for some
steps. projects/README.md must have a row for each project."""
import os
import re

from program import ROOT, ProgramTest, events, floats, last, main, read_safetensors, strata

# Maps the name of a project to a tuple: the arguments after `train PROJECT`, the minimum metrics on
# the test set, the number of parameters, and the minimum metrics after the full training
# (STRATA_FULL=1).
TABLE = {
    "linear-regression": (["--threads", 1], {}, 2, {}),
    "random-integers": ([], {"accuracy": 0.99}, 9812, {"accuracy": 0.99}),
    "penguins": ([], {"accuracy": 0.95}, 211, {"accuracy": 0.98}),
    "penguins-two": ([], {"species_accuracy": 0.95}, 196, {"species_accuracy": 0.98}),
    "shapes": ([], {"accuracy": 0.9}, 1299, {"accuracy": 0.95}),
    "mnist-mlp-128": (["--steps", 600], {"accuracy": 0.90}, 101770, {"accuracy": 0.970}),
    "mnist-mlp-512": (["--steps", 200], {"accuracy": 0.90}, 407050, {"accuracy": 0.975}),
    "mnist-mlp": (["--steps", 200], {"accuracy": 0.90}, 814090, {"accuracy": 0.975}),
    "lenet5": (["--steps", 300], {"accuracy": 0.92}, 61706, {"accuracy": 0.985}),
    "mnist-resnet": (["--steps", 250], {"accuracy": 0.75}, 51978, {"accuracy": 0.985}),
    "mirrored-mlp-128": (["--steps", 600], {"accuracy": 0.92}, 101770, {"accuracy": 0.970}),
    "mirrored-mlp-512": (["--steps", 200], {"accuracy": 0.90}, 407050, {"accuracy": 0.975}),
    "multi-worker": (["--steps", 300], {"accuracy": 0.90}, 101770, {"accuracy": 0.970}),
    "parameter-server": (["--steps", 400], {"accuracy": 0.92}, 407050, {"accuracy": 0.981}),
    "model-parallel": (["--steps", 300], {"accuracy": 0.92}, 56714, {"accuracy": 0.980}),
    "pipeline": (["--steps", 200], {"accuracy": 0.92}, 56714, {"accuracy": 0.980}),
    "mnist-cnn": (["--steps", 300], {"accuracy": 0.94}, 93322, {"accuracy": 0.986}),
}


def why_no_processes():
    for device in strata("doctor", "--json").json["devices"]:
        if device["device"] == "several processes":
            return "" if device["usable"] else device["text"]
    return "unknown"


FULL = os.environ.get("STRATA_FULL") == "1"


def plain_linear_regression(epochs=1000, rate=0.01):
    """Trains w x + b in double precision on the mean squared error, with a handwritten gradient."""
    xs, ys = [1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0]
    w = b = 0.0
    for _ in range(epochs):
        errors = [w * x + b - y for x, y in zip(xs, ys)]
        dw = sum(2 * e * x for e, x in zip(errors, xs)) / len(xs)
        db = sum(2 * e for e in errors) / len(xs)
        w, b = w - rate * dw, b - rate * db
    return w, b


class Projects(ProgramTest):
    def test_every_project_has_a_row_here_and_in_the_readme(self):
        names = {p.stem for p in (ROOT / "projects").glob("*.json")}
        self.assertEqual(names, set(TABLE))
        rows = set(
            re.findall(r"^\| `([\w-]+)` \|", (ROOT / "projects/README.md").read_text(), re.M)
        )
        self.assertEqual(names, rows)

    def test_no_project_has_problems(self):
        for name in TABLE:
            with self.subTest(name):
                answer = self.succeed("check", ROOT / "projects" / f"{name}.json", "--json")
                self.assertEqual(answer.json["problems"], [])

    def test_linear_regression_equals_a_plain_loop(self):
        path = self.project("linear-regression")
        run = self.folder / "run"
        for device in ("cpu", "reference"):
            with self.subTest(device):
                self.succeed(
                    "train", path, "--device", device, "--run-dir", run / device, "--no-progress"
                )
                tensors, _ = read_safetensors(run / device / "weights.safetensors")
                w, b = plain_linear_regression()
                self.assertAlmostEqual(floats(tensors["line/kernel"])[0], w, delta=1e-5)
                self.assertAlmostEqual(floats(tensors["line/bias"])[0], b, delta=1e-5)

    def test_random_integers_predicts_its_integers(self):
        path = self.project("random-integers")
        self.succeed("train", path, "--run-dir", self.folder / "run", "--no-progress")
        rows = self.folder / "rows.csv"
        rows.write_text("".join(f"{i}\n" for i in range(20)))
        answers = self.succeed(
            "predict", path, "--weights", self.folder / "run", rows, "--json"
        ).json
        self.assertEqual([a["label"] for a in answers], [str(i) for i in range(20)])


def training_test(name):
    short, short_goal, parameters, full_goal = TABLE[name]
    goal = full_goal if FULL else short_goal

    def test(self):
        path = self.project(name)
        run = self.folder / "run"
        words = ["train", path]
        if name == "multi-worker":
            if why := why_no_processes():
                self.skipTest(why)
            words = ["launch", "-np", 2, *words]
        answer = self.succeed(
            *words,
            *([] if FULL else short),
            "--run-dir",
            run,
            "--events",
            self.folder / "events.jsonl",
            "--no-progress",
        )
        found = events(self.folder / "events.jsonl")
        end = last(found, "end")
        self.assertEqual(last(found, "start")["parameters"], parameters)
        self.assertEqual(end["outcome"], "finished")
        self.assertEqual(
            last(found, "start")["planned_peak_bytes"],
            end["peak_bytes"],
            "the plan of memory is not what was allocated",
        )
        for metric, least in goal.items():
            self.assertGreaterEqual(end["test_metrics"][metric], least)
        steps = [e for e in found if e["event"] == "step"]
        self.assertEqual([s["step"] for s in steps], list(range(1, len(steps) + 1)))
        self.assertLess(steps[-1]["loss"], steps[0]["loss"])
        for wanted in (
            "project.json",
            "events.jsonl",
            "choices.json",
            "environment.json",
            "checkpoints",
            "weights.safetensors",
        ):
            self.assertTrue((run / wanted).exists(), f"the run directory lacks {wanted}")
        # Evaluating the saved weights gives the results that training reported.
        evaluated = self.succeed("evaluate", path, "--weights", run, "--json").json
        self.assertAlmostEqual(
            evaluated["loss"], end["test_loss"], delta=1e-5 * max(1, abs(end["test_loss"]))
        )
        for metric, value in end["test_metrics"].items():
            self.assertAlmostEqual(evaluated["metrics"][metric], value, delta=1e-5)
        print(
            f"{name}: {len(steps)} steps, {answer.seconds:.1f} s, "
            f"test loss {end['test_loss']:.4f} {end['test_metrics']}",
            flush=True,
        )

    return test


for _name in TABLE:
    setattr(Projects, "test_train_" + _name.replace("-", "_"), training_test(_name))


class SameBits(ProgramTest):
    """All commands compute the same bits."""

    def test_bench_and_train_agree(self):
        path = self.project("mnist-mlp-128")
        bench = self.succeed("bench", path, "--steps", 20, "--threads", 2, "--json").json
        self.succeed(
            "train",
            path,
            "--steps",
            20,
            "--threads",
            2,
            "--run-dir",
            self.folder / "run",
            "--events",
            self.folder / "e",
            "--no-progress",
        )
        found = events(self.folder / "e")
        steps = [e for e in found if e["event"] == "step"]
        self.assertEqual(bench["weights_hash"], last(found, "end")["weights_hash"])
        self.assertEqual(
            (bench["first_loss"], bench["last_loss"]), (steps[0]["loss"], steps[-1]["loss"])
        )
        # The shares of the machine's limits must follow from the other printed values.
        seconds, limits = bench["step_us"]["median"] / 1e6, bench["limits"]
        self.assertGreater(limits["flops_per_second"], 1e8)
        self.assertGreater(limits["bytes_per_second"], 1e8)
        self.assertAlmostEqual(
            bench["share_of_limits"]["flops"],
            bench["flops"] / seconds / limits["flops_per_second"],
            places=9,
        )
        self.assertAlmostEqual(
            bench["share_of_limits"]["bandwidth"],
            bench["bytes"] / seconds / limits["bytes_per_second"],
            places=9,
        )
        for amount in ("flops", "bytes"):
            self.assertAlmostEqual(
                sum(op[amount] for op in bench["by_op"]) / bench[amount], 1, places=9
            )

    def test_the_seed_determines_the_bits(self):
        path = self.project("lenet5")
        hashes = []
        for run, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.succeed(
                "train",
                path,
                "--steps",
                30,
                "--seed",
                seed,
                "--threads",
                2,
                "--run-dir",
                self.folder / run,
                "--no-progress",
            )
            hashes.append(read_safetensors(self.folder / run / "weights.safetensors")[0])
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_a_piped_run_prints_plain_lines(self):
        answer = self.succeed(
            "train",
            self.project("linear-regression"),
            "--epochs",
            3,
            "--run-dir",
            self.folder / "run",
        )
        self.assertNotIn("\r", answer.out + answer.err)
        self.assertNotIn("\x1b", answer.out + answer.err)


if __name__ == "__main__":
    main()
