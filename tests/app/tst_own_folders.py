#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that Strata writes only where it should: cache and run folders that only this user may
write, no file of the user in the way of a run, no file of a run in the way of events, and no output
in files when a standard stream is closed. Tests with another user need root."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import SHARED, STRATA, ProgramTest, events, main, strata

NOBODY = 65534
LAYERS = [
    {"type": "Input", "name": "x", "shape": [8]},
    {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
]
SMALL = {
    "/model/layers": LAYERS,
    "/data/source": {"type": "random", "samples": 40, "shape": [8], "classes": 3},
    "/data/transforms": [],
    "/data/validation_split": 0,
    "/training": {
        "loss": "sparse_categorical_crossentropy",
        "optimizer": "sgd",
        "batch_size": 4,
        "epochs": 1,
        "seed": 1,
    },
}


class OwnFolders(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.project("linear-regression", SMALL, to="net")
        self.victim = self.folder / "victim"
        self.victim.write_text("PRECIOUS\n")

    def small(self, name="net"):
        return self.project("linear-regression", SMALL, to=name)

    def refused(self, text, *words, **more):
        answer = strata(*words, **more)
        self.assertEqual(answer.code, 2, answer)
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        self.assertIn(text, answer.err)
        return answer

    def train(self, *words, steps=3, **more):
        return self.succeed("train", self.path, "--steps", steps, "--no-progress", *words, **more)


class Cache(OwnFolders):
    def planned(self, temporary):
        """Plans with the cache among temporary files, as without a home folder."""
        return subprocess.run(
            ["env", "-u", "HOME", "-u", "XDG_CACHE_HOME", f"TMPDIR={temporary}", STRATA, "plan",
             self.path, "--device", "cpu"],
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    def names(self):
        """Plans once, and returns the cached files."""
        self.assertEqual(self.planned(self.folder).returncode, 0)
        own = self.folder / f"strata-{os.geteuid()}"
        self.assertEqual(own.stat().st_mode & 0o777, 0o700)
        names = [str(p.relative_to(own)) for p in own.rglob("*") if p.is_file()]
        self.assertNotEqual(names, [])
        shutil.rmtree(own)
        return own, names

    def test_links_of_others_are_not_followed(self):
        own, names = self.names()
        for owner in (0, NOBODY) if os.geteuid() == 0 else (os.geteuid(),):
            for name in names:
                (own / name).parent.mkdir(parents=True, exist_ok=True)
                os.symlink(self.victim, own / name)
            for path in (own, *own.rglob("*")):
                os.chown(path, owner, -1, follow_symlinks=False)
                if not path.is_symlink():
                    path.chmod(0o777)
            done = self.planned(self.folder)
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(self.victim.read_text(), "PRECIOUS\n")
            if owner == NOBODY:
                self.assertEqual(done.stderr.count("belongs to another user"), 1, done)
                self.assertTrue((own / names[0]).is_symlink())
            shutil.rmtree(own)

    def test_a_link_instead_of_the_folder_is_not_used(self):
        own, _ = self.names()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        os.symlink(elsewhere, own)
        done = self.planned(self.folder)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("is a link", done.stderr)
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_an_existing_cache_of_this_user_is_used(self):
        own, names = self.names()

        def written():
            return {n: (own / n).stat().st_mtime_ns if (own / n).exists() else 0 for n in names}

        self.planned(self.folder)
        own.chmod(0o755)
        # What was measured while the machine was disturbed is not kept, but measured again.
        for _ in range(5):
            before = written()
            self.assertEqual(self.planned(self.folder).returncode, 0)
            if written() == before:
                break
        self.assertEqual(written(), before)
        self.assertTrue(all(before.values()), before)
        self.assertEqual(own.stat().st_mode & 0o777, 0o700)


class RunDirectory(OwnFolders):
    def test_its_folders_are_closed_to_others(self):
        self.train("--run-dir", self.folder / "a/run")
        self.train()
        for name in ("a/run", "a/run/checkpoints", "net.runs", "net.runs/001"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o700, name)

    def test_files_of_the_user_are_never_replaced(self):
        for name in ("project.json", "record.json", "environment.json", "choices.json",
                     "preprocessing.json", "profile.json"):  # fmt: skip
            run = self.folder / f"run-{name}"
            run.mkdir()
            (run / name).write_text(f"MY OWN {name}")
            self.refused(f"{name}: is in the way", "train", self.path, "--run-dir", run)
            self.assertEqual((run / name).read_text(), f"MY OWN {name}")
            os.remove(run / name)
            os.symlink(self.victim, run / name)
            self.refused(f"{name}: is in the way", "train", self.path, "--run-dir", run)
            self.assertTrue((run / name).is_symlink())
        for name in ("events.jsonl", "history.bin", "weights.safetensors", "best.safetensors"):
            run = self.folder / f"run-{name}"
            run.mkdir()
            (run / name).write_text("mine")
            self.refused("already contains a run", "train", self.path, "--run-dir", run)
            self.assertEqual((run / name).read_text(), "mine")

    def test_the_folder_of_the_project_keeps_it(self):
        own = self.small("project")
        before = own.read_text()
        for words in (("--run-dir", "."), ("--resume", "."), ("--resume", self.folder)):
            self.refused("is in the way", "train", "project.json", *words, "--epochs", 2,
                         cwd=self.folder)  # fmt: skip
            self.assertEqual(own.read_text(), before)

    def test_other_files_do_not_matter(self):
        run = self.folder / "run"
        run.mkdir()
        (run / "notes.txt").write_text("mine")
        self.train("--run-dir", run)
        self.assertEqual((run / "notes.txt").read_text(), "mine")

    def test_weights_that_the_run_did_not_write_stay(self):
        run = self.folder / "run"
        self.train("--run-dir", run)
        (run / "best.safetensors").write_text("mine")
        self.refused("best.safetensors: is in the way", "train", self.path, "--resume", run,
                     "--steps", 9)  # fmt: skip
        self.assertEqual((run / "best.safetensors").read_text(), "mine")

    def test_links_and_folders_of_others_are_refused(self):
        (self.folder / "elsewhere").mkdir()
        os.symlink(self.folder / "elsewhere", self.folder / "link")
        self.refused("link: is a link", "train", self.path, "--run-dir", self.folder / "link")
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])
        # Without a name, a link in place of the folder is not used, with a message
        os.symlink(self.folder / "elsewhere", self.folder / "net.runs")
        data = {"XDG_DATA_HOME": str(self.folder / "data")}
        answer = self.train(env=data)
        self.assertIn("net.runs: is a link", answer.err)
        self.assertEqual(list((self.folder / "elsewhere").iterdir()), [])
        self.assertEqual(len(list((self.folder / "data/strata/runs").glob("*/001"))), 1)
        if os.geteuid() != 0:
            self.skipTest("another user needs root")
        run = self.folder / "theirs"
        self.train("--run-dir", run)
        for path in (run, *run.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        for words in (("--resume", run), ("--run-dir", run)):
            self.refused("theirs: belongs to another user", "train", self.path, *words)
        # Reading it is harmless
        self.succeed("evaluate", self.path, "--weights", run)

    def test_a_run_in_a_folder_that_all_may_write_is_closed(self):
        run = self.folder / "run"
        self.train("--run-dir", run)
        run.chmod(0o777)
        self.train("--resume", run, steps=5)
        self.assertEqual(run.stat().st_mode & 0o777, 0o755)


class Events(OwnFolders):
    def test_files_that_are_not_events_are_never_replaced(self):
        run = self.folder / "run"
        self.train("--run-dir", run)
        kept = {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        os.link(run / "events.jsonl", self.folder / "hard.jsonl")
        os.symlink(run / "events.jsonl", self.folder / "soft.jsonl")
        os.symlink(self.path, self.folder / "project-link.jsonl")
        os.symlink(run, self.folder / "other-name")
        os.link(run / "lock", self.folder / "empty.jsonl")
        targets = [
            self.path, self.victim, run / "project.json", run / "events.jsonl", run / "lock",
            run / "history.bin", run / "weights.safetensors", run / "preprocessing.json",
            self.folder / "hard.jsonl", self.folder / "soft.jsonl",
            self.folder / "project-link.jsonl", self.folder / "other-name/events.jsonl",
            self.folder / "." / "run" / "." / "events.jsonl", self.folder / "empty.jsonl",
        ]  # fmt: skip
        for target in targets:
            for words in (("--resume", run), ("--run-dir", self.folder / "new")):
                with self.subTest(target=target, words=words):
                    answer = strata("train", self.path, *words, "--steps", 9, "--events", target)
                    self.assertEqual(answer.code, 2, answer)
                    self.assertRegex(answer.err, "Name a new file")
                    self.assertFalse((self.folder / "new").exists())
        for path, content in kept.items():
            self.assertEqual(path.read_bytes(), content, path)
        self.assertFalse((run / "preprocessing.json").exists())

    def test_a_link_to_a_file_that_the_run_will_make(self):
        os.symlink(self.folder / "new/history.bin", self.folder / "dangling.jsonl")
        self.refused("is a file of a run", "train", self.path, "--run-dir", self.folder / "new",
                     "--events", self.folder / "dangling.jsonl")  # fmt: skip
        self.assertFalse((self.folder / "new").exists())

    def test_the_files_of_a_run_that_begins(self):
        run = self.folder / "run"
        run.mkdir()
        for name in ("lock", "events.jsonl", "history.bin", "checkpoints"):
            self.refused("is a file of a run", "train", self.path, "--run-dir", run, "--events",
                         run / name)  # fmt: skip
        self.assertEqual(list(run.iterdir()), [])

    def test_files_of_events_are_replaced(self):
        log = self.folder / "log.jsonl"
        for number in range(2):
            self.train("--run-dir", self.folder / f"run{number}", "--events", log)
            self.assertEqual([e["event"] for e in events(log)].count("start"), 1)
        os.symlink(log, self.folder / "link.jsonl")
        self.train("--run-dir", self.folder / "run2", "--events", self.folder / "link.jsonl")
        self.assertEqual([e["event"] for e in events(log)].count("start"), 1)
        self.train("--run-dir", self.folder / "run3", "--events", "/dev/null")


    @unittest.skipUnless(os.geteuid() == 0, "skipped: another user needs root")
    def test_links_of_others_in_open_folders_are_not_followed(self):
        log, shared = self.folder / "log.jsonl", self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o1777)
        for name, target in (("new", self.folder / "new.jsonl"), ("old", log)):
            log.write_text('{"event":"precious"}\n')
            os.symlink(target, shared / name)
            os.chown(shared / name, NOBODY, -1, follow_symlinks=False)
            self.refused("is a link of another user", "train", self.path, "--run-dir",
                         self.folder / name, "--events", shared / name)  # fmt: skip
            self.assertFalse((self.folder / "new.jsonl").exists())
            self.assertIn("precious", log.read_text())


class Exports(OwnFolders):
    def test_files_of_runs_are_never_replaced(self):
        run, other = self.folder / "run", self.folder / "other"
        self.train("--run-dir", run, "--profile", steps=30)
        self.train("--run-dir", other)
        os.symlink(other / "record.json", self.folder / "link.json")
        os.symlink(other, self.folder / "other-name")
        kept = {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        checkpoint = next(p for p in (other / "checkpoints").iterdir())
        for option, names in (
            ("--trace", [self.folder / "link.json", self.folder / "other-name/profile.json"]),
            ("--csv", [other / "weights.safetensors", other / "project.json", checkpoint]),
        ):
            for target in (*names, self.path, self.victim):
                self.refused("Name a new file", "profile", run, option, target)
        for target in (other / "weights.safetensors", other / "best.safetensors", checkpoint):
            self.refused("Name a new file", "export", self.path, "--weights", run, "--to", target)
            self.refused("Name a new file", "import", run, "-o", target)
        self.refused("Name a new file", "import", run, "-o", other / "project.json")
        for path, content in kept.items():
            self.assertEqual(path.read_bytes(), content, path)
        # Exports of the same kind are replaced, also in the folder of a run
        for target in (self.folder / "kernels", run / "kernels"):
            for option in ("--trace", "--csv"):
                for _ in range(2):
                    self.succeed("profile", run, option, f"{target}{option}")


class ClosedStreams(OwnFolders):
    def test_output_never_goes_to_files_of_the_run(self):
        for number, closed in enumerate(("<&- >&-", ">&-", "<&- >&- 2>&-", "2>&-", "<&-")):
            with self.subTest(closed):
                run = self.folder / f"run{number}"
                done = subprocess.run(
                    ["sh", "-c", f'exec "$0" train "$1" --steps 5 --run-dir "$2" {closed}', STRATA,
                     self.path, run],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
                )  # fmt: skip
                self.assertEqual(done.returncode, 0)
                for line in (run / "events.jsonl").read_text().splitlines():
                    self.assertIn("event", json.loads(line))
                self.assertEqual((run / "lock").read_bytes(), b"")
                self.assertTrue((run / "weights.safetensors").is_file())


@unittest.skipUnless((SHARED / "cases/attack").is_dir(), "no cases of attacks: set STRATA_SHARED")
class Cases(ProgramTest):
    """The scripts of the shared folder find nothing."""

    def case(self, name):
        script = pathlib.Path(SHARED) / "cases/attack" / name / "repro.sh"
        return subprocess.run(
            ["bash", script], capture_output=True, text=True,
            env={**os.environ, "STRATA": str(STRATA), "GOLDEN": str(SHARED / "golden")},
            errors="replace", timeout=300,
        ).stdout  # fmt: skip

    def test_runs_over_files(self):
        out = self.case("02-run-dir-over-own-files")
        self.assertIn("project untouched", out)
        self.assertEqual(out.count("u/"), 4, out)

    def test_closed_output(self):
        out = self.case("03-closed-output-into-run-files")
        self.assertIn("not JSON: 0", out)
        self.assertIn("bytes in lock: 0", out)

    def test_terminal_codes(self):
        self.assertIn(
            "lines with a raw escape character: 0", self.case("09-terminal-codes")
        )

    def test_raw_exceptions(self):
        self.assertEqual(self.case("10-verify-raw-exceptions"), "")


if __name__ == "__main__":
    main()
