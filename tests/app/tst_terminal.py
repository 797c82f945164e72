#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that no text of other people's files controls the terminal: names of classes, files, layers
and devices, cells and values of projects. JSON keeps their meaning."""
import json
import os
import subprocess

from program import ROOT, STRATA, ProgramTest, main

# Sets the title, clears the screen, is a C1 control, and shows text from right to left
EVIL = "\033]0;PWNED\007\033[2J\x9b31m\x7f\u202egpj.exe\u2066\u061c\u200e\u200f"
# What a terminal obeys, as bytes: C0 except line feed and tab, DEL, C1, direction marks
OBEYED = (
    [bytes([code]) for code in (*range(0x09), *range(0x0B, 0x20), 0x7F)]
    + [chr(code).encode() for code in range(0x80, 0xA0)]
    + [chr(code).encode() for code in (0x061C, 0x200E, 0x200F)]
    + [chr(code).encode() for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]
)


class Terminal(ProgramTest):
    def run_raw(self, *words, code=0, **more):
        done = subprocess.run(
            [STRATA, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
            cwd=self.folder, **more,
        )  # fmt: skip
        for stream in (done.stdout, done.stderr):
            for bad in OBEYED:
                self.assertNotIn(bad, stream, f"{words}\n{done}")
        self.assertEqual(done.returncode, code, done)
        return done

    def classes(self):
        rows = "".join(f'{i % 4},{i % 5},"{"cat" if i % 2 else "dog"}{EVIL}"\n' for i in range(24))
        (self.folder / "t.csv").write_text("a,b,y\n" + rows)
        (self.folder / "in.csv").write_text("a,b\n" + "1,2\n" * 3)
        layers = [
            {"type": "Input", "name": "x", "shape": [2]},
            {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"},
        ]
        return self.project("linear-regression", {
            "/data/source": {"type": "csv", "path": str(self.folder / "t.csv"), "label": "y"},
            "/data/transforms": [], "/data/validation_split": 0, "/data/test_split": 0.2,
            "/model/layers": layers,
            "/training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd",
                          "metrics": ["accuracy"], "batch_size": 4, "epochs": 1, "seed": 1},
        }, to="net")  # fmt: skip

    def test_names_of_classes_and_files(self):
        path, run = self.classes(), f"run{EVIL}\n"
        self.run_raw("train", path, "--run-dir", run, "--no-progress")
        inputs = f"in{EVIL}.csv"
        (self.folder / "in.csv").rename(self.folder / inputs)
        done = self.run_raw("predict", path, "--weights", run, inputs)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertIn(b"\\u001b]0;PWNED\\u0007", done.stdout)
        self.run_raw("evaluate", path, "--weights", run)
        found = json.loads(
            self.run_raw("predict", path, "--weights", run, inputs, "--json").stdout
        )
        self.assertTrue(found[0]["input"].startswith(inputs))
        self.assertIn(found[0]["label"], (f"cat{EVIL}", f"dog{EVIL}"))
        answer = self.run_raw("evaluate", path, "--weights", run, "--json").stdout
        self.assertEqual(json.loads(answer)["classes"][0]["name"][3:], EVIL)
        self.run_raw("export", path, "--weights", run, "--to", f"w{EVIL}.npz")
        self.run_raw("import", run, "-o", f"v{EVIL}.npz")
        events = self.run_raw("train", path, "--run-dir", "b", "--events", "-").stdout
        for line in events.decode().splitlines():
            json.loads(line)

    def test_names_of_folders_with_images(self):
        image = (ROOT / "resources/mnist/digit-7.png").read_bytes()
        for name in (f"a{EVIL}", f"b\n{EVIL}"):
            (self.folder / "images" / name).mkdir(parents=True)
            for i in range(4):
                (self.folder / "images" / name / f"{i}{EVIL}.png").write_bytes(image)
        (self.folder / "images" / f"b\n{EVIL}" / f"9{EVIL}.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
        path = self.project("mnist-mlp-128", {
            "/data/source": {"type": "image_folder", "path": str(self.folder / "images"),
                             "image_size": [28, 28], "color_mode": "grayscale"},
            "/data/on_damaged": "skip", "/data/validation_split": 0,
            "/training/batch_size": 2, "/training/epochs": 1,
        }, to="net")  # fmt: skip
        self.run_raw("check", path)
        self.run_raw("check", path, "--json")
        self.run_raw("train", path, "--run-dir", "r")

    def test_texts_of_projects_and_files(self):
        path = self.classes()
        document = json.loads(path.read_text())
        for pointer, value in (
            (("name",), EVIL), (("training", "loss"), EVIL), (("training", "optimizer"), EVIL),
            (("training", "metrics"), [EVIL]), ((EVIL,), 1), (("data", "source", "path"), EVIL),
            (("data", "source", "label"), EVIL), (("model", "layers"), [{"type": EVIL}]),
            (("model", "layers"), [{"type": "Input", "name": EVIL, "shape": [2]}]),
            (("execution",), {"devices": EVIL}), (("format",), EVIL),
        ):  # fmt: skip
            changed = json.loads(json.dumps(document))
            part = changed
            for key in pointer[:-1]:
                part = part[key]
            part[pointer[-1]] = value
            bad = self.folder / "bad.json"
            for ascii in (True, False):
                bad.write_text(json.dumps(changed, ensure_ascii=ascii))
                for command in ("check", "train", "plan"):
                    code = subprocess.run(
                        [STRATA, command, bad], capture_output=True, cwd=self.folder
                    ).returncode
                    with self.subTest(pointer=pointer, command=command):
                        self.run_raw(command, bad, code=code)
        for words in (("check", f"no{EVIL}"), (f"com{EVIL}",), ("train", path, f"--opt{EVIL}"),
                      ("train", path, "--device", EVIL), ("verify", f"no{EVIL}.json"),
                      ("layers", EVIL), ("train", path, "--set", EVIL),
                      ("check", path, "--set", f"/name{EVIL}=1=")):  # fmt: skip
            with self.subTest(words=words):
                code = subprocess.run([STRATA, *words], capture_output=True).returncode
                self.run_raw(*words, code=code)
        (self.folder / "bad.csv").write_text(f"a,b\n1,x{EVIL}\n")
        done = self.run_raw("train", path, "--run-dir", "r", "--no-progress")
        self.assertNotIn(b"\\u", done.stdout)
        self.run_raw("predict", path, "--weights", "r", "bad.csv", code=2)

    def test_the_log(self):
        environment = {**os.environ, "STRATA_DUMP_GRAPH": f"/no/such{EVIL}", "STRATA_DEBUG": "1"}
        self.run_raw("train", self.classes(), "--run-dir", "r", env=environment)


if __name__ == "__main__":
    main()
