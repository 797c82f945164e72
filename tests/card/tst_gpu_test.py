#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests gpu_test.py and gpu_pack.py without a card: on a simulated one, with programs that fail,
and with the description of a card for cuDNN.

    tst_gpu_test.py --bin DIR [--all]

--all also runs every part with --quick, which takes minutes."""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import card_bench
import card_machine
import card_report
import gpu_pack

HERE = pathlib.Path(__file__).resolve().parent
DEVICE = "simulated:H100"
BIN = pathlib.Path(sys.argv[sys.argv.index("--bin") + 1]).resolve() if "--bin" in sys.argv else None
FAKE_DRIVER = BIN.parent / "fake_driver" / "libcuda.so.1" if BIN else HERE / "none"
MAX_FILES = 8
SHARED = pathlib.Path(os.environ.get("STRATA_SHARED") or HERE.parents[2] / "shared")
needs_workloads = unittest.skipUnless(
    (SHARED / "peers" / "workloads" / "mlp-128.json").is_file(), "../shared is absent"
)


def gpu_test(out, *words, programs=None, device=DEVICE, env=None):
    return subprocess.run(
        [sys.executable, HERE / "gpu_test.py", "--quick", "--device", device, "--bin",
         programs or BIN, "--out", out, *words],
        capture_output=True, text=True, env={**os.environ, **(env or {})},
    )  # fmt: skip


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strata-gpu-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        if SHARED.is_dir():
            return
        # Programs that only pretend do not read the workloads
        workloads = self.folder / "shared" / "peers" / "workloads"
        workloads.mkdir(parents=True)
        for name, *_ in card_bench.WORKLOADS:
            (workloads / f"{name}.json").write_text("{}")
        changed = unittest.mock.patch.dict(os.environ, {"STRATA_SHARED": str(workloads.parents[1])})
        changed.start()
        self.addCleanup(changed.stop)

    def check_files(self):
        files = sorted(path.name for path in self.out.iterdir())
        self.assertLessEqual(len(files), MAX_FILES, files)
        page = (self.out / "result.md").read_text()
        self.assertIn("simulated, so it proves nothing about a GPU", page)
        return files, page

    @needs_workloads
    def test_parts_run_alone(self):
        done = gpu_test(self.out, "--part", "captured", "--part", "memory", "--part", "bench")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files, page = self.check_files()
        self.assertIn("mlp-128: captured and uncaptured | passed", page)
        self.assertRegex(page, r"\| memory of [a-z0-9-]+:\d+ \| passed \| driver")
        self.assertEqual(len(re.findall(r"^\| mlp-128:32 \|", page, re.M)), 3, page)
        self.assertNotIn("| rows |", page)
        self.assertIn("bench.json", files)
        devices = json.loads((self.out / "recording-devices.json").read_text())
        self.assertEqual(set(devices), {"devices", "doctor"})

    @needs_workloads
    @unittest.skipUnless("--all" in sys.argv, "takes minutes")
    def test_all_parts(self):
        done = gpu_test(self.out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files, page = self.check_files()
        for part in ("rows", "verify", "captured", "accuracy", "bench-tf32"):
            self.assertRegex(page, rf"\| {part} \| [^|]* \| passed")
        self.assertIn("recording-mnist-cnn.jsonl", files)

    @needs_workloads
    @unittest.skipUnless(FAKE_DRIVER.is_file(), "the driver of made-up cards is not built")
    def test_the_way_of_a_real_card_ends_with_a_page(self):
        # NVIDIA's libraries refuse a made-up card
        before = os.environ.get("LD_LIBRARY_PATH", "")
        done = gpu_test(
            self.out, "--part", "memory", "--part", "sanitizer", "--part", "bench-float32",
            device="cuda:0", env={"LD_LIBRARY_PATH": f"{FAKE_DRIVER.parent}:{before}"},
        )  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        page = (self.out / "result.md").read_text()
        self.assertIn("# NVIDIA Made-up 0", page)
        self.assertIn("(real card)", page)
        self.assertIn("| memory | mlp-128:32 | failed | strata: hidden: cublasLt", page)
        self.assertRegex(page, r"\| compute-sanitizer \| skipped|\| memcheck \|")
        self.assertRegex(page, r"\| PyTorch \| skipped \| .* has no PyTorch with CUDA")
        self.assertLessEqual(len(list(self.out.iterdir())), MAX_FILES)

    def test_it_goes_on_after_a_failure_and_keeps_what_was_printed(self):
        for name in ("strata", "strata_gpu_tests"):
            program = self.folder / name
            program.write_text("#!/bin/sh\necho strata: it does not work\nexit 1\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        done = gpu_test(self.out, programs=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        files, page = self.check_files()
        self.assertIn("failures.txt", files)
        for part in ("rows", "captured", "memory", "accuracy", "bench-bfloat16"):
            self.assertRegex(page, rf"\| {part} \| [^|]* \| failed")
        self.assertIn("it does not work", (self.out / "failures.txt").read_text())

    def test_rows_that_make_the_card_fail_do_not_hide_the_others(self):
        lasting = "kernel failed. The card is not usable until Strata is started again."
        later = "cuda:0: the card is not usable since an error: it failed."
        program = self.folder / "strata_card_tests"
        program.write_text(f"""#!/bin/sh
case "$STRATA_TEST_SKIP $*" in
  *softmax*tce=one?case*)
    echo "[doctest] test cases: 3 | 3 passed | 0 failed"
    exit 0 ;;
  *softmax*)
    printf 'TEST CASE:  one case\\n\\nx.cpp:1: ERROR: {lasting}\\nTEST CASE:  two\\n{later}\\n' ;;
  *)
    printf 'TEST CASE:  rows\\n\\nx.cpp:1: ERROR: {lasting}\\n  logged: row.name := softmax\\n'
    printf 'x.cpp:2: ERROR: {later}\\n  logged: row.name := sum\\n' ;;
esac
exit 1
""")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (self.folder / "strata").touch()
        done = gpu_test(self.out, "--part", "rows", programs=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        page = self.check_files()[1]
        self.assertEqual(
            re.findall(r"^\| rows \| (.*) \| (\w+) \|", page, re.M),
            [("softmax", "failed"), ("one case", "failed"), ("op rows", "passed")],
        )

    def test_memory_that_nobody_counts_is_a_failure(self):
        for network, state in ((100, "passed"), (97, "failed")):
            memory = {"network_bytes": network << 20, "samples_bytes": 0, "transfer_bytes": 0,
                      "context_bytes": 0, "used_bytes": 100 << 20}  # fmt: skip
            program = self.folder / "strata"
            program.write_text(f"#!/bin/sh\necho '{json.dumps({'device_memory': memory})}'\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            gpu_test(self.out, "--part", "memory", programs=self.folder)
            page = self.check_files()[1]
            self.assertIn(f"| memory of mlp-128:32 | {state} | driver 100.0 MiB", page)

    def test_a_part_that_hangs_ends_in_time_and_the_others_run(self):
        for name, text in (
            ("strata_gpu_tests", "printf softmax > $STRATA_TEST_PRESENT; sleep 100 & sleep 100"),
            ("strata", "exit 1"),
        ):
            program = self.folder / name
            program.write_text(f"#!/bin/sh\necho it began\n{text}\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        words = ["gpu_test.py", "--device", DEVICE, "--bin", str(self.folder), "--out",
                 str(self.out), "--part", "rows", "--part", "memory"]  # fmt: skip
        shorter = "gpu_test.PART_SECONDS = gpu_test.RESERVE_SECONDS + 2"
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", f"import gpu_test, sys; {shorter}; sys.argv = {words}; "
             "sys.exit(gpu_test.main())"],
            capture_output=True, text=True, cwd=HERE,
        )  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertLess(time.monotonic() - started, 60)
        page = self.check_files()[1]
        self.assertIn("| op rows | failed | no end in time; the last row was softmax |", page)
        self.assertRegex(page, r"\| memory \| [^|]* \| failed")
        self.assertIn("it began", (self.out / "failures.txt").read_text())

    def test_without_programs_every_part_says_so(self):
        done = gpu_test(self.out, programs=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("they are not built", self.check_files()[1], done.stderr)

    def test_a_wrong_part_or_device_is_refused(self):
        done = gpu_test(self.out, "--part", "row")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such part (expected one of build, rows", done.stderr)
        done = gpu_test(self.out, "--device", "simulated:RTX 9999")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not in the catalogue", done.stderr)


class Pieces(unittest.TestCase):
    def test_cudnn_prints_the_properties_of_a_card(self):
        text = (card_machine.ROOT / "resources/cudnn-devices/h100.json").read_text()
        properties, reason = card_machine.cudnn_properties(0, text)
        if properties is None and "not found" in reason:
            self.skipTest(reason)
        self.assertEqual(properties, json.loads(text), reason)

    def test_goals_are_met_by_the_ratio_to_pytorch(self):
        row = {
            "workload": "mlp-128", "batch": 32, "precision": "float32", "us": 10.0,
            "is_predicted": False, "torch": {"eager": 60.0, "compile": 25.0},
            "eager_goal": 5, "best_goal": 3,
        }  # fmt: skip
        line = card_report.bench_table([row])[-1]
        self.assertIn("| 6.00 | 2.50 | 5 to eager: met, 3 to best: missed |", line)

    def test_every_workload_with_a_goal_is_measured_first(self):
        goals = [best is not None for _, _, _, best in card_bench.WORKLOADS]
        self.assertEqual(goals, sorted(goals, reverse=True))

    def test_the_pack_has_what_a_build_needs(self):
        self.assertEqual(
            str(gpu_pack.place_of("/usr/include/x86_64-linux-gnu/jconfig.h")),
            "usr/include/jconfig.h",
        )
        self.assertIsNone(gpu_pack.place_of("/usr/share/doc/zlib1g-dev/copyright"))
        with tempfile.TemporaryDirectory() as folder:
            pack = pathlib.Path(folder) / "pack"
            gpu_pack.fill(pack)
            if not any(pack.rglob("json.hpp")):
                self.skipTest("the packages are not installed by dpkg")
            for name in gpu_pack.NEEDED:
                self.assertTrue((pack / name).is_file(), name)
            self.assertLess(gpu_pack.size_of(pack), gpu_pack.MAX_BYTES)


if __name__ == "__main__":
    if BIN is None or not (BIN / "strata").is_file():
        sys.exit("tst_gpu_test.py: --bin: expected the folder of the built programs")
    os.chdir(HERE)
    unittest.main(argv=sys.argv[:1], verbosity=2)
