#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the first steps of a new user. The examples in the README and in --help must work as
printed, and messages must be correct and complete."""
import json
import os
import re
import shlex
import shutil

from program import BIN, ROOT, ProgramTest, events, main, strata

SMALL = {
    "/data": {"source": {"type": "random", "samples": 100, "shape": [4], "classes": 3}},
    "/training/epochs": 2,
    "/training/batch_size": 50,
    "/model/layers": [
        {"type": "Input", "name": "x", "shape": [4]},
        {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
    ],
}


def has_processes():
    """Whether this machine can start runs of several processes."""
    devices = strata("doctor", "--json").json["devices"]
    return any(each["device"] == "several processes" and each["usable"] for each in devices)


class Examples(ProgramTest):
    def examples(self):
        """Returns the command lines in the README and in the help of every command."""
        text = (ROOT / "README.md").read_text().replace("\\\n", "")
        readme = re.findall(r"^ {4}build/release/bin/(strata .*)$", text, re.MULTILINE)
        commands = re.findall(
            r"^  (\w+)  ", self.succeed("--help").out.split("Subcommands:")[1], re.MULTILINE
        )
        helps = [
            re.search(r"^Example: (strata .*)$", self.succeed(c, "--help").out, re.MULTILINE).group(
                1
            )
            for c in commands
        ]
        self.assertGreaterEqual(len(readme), 4)
        self.assertIn("predict", commands)
        return readme + helps

    def test_each_example_works_in_a_clone(self):
        (self.folder / "projects").mkdir()
        for path in (ROOT / "projects").glob("*.json"):
            shutil.copy(path, self.folder / "projects")
        os.symlink(ROOT / "resources", self.folder / "resources")
        self.succeed(
            "train", "projects/mnist-cnn.json", "--steps", 250, "--profile", "--layer-statistics",
            "--no-progress", cwd=self.folder,
        )  # fmt: skip
        for line in self.examples():
            command, *words = shlex.split(line)[1:]
            # train has already run, and verify needs a reference file.
            if command in ("train", "verify") or (command == "launch" and not has_processes()):
                continue
            with self.subTest(line):
                answer = self.succeed(command, *words, cwd=self.folder)
                if command == "predict":
                    self.assertRegex(answer.out, r"^resources/mnist/digit-7\.png: 7 \(")
        self.assertTrue((self.folder / "mnist.safetensors").is_file())

    def test_help_as_a_word(self):
        self.assertEqual(self.succeed("help").out, self.succeed("--help").out)
        self.assertEqual(self.succeed("help", "train").out, self.succeed("train", "--help").out)
        answer = strata("help", "trian")
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("did you mean train?", answer.err)


class Messages(ProgramTest):
    def test_a_project_named_without_its_suffix(self):
        path = self.project("mnist-mlp-128")
        answer = strata("check", str(path)[:-5])
        self.assertEqual(answer.code, 2, answer)
        self.assertIn(f"Did you mean {path}?", answer.err)

    def test_a_plan_says_what_it_does_to_save_memory(self):
        path = self.project("linear-regression")
        out = self.succeed("plan", path, "--memory-limit", 100).out
        self.assertIn("Does not fit in 100 B", out)
        self.assertNotIn("To stay below the limit", out)
        self.assertNotIn("0 operations", out)

    def test_a_memory_limit_in_units(self):
        path = self.project("mnist-mlp-128", SMALL)
        for given, expected in (
            ("5000000", 5000000),
            ("5MB", 5000000),
            ("5 mb", 5000000),
            ("2.5MiB", 2621440),
            ("1GiB", 1 << 30),
            ("640kb", 640000),
        ):
            self.assertEqual(
                self.succeed("plan", path, "--memory-limit", given, "--json").json["limit_bytes"],
                expected,
                given,
            )
        self.assertEqual(
            self.succeed("plan", path, "--memory-limit", 9007199254740993, "--json").json[
                "limit_bytes"
            ],
            9007199254740993,
        )
        for given in ("0", "0.5", "-3", "5XB", "MB", "5iB", "1e30GB", "nan", "5MBx", "2EB"):
            answer = strata("plan", path, "--memory-limit", given)
            self.assertEqual(
                (answer.code, answer.out, len(answer.err.splitlines())), (2, "", 1), answer
            )
            self.assertIn("expected at least 1 byte, such as 2000000, 500MiB", answer.err)
            self.assertIn("got " + given, answer.err)

    def test_dump_names_the_steps_that_it_does_not_show(self):
        def notes(name, changes=None, *words):
            return [
                line
                for line in self.succeed(
                    "dump", self.project(name, changes), "--stage", "planned", *words
                ).out.splitlines()
                if "samples" in line
            ]

        self.assertEqual(notes("linear-regression"), [])
        batch = {**SMALL, "/training/batch_size": 32}
        self.assertRegex(
            "".join(notes("mnist-mlp-128", batch)),
            "^# the last batch of an epoch has 4 of 32 samples: --batch-size 4 prints its step",
        )
        pieces = {**batch, "/training/gradient_accumulation_steps": 4}
        self.assertRegex(
            "".join(notes("mnist-mlp-128", pieces)),
            r"^# training splits a batch into 4 micro-batches .*: --piece 1\.\.4 prints .* "
            r"the last batch of an epoch, which has 4 samples",
        )
        self.assertRegex(
            "".join(notes("linear-regression", None, "--batch-size", 9)),
            "^# the training set has only 4 samples, fewer than a batch of 9: --batch-size 4",
        )

    def test_a_run_with_nothing_left_to_train_says_so(self):
        path = self.project("linear-regression")
        self.succeed("train", path, "--steps", 3)
        self.assertIn(
            "Already trained for all 3 steps: pass --epochs or --steps",
            self.succeed("train", path, "--resume", "latest").out,
        )
        self.assertNotIn(
            "Already trained", self.succeed("train", path, "--resume", "latest", "--steps", 5).out
        )

    def test_singular_and_plural(self):
        path = self.project("mnist-mlp-128", {**SMALL, "/training/batch_size": 100})
        out = self.succeed("train", path, "--steps", 1, "--threads", 1).out
        self.assertIn("(1 thread)", out)
        self.assertIn("Finished: 1 step in", out)
        self.assertIn("Finished: 2 steps in", self.succeed("train", path, "--steps", 2).out)

    def test_without_the_bar_epochs_are_printed(self):
        lines = self.succeed(
            "train", self.project("mnist-mlp-128", SMALL), "--no-progress"
        ).out.splitlines()
        self.assertEqual(
            [line.split(":")[0] for line in lines if line.startswith("Epoch")],
            ["Epoch 1/2", "Epoch 2/2"],
        )

    def test_a_run_without_a_checkpoint_says_that_it_starts_over(self):
        path = self.project("mnist-mlp-128", SMALL)
        self.succeed("train", path, "--no-progress")
        run = self.folder / "mnist-mlp-128.runs/001"
        file = self.folder / "events.jsonl"
        for words in ((), ("--no-progress",), ("--events", file)):
            with self.subTest(words):
                # A run that is killed before its first checkpoint lacks these files.
                shutil.rmtree(run / "checkpoints")
                for name in ("record.json", "weights.safetensors", "events.jsonl"):
                    (run / name).unlink()
                warnings = [
                    line
                    for line in self.succeed(
                        "train", path, "--resume", "latest", *words
                    ).err.splitlines()
                    if "starts again" in line
                ]
                self.assertEqual(len(warnings), 1, warnings)
                self.assertRegex(
                    warnings[0], rf"^strata: warning: .*{run.name}: .*checkpoint.* step 0\.$"
                )
        self.assertEqual(
            len(
                [
                    e
                    for e in events(file)
                    if e["event"] == "warning" and "starts again" in e["message"]
                ]
            ),
            1,
        )

    def test_more_threads_than_processors(self):
        path = self.project("mnist-mlp-128", SMALL)
        answer = self.succeed("train", path, "--steps", 1, "--threads", 1000)
        self.assertRegex(
            answer.err,
            r"^strata: warning: --threads 1000: \d+ processors? (is|are) available.*\n$",
        )
        self.assertEqual(self.succeed("train", path, "--steps", 1, "--threads", 1).err, "")
        for number in ("-1", "1025", "many", "1.5", ""):
            with self.subTest(number):
                answer = strata("train", path, "--threads", number)
                self.assertEqual(answer.code, 2, answer)
                self.assertEqual(len(answer.err.splitlines()), 1, answer)

    def test_export_over_a_file_says_so(self):
        path = self.project("mnist-mlp-128", SMALL)
        self.succeed("train", path, "--no-progress")
        words = (
            "export",
            path,
            "--weights",
            self.folder / "mnist-mlp-128.runs/001",
            "--to",
            self.folder / "to.safetensors",
        )
        self.assertEqual(self.succeed(*words).err, "")
        first = (self.folder / "to.safetensors").read_bytes()
        self.assertRegex(self.succeed(*words).err, r"^strata: .*to\.safetensors: replaced .*\n$")
        self.assertEqual((self.folder / "to.safetensors").read_bytes(), first)


class Continued(ProgramTest):
    """A resumed run keeps its project and options. A call or a project that differs from them
    causes an error or a warning."""

    def setUp(self):
        super().setUp()
        self.path, self.run = self.project("mnist-mlp-128", SMALL), self.folder / "run"
        self.succeed(
            "train",
            self.path,
            "--no-progress",
            "--run-dir",
            self.run,
            "--seed",
            5,
            "--set",
            "/training/shuffle=false",
            "--epochs",
            1,
        )

    def warnings(self, *words):
        return [
            line
            for line in self.succeed(
                "train", self.path, "--resume", self.run, "--no-progress", *words
            ).err.splitlines()
            if "warning: " in line
        ]

    def test_options_that_contradict_the_run(self):
        for words, named in (
            (("--seed", 6), "--seed 6"),
            (("--run-dir", self.folder / "other"), "--run-dir"),
            (("--at", "9:learning_rate=1"), "--at"),
        ):
            with self.subTest(named):
                answer = strata("train", self.path, "--resume", self.run, *words)
                self.assertEqual(answer.code, 2, answer)
                self.assertRegex(answer.err, rf"^strata: {named}.*: contradicts --resume: .*\n$")
        self.assertFalse((self.folder / "other").exists())
        # Options with the same values cause no warning.
        self.assertEqual(self.warnings("--seed", 5, "--run-dir", self.run), [])

    def test_without_a_run_nothing_else_is_checked(self):
        (self.folder / "alone").mkdir()
        path = self.folder / "alone" / "alone.json"
        path.write_text(self.path.read_text())
        (path.parent / "project.json").write_text(
            json.dumps({**json.loads(self.path.read_text()), "training": {"seed": 9}})
        )
        answer = strata(
            "train",
            path,
            "--resume",
            "latest",
            "--seed",
            4,
            "--set",
            "/training/epochs=1",
            cwd=path.parent,
        )
        self.assertEqual((answer.code, len(answer.err.splitlines())), (2, 1), answer)
        self.assertIn("has no run to resume", answer.err)

    def test_a_project_that_has_changed(self):
        # The options with which the run was started are not differences.
        self.assertEqual(self.warnings(), [])
        document = json.loads(self.path.read_text())
        document["training"]["batch_size"] = 7
        document["model"]["layers"][-1]["name"] = "other"
        document["name"] = "Another"
        self.path.write_text(json.dumps(document))
        warnings = self.warnings()
        self.assertEqual(len(warnings), 1, warnings)
        self.assertRegex(
            warnings[0],
            r"differs from the one this run was started with "
            r"\(.*/model/layers/\d+/name, /training/batch_size\)",
        )


class Precision(ProgramTest):
    """--precision sets the precision of a call."""

    def setUp(self):
        super().setUp()
        self.path = self.project("mnist-mlp-128", SMALL)

    def test_a_run_keeps_its_precision(self):
        run = self.folder / "run"
        self.succeed(
            "train", self.path, "--no-progress", "--run-dir", run, "--precision", "float16"
        )
        self.assertEqual(
            json.loads((run / "project.json").read_text())["execution"]["precision"], "float16"
        )
        end = json.loads((run / "events.jsonl").read_text().splitlines()[-1])
        self.assertEqual((end["event"], end["skipped_steps"]), ("end", 0))
        self.assertGreater(end["loss_scale"], 1)
        again = ("train", self.path, "--resume", run, "--no-progress", "--epochs", 3)
        self.assertNotIn("warning", self.succeed(*again, "--precision", "float16").err)
        answer = strata(*again, "--precision", "float32")
        self.assertEqual((answer.code, len(answer.err.splitlines())), (2, 1), answer)
        self.assertIn("--precision float32: contradicts --resume", answer.err)
        self.succeed("evaluate", self.path, "--weights", run, "--precision", "bfloat16")

    def test_skipped_steps_are_told(self):
        weights = json.dumps({str(i): 30000 for i in range(3)})
        answer = self.succeed(
            "train",
            self.path,
            "--no-progress",
            "--precision",
            "float16",
            "--epochs",
            12,
            "--set",
            f"/training/class_weight={weights}",
        )
        self.assertRegex(answer.out, r"Epoch 12/12: .*, \d+ steps skipped")
        self.assertRegex(answer.out, r"Skipped \d+ steps, because a gradient overflowed in float16")

    def test_activations_take_half_the_bytes(self):
        wide, low = (
            self.succeed(
                "plan",
                self.project("mnist-cnn", {}),
                "--json",
                "--precision",
                precision,
            ).json
            for precision in ("float32", "bfloat16")
        )
        activation = list(wide["by_category"]).index("activation")
        wide, low = (
            max(instant["by_category"][activation] for instant in plan["memory"]["timeline"])
            for plan in (wide, low)
        )
        self.assertLess(low, 0.6 * wide)
        for words in (["bench", "--steps", 2], ["dump", "--stage", "optimized"]):
            self.succeed(words[0], self.path, *words[1:], "--precision", "bfloat16")

    def test_precisions_that_cannot_be_used_are_refused(self):
        for command in (["train"], ["plan"], ["bench"], ["dump", "--stage", "optimized"]):
            with self.subTest(command):
                for words, text in (
                    (["--precision", "tf32"], "the precision tf32 is for NVIDIA GPUs"),
                    (["--precision", "half"], "--precision"),
                    (["--set", "/execution/precision=half"], "precision has an unknown value"),
                    (
                        [
                            "--set",
                            "/execution/loss_scale=0",
                            "--set",
                            "/execution/precision=float16",
                        ],
                        "loss_scale",
                    ),
                ):
                    answer = strata(command[0], self.path, *command[1:], *words)
                    self.assertEqual(answer.code, 2, answer)
                    self.assertIn(text, answer.err)


class Passes(ProgramTest):
    """--disable-pass disables a pass in addition to the passes that the project disables."""

    def setUp(self):
        super().setUp()
        self.path = self.project(
            "mnist-mlp-128", {**SMALL, "/execution": {"disabled_passes": ["in_place"]}}
        )

    def test_passes_are_off_for_this_call(self):
        off = ("--disable-pass", "fuse_update", "--disable-pass", "order")
        passes = {
            p["pass"]: p["disabled"]
            for p in self.succeed(
                "dump", self.path, "--stage", "optimized", "--format", "json", *off
            ).json["passes"]
        }
        self.assertEqual(
            [name for name, disabled in passes.items() if disabled],
            ["fuse_update", "order", "in_place"],
        )
        fused, apart = (
            self.succeed("plan", self.path, "--json", *words).json["memory"] for words in ((), off)
        )
        self.assertIn("matmul_adam_update", [instant["op"] for instant in fused["timeline"]])
        self.assertNotIn("matmul_adam_update", [instant["op"] for instant in apart["timeline"]])
        self.assertGreater(
            self.succeed("bench", self.path, "--json", "--steps", 1, *off).json["steps"], 0
        )

    def test_a_run_keeps_its_disabled_passes(self):
        run = self.folder / "run"
        self.succeed(
            "train",
            self.path,
            "--no-progress",
            "--run-dir",
            run,
            "--epochs",
            1,
            "--disable-pass",
            "fuse_update",
        )
        self.assertEqual(
            json.loads((run / "project.json").read_text())["execution"]["disabled_passes"],
            ["in_place", "fuse_update"],
        )
        self.assertEqual(
            json.loads(self.path.read_text())["execution"]["disabled_passes"], ["in_place"]
        )
        again = ("train", self.path, "--resume", run, "--no-progress", "--epochs", 2)
        self.assertNotIn("warning", self.succeed(*again, "--disable-pass", "fuse_update").err)
        answer = strata(*again, "--disable-pass", "order")
        self.assertEqual((answer.code, len(answer.err.splitlines())), (2, 1), answer)
        self.assertIn("--disable-pass order: contradicts --resume", answer.err)

    def test_dump_shows_each_micro_batch(self):
        cut = ("--set", "/training/gradient_accumulation_steps=3", "--batch-size", 32)
        peaks = [
            self.succeed(
                "dump", self.path, "--stage", "planned", "--format", "json", *cut, "--piece", piece
            ).json["memory"]["peak_bytes"]
            for piece in (1, 2, 3)
        ]
        self.assertEqual(
            max(peaks), self.succeed("plan", self.path, "--json", *cut).json["peak_bytes"]
        )
        self.assertLess(
            max(peaks),
            self.succeed("dump", self.path, "--stage", "planned", "--format", "json", *cut).json[
                "memory"
            ]["peak_bytes"],
        )
        answer = strata("dump", self.path, "--stage", "planned", *cut, "--piece", 4)
        self.assertEqual((answer.code, len(answer.err.splitlines())), (2, 1), answer)
        self.assertIn("--piece 4: a batch of 32 has only 3 micro-batches", answer.err)

    def test_bench_respects_a_memory_limit(self):
        self.path = self.project("mnist-resnet", {"/training/batch_size": 32})
        kept = self.succeed("bench", self.path, "--json", "--steps", 3, "--recompute", "none").json
        limit = kept["peak_bytes"] * 9 // 10
        limited = self.succeed(
            "bench", self.path, "--json", "--steps", 3, "--memory-limit", limit
        ).json
        self.assertLessEqual(limited["peak_bytes"], limit)
        self.assertEqual(limited["weights_hash"], kept["weights_hash"])

    def test_without_the_pass_nothing_is_recomputed(self):
        for how, isRefused in (("all", True), ("auto", True), ("none", False)):
            answer = strata("plan", self.path, "--disable-pass", "recompute", "--recompute", how)
            self.assertEqual(answer.code, 2 if isRefused else 0)
            self.assertEqual(
                f"--recompute {how}: needs the pass recompute, which is disabled" in answer.err,
                isRefused,
            )
        everything = self.succeed(
            "check",
            self.path,
            "--set",
            "/execution/recompute=all",
            "--set",
            '/execution/disabled_passes=["recompute"]',
        )
        self.assertIn(
            "execution: recompute has no effect, because the pass recompute is disabled",
            everything.err,
        )

    def test_an_unrecognizable_name_lists_all_passes(self):
        answer = strata("plan", self.path, "--disable-pass", "nonsense")
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("expected one of: remove_dead, ", answer.err)
        self.assertNotIn("Did you mean", answer.err)

    def test_an_unknown_name_suggests_the_nearest(self):
        for words in (["train"], ["plan"], ["bench"], ["dump", "--stage", "lowered"]):
            with self.subTest(words):
                answer = strata(words[0], self.path, *words[1:], "--disable-pass", "fuse_updates")
                self.assertEqual(
                    (answer.code, answer.out, len(answer.err.splitlines())), (2, "", 1), answer
                )
                self.assertIn('Did you mean "fuse_update"?', answer.err)


class Changes(ProgramTest):
    def test_settings_that_change_at_a_step(self):
        path, file = self.project("mnist-mlp-128", SMALL), self.folder / "events.jsonl"
        out = self.succeed(
            "train",
            path,
            "--no-progress",
            "--events",
            file,
            "--at",
            "3:learning_rate=0.5",
            "--at",
            "2:clipnorm=0.25",
        ).out
        self.assertIn("From step 3 on: learning_rate 0.5 (project)\n", out)
        settings = [
            (e["step"], e["name"], e["value"]) for e in events(file) if e["event"] == "setting"
        ]
        self.assertEqual(settings, [(2, "clipnorm", 0.25), (3, "learning_rate", 0.5)])
        self.assertEqual([e["learning_rate"] for e in events(file) if e["event"] == "step"][2], 0.5)

    def test_settings_that_cannot_change(self):
        path = self.project("mnist-mlp-128", SMALL)
        for change, named in (
            ("3:learning_rate", "expected STEP:NAME=VALUE"),
            ("0:learning_rate=1", "expected STEP:NAME=VALUE"),
            ("3:learning_rat=1", 'Did you mean "learning_rate"'),
            ("3:learning_rate=1e39", "at most"),
            ("3:learning_rate=nan", "expected STEP:NAME=VALUE"),
            ("3:learning_rate=1e999", "expected STEP:NAME=VALUE"),
            ("3:clipnorm=-1", "more than 0"),
            ("3:drop/rate=0.5", "cannot change during training"),
        ):
            with self.subTest(change):
                answer = strata("train", path, "--at", change)
                self.assertEqual((answer.code, len(answer.err.splitlines())), (2, 1), answer)
                self.assertIn(named, answer.err)


class ManyClasses(ProgramTest):
    def test_confused_classes_are_listed_if_they_are_few(self):
        # The confusion matrix of 70,000 classes would need 39 GB.
        for classes, is_listed in ((3, True), (70000, False)):
            with self.subTest(classes):
                path = self.project(
                    "mnist-mlp-128",
                    {
                        **SMALL,
                        "/data": {
                            "source": {
                                "type": "random",
                                "samples": 20,
                                "shape": [4],
                                "classes": classes,
                            }
                        },
                        "/model/layers": [
                            {"type": "Input", "name": "x", "shape": [4]},
                            {
                                "type": "Dense",
                                "name": "out",
                                "units": classes,
                                "activation": "softmax",
                            },
                        ],
                        "/training/optimizer": "sgd",
                        "/training/epochs": 1,
                    },
                )
                run = self.folder / str(classes)
                self.succeed("train", path, "--no-progress", "--run-dir", run)
                self.assertEqual(
                    "confusion_matrix"
                    in self.succeed("evaluate", path, "--weights", run, "--json").json,
                    is_listed,
                )
                self.assertEqual(
                    "precision" in self.succeed("evaluate", path, "--weights", run).out, is_listed
                )


class Find(ProgramTest):
    def test_learning_rate(self):
        path = self.project("mnist-mlp-128")
        answer = self.succeed("find", "learning-rate", path, "--json").json
        self.assertTrue(1e-7 <= answer["suggestion"] <= answer["least_loss_at"] <= 10)
        rates = [point["rate"] for point in answer["points"]]
        self.assertEqual(rates, sorted(rates))
        self.assertEqual(answer["steps"], len(rates))
        self.assertIn(
            "Suggested learning rate: ",
            self.succeed(
                "find", "learning-rate", path, "--steps", 40, "--from", "1e-6", "--to", "1"
            ).out,
        )
        self.assertFalse((self.folder / "mnist-mlp-128.runs").exists())
        # The labels of this project are random, so no rate is better than another.
        self.assertIn(
            "No suggestion: ",
            self.succeed("find", "learning-rate", self.project("mnist-mlp-128", SMALL)).out,
        )

    def test_rates_stay_below_the_limit(self):
        answer = strata(
            "find", "learning-rate", self.project("mnist-mlp-128", SMALL), "--memory-limit", "10KiB"
        )
        self.assertEqual(answer.code, 1, answer)
        self.assertIn(
            "memory_limit: the training step does not fit (expected at most 10.0 KiB", answer.err
        )

    def test_batch_size(self):
        path = self.project("mnist-mlp-128", SMALL)
        answer = self.succeed("find", "batch-size", path, "--json").json
        self.assertEqual(answer["largest_confirmed"], answer["tried"][-1]["batch_size"])
        self.assertLessEqual(answer["tried"][-1]["peak_bytes"], answer["limit_bytes"])
        self.assertIn(answer["fastest"], [tried["batch_size"] for tried in answer["tried"]])
        self.assertIn(
            "No batch size fits in 100 B",
            self.succeed("find", "batch-size", path, "--memory-limit", 100).out,
        )

    def test_wrong_usage(self):
        path = self.project("mnist-mlp-128", SMALL)
        for words in (
            ("batch", path),
            ("learning-rate",),
            ("learning-rate", path, "--from", "abc"),
            ("learning-rate", path, "--from", "1", "--to", "0.1"),
            ("learning-rate", path, "--weights", self.folder / "none"),
        ):
            with self.subTest(words):
                answer = strata("find", *words)
                self.assertEqual((answer.code, len(answer.err.splitlines())), (2, 1), answer)


class Workbench(ProgramTest):
    def test_unknown_actions(self):
        program = BIN / "strata-workbench"
        if not program.exists():
            self.skipTest("the window is not built")
        self.folder.chmod(0o700)
        env = {"QT_QPA_PLATFORM": "offscreen"}
        env |= {name: str(self.folder) for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")}
        for name in ("nonsense", "view.page0", "view.page5", ""):
            answer = strata("--trigger", name, program=program, env=env, timeout=60)
            self.assertEqual(answer.code, 2, answer)
            self.assertEqual(len(answer.err.splitlines()), 1, answer)
            self.assertIn("is not an action (expected one of ", answer.err)
            self.assertIn("view.page1", answer.err)


class Layers(ProgramTest):
    def test_everything_that_a_project_may_name_is_listed(self):
        out = self.succeed("layers").out
        answer = self.succeed("layers", "--json").json
        for group, known in (
            ("layers", "Conv2D"),
            ("losses", "huber"),
            ("optimizers", "adam"),
            ("metrics", "accuracy"),
            ("transforms", "rescale"),
            ("callbacks", "EarlyStopping"),
            ("training", "stage"),
            ("sources", "mnist"),
            ("activations", "relu"),
            ("initializers", "glorot_uniform"),
            ("regularizers", "l2"),
        ):
            with self.subTest(group):
                names = [entry["type"] for entry in answer[group]]
                self.assertIn(known, names)
                self.assertIn(f"{group}: {' '.join(names)}\n", out)
                for name in names:
                    self.assertTrue(self.succeed("layers", name).out.startswith(name + "  ("))
                    self.assertEqual(self.succeed("layers", name, "--json").json["type"], name)

    def test_choices(self):
        out = self.succeed("layers", "Conv2D").out
        self.assertRegex(out, r"padding: choice, .*\bvalid \| same\b")
        self.assertRegex(out, r"\n {2}activation: .*\brelu\b")
        self.assertRegex(out, r"\n {2}initializer: .*\bhe_normal\b")
        fields = {f["name"]: f for f in self.succeed("layers", "Conv2D", "--json").json["fields"]}
        self.assertEqual(fields["padding"]["choices"], ["valid", "same"])
        self.assertIn("relu", fields["activation"]["choices"])
        self.assertIn("he_normal", fields["kernel_initializer"]["choices"])


if __name__ == "__main__":
    main()
