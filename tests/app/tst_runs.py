#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `strata runs`: the list, notes, comparison, deletion with undo, and rules of retention. A
run must be whole among the runs or whole in the trash, whatever happens. STRATA_DELETES sets the
number of deletions that are undone (100 by default), STRATA_KILLS the number of kills (40)."""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time

from program import STRATA, Answer, ProgramTest, main, strata
from tst_bad_input import MOUNTED, namespace

DELETES = int(os.environ.get("STRATA_DELETES", "100"))
KILLS = int(os.environ.get("STRATA_KILLS", "40"))
SEED = int(os.environ.get("STRATA_SEED", time.time_ns() % 10**6))
SMALL = {
    "/model/layers": [
        {"type": "Input", "name": "x", "shape": [8]},
        {"type": "Dense", "name": "hidden", "units": 6, "activation": "tanh"},
        {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"},
    ],
    "/data/source": {"type": "random", "samples": 60, "shape": [8], "classes": 3, "seed": 3},
    "/data/transforms": [],
    "/data/validation_split": 0.2,
    "/training": {
        "loss": "sparse_categorical_crossentropy",
        "metrics": ["accuracy"],
        "optimizer": {"type": "sgd", "learning_rate": 0.1},
        "batch_size": 12,
        "epochs": 2,
        "seed": 1,
    },
}


def state(folder):
    """Returns everything about the files of a folder: kind, mode, time and content of each."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path.relative_to(folder))] = (
            status.st_mode,
            status.st_mtime_ns,
            status.st_uid,
            hashlib.sha256(content).hexdigest(),
            os.readlink(path) if path.is_symlink() else None,
        )
    return found


class Runs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.project("mnist-cnn", SMALL, to="net")
        self.runs = self.folder / "net.runs"

    def train(self, *words):
        self.succeed("train", self.path, "--no-progress", "--threads", 1, *words)

    def list(self, *words):
        return self.succeed("runs", self.path, "--json", *words).json

    def numbers(self, *words):
        return [run["number"] for run in self.list(*words)["runs"]]

    def refused(self, text, *words):
        answer = strata("runs", *words)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn(text, answer.err)
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        return answer


class List(Runs):
    def test_columns_order_and_filter(self):
        self.train()
        self.train("--batch-size", 6, "--epochs", 3)
        self.train("--set", '/training/optimizer/learning_rate=0.01')
        table = self.list()
        self.assertEqual([run["number"] for run in table["runs"]], [3, 2, 1])
        kinds = {column["id"]: column["kind"] for column in table["columns"]}
        self.assertEqual(kinds["number"], "number")
        self.assertEqual(kinds["started"], "time")
        self.assertEqual(kinds["disk_bytes"], "bytes")
        directions = {column["id"]: column["direction"] for column in table["columns"]}
        self.assertEqual(directions["best_val_accuracy"], "up")
        self.assertEqual(directions["val_loss"], "down")
        run = table["runs"][1]
        self.assertEqual((run["status"], run["batch_size"], run["epochs"]), ("finished", 6, 3))
        self.assertEqual(run["parameters"], 8 * 6 + 6 + 6 * 3 + 3)
        files = [p for p in (self.runs / "002").rglob("*") if p.is_file()]
        self.assertEqual(run["disk_bytes"], sum(p.stat().st_size for p in files))
        losses = [run["best_val_loss"] for run in self.list("--sort", "best_val_loss")["runs"]]
        self.assertEqual(losses, sorted(losses))
        self.assertEqual(self.numbers("--filter", "/training/batch_size<12"), [2])
        self.assertEqual(self.numbers("--filter", "status=finished epochs=2"), [3, 1])
        rates = self.list("--columns", "number,learning_rate", "--sort", "learning_rate")["runs"]
        self.assertEqual([r["/training/optimizer/learning_rate"] for r in rates], [0.1, 0.1, 0.01])
        differing = {c["id"] for c in self.list("--settings", "--columns", "number")["columns"]}
        self.assertEqual(
            differing,
            {"number", "/training/batch_size", "/training/epochs",
             "/training/optimizer/learning_rate"},
        )  # fmt: skip
        self.refused("is no column", self.path, "--sort", "best_val_acuracy")
        self.refused("number", self.path, "--filter", "epochs=many")

    def test_all_projects_of_a_folder(self):
        self.train()
        projects = self.succeed("runs", "--json", cwd=self.folder).json["projects"]
        self.assertEqual([each["project"] for each in projects], ["net.json"])
        self.assertIn("finished", self.succeed("runs", cwd=self.folder).out)

    def test_500_runs_are_fast(self):
        self.train("--epochs", 20)
        for number in range(2, 501):
            shutil.copytree(self.runs / "001", self.runs / f"{number:03}")
        self.list()
        fastest = min(self.succeed("runs", self.path, "--json").seconds for _ in range(3))
        print(f"500 runs in {fastest:.2f} s", flush=True)
        self.assertEqual(len(self.numbers()), 500)
        # Other programs may need the processor, so the limit is generous
        self.assertLess(fastest, 5)

    def test_descent(self):
        self.train()
        self.train("--set", '/training/initial_weights="net.runs/001"')
        second, first = self.list()["runs"]
        self.assertEqual(second["starts_from"], str(self.runs / "001"))
        self.assertEqual(first["started_runs"], [str(self.runs / "002")])

    def test_what_began_a_run_is_noted(self):
        git = self.folder / ".git"
        (git / "refs/heads").mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "refs/heads/main").write_text("ab" * 20 + "\n")
        self.train("--epochs", 1, "--set", '/notes="größer"')
        file = self.runs / "001/environment.json"
        first = json.loads(file.read_text())
        self.assertEqual((first["commit"], first["branch"]), ("ab" * 20, "main"))
        self.assertEqual(first["command"][1:3], ["train", str(self.path)])
        self.assertIn('/notes="größer"', first["command"])
        self.assertIn("kernel", first["versions"])
        (git / "refs/heads/main").write_text("cd" * 20 + "\n")
        time.sleep(1.1)
        self.train("--resume", "latest", "--epochs", 2)
        again = json.loads(file.read_text())
        for name in ("commit", "command", "started"):
            self.assertEqual(again[name], first[name])
        answer = strata("train", self.path, "--steps", 1, "--no-progress",
                        *["--set", f'/notes="{"x" * 9000}"'] * 2)  # fmt: skip
        self.assertEqual(answer.code, 0, answer)
        cut = json.loads((self.runs / "002/environment.json").read_text())["command"]
        self.assertEqual(cut[-1], "...")

    def test_damaged_files_do_not_hide_a_run(self):
        self.train()
        self.train()
        for name in ("events.jsonl", "environment.json", "record.json", "notes.json"):
            (self.runs / "002" / name).write_bytes(b"\xff{" * 50)
        (self.runs / "001" / "project.json").write_text("{")
        self.assertEqual(self.numbers(), [2, 1])


class Notes(Runs):
    def test_notes_are_kept_while_a_run_trains_and_continues(self):
        self.train("--epochs", 2)
        whole = self.runs / "001/weights.safetensors"
        self.train("--epochs", 1)
        run = self.runs / "002"
        self.succeed("runs", "notes", run, "--title", "größer", "--tag", "a", "--tag", "b",
                     "--text", "one\ntwo", "--archive")  # fmt: skip
        self.train("--resume", run, "--epochs", 2)
        self.assertEqual((run / "weights.safetensors").read_bytes(), whole.read_bytes())
        self.assertEqual(self.numbers(), [1])
        row = self.list("--all")["runs"][0]
        self.assertEqual((row["title"], row["tags"], row["notes"], row["archived"]),
                         ("größer", ["a", "b"], "one\ntwo", True))  # fmt: skip
        notes = json.loads((run / "notes.json").read_text())
        notes["of_a_later_version"] = [1, {"x": None}]
        (run / "notes.json").write_text(json.dumps(notes))
        self.succeed("runs", "notes", self.path, 2, "--remove-tag", "a", "--unarchive", "--keep")
        kept = json.loads((run / "notes.json").read_text())
        self.assertEqual(kept["of_a_later_version"], [1, {"x": None}])
        self.assertEqual((kept["tags"], kept["archived"], kept["keep"]), (["b"], False, True))

    def test_wrong_notes(self):
        self.train()
        run = self.runs / "001"
        self.refused("too long", "notes", run, "--title", "x" * 500)
        self.refused("control character", "notes", run, "--tag", "a\nb")
        self.assertFalse((run / "notes.json").exists())
        good = {"format": "strata-run-notes", "version": 1}
        for wrong in (
            "", "[]", "null", "{", '{"format": "other"}', '{"format":"strata-run-notes"}',
            json.dumps({**good, "version": 2}), json.dumps({**good, "title": 5}),
            json.dumps({**good, "title": "x" * 5000}), json.dumps({**good, "tags": "x"}),
            json.dumps({**good, "tags": [1]}), json.dumps({**good, "tags": ["x"] * 3 + [""]}),
            json.dumps({**good, "archived": "yes"}), json.dumps({**good, "title": "\x1b[2J"}),
            "[" * 200, json.dumps({**good, "text": "x" * 2**21}),
        ):  # fmt: skip
            (run / "notes.json").write_text(wrong)
            self.refused("notes.json", "notes", run, "--title", "mine")
            self.assertEqual((run / "notes.json").read_text(), wrong)
            self.assertEqual(self.numbers(), [1])
        (run / "notes.json").unlink()
        os.symlink(self.path, run / "notes.json")
        self.refused("is a link", "notes", run, "--title", "mine")


class Compare(Runs):
    def test_settings_layers_and_results(self):
        self.train()
        layers = [dict(layer) for layer in SMALL["/model/layers"]]
        layers[1]["units"] = 9
        layers.insert(2, {"type": "Dropout", "name": "drop", "rate": 0.1})
        changed = {**SMALL, "/model/layers": layers}
        # The default is no difference
        changed["/training"] = {**SMALL["/training"], "batch_size": 6, "shuffle": True}
        self.path = self.project("mnist-cnn", changed, to="net")
        self.train()
        answer = self.succeed("runs", "compare", self.path, 1, 2, "--json").json
        settings = {each["pointer"]: each["values"] for each in answer["settings"]}
        self.assertEqual(settings, {"/training/batch_size": [12, 6]})
        found = {each["layer"]: each for each in answer["layers"]}
        self.assertEqual(found["drop"]["changes"], ["same", "added"])
        self.assertEqual(found["hidden"]["fields"], [{"pointer": "/units", "values": [6, 9]}])
        self.assertEqual(set(found), {"hidden", "drop", "out"})
        results = {each["id"]: each for each in answer["results"]}
        self.assertEqual(results["parameters"]["values"], [75, 8 * 9 + 9 + 27 + 3])
        losses = results["best_val_loss"]["values"]
        self.assertEqual(results["best_val_loss"]["best"], losses.index(min(losses)))
        self.assertIn("/training/batch_size", self.succeed("runs", "compare", self.path, "1-2").out)
        self.refused("named twice", "compare", self.path, 1, 1)
        self.refused("at least 2", "compare", self.path, 1)

    def test_runs_are_evaluated_on_the_same_samples(self):
        self.train()
        changed = {**SMALL, "/training": {**SMALL["/training"], "epochs": 8, "seed": 5}}
        layers = [dict(layer) for layer in SMALL["/model/layers"]]
        layers[1]["units"] = 12
        changed["/model/layers"] = layers
        self.project("mnist-cnn", changed, to="net")
        self.train()
        # A run whose network takes other samples
        layers[0]["shape"] = [5]
        changed["/data/source"] = {**SMALL["/data/source"], "shape": [5]}
        self.project("mnist-cnn", changed, to="net")
        self.train()
        # The samples are those of the open project
        self.project("mnist-cnn", SMALL, to="net")
        answer = self.succeed(
            "runs", "compare", self.path, "1-3", "--evaluate", "validation", "--json"
        ).json["evaluation"]
        self.assertEqual((answer["split"], answer["samples"]), ("validation", 12))
        first, second, third = answer["runs"]
        # The figures of `strata evaluate` for the same design, weights and data
        alone = self.succeed(
            "evaluate", self.path, "--weights", self.runs / "001", "--split", "validation", "--json"
        ).json
        self.assertEqual(first["loss"], alone["loss"])
        self.assertEqual(first["metrics"], alone["metrics"])
        self.assertFalse(first["may_have_seen"])
        # The second run had another seed, so another split
        self.assertTrue(second["may_have_seen"])
        self.assertIn("shape", third["problem"])
        self.assertEqual(answer["agreement"].keys(), {"unknown"})
        words = ("runs", "compare", self.path, 1, 2, "--evaluate", "validation")
        agreement = self.succeed(*words, "--json").json["evaluation"]["agreement"]
        self.assertEqual(sum(agreement.values()), 12)
        for run, mine in ((first, "only_first"), (second, "only_second")):
            right = agreement["both"] + agreement[mine]
            self.assertAlmostEqual(right / 12, run["metrics"]["accuracy"], places=6)
        answer = self.succeed(*words)
        self.assertIn("On the same 12 samples (validation)", answer.out)
        self.assertIn(f"by both: {agreement['both']}", answer.out)
        self.assertIn("may have been trained on some of these samples", answer.err)
        self.refused("not in {test", "compare", self.path, 1, 2, "--evaluate", "nothing")

    def test_a_run_without_its_project_equals_no_other(self):
        self.train()
        self.train()
        (self.runs / "002/project.json").write_bytes(b"\xff{\x00" * 50)
        unknown = "002/project.json: is damaged, so the settings and the design of the run are"
        for words in ((2, 1), (1, 2)):
            answer = self.succeed("runs", "compare", self.path, *words)
            self.assertNotIn("are equal.", answer.out)
            self.assertIn("is unknown", answer.out)
            self.assertIn(unknown, answer.err)
            compared = self.succeed("runs", "compare", self.path, *words, "--json").json
            self.assertIsNone(compared["equal"])
        shown = self.succeed("runs", "show", self.path, 2)
        self.assertIn(unknown, shown.err)
        self.assertEqual(len(shown.err.splitlines()), 1)
        damaged, whole = (run["problems"] for run in self.list()["runs"])
        self.assertIn(unknown, damaged[0])
        self.assertEqual(whole, [])

    def test_same_file(self):
        rows = "".join(f"{i % 7},{i % 5},{'ab'[i % 2]}\n" for i in range(60))
        (self.folder / "table.csv").write_text("p,q,kind\n" + rows)
        table = {**SMALL, "/data/source": {"type": "csv", "path": "table.csv"}}
        table["/model/layers"] = [
            {"type": "Input", "name": "x", "shape": [2]},
            {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"},
        ]
        self.project("mnist-cnn", table, to="net")
        # A relative path starts at the project
        document = json.loads(self.path.read_text())
        document["data"]["source"]["path"] = "table.csv"
        self.path.write_text(json.dumps(document))
        for _ in range(2):
            self.train()

        def seen(*runs):
            words = ("compare", *runs, "--evaluate", "validation", "--json")
            answer = self.succeed("runs", *words).json["evaluation"]
            return [run["may_have_seen"] for run in answer["runs"]]

        self.assertEqual(seen(self.path, "1-2"), [False, False])
        # The same name in another folder is another file
        other = self.folder / "other"
        other.mkdir()
        shutil.copy(self.folder / "table.csv", other)
        shutil.copy(self.path, other / "net.json")
        self.succeed("train", other / "net.json", "--no-progress", "--threads", 1)
        self.assertEqual(seen(other / "net.json", 1, self.runs / "001"), [False, True])


class Delete(Runs):
    def test_refused(self):
        self.train()
        self.train("--set", '/training/initial_weights="net.runs/001"')
        (self.folder / "empty").mkdir()
        os.symlink(self.runs / "002", self.folder / "link")
        before = state(self.folder)
        self.refused("002 starts", "delete", self.path, 1, "--yes")
        self.refused("not a run directory", "delete", self.folder / "empty", "--yes")
        self.refused("is a link", "delete", self.folder / "link", "--yes")
        self.refused("does not exist", "delete", self.folder / "absent", "--yes")
        self.refused("has no run 7", "delete", self.path, 7, "--yes")
        self.refused("number without a project", "delete", 7, "--yes")
        self.refused("expected the number", "delete", self.path, "--yes")
        self.refused("Add --yes", "delete", self.path, 2)
        self.assertEqual(state(self.folder), before)
        # Both together, in either order
        self.succeed("runs", "delete", self.path, "1-2", "--yes")
        self.assertEqual(self.numbers(), [])
        self.assertEqual(strata("runs", "restore", self.path, "--all").code, 0)

    def test_a_run_that_trains_stays(self):
        process = subprocess.Popen(
            [str(STRATA), "train", str(self.path), "--no-progress", "--epochs", "1000000"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + 60
            while not list(self.runs.glob("001/checkpoints/*.safetensors")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            self.assertEqual(self.list()["runs"][0]["status"], "running")
            self.refused("is training", "delete", self.path, 1, "--yes")
            self.train()
            self.succeed("runs", "notes", self.path, 1, "--title", "running")
            self.succeed("runs", "delete", self.path, 2, "--yes")
            self.assertIsNone(process.poll())
        finally:
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual(self.list()["runs"][0]["title"], "running")
        self.succeed("runs", "delete", self.path, 1, "--yes")

    def test_numbers_in_the_trash_are_not_used_again(self):
        self.train()
        self.train()
        before = state(self.runs / "002")
        self.succeed("runs", "delete", self.path, 2, "--yes")
        self.train()
        self.assertEqual(self.numbers(), [3, 1])
        self.succeed("runs", "restore", self.path, 2)
        self.assertEqual(self.numbers(), [3, 2, 1])
        self.assertEqual(state(self.runs / "002"), before)
        self.assertEqual((self.runs / ".trash").stat().st_mode & 0o777, 0o700)

    def test_deletes_and_restores_byte_for_byte(self):
        for _ in range(3):
            self.train()
        (self.runs / "002").chmod(0o775)
        os.symlink("elsewhere", self.runs / "002/own-link")
        before = {run: state(self.runs / run) for run in ("001", "002", "003")}
        moments = random.Random(SEED)
        for _ in range(DELETES):
            chosen = sorted(moments.sample([1, 2, 3], moments.randint(1, 3)))
            self.succeed("runs", "delete", self.path, *chosen, "--yes")
            self.assertEqual(self.numbers(), [n for n in (3, 2, 1) if n not in chosen])
            self.succeed("runs", "restore", self.path, *chosen)
            for run, wanted in before.items():
                self.assertEqual(state(self.runs / run), wanted, f"seed {SEED}")
        self.assertEqual(list((self.runs / ".trash").iterdir()), [])

    def moved(self):
        """Makes a run that went on in another folder, as after a full disk."""
        self.train("--epochs", 1)
        elsewhere = self.folder / "elsewhere/001"
        shutil.copytree(self.runs / "001", elsewhere)
        self.train("--resume", elsewhere, "--epochs", 2)
        (elsewhere / "identity.json").write_text('{"id": "7-7"}')
        (self.runs / "001/moved.json").write_text(json.dumps({"to": str(elsewhere), "id": "7-7"}))
        return elsewhere

    def test_a_run_that_went_on_elsewhere(self):
        elsewhere = self.moved()
        run = self.list()["runs"][0]
        self.assertEqual((run["directory"], run["epochs"]), (str(elsewhere), 2))
        before = state(self.runs / "001"), state(elsewhere)
        self.succeed("runs", "delete", self.path, 1, "--yes")
        self.assertFalse(elsewhere.exists())
        self.assertEqual(self.numbers(), [])
        trash = elsewhere.parent / ".strata-trash"
        self.assertEqual(trash.stat().st_mode & 0o777, 0o700)
        self.succeed("runs", "restore", self.runs / "001")
        self.assertEqual((state(self.runs / "001"), state(elsewhere)), before)
        self.assertFalse(trash.exists())
        # A disk that is not there
        self.succeed("runs", "delete", self.path, 1, "--yes")
        elsewhere.parent.rename(self.folder / "unmounted")
        self.assertEqual(strata("runs", "restore", self.path, 1).code, 1)
        self.assertEqual(strata("runs", "empty", self.path, "--yes").code, 1)
        (self.folder / "unmounted").rename(elsewhere.parent)
        self.succeed("runs", "restore", self.path, 1)
        self.assertEqual((state(self.runs / "001"), state(elsewhere)), before)
        self.succeed("runs", "delete", self.path, 1, "--yes")
        self.succeed("runs", "empty", self.path, "--yes")
        self.assertEqual(list(elsewhere.parent.iterdir()), [])

    def test_emptying(self):
        for _ in range(3):
            self.train()
        self.succeed("runs", "delete", self.path, 1, 2, "--yes")
        self.refused("Add --yes", "empty", self.path)
        # A directory chooses a run, as a number does
        answer = self.succeed("runs", "empty", self.path, self.runs / "001", 1, "--yes", "--json")
        self.assertEqual(len(answer.json["removed"]), 1)
        self.assertEqual([each["run"] for each in self.list()["trash"]], [str(self.runs / "002")])
        self.succeed("runs", "empty", self.path, "--yes")
        self.assertEqual(list((self.runs / ".trash").iterdir()), [])
        self.assertIn("empty", self.succeed("runs", "restore", self.path).out)

    def test_kills(self):
        """A killed process leaves each run whole, and the next call completes its work."""
        elsewhere = self.moved()
        for _ in range(3):
            self.train()
        before = {f"00{i}": state(self.runs / f"00{i}") for i in (1, 2, 3, 4)}
        other = state(elsewhere)
        moments = random.Random(SEED)
        seconds = strata("runs", "delete", self.path, "1-4", "--yes").seconds
        self.succeed("runs", "restore", self.path, "--all")
        halves = 0
        for _ in range(KILLS):
            for words in (("delete", self.path, "1-4", "--yes"), ("restore", self.path, "--all")):
                process = subprocess.Popen(
                    [str(STRATA), "runs", *map(str, words)], stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
                time.sleep(moments.uniform(0, 1.2 * seconds))
                process.kill()
                process.wait()
                table = self.list()
                listed = {f"{run['number']:03}" for run in table["runs"]}
                deleted = {os.path.basename(each["run"]) for each in table["trash"]}
                self.assertEqual(listed | deleted, set(before), f"seed {SEED}")
                self.assertEqual(listed & deleted, set(), f"seed {SEED}")
                halves += 0 < len(listed) < 4
                for run in listed:
                    self.assertEqual(state(self.runs / run), before[run])
                self.assertEqual(elsewhere.exists(), "001" in listed)
            strata("runs", "restore", self.path, "--all")
            self.assertEqual({f"00{i}": state(self.runs / f"00{i}") for i in (1, 2, 3, 4)}, before)
            self.assertEqual(state(elsewhere), other)
        print(f"{2 * KILLS} kills, {halves} in the middle, seed {SEED}", flush=True)
        self.assertEqual([p.name for p in self.runs.rglob("*.tmp")], [])

    def test_two_processes_at_once(self):
        for _ in range(4):
            self.train()
        before = {f"00{i}": state(self.runs / f"00{i}") for i in (1, 2, 3, 4)}
        for _ in range(10):
            for command in (["delete", str(self.path), "1-4", "--yes"],
                            ["restore", str(self.path), "--all"]):  # fmt: skip
                both = [subprocess.Popen([str(STRATA), "runs", *command],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                        for _ in range(2)]  # fmt: skip
                for each in both:
                    self.assertIn(each.wait(timeout=60), (0, 2))
            self.assertEqual({f"00{i}": state(self.runs / f"00{i}") for i in (1, 2, 3, 4)}, before)

    def test_hostile_trash(self):
        self.train()
        self.train()
        self.succeed("runs", "delete", self.path, 2, "--yes")
        trash = self.runs / ".trash"
        slot = next(p.name for p in trash.iterdir() if p.is_dir())
        record = trash / f"{slot}.json"
        for wrong in (b"", b"{", b"[]", b'{"format":"strata-deleted-run","title":7,"bytes":-1}',
                      b"\xff" * 99, b"x" * 10**6):  # fmt: skip
            record.write_bytes(wrong)
            self.assertEqual(self.list()["trash"][0]["run"], str(self.runs / "002"))
        for name in ("...0123abcd-0123", "9.0123abcd-012x", ".0123abcd-0123", "7.json", "x.gone",
                     "7.0123abcd-0123.part1", "99999999999.0123abcd-0123"):  # fmt: skip
            (trash / name).mkdir()
        victim = self.folder / "victim"
        victim.mkdir()
        (victim / "identity.json").write_text('{"id": "other"}')
        os.symlink(victim, trash / "5.0123abcd-0123")
        (trash / f"{slot}/moved.json").write_text(
            json.dumps({"to": str(victim), "id": "guessed"})
        )
        self.list()
        self.succeed("runs", "restore", self.path, 2)
        self.assertEqual(self.numbers(), [2, 1])
        self.assertEqual([p.name for p in victim.iterdir()], ["identity.json"])
        # Any number in the trash counts as used
        self.train()
        self.assertEqual(self.numbers(), [10, 2, 1])
        shutil.rmtree(trash)
        os.symlink(victim, trash)
        self.refused("is a link", "delete", self.path, 2, "--yes")
        self.assertEqual([p.name for p in victim.iterdir()], ["identity.json"])

    def test_a_full_disk_loses_nothing(self):
        words = namespace()
        if words is None:
            self.skipTest("no right to mount a small file system here")
        self.train()
        self.train()
        place, first, after = (self.folder / name for name in ("disk", "first", "after"))
        for folder in (place, first):
            folder.mkdir()
        shutil.copy(self.path, first)
        shutil.copytree(self.runs, first / "net.runs")
        used = sum(p.stat().st_size // 4096 + 1 for p in first.rglob("*")) + 1
        wanted = {run: state(first / "net.runs" / run) for run in ("001", "002")}
        # Fills the disk, so that not even an empty file can be made
        fill = 'dd if=/dev/zero of="$PWD/filler" bs=4096 2>/dev/null; exec "$@"'
        codes = []
        for has_trash in (False, True):
            if has_trash:
                (first / "net.runs/.trash").mkdir(mode=0o700)
            for size in range(used, used + 6):
                shutil.rmtree(after, ignore_errors=True)
                after.mkdir()
                command = [*words, "sh", "-c", MOUNTED, "sh", f"{4 * size}k", place, first, after,
                           "full", "sh", "-c", f'cd "{place}" && {fill}', "sh", STRATA, "runs",
                           "delete", place / "net.json", 2, "--yes"]  # fmt: skip
                done = subprocess.run([*map(str, command)], capture_output=True, text=True)
                if done.returncode == 99:
                    continue
                codes.append(done.returncode)
                runs = after / "net.runs"
                self.assertEqual(state(runs / "001"), wanted["001"])
                places = [runs / "002", *(runs / ".trash").glob("002.*-????")]
                found = [state(p) for p in places if p.exists()]
                self.assertEqual(found, [wanted["002"]], Answer(done, 0))
        print(f"exit codes: {codes}", flush=True)
        self.assertGreater(len(codes), 0)
        self.assertLessEqual(set(codes), {0, 1})


class Clean(Runs):
    def test_rules(self):
        for _ in range(6):
            self.train()
        self.train("--set", '/training/initial_weights="net.runs/002"')
        self.succeed("runs", "notes", self.path, 3, "--keep")
        plan = strata("runs", "clean", self.path, "--keep-last", 2, "--json")
        self.assertEqual(plan.code, 2, plan)
        going = [os.path.basename(each["run"]) for each in plan.json["going"]]
        reasons = {os.path.basename(e["run"]): e["reason"] for e in plan.json["staying"]}
        self.assertEqual(reasons["007"], "is the last run")
        self.assertEqual(reasons["003"], "is marked as kept")
        self.assertIn("start of a run", reasons["002"])
        self.assertEqual(plan.json["going_bytes"], sum(e["bytes"] for e in plan.json["going"]))
        self.assertEqual(self.numbers(), [7, 6, 5, 4, 3, 2, 1])
        self.succeed("runs", "clean", self.path, "--keep-last", 2, "--yes")
        self.assertEqual(set(self.numbers()), set(range(1, 8)) - {int(n) for n in going})
        self.refused("no rule", "clean", self.path)
        self.refused("direction", "clean", self.path, "--keep-best", 1, "--metric", "epochs")
        self.refused("no numbers", "clean", self.path, "--keep-best", 1, "--metric", "status")


if __name__ == "__main__":
    main()
