#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests bad input. One line must name the file, the place, what was expected and what to do next.
The exit code must be 2, or 1 if saving fails. Nothing may be written, and nothing may be lost."""
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import zipfile

from program import (
    ROOT,
    STRATA,
    Answer,
    ProgramTest,
    main,
    read_safetensors,
    strata,
    write_safetensors,
)

HEAD = (
    '{"format": "strata-project", "version": 1, "name": "bad",\n'
    ' "data": {"source": {"type": "mnist"}},\n "model": {"layers": [\n'
)
TAIL = (
    '\n ]},\n "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", '
    '"metrics": ["accuracy"], "batch_size": 64, "epochs": 1, "seed": 1}}\n'
)
INPUT = '{"type": "Input", "name": "image", "shape": [28, 28, 1]}'
FLAT = '{"type": "Flatten", "name": "flat"}'
OUT = '{"type": "Dense", "name": "out", "units": 10, "activation": "softmax"}'


def layers(*rows):
    return HEAD + ",\n".join(rows) + TAIL


# Maps a name to the text of a project and patterns that the error line must match.
PROJECTS = {
    "syntax": (
        HEAD + INPUT + ",\n" + '{"type": "Flatten" "name": "flat"}' + TAIL,
        [r"line 5\b", r"column 20\b", "expected"],
    ),
    "trailing-comma": (
        layers(INPUT, FLAT, OUT).replace("\n ]}", ",\n ]}"),
        [r"line \d+", r"column \d+", "expected"],
    ),
    "comment": ("// mine\n" + layers(INPUT, FLAT, OUT), [r"line 1\b", r"column 1\b", "expected"]),
    "cut-short": (layers(INPUT, FLAT, OUT)[:200], [r"line \d+", r"column \d+", "expected"]),
    "empty": ("", ["line 1", "column 1", "expected"]),
    "duplicate-key": (
        layers(
            INPUT,
            FLAT,
            '{"type": "Dense", "name": "out", "units": 10, "units": 20, "activation": "softmax"}',
        ),
        [r"line 6\b", r"column \d+", "units", "expected"],
    ),
    "depth": (
        '{"format": "strata-project", "version": 1, "x": ' + "[" * 10000 + "]" * 10000 + "}",
        [r"line 1\b", r"column \d+", "dep|nest", "expected"],
    ),
    "not-utf8": (
        layers(INPUT, FLAT, OUT).replace("bad", "b\udcff"),
        ["line 1", "UTF-8", "expected"],
    ),
    "not-a-project": ('{"layers": []}', ["format", "strata-project", "expected"]),
    "version-of-the-future": (
        layers(INPUT, FLAT, OUT).replace('"version": 1', '"version": 99'),
        ["version", "expected", "99"],
    ),
    "unknown-layer": (
        layers(INPUT, FLAT, '{"type": "Dens", "name": "out", "units": 10}'),
        ["out", "Dens\\b", "Dense"],
    ),
    "wrong-type": (
        layers(
            INPUT, FLAT, '{"type": "Dense", "name": "out", "units": "ten", "activation": "softmax"}'
        ),
        ["out", "units", "expected", "ten"],
    ),
    "wrong-range": (
        layers(INPUT, FLAT, '{"type": "Dropout", "name": "drop", "rate": 1.5}', OUT),
        ["drop", "rate", "expected", "1.5"],
    ),
    "negative-units": (
        layers(
            INPUT, FLAT, '{"type": "Dense", "name": "out", "units": -3, "activation": "softmax"}'
        ),
        ["out", "units", "expected", "-3"],
    ),
    "zero-units": (
        layers(
            INPUT, FLAT, '{"type": "Dense", "name": "out", "units": 0, "activation": "softmax"}'
        ),
        ["out", "units", "expected", r"\b0\b"],
    ),
    "huge-units": (
        layers(
            INPUT,
            FLAT,
            '{"type": "Dense", "name": "out", "units": 99999999999999999999, '
            '"activation": "softmax"}',
        ),
        ["out", "units", "expected"],
    ),
    "missing-input": (
        layers(
            INPUT,
            FLAT,
            '{"type": "Dense", "name": "out", "units": 10, "inputs": ["flatt"], '
            '"activation": "softmax"}',
        ),
        ["out", "flatt", "flat\\b"],
    ),
    "cycle": (
        layers(
            INPUT,
            FLAT,
            '{"type": "Concatenate", "name": "a", "inputs": ["flat", "b"]}',
            '{"type": "Dense", "name": "b", "units": 10, "inputs": ["a"]}',
            '{"type": "Dense", "name": "out", "units": 10, "inputs": ["b"], '
            '"activation": "softmax"}',
        ),
        ["[ab]", "cycle|loop|circle"],
    ),
    "shapes-do-not-meet": (
        layers(
            INPUT,
            FLAT,
            '{"type": "Dense", "name": "a", "units": 10, "inputs": ["flat"]}',
            '{"type": "Dense", "name": "b", "units": 12, "inputs": ["flat"]}',
            '{"type": "Add", "name": "sum", "inputs": ["a", "b"]}',
            OUT,
        ),
        ["sum", "expected", "10", "12"],
    ),
    "kernel-larger-than-image": (
        layers(
            INPUT,
            '{"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [40, 40]}',
            FLAT,
            OUT,
        ),
        ["conv", "28", "40"],
    ),
    "duplicate-name": (
        layers(
            INPUT, FLAT, '{"type": "Dense", "name": "flat", "units": 10, "activation": "softmax"}'
        ),
        ["flat", "name"],
    ),
    "no-layers": (layers(), ["layers|Input"]),
    "name-in-two-lines": (
        layers(INPUT, '{"type": "Flatten", "name": "fl\\nat"}', OUT),
        [r"fl\\nat", "name", "expected"],
    ),
    "type-in-two-lines": (
        layers(INPUT, FLAT, '{"type": "Den\\nse", "name": "out", "units": 10}'),
        ["out", r"Den\\nse", "Dense"],
    ),
    "type-is-a-number": (
        layers(INPUT, FLAT, '{"type": 5, "name": "out", "units": 10}'),
        ["out", "type has the wrong type", "got 5"],
    ),
    "units-beyond-all-integers": (
        layers(
            INPUT, FLAT, '{"type": "Dense", "name": "out", "units": 1e30, "activation": "softmax"}'
        ),
        ["out", "units", "at most", "1e30"],
    ),
    "utf-16": (
        "\udcff\udcfe" + "\0".join(layers(INPUT, FLAT, OUT)) + "\0",
        ["UTF-8", "UTF-16", "expected"],
    ),
    "no-text": ("\udc89PNG\r\n\x1a\n\0\0\0\r", ["UTF-8", "expected"]),
    "version-zero": (
        layers(INPUT, FLAT, OUT).replace('"version": 1', '"version": 0'),
        ["version", "expected 1", "Write"],
    ),
    "metric-that-is-none": (
        layers(INPUT, FLAT, OUT).replace('["accuracy"]', "[null]"),
        ["a metric has", "got null"],
    ),
}


class Refused(ProgramTest):
    def listing(self):
        return {
            str(p.relative_to(self.folder)): p.read_bytes() if p.is_file() else None
            for p in sorted(self.folder.rglob("*"))
        }

    def refused(self, code, said, *words, **more):
        before = self.listing()
        answer = strata(*words, timeout=60, **more)
        self.check_line(answer, code, said, words)
        self.assertEqual(self.listing(), before, "something was written or lost")
        return answer

    def check_line(self, answer, code, said, words):
        context = f"strata {' '.join(map(str, words))}\n{answer}"
        self.assertEqual(answer.code, code, context)
        lines = answer.err.splitlines()
        self.assertEqual(len(lines), 1, "one line was expected\n" + context)
        self.assertTrue(lines[0].startswith("strata: "), context)
        self.assertRegex(lines[0], r"([.?]|not in this version)$")
        self.assertLess(len(lines[0]), 600, context)
        for pattern in said:
            self.assertRegex(lines[0], pattern, context)


class Projects(Refused):
    def test_projects(self):
        for name, (text, said) in PROJECTS.items():
            path = self.folder / f"{name}.json"
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
            for command in (
                ["check", path],
                ["train", path, "--no-progress"],
                ["plan", path],
                ["train", path, "--no-progress", "--run-dir", self.folder / "run"],
            ):
                with self.subTest(name, command=command[0]):
                    self.refused(2, [re.escape(path.name), *said], *command)

    def test_every_problem_at_once(self):
        path = self.folder / "three.json"
        path.write_text(
            layers(
                INPUT,
                '{"type": "Conv2d", "name": "first", "filters": 4, "kernel_size": [3, 3]}',
                FLAT,
                '{"type": "Dense", "name": "second", "units": 0}',
                '{"type": "Dropout", "name": "third", "rate": 2}',
                OUT,
            )
        )
        answer = strata("check", path, "--json")
        self.assertEqual(answer.code, 2, answer)
        self.assertFalse(answer.json["ok"])
        self.assertEqual(
            {p["layer"] for p in answer.json["problems"]}, {"first", "second", "third"}
        )

    def test_a_wrong_part_does_not_hide_problems_of_others(self):
        path = self.folder / "part.json"
        project = json.loads(layers(INPUT, FLAT, '{"type": "Dense", "name": "out", "units": 0}'))
        path.write_text(json.dumps(project | {"data": "x", "training": 3}))
        answer = strata("check", path, "--json")
        self.assertEqual(answer.code, 2, answer)
        self.assertEqual(
            [(p["pointer"], p["code"]) for p in answer.json["problems"]],
            [
                ("/data", "wrong_type"),
                ("/training", "wrong_type"),
                ("/model/layers/2/units", "out_of_range"),
            ],
        )
        self.refused(
            2, [re.escape(path.name), '"data" is a string', "expected an object"], "train", path
        )

    def test_unknown_key_is_a_warning_with_the_nearest_name(self):
        path = self.folder / "key.json"
        path.write_text(
            layers(
                INPUT, FLAT, '{"type": "Dense", "name": "out", "units": 10, "activaton": "softmax"}'
            )
        )
        answer = strata("check", path, "--json")
        self.assertEqual(answer.code, 0, answer)
        self.assertEqual({p["severity"] for p in answer.json["problems"]}, {"warning"})
        unknown = [p for p in answer.json["problems"] if p["code"] == "unknown_field"]
        self.assertEqual([(p["layer"], p["field"]) for p in unknown], [("out", "activaton")])
        self.assertRegex(unknown[0]["message"], r"activation\b")

    def test_unknown_fields_are_not_set(self):
        path = self.project("mnist-mlp-128")
        for setting, expected in (
            ("/training/device=cpu", "device is not a field of training"),
            ("/training/batchsize=8", "Did you mean batch_size"),
            ("/training/optimizer={\"type\": \"adam\", \"lr\": 1}", "lr is not a field of adam"),
            ("/model/layers/2/unit=8", "Did you mean units"),
        ):
            pointer = setting.split("=")[0]
            for command in ("train", "plan", "bench"):
                self.refused(2, ["--set " + pointer, expected], command, path, "--set", setting)

    def test_a_missing_file(self):
        self.refused(2, ["none.json"], "check", self.folder / "none.json")
        self.refused(2, [re.escape(str(self.folder))], "check", self.folder)

    def test_shortened_values_remain_valid_text(self):
        path = self.project("mnist-mlp-128")
        # In two of the three cases, the limit of the text falls inside a character.
        for start in ("", "x", "xx"):
            answer = strata(
                "check", path, "--json", "--set", "/model/layers/2/units=" + start + "\u20ac" * 100
            )
            self.assertEqual(answer.code, 2, answer)
            self.assertRegex(answer.json["problems"][0]["message"], r"\u20ac\.\.\.\)")

    def test_long_names_and_control_characters_are_shown_in_one_line(self):
        path = self.project("mnist-mlp-128", {"/model/layers/1/type": "D" * 100000})
        answer = strata("check", path)
        self.assertEqual(answer.code, 2, answer)
        self.assertLess(len(answer.err), 3000)
        self.assertRegex(answer.err, "^strata: .*mnist-mlp-128.json: .*Choose another type.\n$")
        said = [r"no\\nne\\u001b\[31m\.json"]
        self.refused(2, said, "check", self.folder / "no\nne\x1b[31m.json")

    def test_names_that_are_not_utf8(self):
        path = self.project("mnist-mlp-128")
        self.refused(
            2,
            ["--set", "UTF-8"],
            "check",
            path,
            "--set",
            b"/name=\xff".decode("utf-8", "surrogateescape"),
        )
        odd = os.fsencode(self.folder) + b"/odd\xff.json"
        shutil.copy(path, odd)
        done = subprocess.run(
            [str(STRATA), "train", odd, "--steps", "1", "--events", "-"],
            capture_output=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(json.loads(done.stdout.splitlines()[0])["event"], "start")

    def test_an_empty_value(self):
        path = self.project("mnist-mlp-128")
        for words in (
            ["check", ""],
            ["train", path, "--resume", ""],
            ["train", path, "--run-dir", ""],
            ["train", path, "--events", ""],
            ["train", path, "--set", ""],
            ["evaluate", path, "--weights", ""],
            ["predict", path, "--weights", path, ""],
            ["export", path, "--weights", path, "--to", ""],
        ):
            with self.subTest(words=words):
                self.refused(2, [words[0], "empty"], *words)

    def test_wrong_usage(self):
        path = self.project("mnist-mlp-128")
        for words in (
            ["trian", path],
            ["train"],
            ["train", path, "--epochs", "many"],
            ["train", path, "--epochs", "-1"],
            ["train", path, "--device", "tpu"],
            ["train", path, "--set", "/training/nothing"],
            ["train", path, "--steps", "0"],
            ["train", path, "--batch-size", "0"],
            ["train", path, "--resume", "latest"],
            ["import", path],
            ["dump", path, "--stage", "boiled"],
            ["dump", path, "--stage", "optimized", "--disable-pass", "none"],
        ):
            with self.subTest(words=words):
                self.refused(2, [], *words)


class Weights(Refused):
    """Weights files that do not match the network are refused."""

    def setUp(self):
        super().setUp()
        self.path = self.project("mnist-mlp-128")
        self.shapes = {
            "hidden/kernel": [784, 128],
            "hidden/bias": [128],
            "out/kernel": [128, 10],
            "out/bias": [10],
        }

    def write(self, name, shapes=None):
        tensors = {}
        for tensor, shape in (shapes or self.shapes).items():
            count = 1
            for n in shape:
                count *= n
            tensors[tensor] = (shape, [0.0] * count)
        write_safetensors(self.folder / name, tensors)
        return self.folder / name

    def everywhere(self, file, said):
        said = [re.escape(file.name), *said]
        self.refused(2, said, "evaluate", self.path, "--weights", file)
        self.refused(
            2, said, "export", self.path, "--weights", file, "--to", self.folder / "to.safetensors"
        )
        self.refused(
            2,
            said,
            "train",
            self.path,
            "--steps",
            1,
            "--no-progress",
            "--set",
            f'/training/initial_weights="{file}"',
        )

    def test_the_right_file_is_accepted(self):
        self.assertAlmostEqual(
            self.succeed(
                "evaluate", self.path, "--weights", self.write("good.safetensors"), "--json"
            ).json["loss"],
            2.302585,
            places=4,
        )

    def checked(self, file, said):
        """Checks that `strata check` finds problems that are visible in the file's header."""
        self.refused(
            2,
            [re.escape(file.name), "initial_weights", *said],
            "check",
            self.path,
            "--set",
            f'/training/initial_weights="{file}"',
        )

    def test_a_changed_byte_is_detected(self):
        run = self.folder.parent / (self.folder.name + "-run")
        self.addCleanup(shutil.rmtree, run, ignore_errors=True)
        self.succeed("train", self.path, "--steps", 1, "--no-progress", "--run-dir", run)
        data = bytearray((run / "weights.safetensors").read_bytes())
        data[-1000] ^= 0x10
        file = self.folder / "changed.safetensors"
        file.write_bytes(data)
        self.everywhere(file, ["damaged", "hash"])
        self.succeed("evaluate", self.path, "--weights", run)

    def test_truncated(self):
        file = self.write("cut.safetensors")
        data = file.read_bytes()
        for length in (len(data) - 1, len(data) // 2, 100, 8, 3, 0):
            with self.subTest(length=length):
                file.write_bytes(data[:length])
                self.everywhere(file, ["expected|byte"])
                self.checked(file, ["expected|byte"])

    def test_header_larger_than_the_file(self):
        file = self.write("header.safetensors")
        data = file.read_bytes()
        for length in (len(data), 2**31, 2**63, 2**64 - 1, 2**64 - 8):
            with self.subTest(length=length):
                file.write_bytes(struct.pack("<Q", length) + data[8:])
                self.everywhere(file, ["header"])

    def test_a_false_header(self):
        file = self.folder / "lies.safetensors"
        good = {"hidden/bias": {"dtype": "F32", "shape": [128], "data_offsets": [0, 512]}}
        for change in (
            {"shape": [2**40, 2**40]},
            {"data_offsets": [0, 2**62]},
            {"data_offsets": [512, 0]},
            {"data_offsets": [-4, 508]},
            {"dtype": "F99"},
            {"shape": [-128]},
            {"shape": "all"},
        ):
            with self.subTest(change=change):
                text = json.dumps({"hidden/bias": {**good["hidden/bias"], **change}}).encode()
                file.write_bytes(struct.pack("<Q", len(text)) + text + bytes(512))
                self.everywhere(file, ["hidden/bias"])

    def test_weights_of_another_network(self):
        self.everywhere(
            self.write("other.safetensors", {"conv/kernel": [3, 3, 1, 32], "conv/bias": [32]}),
            ["hidden"],
        )
        self.everywhere(
            self.write(
                "wider.safetensors",
                {**self.shapes, "hidden/kernel": [784, 256], "hidden/bias": [256]},
            ),
            ["hidden/(kernel|bias)", "128", "256"],
        )
        file = self.folder / "not.safetensors"
        file.write_bytes(b"PK\x03\x04" + bytes(1000))
        self.everywhere(file, [])

    def test_missing(self):
        self.everywhere(self.folder / "none.safetensors", [])
        self.checked(self.folder / "none.safetensors", ["does not exist"])
        (self.folder / "folder").mkdir()
        self.everywhere(self.folder / "folder", ["not a run directory"])


class Data(Refused):
    def test_truncated_idx_file(self):
        bundled = ROOT / "resources/mnist"
        names = {
            "images": "train-images-idx3-ubyte",
            "labels": "train-labels-idx1-ubyte",
            "test_images": "t10k-images-idx3-ubyte",
            "test_labels": "t10k-labels-idx1-ubyte",
        }
        small = {
            "images": (28 * 28, 16, 300),
            "labels": (1, 8, 300),
            "test_images": (28 * 28, 16, 100),
            "test_labels": (1, 8, 100),
        }
        for field, (size, head, count) in small.items():
            data = bytearray(gzip.open(bundled / f"{names[field]}.gz").read(head + size * count))
            data[4:8] = struct.pack(">I", count)
            (self.folder / field).write_bytes(data)
        path = self.project(
            "mnist-mlp-128", {"/data/source": {"type": "idx", **{f: f for f in names}}}
        )
        run = self.folder.parent / (self.folder.name + "-run")
        self.addCleanup(shutil.rmtree, run, ignore_errors=True)
        self.succeed("train", path, "--steps", 2, "--no-progress", "--run-dir", run)
        for field in names:
            whole = (self.folder / field).read_bytes()
            for kept in (len(whole) - 1, len(whole) // 2, 10, 0):
                (self.folder / field).write_bytes(whole[:kept])
                self.everywhere(field, path, kept=kept)
            (self.folder / field).write_bytes(gzip.compress(whole)[:-20])
            self.everywhere(field, path, gzip=True)
            # A gzip file may consist of two complete parts.
            (self.folder / field).write_bytes(
                gzip.compress(whole[:1000]) + gzip.compress(whole[1000:])
            )
            self.succeed("check", path)
            (self.folder / field).unlink()
            self.everywhere(field, path, missing=True)
            (self.folder / field).write_bytes(whole)
        labels = (self.folder / "labels").read_bytes()
        for name, data in (
            ("too many", labels[:4] + struct.pack(">I", 301) + labels[8:] + b"\1"),
            ("too few", labels[:4] + struct.pack(">I", 299) + labels[8:-1]),
            ("images", (self.folder / "images").read_bytes()),
        ):
            (self.folder / "labels").write_bytes(data)
            self.everywhere("labels", path, data=name)
        (self.folder / "labels").write_bytes(labels[:8] + bytes([11]) + labels[9:])
        answer = strata("check", path)
        self.assertEqual(answer.code, 2, answer)
        self.assertRegex(answer.err, "at least 12")

    def everywhere(self, field, path, **what):
        for command in (["check"], ["train", "--steps", 2, "--no-progress"]):
            with self.subTest(field=field, command=command[0], **what):
                self.refused(2, [rf"data/source: .*\b{field}\b"], command[0], path, *command[1:])

    def test_truncated_bundled_mnist(self):
        resources = self.folder / "resources"
        shutil.copytree(ROOT / "resources/mnist", resources / "mnist")
        file = resources / "mnist/train-images-idx3-ubyte.gz"
        file.write_bytes(file.read_bytes()[:500000])
        self.refused(
            2,
            ["train-images-idx3-ubyte.gz"],
            "train",
            self.project("mnist-mlp-128"),
            "--steps",
            1,
            "--no-progress",
            env={"STRATA_RESOURCES": str(resources)},
        )

    def test_rows_to_predict(self):
        path = self.project("linear-regression")
        weights = self.folder / "w.safetensors"
        write_safetensors(weights, {"line/kernel": ([1, 1], [2.0]), "line/bias": ([1], [0.0])})
        for text in ("1,2\n", "one\n", "", "1;2\n"):
            with self.subTest(text=text):
                (self.folder / "rows.csv").write_text(text)
                self.refused(
                    2, ["rows.csv"], "predict", path, "--weights", weights, self.folder / "rows.csv"
                )
        (self.folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
        path = self.project(
            "mnist-mlp-128",
            {"/model/layers": [json.loads(row) for row in (INPUT, FLAT, OUT)]},
            to="flat",
        )
        write_safetensors(
            weights, {"out/kernel": ([784, 10], [0.0] * 7840), "out/bias": ([10], [0.0] * 10)}
        )
        self.refused(
            2, ["image.png"], "predict", path, "--weights", weights, self.folder / "image.png"
        )

    def test_files_that_are_not_weights(self):
        path = self.project("linear-regression")
        for name, content in (
            ("image.png", b"\x89PNG\r\n\x1a\nnonsense"),
            ("model.h5", b"\x89HDF\r\n\x1a\n nonsense"),
            ("notes", b""),
        ):
            with self.subTest(name):
                (self.folder / name).write_bytes(content)
                wanted = [
                    name,
                    r"is not a weights file \(expected \.safetensors or \.npz, or a run directory",
                ]
                self.refused(2, wanted, "import", self.folder / name, "-o", self.folder / "out.npz")
                self.refused(2, wanted, "evaluate", path, "--weights", self.folder / name)
        with zipfile.ZipFile(self.folder / "model.keras", "w") as members:
            members.writestr("metadata.json", "{}")
        self.refused(
            2,
            ["model.keras", "contains no tensors"],
            "import",
            self.folder / "model.keras",
            "-o",
            self.folder / "out.npz",
        )


def namespace():
    """Returns a prefix that runs a command in a private mount namespace, in which the command may
    mount file systems. This needs root or a user namespace. Returns None if both are refused."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            if (
                subprocess.run(
                    [*words, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True
                ).returncode
                == 0
            ):
                return words
        except FileNotFoundError:
            return None
    return None


# Runs a command with a small file system, which is mounted for the command. The arguments are the
# size, the mount point, the folder with the first contents, the folder for the final contents, "ro"
# if the command may only read, and the command.
MOUNTED = """mount -t tmpfs -o "size=$1" none "$2" && cp -a "$3/." "$2" || exit 99
where=$2 out=$4
[ "$5" != ro ] || mount -o remount,ro "$where" 2>/dev/null ||
  mount -o remount,bind,ro "$where" || exit 99
shift 5
"$@"
code=$?
cp -a "$where/." "$out"
exit $code"""


class Saving(Refused):
    """If saving fails, the exit code is 1, and the error line names the file. The old file is kept,
    and no partial file is left."""

    def setUp(self):
        super().setUp()
        self.words = namespace()
        if self.words is None:
            self.skipTest(
                "no right to mount a small file system here (needs root or user namespaces)"
            )
        self.path = self.project("mnist-mlp-128")
        self.succeed(
            "train", self.path, "--steps", 5, "--no-progress", "--run-dir", self.folder / "run"
        )
        self.place, self.first, self.after = (self.folder / n for n in ("disk", "first", "after"))
        for folder in (self.place, self.first, self.after):
            folder.mkdir()

    def on_disk(self, size, lock, *words):
        prefix = [
            *self.words,
            "sh",
            "-c",
            MOUNTED,
            "sh",
            size,
            self.place,
            self.first,
            self.after,
            lock,
        ]
        done = subprocess.run(
            [*map(str, prefix), str(STRATA), *map(str, words)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Answer(done, 0)

    def kept(self):
        return {
            str(p.relative_to(self.after)): p.read_bytes()
            for p in self.after.rglob("*")
            if p.is_file()
        }

    def test_export(self):
        (self.first / "to.safetensors").write_bytes(b"the one before" * 100)
        before = {"to.safetensors": b"the one before" * 100}
        for lock, said in (("full", "space|full"), ("ro", "[Rr]ead-only|permission")):
            with self.subTest(lock):
                words = (
                    "export",
                    self.path,
                    "--weights",
                    self.folder / "run",
                    "--to",
                    self.place / "to.safetensors",
                )
                self.check_line(
                    self.on_disk("100k", lock, *words), 1, ["to.safetensors", said], words
                )
                self.assertEqual(self.kept(), before)

    def test_training_into_a_full_disk(self):
        """A disk of 100 kB has no room for a checkpoint. A disk of 2.5 MB has room for one or two
        checkpoints of 1.2 MB, but not for more. The newest complete checkpoint must load."""
        words = (
            "train",
            self.path,
            "--steps",
            4000,
            "--epochs",
            3,
            "--no-progress",
            "--run-dir",
            self.place / "run",
        )
        for size in ("100k", "2500k"):
            with self.subTest(size):
                shutil.rmtree(self.after)
                self.after.mkdir()
                answer = self.on_disk(size, "full", *words)
                self.check_line(answer, 1, ["run", "space|full"], words)
                self.assertEqual(
                    [n for n in self.kept() if n.endswith(".tmp")],
                    [],
                    "half-written files are left",
                )
                checkpoints = [n for n in self.kept() if "/checkpoints/" in n]
                if size != "100k":
                    self.assertTrue(checkpoints, "the last good checkpoint is lost")

    def test_training_into_a_read_only_folder(self):
        words = ("train", self.path, "--steps", 5, "--no-progress", "--run-dir", self.place / "run")
        self.check_line(
            self.on_disk("1m", "ro", *words), 1, ["run", "[Rr]ead-only|permission"], words
        )

    def test_project_in_a_read_only_folder_keeps_its_runs_in_the_data_folder(self):
        shutil.copy(self.path, self.first)
        os.environ["XDG_DATA_HOME"] = str(self.folder / "data")
        self.addCleanup(os.environ.pop, "XDG_DATA_HOME")
        answer = self.on_disk(
            "1m", "ro", "train", self.place / self.path.name, "--steps", 5, "--no-progress"
        )
        self.assertEqual(answer.code, 0, answer)
        weights = list((self.folder / "data").rglob("weights.safetensors"))
        self.assertEqual(len(weights), 1)
        self.assertEqual(
            set(read_safetensors(weights[0])[0]),
            {"hidden/kernel", "hidden/bias", "out/kernel", "out/bias"},
        )


def as_person():
    """Makes a child process run as another user if this process is root, because file modes do not
    restrict root."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


class Permissions(Refused):
    """If file modes forbid reading or saving, the error line names the file or folder."""

    def setUp(self):
        super().setUp()
        self.path = self.project("mnist-mlp-128")
        self.run_folder = self.folder / "run"
        self.succeed(
            "train", self.path, "--steps", 5, "--no-progress", "--run-dir", self.run_folder
        )
        self.folder.chmod(0o755)
        try:
            subprocess.run(
                [str(STRATA), "--version"], preexec_fn=as_person, check=True, capture_output=True
            )
        except (OSError, subprocess.SubprocessError):
            self.skipTest("nobody else may run the program where it lies")

    def person(self, *words):
        before = self.listing()
        done = subprocess.run(
            [str(STRATA), *map(str, words)],
            preexec_fn=as_person,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "HOME": "/nowhere", "XDG_DATA_HOME": "/nowhere/data"},
        )
        self.assertEqual(self.listing(), before, "something was written or lost")
        return Answer(done, 0)

    def closed(self, path, mode):
        path.chmod(mode)
        self.addCleanup(path.chmod, 0o755)

    def test_a_folder_without_write_permission(self):
        self.closed(self.folder, 0o555)
        self.closed(self.run_folder, 0o555)
        for words, said in (
            (("train", self.path, "--steps", 1), "runs"),
            (("train", self.path, "--steps", 1, "--run-dir", self.folder / "other"), "other"),
            (
                (
                    "export",
                    self.path,
                    "--weights",
                    self.run_folder,
                    "--to",
                    self.folder / "to.safetensors",
                ),
                "to.safetensors",
            ),
        ):
            with self.subTest(words=words):
                self.check_line(self.person(*words), 1, [said, "Permission denied"], words)
        words = ("train", self.path, "--resume", self.run_folder, "--steps", 9)
        if os.geteuid() == 0:
            self.check_line(self.person(*words), 2, ["run: belongs to another user"], words)
        else:
            self.check_line(self.person(*words), 1, ["run/lock", "Permission denied"], words)

    def test_files_without_read_permission(self):
        # Without root, this test cannot read the files, either. Therefore it does not compare them.
        self.listing = dict
        self.closed(self.path, 0)
        self.check_line(
            self.person("check", self.path), 2, ["mnist-mlp-128.json", "Permission denied"], ()
        )
        self.path.chmod(0o644)
        self.run_folder.chmod(0o755)
        self.closed(self.run_folder / "weights.safetensors", 0)
        self.check_line(
            self.person("evaluate", self.path, "--weights", self.run_folder),
            2,
            ["weights.safetensors", "Permission denied"],
            (),
        )
        self.closed(self.run_folder, 0)
        for words in (
            ("evaluate", self.path, "--weights", self.run_folder),
            ("train", self.path, "--resume", self.run_folder),
        ):
            with self.subTest(words=words):
                self.check_line(self.person(*words), 2, ["run", "Permission denied"], words)


if __name__ == "__main__":
    main()
