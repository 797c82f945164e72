#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the reference cases of the shared folder on both devices. No case may fail, and no case may
be skipped because of a type that this build has. Without the folder, these tests are skipped."""
import json
import re
import unittest

from program import SHARED, ProgramTest, main, strata, write_safetensors

# The types that this build has. If a case is skipped because of one of these types, the test fails,
# unless the type is a loss that is used as a metric.
HERE = """
Input Dense Conv2D DepthwiseConv2D MaxPooling2D AveragePooling2D GlobalAveragePooling2D Flatten
Reshape Dropout BatchNormalization Activation Add Concatenate Rescaling
sparse_categorical_crossentropy categorical_crossentropy binary_crossentropy mean_squared_error
mean_absolute_error huber
sgd adam adamw rmsprop adagrad
accuracy sparse_categorical_accuracy categorical_accuracy binary_accuracy
""".split()


@unittest.skipUnless((SHARED / "golden").is_dir(), "no reference cases: set STRATA_SHARED")
class Verify(ProgramTest):
    def verify(self, device):
        for manifest in sorted((SHARED / "golden").glob("*.json")):
            with self.subTest(manifest.name):
                answer = strata("verify", manifest, "--device", device)
                lines = answer.out.strip().splitlines()
                closing = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped.*", lines[-1])
                self.assertTrue(closing, answer)
                passed, failed, skipped = map(int, closing.groups())
                print(f"{manifest.stem} on {device}: {lines[-1][:100]}", flush=True)
                self.assertEqual((answer.code, failed), (0, 0), answer)
                if manifest.stem != "schedules":
                    self.assertGreater(passed, 0, answer)
                skipped_types = {
                    line.rpartition(": ")[2] for line in lines if line.startswith("skipped ")
                }
                self.assertEqual(
                    len([line for line in lines if line.startswith("skipped ")]), skipped, answer
                )
                self.assertEqual(
                    skipped_types
                    & set(HERE)
                    - (
                        {"sparse_categorical_crossentropy"} if manifest.stem == "metrics" else set()
                    ),
                    set(),
                    answer,
                )

    def test_cpu(self):
        self.verify("cpu")

    def test_reference(self):
        self.verify("reference")


class Report(ProgramTest):
    def test_a_non_finite_error_is_reported(self):
        nan = float("nan")
        write_safetensors(
            self.folder / "one.safetensors",
            {
                "case/target": ([1, 1], [0.0]),
                "case/prediction": ([1, 1], [nan]),
                "case/value": ([1], [0.0]),
                "case/prediction_gradient": ([1, 1], [0.0]),
            },
        )
        manifest = self.folder / "one.json"
        manifest.write_text(
            json.dumps(
                {
                    "format": "strata-reference",
                    "version": 1,
                    "tensors": "one.safetensors",
                    "cases": [
                        {"id": "case", "kind": "loss", "loss": {"type": "mean_squared_error"}}
                    ],
                }
            )
        )
        answer = strata("verify", manifest)
        self.assertEqual(answer.code, 1, answer)
        self.assertRegex(answer.out, r"failed  case: .*\(largest error (nan|inf)\)")

    def test_a_damaged_manifest_is_one_line(self):
        write_safetensors(self.folder / "one.safetensors", {"case/target": ([1, 1], [0.0])})
        manifest = self.folder / "one.json"
        optimizer = {"id": "case", "kind": "optimizer", "optimizer": {"type": "sgd"},
                     "steps": 2, "checked": [2]}  # fmt: skip
        layer = {"id": "case", "kind": "layer", "training": False,
                 "layers": [{"type": "Input", "name": "x", "shape": [1]}]}  # fmt: skip
        metric = {"id": "case", "kind": "metric", "metric": {"type": "accuracy"}, "updates": [1]}
        wrong = [None, 1, "text", [], {}, [1], {"a": 1}, -1, 1e300, True]
        for case in (optimizer, layer, metric):
            for key in case:
                for value in ("absent", *wrong):
                    damaged = {name: value if name == key else old for name, old in case.items()
                               if value != "absent" or name != key}  # fmt: skip
                    manifest.write_text(json.dumps({
                        "format": "strata-reference", "version": 1, "tensors": "one.safetensors",
                        "cases": [damaged],
                    }))  # fmt: skip
                    with self.subTest(kind=case["kind"], key=key, value=value):
                        answer = strata("verify", manifest, timeout=60)
                        for text in ("json.exception", "exception", "std::", "basic_string"):
                            self.assertNotIn(text, answer.out + answer.err)
                        self.assertIn(answer.code, (0, 1, 2), answer)
                        if answer.code == 2:
                            self.assertRegex(answer.err, r"^strata: .*one\.json: is damaged: .*\n$")
                            self.assertEqual(answer.out, "")
        for case in ([], 1, None, {}, {"id": "case"}, {"id": 1, "kind": "layer"}):
            head = {"format": "strata-reference", "version": 1, "tensors": "one.safetensors"}
            manifest.write_text(json.dumps({**head, "cases": [case]}))
            answer = strata("verify", manifest)
            self.assertEqual(answer.code, 2, answer)
            self.assertIn("case 1 has no \"id\" or no \"kind\"", answer.err)

    def test_a_field_that_is_missing_is_named(self):
        write_safetensors(self.folder / "one.safetensors", {"case/weight/w": ([1], [0.0])})
        manifest = self.folder / "one.json"
        manifest.write_text(json.dumps({
            "format": "strata-reference", "version": 1, "tensors": "one.safetensors",
            "cases": [{"id": "case", "kind": "optimizer", "optimizer": {"type": "sgd"},
                       "checked": [1]}],
        }))  # fmt: skip
        answer = strata("verify", manifest)
        self.assertEqual(answer.code, 2, answer)
        self.assertIn('the case "case": the field "steps" is missing', answer.err)


if __name__ == "__main__":
    main()
