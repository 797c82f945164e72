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
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import card_bench
import card_build
import card_machine
import card_order
import card_parts
import card_report
import card_smoke
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


def command_of(out, *words, programs=None, device=DEVICE):
    return [sys.executable, HERE / "gpu_test.py", "--quick", "--device", device, "--bin",
            programs or BIN, "--out", out, *words]  # fmt: skip


def gpu_test(out, *words, programs=None, device=DEVICE, env=None):
    return subprocess.run(
        command_of(out, *words, programs=programs, device=device),
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

    def program(self, name, text):
        """Makes a program that only pretends, in the folder for --bin."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def check_files(self):
        files = sorted(path.name for path in self.out.iterdir())
        self.assertLessEqual(len(files), MAX_FILES, files)
        page = (self.out / "result.md").read_text()
        self.assertIn("simulated, so it proves nothing about a GPU", page)
        return files, page

    def parts_on(self, page):
        """Returns the parts that a page lists as ended."""
        return re.findall(r"^\| ([\w-]+) \| \d{4}-", page, re.M)

    @needs_workloads
    def test_parts_run_alone(self):
        done = gpu_test(self.out, "--part", "captured", "--part", "memory", "--part", "bench")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files, page = self.check_files()
        self.assertIn("mlp-128: captured and uncaptured | passed", page)
        self.assertIn("lenet5: kernels of both runs | passed | the same: conv2d of conv1", page)
        self.assertRegex(page, r"\| memory of [a-z0-9-]+:\d+ \| passed \| driver")
        self.assertEqual(len(re.findall(r"^\| mlp-128:32 \|", page, re.M)), 3, page)
        self.assertNotIn("| rows |", page)
        self.assertIn("results.json", files)
        devices = json.loads((self.out / "recording-devices.json").read_text())
        self.assertEqual(set(devices), {"devices", "doctor"})

    @needs_workloads
    @unittest.skipUnless("--all" in sys.argv, "takes minutes")
    def test_all_parts(self):
        # A busy machine needs several calls
        for _ in range(4):
            done = gpu_test(self.out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if "all parts done" in done.stdout:
                break
        files, page = self.check_files()
        self.assertIn("All parts done.", page)
        self.assertEqual(self.parts_on(page), list(card_order.ORDER))
        for part in ("smoke", "rows", "verify", "captured", "accuracy", "bench-tf32"):
            self.assertRegex(page, rf"\| {part} \| [^|]* \| passed")
        self.assertIn("recording-mnist-cnn.jsonl", files)

    @needs_workloads
    @unittest.skipUnless(FAKE_DRIVER.is_file(), "the driver of made-up cards is not built")
    def test_the_way_of_a_real_card_ends_with_a_page(self):
        # NVIDIA's libraries refuse a made-up card
        before = os.environ.get("LD_LIBRARY_PATH", "")
        done = gpu_test(
            self.out, "--part", "memory", "--part", "sanitizer", "--part", "torch-float32-eager",
            device="cuda:0", env={"LD_LIBRARY_PATH": f"{FAKE_DRIVER.parent}:{before}"},
        )  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        page = (self.out / "result.md").read_text()
        self.assertIn("# NVIDIA Made-up 0", page)
        self.assertIn("(real card)", page)
        self.assertIn("| memory | mlp-128:32 | failed | strata: hidden: cublasLt", page)
        self.assertRegex(page, r"\| compute-sanitizer \| skipped|\| memcheck \|")
        self.assertRegex(page, r"\| PyTorch \| skipped \| .* has no PyTorch with CUDA")
        # Asked once, by a process of its own that leaves the card's memory free
        self.assertEqual(done.stdout.count("cuDNN's properties of the card: "), 1, done.stdout)
        self.assertIn("card_machine.py 0\n", (self.out / "log.txt").read_text())
        self.assertLessEqual(len(list(self.out.iterdir())), MAX_FILES)

    def test_it_goes_on_after_a_failure_and_keeps_what_was_printed(self):
        for name in ("strata", "strata_gpu_tests"):
            self.program(name, "echo strata: it does not work\nexit 1")
        done = gpu_test(self.out, programs=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("all parts done", done.stdout)
        files, page = self.check_files()
        self.assertIn("failures.txt", files)
        self.assertEqual(self.parts_on(page), list(card_order.ORDER))
        for part in ("smoke", "rows", "captured", "memory", "accuracy", "bench-bfloat16"):
            self.assertRegex(page, rf"\| {part} \| [^|]* \| failed")
        self.assertIn("it does not work", (self.out / "failures.txt").read_text())

    def test_rows_that_make_the_card_fail_do_not_hide_the_others(self):
        lasting = "kernel failed. The card is not usable until Strata is started again."
        later = "cuda:0: the card is not usable since an error: it failed."
        self.program("strata_card_tests", f"""case "$STRATA_TEST_SKIP $*" in
  *softmax*tce=one?case*)
    echo "[doctest] test cases: 3 | 3 passed | 0 failed"
    exit 0 ;;
  *softmax*)
    printf 'TEST CASE:  one case\\n\\nx.cpp:1: ERROR: {lasting}\\nTEST CASE:  two\\n{later}\\n' ;;
  *)
    printf 'TEST CASE:  rows\\n\\nx.cpp:1: ERROR: {lasting}\\n  logged: row.name := softmax\\n'
    printf 'x.cpp:2: ERROR: {later}\\n  logged: row.name := sum\\n' ;;
esac
exit 1""")
        (self.folder / "strata").touch()
        done = gpu_test(self.out, "--part", "rows", programs=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        page = self.check_files()[1]
        self.assertEqual(
            re.findall(r"^\| rows \| (.*) \| (passed|failed) \|", page, re.M),
            [("softmax", "failed"), ("one case", "failed"), ("op rows", "passed")],
        )

    def memory_program(self, network):
        memory = {"network_bytes": network << 20, "samples_bytes": 0, "transfer_bytes": 0,
                  "context_bytes": 0, "used_bytes": 100 << 20}  # fmt: skip
        self.program("strata", f"echo '{json.dumps({'device_memory': memory})}'")

    def test_memory_that_nobody_counts_is_a_failure(self):
        for network, state in ((100, "passed"), (97, "failed")):
            self.memory_program(network)
            gpu_test(self.out, "--part", "memory", programs=self.folder)
            page = self.check_files()[1]
            # The second run replaces the results of the first one
            rows = re.findall(r"\| memory of mlp-128:32 \| (\w+) \| driver 100", page)
            self.assertEqual(rows, [state])
        self.assertTrue((self.out / "results.json").is_file())

    def test_several_calls_make_one_page_and_say_what_comes_next(self):
        self.memory_program(100)
        self.program("strata_card_tests", "echo '[doctest] test cases: 3 | 3 passed | 0 failed'")
        done = gpu_test(self.out, "--part", "memory", programs=self.folder)
        command = f"--device {DEVICE} --bin {self.folder} --out {self.out}"
        self.assertIn(f"next: ./dev gpu-test --quick --part a {command}\n", done.stdout)
        done = gpu_test(self.out, "--part", "a", programs=self.folder)
        self.assertIn(f"next: ./dev gpu-test --quick --part b {command}\n", done.stdout)
        page = self.check_files()[1]
        self.assertIn(f"Next: `./dev gpu-test --quick --part b {command}`", page)
        self.assertEqual(self.parts_on(page), ["build", "smoke", "memory"])
        self.assertIn("| memory | memory of mlp-128:32 | passed |", page)
        # A group runs what has no results; a single part runs again
        done = gpu_test(self.out, "--part", "a", programs=self.folder)
        self.assertIn("Parts: none, because all of them have results", done.stdout)
        done = gpu_test(self.out, "--part", "b", "--part", "memory", programs=self.folder)
        self.assertIn("Parts: rows, verify, captured, memcheck, memory\n", done.stdout)
        done = gpu_test(self.out, programs=self.folder)
        self.assertIn("all parts done", done.stdout)
        page = self.check_files()[1]
        self.assertEqual(self.parts_on(page), list(card_order.ORDER))
        # What was quick does not count as a full run
        state = json.loads((self.out / "results.json").read_text())
        self.assertTrue(all(record["quick"] for record in state["parts"].values()))

    def test_results_of_another_card_are_not_mixed(self):
        self.memory_program(100)
        gpu_test(self.out, "--part", "memory", programs=self.folder)
        before = (self.out / "results.json").read_text()
        done = gpu_test(
            self.out, "--part", "memory", programs=self.folder, device="simulated:RTX 4090"
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("has results of simulated:H100", done.stderr)
        self.assertEqual((self.out / "results.json").read_text(), before)

    def test_a_kill_loses_only_the_part_that_runs(self):
        self.memory_program(100)
        self.program("strata_card_tests", f"echo $$ > {self.folder}/child; exec sleep 300")
        gpu_test(self.out, "--part", "memory", programs=self.folder)
        process = subprocess.Popen(
            command_of(self.out, "--part", "verify", "--part", "rows", programs=self.folder),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        child = self.folder / "child"
        end = time.monotonic() + 60
        while not (child.is_file() and child.read_text().strip()) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        number = int(child.read_text())
        # The command that ran ends, too, so that it does not disturb the next call
        while os.path.exists(f"/proc/{number}") and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(os.path.exists(f"/proc/{number}"))
        page = self.check_files()[1]
        self.assertEqual(self.parts_on(page), ["memory"])
        self.assertIn("| memory | memory of mlp-128:32 | passed |", page)
        self.program("strata_card_tests", "echo '[doctest] test cases: 3 | 3 passed | 0 failed'")
        done = gpu_test(self.out, "--part", "b", programs=self.folder)
        self.assertIn("rows was killed in an earlier call, and runs again", done.stdout)
        page = self.check_files()[1]
        self.assertIn("| rows | op rows | passed |", page)
        self.assertIn("| memory | memory of mlp-128:32 | passed |", page)

    def test_a_call_ends_in_time_and_says_how_to_go_on(self):
        self.program(
            "strata_gpu_tests",
            "echo it began; printf softmax > $STRATA_TEST_PRESENT; sleep 100 & sleep 100",
        )
        self.program("strata", "exit 1")
        words = ["--part", "rows", "--part", "memory"]
        started = time.monotonic()
        seconds = str(card_order.RESERVE_SECONDS + 2)
        done = gpu_test(self.out, *words, "--seconds", seconds, programs=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertLess(time.monotonic() - started, 60)
        self.assertIn("memory does not begin: 0 s are left", done.stdout)
        self.assertRegex(done.stdout, f"next: ./dev gpu-test .* --seconds {seconds} --out ")
        page = self.check_files()[1]
        self.assertIn("| op rows | failed | no end in time; the last row was softmax |", page)
        self.assertIn("it began", (self.out / "failures.txt").read_text())
        gpu_test(self.out, "--part", "d", programs=self.folder)
        page = self.check_files()[1]
        self.assertRegex(page, r"\| memory \| [^|]* \| failed")
        self.assertIn("| op rows | failed | no end in time", page)

    def test_captured_runs_are_compared_with_the_same_kernels(self):
        self.program("strata", """
case "$*" in *'/execution/kernel_choice="rule"'*) ;; *) echo no rule; exit 1 ;; esac
while [ $# -gt 0 ]; do
  [ "$1" = --run-dir ] && run=$2
  [ "$1" = --events ] && events=$2
  shift
done
mkdir -p $run
kernel='{"layer": "conv1", "op": "conv2d", "implementation": "cuDNN eng'
echo '{"kernels": ['$kernel${STRATA_SKIP_CAPTURE:-0}'"}]}' > $run/choices.json
echo '{"event": "step", "loss": 1.0}' > $events
echo '{"event": "end", "weights_hash": "a"}' >> $events""")
        gpu_test(self.out, "--part", "captured", programs=self.folder)
        page = self.check_files()[1]
        self.assertIn(
            "| mlp-128: kernels of both runs | failed | 1 and 1 kernels; 1 differ, such as conv2d "
            "of conv1: cuDNN eng0, and cuDNN eng1 |", page,
        )  # fmt: skip
        self.assertIn("| mlp-128: captured and uncaptured | passed |", page)

    def test_without_programs_no_part_begins(self):
        done = gpu_test(self.out, programs=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not begin: the programs are not built", done.stdout, done.stderr)
        self.check_files()

    def test_a_wrong_part_or_device_is_refused(self):
        done = gpu_test(self.out, "--part", "row")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such part (expected one of a, b, c, d, build, smoke, rows", done.stderr)
        done = gpu_test(self.out, "--device", "simulated:RTX 9999")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not in the catalogue", done.stderr)
        self.assertFalse(self.out.exists())


class FakeSession:
    """What a part needs of a session: it notes commands and results."""

    def __init__(self, folder, answer=None):
        self.is_simulated = self.is_quick = False
        self.has_torch, self.device, self.capability = True, "cuda:0", 90
        self.shared = self.work = self.bin = folder
        self.answer, self.commands, self.rows, self.torch, self.failures = answer, [], [], [], []

    def left(self):
        return 1000

    def run(self, *command, **more):
        self.commands.append([str(word) for word in command])
        if self.answer is not None:
            return self.answer
        done = subprocess.run(
            self.commands[-1], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **(more.get("env") or {})},
        )  # fmt: skip
        return done.returncode, done.stdout

    def strata(self, *words, **more):
        return self.run(self.bin / "strata", *words, **more)

    def add(self, name, state, detail=""):
        self.rows.append((name, state, detail))

    def add_failure(self, title, text):
        self.failures.append((title, text))


class Pieces(unittest.TestCase):
    def test_cudnn_prints_the_properties_of_a_card(self):
        text = (card_machine.ROOT / "resources/cudnn-devices/h100.json").read_text()
        properties, reason = card_machine.cudnn_properties(0, text)
        if properties is None and "not found" in reason:
            self.skipTest(reason)
        self.assertEqual(properties, json.loads(text), reason)

    def test_goals_are_met_by_the_ratio_to_pytorch(self):
        row = {
            "workload": "mlp-128", "batch": 32, "precision": "float32", "kernels": "usual",
            "us": 10.0, "is_predicted": False, "torch": {"eager": 60.0, "compile": 25.0},
            "eager_goal": 5, "best_goal": 3,
        }  # fmt: skip
        line = card_report.bench_table([row])[-1]
        self.assertIn("| 6.00 | 2.50 | 5 to eager: met, 3 to best: missed |", line)

    def folder(self):
        folder = tempfile.TemporaryDirectory(prefix="strata-gpu-test-")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def test_the_parts_run_in_the_order_of_what_a_card_is_needed_for(self):
        self.assertEqual(list(card_order.GROUPS), ["a", "b", "c", "d"])
        self.assertEqual(card_order.GROUPS["a"], ("build", "smoke"))
        self.assertEqual(card_order.GROUPS["b"], ("rows", "verify", "captured", "memcheck"))
        self.assertEqual(card_order.GROUPS["d"], ("memory", "racecheck", "accuracy"))
        speed = card_order.GROUPS["c"]
        kinds = [part.split("-")[0] for part in speed]
        self.assertEqual(kinds, ["bench"] * 3 + ["fastest"] * 3 + ["torch"] * 9)
        for kind in ("bench", "fastest", "torch"):
            first = next(part for part in speed if part.startswith(kind))
            self.assertTrue(first.startswith(f"{kind}-bfloat16"))
        self.assertEqual(set(card_parts.PARTS) | {"build"}, set(card_order.ORDER))
        self.assertEqual(card_order.chosen_parts(None, lambda part: False), list(card_order.ORDER))
        self.assertEqual(
            card_order.chosen_parts(["d", "sanitizer"], lambda part: part == "racecheck"),
            ["memcheck", "memory", "racecheck", "accuracy"],
        )

    def test_no_part_on_a_card_needs_more_than_one_call(self):
        session = FakeSession(self.folder())
        for part in card_order.ORDER:
            seconds = card_order.expected_seconds(part, session)
            self.assertLess(seconds, card_order.CALL_SECONDS - card_order.RESERVE_SECONDS, part)
            self.assertGreater(card_order.part_limit(part, session), seconds)
        for group in "ab":
            total = sum(card_order.expected_seconds(p, session) for p in card_order.GROUPS[group])
            self.assertLess(total, card_order.CALL_SECONDS)

    def test_pytorch_runs_once_for_each_mode(self):
        folder = self.folder()
        workloads = folder / "peers" / "workloads"
        workloads.mkdir(parents=True)
        for name, *_ in card_bench.WORKLOADS:
            (workloads / f"{name}.json").write_text(json.dumps({"name": f"The {name}"}))
        (folder / "peers" / "torch_bench.py").write_text("""import json, os, sys
print("a warning of", os.environ["NVIDIA_TF32_OVERRIDE"], "--amp" in sys.argv)
for number, word in enumerate(sys.argv[5 + ("--amp" in sys.argv):]):
    path, _, batch = word.partition(":")
    found = {"peer": "torch", "model": json.load(open(path))["name"], "batch": int(batch)}
    found |= {"error": "no memory"} if number == 1 else {"us": 10.0 + number}
    text = json.dumps(found)
    print(text if number < 4 else text[:30])
    if number == 4:
        sys.exit(1)
""")
        for precision, begin in (("bfloat16", "0 True"), ("tf32", "1 False")):
            session = FakeSession(folder)
            card_bench.PARTS[f"torch-{precision}-compile"](session)
            (command,) = session.commands
            self.assertEqual(command[command.index("--modes") + 1], "compile")
            judged = [f"{workloads}/{n}.json:{b}" for n, b, *_ in card_bench.WORKLOADS[:6]]
            self.assertEqual(command[-6:], judged)
            states = [state for _, state, _ in session.rows]
            self.assertEqual(" ".join(states), "passed skipped passed passed skipped skipped")
            self.assertEqual(session.rows[1][2], "no memory")
            self.assertEqual(session.torch[0], {
                "workload": "mlp-128", "batch": 32, "precision": precision, "mode": "compile",
                "us": 10.0})  # fmt: skip
            self.assertEqual(len(session.torch), 3)
            self.assertIn(f"a warning of {begin}", session.run(*command, env=(
                card_bench.torch_environment(precision)))[1])  # fmt: skip

    def test_racecheck_leaves_nvidias_kernels_out(self):
        answer = (0, "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)")
        session = FakeSession(self.folder(), answer)
        with unittest.mock.patch.object(card_machine, "find_tool", lambda name: f"/{name}"):
            card_parts.PARTS["racecheck"](session)
            card_parts.PARTS["memcheck"](session)
        race, sync, memory = session.commands
        excluded = race[race.index("--kernel-name-exclude") + 1]
        self.assertEqual(excluded, f"regex={card_parts.NVIDIA_KERNELS}")
        self.assertLess(race.index("--kernel-name-exclude"), race.index("train"))
        self.assertEqual([race[2], sync[2], memory[2]], ["racecheck", "synccheck", "memcheck"])
        self.assertNotIn("--kernel-name-exclude", sync + memory)
        self.assertIn("0 hazards", session.rows[0][2])
        for name in ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64",
                     "nvjet_tst_128x64_64x8_2x1_v_bz_TNT",
                     "_ZN8cublasLt19splitKreduce_kernelILi32",
                     "_ZN7cutlass7Kernel2I52cutlass_80_tensorop_s1688fprop",
                     "implicit_convolve_sgemm",
                     "_ZN5cudnn3ops16nchwToNhwcKernelI6__half"):  # fmt: skip
            self.assertRegex(name, f"^{card_parts.NVIDIA_KERNELS}$")

    def test_racecheck_checks_every_kernel_of_strata(self):
        words = {"fused_0123456789abcdef"}
        for path in (card_machine.ROOT / "gpu/cuda/kernels").glob("*.cu*"):
            for line in re.findall(r".*STRATA_(?:GLOBAL|KERNEL|COOPERATIVE).*", path.read_text()):
                words |= set(re.findall(r"[a-z][a-z0-9_]+", line.split("(const")[0]))
        self.assertTrue({"softmax_warps_", "depthwise_conv2d_"} <= words, words)
        matched = [word for word in words if re.search(card_parts.NVIDIA_KERNELS, word)]
        self.assertEqual(matched, [])

    def test_addresses_of_library_calls_are_counted(self):
        node = {"op": "matmul", "inputs": [1, 2], "outputs": [{"value": 3}]}
        other = {"op": "reduce_sum", "inputs": [3], "outputs": [{"value": 4}]}
        storages = [
            {"offset": offset, "bytes": 8, "category": category, "layer": "fc", "values": values}
            for offset, category, values in (
                (0, "parameter", [1]), (320, "input", [2]), (512, "activation", [3]),
                (64, "activation", [4]), (832, "workspace", []),
            )
        ]  # fmt: skip
        plan = {"nodes": [node, other], "memory": {"storages": storages}}
        self.assertEqual(card_smoke.misaligned(plan), (2, 4, storages[1]))

    def test_programs_of_the_pack_are_used_only_where_they_run(self):
        pack = self.folder()
        with unittest.mock.patch.object(card_build, "PACK", pack):
            session = FakeSession(self.folder(), (0, ""))
            self.assertIn("lacks strata", card_build.why_not_packed(session))
            (pack / "bin").mkdir()
            for name in card_build.PROGRAMS:
                (pack / "bin" / name).touch()
            built_from = pack / "bin" / card_build.BUILT_FROM
            built_from.write_text(json.dumps({"sources": "0", "capability": 90}))
            self.assertIn("sources changed", card_build.why_not_packed(session))
            sources = card_build.source_hash()
            built_from.write_text(json.dumps({"sources": sources, "capability": 80}))
            self.assertIn("compute capability 80", card_build.why_not_packed(session))
            built_from.write_text(json.dumps({"sources": sources, "capability": 90}))
            session.answer = (1, "GLIBC_2.38 not found")
            before = session.bin
            self.assertIn("GLIBC_2.38 not found", card_build.why_not_packed(session))
            self.assertEqual(session.bin, before)
            session.answer = (0, "")
            self.assertEqual(card_build.why_not_packed(session), "")
            self.assertEqual(session.bin, pack / "bin")

    def test_programs_that_are_too_large_stay_at_home(self):
        pack = self.folder()
        (pack / "bin").mkdir()
        (pack / "bin" / "strata").write_bytes(bytes(1 << 20))
        limit = gpu_pack.tree_bytes() + (1 << 20)
        self.assertGreater(limit, 8 << 20)
        self.assertEqual(gpu_pack.why_too_large(pack, limit), "")
        self.assertIn("over the limit", gpu_pack.why_too_large(pack, limit - 1))

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
            if gpu_pack.nvidia_headers():
                for name in ("cublasLt.h", "nvrtc.h", "cupti.h", "cudnn_graph.h", "cuda.h"):
                    self.assertTrue((pack / "nvidia" / name).is_file(), name)


if __name__ == "__main__":
    if BIN is None or not (BIN / "strata").is_file():
        sys.exit("tst_gpu_test.py: --bin: expected the folder of the built programs")
    os.chdir(HERE)
    unittest.main(argv=sys.argv[:1], verbosity=2)
