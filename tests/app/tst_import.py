#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports weights by name from files of other programs. The files are stored or compressed NPZ
files with any order of bytes and dimensions, half precision, and names that Keras uses. Messages
about damaged files and about missing or wrong tensors must name the file and the tensor. The tests
make the archives with only the standard library."""
import json
import os
import struct
import zipfile

from program import ProgramTest, floats, main, read_safetensors, strata, write_safetensors

LAYERS = [
    {"type": "Input", "name": "x", "shape": [3]},
    {"type": "Dense", "name": "hidden", "units": 4, "activation": "tanh"},
    {"type": "Dense", "name": "out", "units": 2},
]
SHAPES = {"hidden/kernel": [3, 4], "hidden/bias": [4], "out/kernel": [4, 2], "out/bias": [2]}


# This prefix limits a command to 1 GiB of address space.
WITH_LITTLE_MEMORY = ["prlimit", f"--as={1 << 30}"]


def values(shape, scale=0.125):
    count = 1
    for n in shape:
        count *= n
    return [scale * ((7 * i) % 11 - 5) for i in range(count)]


def npy(shape, numbers, descr="<f4", fortran=False, version=1):
    if fortran and len(shape) == 2:
        rows, columns = shape
        numbers = [numbers[r * columns + c] for c in range(columns) for r in range(rows)]
    kinds = {"f2": "e", "f4": "f", "f8": "d", "i8": "q", "i4": "i", "u1": "B"}
    data = struct.pack(
        ("<" if descr[0] != ">" else ">") + str(len(numbers)) + kinds[descr[1:]], *numbers
    )
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (
        descr,
        fortran,
        "".join(f"{n}, " for n in shape),
    )
    head = head.encode() + b"\n"
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", len(head))
        + head
        + data
    )


class Import(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "p.json"
        self.path.write_text(
            json.dumps(
                {
                    "format": "strata-project",
                    "version": 1,
                    "name": "p",
                    "model": {"layers": LAYERS},
                    "data": {
                        "source": {
                            "type": "values",
                            "x": [[0.5, -1, 2], [1, 0, 0.25]],
                            "y": [[0.5, 1.5], [2.5, 0.5]],
                        },
                        "validation_split": 0,
                        "transforms": [],
                    },
                    "training": {
                        "loss": {"type": "mean_squared_error"},
                        "optimizer": {"type": "sgd"},
                        "metrics": [],
                        "batch_size": 2,
                        "epochs": 1,
                    },
                }
            )
        )
        write_safetensors(
            self.folder / "right.safetensors",
            {name: (shape, values(shape)) for name, shape in SHAPES.items()},
        )
        self.loss = self.evaluated(self.folder / "right.safetensors")[0]

    def evaluated(self, file):
        answer = self.succeed("evaluate", self.path, "--weights", file, "--json")
        return answer.json["loss"], answer.err

    def archive(self, name="w.npz", method=zipfile.ZIP_STORED, rename=lambda n: n, extra=(), **how):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", method) as file:
            for tensor, shape in SHAPES.items():
                file.writestr(rename(tensor) + ".npy", npy(shape, values(shape), **how))
            for tensor, content in extra:
                file.writestr(tensor + ".npy", content)
        return path

    def test_an_array_that_does_not_unpack_to_its_claimed_size(self):
        path, numbers = self.folder / "lies.npz", 1 << 31
        head = npy([numbers], [])
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("out/kernel.npy", head + os.urandom(numbers // 200))
            archive.filelist[0].file_size = len(head) + 4 * numbers
        answer = strata(
            "import", path, "-o", self.folder / "w.safetensors", prefix=WITH_LITTLE_MEMORY
        )
        self.assertEqual(answer.code, 2, answer)
        self.assertRegex(
            answer.err,
            r'^strata: \S+lies.npz: member "out/kernel.npy" cannot be unpacked after byte \d+\. '
            r'.*\n$',
        )
        self.assertFalse((self.folder / "w.safetensors").exists())

    def bomb(self, name, tensors):
        """Writes an archive of 0.6 MB per tensor. Each tensor decompresses to 600 MB of zeros."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for tensor, (shape, kind) in tensors.items():
                with archive.open(tensor + ".npy", "w", force_zip64=True) as member:
                    member.write(npy(shape, [], kind))
                    for _ in range(576):
                        member.write(bytes(1 << 20))
        return path

    def test_small_files_take_little_memory(self):
        """Arrays that the network does not use are not decompressed, or are processed block by
        block."""
        path = self.bomb("bomb.npz", {"out/kernel": ([1 << 20, 576], "|u1")})
        for words in (
            ["evaluate", self.path, "--weights", path],
            ["import", path, "-o", self.path],
        ):
            answer = strata(*words, prefix=WITH_LITTLE_MEMORY)
            self.assertEqual(answer.code, 2, answer)
            self.assertRegex(
                answer.err,
                "bomb.npz: (has no tensor|tensor .out/kernel. belongs to another network)",
            )
        self.succeed(
            "import", path, "-o", self.folder / "large.safetensors", prefix=WITH_LITTLE_MEMORY
        )
        self.assertGreater((self.folder / "large.safetensors").stat().st_size, 1 << 29)
        data = self.bomb("data.npz", {"x": ([1 << 20, 576], "|u1")})
        document = json.loads(self.path.read_text())
        document["data"]["source"] = {"type": "numpy", "path": str(data)}
        other = self.folder / "other.json"
        other.write_text(json.dumps(document))
        answer = strata("check", other, prefix=WITH_LITTLE_MEMORY)
        self.assertEqual(answer.code, 2, answer)
        self.assertRegex(
            answer.err,
            r'data.npz: array "x" does not fit the network \(expected samples of \[3\] along the '
            r"first dimension, got an array of \[",
        )
        answer = strata(
            "predict",
            self.path,
            "--weights",
            self.folder / "right.safetensors",
            data,
            prefix=WITH_LITTLE_MEMORY,
        )
        self.assertEqual(answer.code, 2, answer)
        self.assertIn('array "x" does not fit the network', answer.err)
        many = self.bomb("many.npz", {"x": ([(576 << 20) // 3, 3], "|u1")})
        answer = strata(
            "predict",
            self.path,
            "--weights",
            self.folder / "right.safetensors",
            many,
            prefix=WITH_LITTLE_MEMORY,
        )
        self.assertEqual(answer.code, 2, answer)
        self.assertIn('many.npz: array "x" holds 201326592 samples in a file of ', answer.err)

    def test_metadata_stays_with_the_weights(self):
        run = self.folder / "run"
        self.succeed("train", self.path, "--no-progress", "--run-dir", run)
        metadata = read_safetensors(run / "weights.safetensors")[1]
        self.assertIn("hash", metadata)
        self.succeed("import", run, "-o", self.folder / "a.npz")
        self.succeed("import", self.folder / "a.npz", "-o", self.folder / "b.safetensors")
        self.assertEqual(
            read_safetensors(self.folder / "b.safetensors"),
            read_safetensors(run / "weights.safetensors"),
        )
        for name in ("a.npz", "b.safetensors"):
            data = bytearray((self.folder / name).read_bytes())
            at = data.find(metadata["hash"].encode())
            data[at] ^= 1
            wrong = self.folder / f"wrong-{name}"
            wrong.write_bytes(data)
            for target in ("c.safetensors", "c.npz"):
                answer = strata("import", wrong, "-o", self.folder / target)
                self.assertEqual(answer.code, 2, answer)
                self.assertRegex(
                    answer.err,
                    f"{wrong.name}: is damaged \\(expected the hash .* of its metadata, "
                    f"got {metadata['hash']}\\)",
                )
                self.assertFalse((self.folder / target).exists())

    def test_forms_of_arrays(self):
        for how in (
            {},
            {"descr": ">f4"},
            {"descr": "<f8"},
            {"descr": ">f8", "fortran": True},
            {"descr": "<f2"},
            {"descr": "=f4", "version": 2},
            {"fortran": True, "version": 3},
        ):
            for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                with self.subTest(how=how, method=method):
                    self.assertEqual(
                        self.evaluated(self.archive(method=method, **how)), (self.loss, "")
                    )

    def test_names_of_keras(self):
        self.assertRegex(
            self.evaluated(self.archive(rename=lambda n: "model/" + n))[1],
            "4 tensors with another name: .*model/hidden/bias is hidden/bias",
        )
        self.assertEqual(self.evaluated(self.archive(rename=lambda n: n + ":0"))[0], self.loss)
        self.assertEqual(
            self.evaluated(self.archive(rename=lambda n: "functional_1/" + n + ":0"))[0], self.loss
        )
        self.assertEqual(
            self.evaluated(self.archive(rename=lambda n: n.replace("/", ".")))[0], self.loss
        )

    def test_values_that_only_training_needs_are_ignored(self):
        extra = [
            ("adam/iteration", npy([], [3], "<i8")),
            ("adam/learning_rate", npy([], [0.5])),
            ("adam/hidden_kernel_momentum", npy([3, 4], [9] * 12)),
            ("seed_generator/seed_generator_state", npy([2], [1, 2], "<i8")),
        ]
        loss, said = self.evaluated(self.archive(extra=extra))
        self.assertEqual(loss, self.loss)
        self.assertRegex(said, "4 tensors ignored.*adam/hidden_kernel_momentum")

    def refused(self, file, *said):
        answer = strata("evaluate", self.path, "--weights", file)
        self.assertEqual(answer.code, 2, answer)
        self.assertEqual(answer.err.count("\n"), 1, answer)
        for each in (file.name, *said):
            self.assertIn(each, answer.err)

    def test_wrong_tensors(self):
        self.refused(
            self.archive(rename=lambda n: n.replace("out/kernel", "out/kernell")),
            'no tensor "out/kernel"',
            "[4,2]",
            'nearest is "out/kernell"',
        )
        self.refused(
            self.archive(rename=lambda n: n.replace("out/", "head/")),
            'no tensor "out/',
            'nearest is "head/',
        )
        self.refused(
            self.archive(extra=[("other/kernel", npy([1], [1]))]),
            'tensor "other/kernel" is not in this network',
        )
        wide = self.folder / "wide.npz"
        with zipfile.ZipFile(wide, "w") as file:
            for tensor, shape in SHAPES.items():
                shape = [n + 1 for n in shape] if tensor == "out/bias" else shape
                file.writestr(tensor + ".npy", npy(shape, values(shape)))
        self.refused(wide, "out/bias", "expected [2]", "got [3]")
        self.refused(
            self.archive(extra=[("hidden/bias2", b"no array")]),
            "hidden/bias2",
            "is not a NumPy array",
        )
        objects = npy([1], [0]).replace(b"'<f4'", b"'|O' ")
        self.refused(self.archive(extra=[("evil", objects)]), "evil", "objects")
        self.refused(self.archive(extra=[("more", npy([1], [1]) + b"\0")]), "more", "expected")

    def test_damaged_archives(self):
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            data = self.archive("whole.npz", method).read_bytes()
            path = self.folder / "cut.npz"
            for length in (0, 3, 10, 22, len(data) // 2, len(data) - 30, len(data) - 1):
                with self.subTest(length=length):
                    path.write_bytes(data[:length])
                    self.refused(path)
            # A changed byte must never cause a crash.
            for at in range(0, len(data), 29):
                changed = bytearray(data)
                changed[at] ^= 0x41
                path.write_bytes(changed)
                answer = strata("evaluate", self.path, "--weights", path)
                self.assertIn(answer.code, (0, 2), f"byte {at}: {answer}")
            # A changed byte of an array must be detected.
            changed = bytearray(data)
            changed[data.index(b"hidden/kernel.npy") + 60] ^= 1
            path.write_bytes(changed)
            self.refused(path)

    def test_into_a_project(self):
        done = self.succeed("import", self.archive(rename=lambda n: "model/" + n), "-o", self.path)
        self.assertIn("p.weights.safetensors: 4 tensors", done.out)
        self.assertEqual(
            json.loads(self.path.read_text())["training"]["initial_weights"],
            "p.weights.safetensors",
        )
        tensors, _ = read_safetensors(self.folder / "p.weights.safetensors")
        self.assertEqual({name: tensor[0] for name, tensor in tensors.items()}, SHAPES)
        self.assertEqual(floats(tensors["hidden/kernel"]), values([3, 4]))
        self.succeed(
            "train", self.path, "--steps", 1, "--no-progress", "--run-dir", self.folder / "run"
        )

    def test_between_formats(self):
        self.succeed("import", self.archive(), "-o", self.folder / "x.safetensors")
        self.succeed("import", self.folder / "x.safetensors", "-o", self.folder / "y.npz")
        self.assertEqual(self.evaluated(self.folder / "y.npz")[0], self.loss)
        with zipfile.ZipFile(self.folder / "y.npz") as file:
            self.assertIsNone(file.testzip())
            self.assertEqual(sorted(file.namelist()), sorted(name + ".npy" for name in SHAPES))
        self.succeed(
            "export",
            self.path,
            "--weights",
            self.folder / "x.safetensors",
            "--to",
            self.folder / "z.npz",
        )
        self.assertEqual(self.evaluated(self.folder / "z.npz")[0], self.loss)

    def test_wrong_targets(self):
        for target, said in (
            (self.folder / "none.json", "does not exist"),
            (self.folder / "a.h5", ".safetensors or .npz"),
        ):
            answer = strata("import", self.archive(), "-o", target)
            self.assertEqual(answer.code, 2, answer)
            self.assertIn(said, answer.err)
        answer = strata("import", self.folder / "net.onnx", "-o", self.path)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn("not in this version", answer.err)


if __name__ == "__main__":
    main()
