#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `strata runs report`: one HTML file that loads nothing, in which foreign names stay text.
A killed process or a full disk leaves no half file under the name of the report. STRATA_KILLS sets
the number of kills (20 by default)."""
import base64
import html.parser
import os
import random
import signal
import subprocess
import time

from program import STRATA, Answer, main
from tst_bad_input import MOUNTED, namespace
from tst_runs import Runs

KILLS = int(os.environ.get("STRATA_KILLS", "20"))
HOSTILE = "</title><script>alert(1)</script><img src=x onerror=a()>"


class Page(html.parser.HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.attributes = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words += data


class Report(Runs):
    def report(self, *words):
        target = self.folder / "report.html"
        self.succeed("runs", "report", *words, "--out", target)
        return Page(target.read_text(encoding="utf-8"))

    def test_one_file_that_loads_nothing(self):
        self.train("--set", f"/name={HOSTILE}")
        self.succeed("runs", "notes", self.path, 1, "--title", HOSTILE, "--text", HOSTILE)
        page = self.report(self.path, 1, "--evaluate", "validation")
        allowed = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "br", "table"}
        self.assertEqual(set(page.tags) - allowed, {"tr", "th", "td", "img"})
        for name, value in page.attributes:
            self.assertFalse(name.startswith("on"), name)
            self.assertNotIn(name, ("href", "srcset"))
            if name == "src":
                self.assertTrue(value.startswith("data:image/svg+xml;base64,"), value[:60])
        self.assertGreaterEqual(page.words.count("alert(1)"), 3)
        for words in ("Scores by class on the validation data", "Curves", "Settings", "hidden",
                      "/training/batch_size", "Measured peak"):  # fmt: skip
            self.assertIn(words, page.words)

    def test_curves_of_an_evaluation(self):
        self.train()
        page = self.report(self.path, 1, "--evaluate", "validation")
        images = [base64.b64decode(value.split(",")[1]).decode()
                  for name, value in page.attributes if name == "src"]  # fmt: skip
        found = {}
        for title in ("ROC curve", "Precision-recall curve", "Reliability diagram"):
            (found[title],) = [image for image in images if f">{title}</text>" in image]
            self.assertNotIn("<script", found[title])
        # One curve for each of the three classes and for all of them, and the dashed diagonal
        self.assertEqual(found["ROC curve"].count("<path "), 5)
        self.assertEqual(found["ROC curve"].count("stroke-dasharray"), 1)
        self.assertEqual(found["Precision-recall curve"].count("<path "), 4)
        self.assertEqual(found["Reliability diagram"].count("<path "), 2)
        for title in found:
            self.assertNotIn(title, self.report(self.path, 1).words)

    def test_in_chinese(self):
        self.train("--set", f"/name={HOSTILE}")
        page = self.report(self.path, 1, "--evaluate", "validation", "--language", "zh")
        self.assertIn(("lang", "zh-CN"), page.attributes)
        self.assertNotIn("script", page.tags)
        for words in ("曲线", "混淆矩阵", "环境", "批大小"):
            self.assertIn(words, page.words)
        english = self.report(self.path, 1, "--evaluate", "validation")
        for words in ("Curves", "Confusion matrix", "Measured peak", "Scores by class",
                      "Best validation", "Size on disk", "Setting", "Processor"):  # fmt: skip
            self.assertIn(words, english.words)
            self.assertNotIn(words, page.words)
        wrong = ("--out", "x.html", "--language", "de")
        self.refused("not in {en,zh}", "report", self.path, 1, *wrong)

    def test_mistakes_are_one_line(self):
        self.train()
        other = self.folder / "mine.html"
        other.write_text("<html>mine</html>")
        self.refused("is not a report", "report", self.path, 1, "--out", other)
        self.assertEqual(other.read_text(), "<html>mine</html>")
        self.refused("about one run", "report", self.path, 1, self.path, 1, "--out", "x.html")
        inside = self.runs / "001" / "record.json"
        self.refused("file of a run", "report", self.path, 1, "--out", inside)

    def test_damaged_events(self):
        self.train()
        run = self.runs / "001"
        file = run / "events.jsonl"
        lines = file.read_bytes().splitlines(True)
        self.assertEqual(self.list()["runs"][0]["problems"], [])
        for content, said in (
            (None, "is missing"),
            (b"", "is damaged (the start of the run is missing)"),
            (b"\xff{" * 50, "is damaged (the start of the run is missing)"),
            (b"\xff\n" * 50, "is damaged (50 lines cannot be read)"),
            (b"".join(lines[:-1]), "is truncated"),
            (b"".join(lines)[:-9], "is truncated"),
            (b"".join(lines[:2]), "is truncated"),
            (b"".join([*lines[:-1], b"x", lines[-1]]), "is damaged (1 line cannot be read)"),
        ):
            file.unlink()
            if content is not None:
                file.write_bytes(content)
            said = f"{file}: {said}"
            self.assertIn(said, self.list()["runs"][0]["problems"][0])
            for words in ((self.path,), ("show", self.path, 1)):
                shown = self.succeed("runs", *words)
                self.assertIn(said, shown.err)
                self.assertEqual(len(shown.err.splitlines()), 1, shown)
            target = self.folder / "report.html"
            written = self.succeed("runs", "report", self.path, 1, "--out", target)
            self.assertIn(said, written.err)
            self.assertIn(said, Page(target.read_text(encoding="utf-8")).words)
            file.write_bytes(b"")
        # A killed run has no weights and no end
        (run / "weights.safetensors").unlink()
        for end in (b"", lines[-1][:9]):
            file.write_bytes(b"".join(lines[:-1]) + end)
            self.assertEqual(self.list()["runs"][0]["problems"], [])

    def test_damaged_files(self):
        self.train()
        run, target = self.runs / "001", self.folder / "report.html"
        self.assertEqual(self.succeed("runs", "report", run, "--out", target).err, "")
        names = "history.bin", "memory.json", "environment.json", "choices.json", "project.json"
        for name in names:
            whole = (run / name).read_bytes()
            middle = len(whole) // 2
            flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
            for content in (b"", b"\xff{" * 50, whole[:middle], flipped):
                if name == "project.json" and content == flipped:
                    continue
                (run / name).write_bytes(content)
                written = self.succeed("runs", "report", run, "--out", target)
                self.assertIn(f"{run / name}: ", written.err)
                self.assertEqual(len(written.err.splitlines()), 1, written)
                self.assertIn(f"{run / name}: ", Page(target.read_text(encoding="utf-8")).words)
            (run / name).write_bytes(whole)

    def test_a_killed_process_leaves_no_half_file(self):
        self.train()
        target = self.folder / "report.html"
        words = [STRATA, "runs", "report", self.path, "1", "--out", target]
        start = time.monotonic()
        subprocess.run(words, check=True, capture_output=True)
        seconds = time.monotonic() - start
        whole = target.read_text()
        for number in range(KILLS):
            if number % 2:
                target.unlink(missing_ok=True)
            with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
                time.sleep(random.uniform(0, seconds))
                process.send_signal(signal.SIGKILL)
                process.wait()
            if target.exists():
                self.assertEqual(target.read_text(), whole)

    def test_a_full_disk_leaves_the_old_report(self):
        prefix = namespace()
        if prefix is None:
            self.skipTest("no right to mount a small file system here")
        self.train()
        place, first, after = (self.folder / name for name in ("disk", "first", "after"))
        for folder in (place, first, after):
            folder.mkdir()
        self.succeed("runs", "report", self.path, 1, "--out", first / "report.html")
        old = (first / "report.html").read_bytes()
        # The disk has room for the old report, but not for a second one
        size = f"{len(old) // 1024 + 8}k"
        command = [*prefix, "sh", "-c", MOUNTED, "sh", size, place, first, after, "full", STRATA,
                   "runs", "report", self.path, 1, "--out", place / "report.html"]  # fmt: skip
        done = subprocess.run([*map(str, command)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, Answer(done, 0))
        self.assertIn("report.html", done.stderr)
        self.assertEqual([p.name for p in after.iterdir()], ["report.html"])
        self.assertEqual((after / "report.html").read_bytes(), old)


if __name__ == "__main__":
    main()
