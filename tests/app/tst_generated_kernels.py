#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests trainings on a simulated card whose fused kernels are compiled, interpreted, or cannot be
compiled because the machine has no C++ compiler: the weights are the same."""
import pathlib
import shutil
import unittest

from program import ROOT, ProgramTest, main, strata

HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]
PROJECT = ROOT / "projects/mnist-resnet.json"


@unittest.skipUnless(HAS_PLUGIN, "Strata was built without the CUDA Toolkit")
class Generated(ProgramTest):
    def bench(self, precision, **variables):
        """Returns the hash of the weights, the compiled kernels on disk, and the log."""
        cache = pathlib.Path(self.folder) / f"cache-{precision}-{len(variables)}"
        answer = strata(
            *("bench", PROJECT, "--device", "simulated:RTX 4090", "--precision", precision),
            *("--steps", "2", "--batch-size", "4", "--json"),
            env={"XDG_CACHE_HOME": str(cache), **variables},
        )
        self.assertEqual(answer.code, 0, answer)
        return answer.json["weights_hash"], list(cache.rglob("*.kernel")), answer.err

    def test_the_weights_do_not_depend_on_how_fused_kernels_run(self):
        empty = pathlib.Path(self.folder) / "empty"
        empty.mkdir()
        has_compiler = any(map(shutil.which, ("c++", "g++", "clang++")))
        for precision in ("float32", "bfloat16", "float16"):
            with self.subTest(precision):
                interpreted, files, _ = self.bench(precision)
                self.assertEqual(files, [])
                compiled, files, log = self.bench(precision, STRATA_GENERATE="1")
                self.assertEqual(compiled, interpreted)
                self.assertEqual(len(files) > 0, has_compiler, log)
                self.assertNotIn("cannot compile", log)
                without, files, _ = self.bench(
                    precision, STRATA_GENERATE="1", PATH=str(empty), CXX=""
                )
                self.assertEqual(without, interpreted)
                self.assertEqual(files, [])


if __name__ == "__main__":
    main()
