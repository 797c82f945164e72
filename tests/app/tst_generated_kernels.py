#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests trainings on a simulated card whose fused kernels are compiled, interpreted, or cannot be
compiled because the machine has no C++ compiler: the weights are the same."""
import os
import pathlib
import shutil
import subprocess
import unittest

from program import ROOT, ProgramTest, main, strata

HAS_PLUGIN = strata("devices", "--json").json["simulated"]["usable"]
PROJECT = ROOT / "projects/mnist-resnet.json"
# Mounts a file system on $1 from which no code may be mapped, and runs the command after it
NO_CODE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-ec",
           'mount -t tmpfs -o noexec tmpfs "$1"; shift; exec "$@"', "sh"]  # fmt: skip


@unittest.skipUnless(HAS_PLUGIN, "Strata was built without the CUDA Toolkit")
class Generated(ProgramTest):
    def bench(self, precision, prefix=(), **variables):
        """Returns the hash of the weights, the compiled kernels on disk, and the log."""
        cache = pathlib.Path(self.folder) / f"cache-{precision}-{len(variables)}"
        answer = strata(
            *("bench", PROJECT, "--device", "simulated:RTX 4090", "--precision", precision),
            *("--steps", "2", "--batch-size", "4", "--json"),
            env={"XDG_CACHE_HOME": str(cache), **variables}, prefix=prefix,
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

    def test_a_folder_that_forbids_to_map_code_is_not_used(self):
        if not any(map(shutil.which, ("c++", "g++", "clang++"))):
            self.skipTest("no C++ compiler")
        folder = pathlib.Path(self.folder) / "temporary"
        folder.mkdir()
        prefix = [*NO_CODE, folder]
        if subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
            self.skipTest("mount namespaces are not allowed")
        interpreted, _, _ = self.bench("float32")
        compiled, files, log = self.bench(
            "float32", prefix, STRATA_GENERATE="1", TMPDIR=str(folder)
        )
        self.assertEqual(compiled, interpreted)
        self.assertGreater(len(files), 0, log)
        self.assertEqual(log, "")


if __name__ == "__main__":
    main()
