# SPDX-License-Identifier: Apache-2.0
"""The parts of gpu_test.py after the build. Each one takes the session, and adds results to it."""
import json
import re

import card_bench
import card_machine
import card_smoke

ROOT = card_machine.ROOT
SUITES = "rows on cards,kernels on cards,norms on cards,launches on cards"
# Relative difference of losses in float32 without TF32
LOSS_TOLERANCE = 1e-4
# Relative difference between the memory that Strata knows of and the driver's figure
MEMORY_TOLERANCE, MAX_OTHER_BYTES = 0.02, 256 << 20
# By whether the card is simulated
MEMORY_WORKLOADS = {
    True: (("mlp-128", 32), ("mnist-cnn", 128)),
    False: (("mlp-128", 32), ("mnist-cnn", 512), ("vgg-bn", 64), ("transformer", 16)),
}
PRECISIONS = ("float32", "bfloat16", "float16")
# Least test accuracy of mnist-cnn after all of its epochs, and after one of them
LEAST_ACCURACY, LEAST_QUICK_ACCURACY = 0.985, 0.97
MAX_ACCURACY_LOSS = 0.005
# A simulated card has no time for an epoch: mean accuracy of the last steps, steps, least accuracy
SIMULATED_LAST, SIMULATED_STEPS, SIMULATED_ACCURACY = 10, {True: 30, False: 200}, 0.45


def mib(count):
    return f"{count / 2**20:.1f} MiB"


# Parts of the names of kernels in cuBLASLt and cuDNN. The text fits filters that search in a name
# and filters that compare all of it. A list of Strata's own kernels would not do, because filters
# may miss those that are compiled while a program runs.
NVIDIA_KERNELS = (
    ".*(cublas|cudnn|cutlass|gemm|gemv|nvjet|xmma|cask|fprop|dgrad|wgrad|convolve|splitK|nchw|nhwc|"
    "fft|winograd|flash).*"
)
# What compute-sanitizer prints on machines that do not allow it
SANITIZER_REFUSAL = re.compile(
    r"=== (.*(?:not supported|Failed to initialize|Unable to|not permitted|No attachable process|"
    r"Internal Sanitizer Error).*)"
)


# Texts of errors that last (gpu/cuda/card.cpp)
CARD_ENDED = "The card is not usable until Strata is started again"
CARD_STAYS_ENDED = "the card is not usable since an error"


def events_of(path):
    try:
        return [json.loads(line) for line in path.read_text().splitlines()]
    except (OSError, json.JSONDecodeError):
        return []


def what_ended_the_card(output):
    """Returns the row and the test case in which the card failed, so that it answered nothing more
    to the process. Both are empty if it did not; the row is empty in other tests."""
    at = output.find(CARD_ENDED)
    if at < 0 or CARD_STAYS_ENDED not in output:
        return "", ""
    cases = re.findall(r"TEST CASE: +(.*)", output[:at])
    rest = output[at : output.find("ERROR:", at) if "ERROR:" in output[at:] else None]
    row = re.search(r"row\.name := (.*)", rest)
    return row.group(1).strip() if row else "", cases[-1].strip() if cases else ""


def rows(session):
    """Runs the rows of the op table and the kernels against the interpreter. Where the card fails,
    runs the others again without what made it fail."""
    dump = session.work / "rows.txt"
    present = session.work / "row.txt"
    env = {"STRATA_TEST_DUMP": str(dump), "STRATA_TEST_PRESENT": str(present)}
    if not session.is_simulated:
        env["STRATA_TEST_DEVICE"] = session.device
    # A tree that is built in full has these tests in a larger program
    program = session.bin / "strata_card_tests"
    if not program.is_file():
        program = session.bin / "strata_gpu_tests"
    skipped_rows, skipped_cases = [], []
    while True:
        env["STRATA_TEST_SKIP"] = "\n".join(skipped_rows)
        # A comma separates names
        names = ",".join(case.replace(",", "\\,") for case in skipped_cases)
        words = [f"-ts={SUITES}", *([f"-tce={names}"] if names else [])]
        code, output = session.run(program, *words, env=env, cwd=ROOT / "tests")
        row, case = what_ended_the_card(output)
        if not row and not case:
            break
        session.add_failure(f"the card fails in {row or case}", output[-5000:])
        session.add(row or case, "failed", "it makes the card fail")
        if (row or case) in skipped_rows + skipped_cases:
            return None
        (skipped_rows if row else skipped_cases).append(row or case)
    cases = re.search(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed", output)
    numbers = ", ".join(re.findall(r"MESSAGE: (.*rows)", output))
    if code == 0 and cases and int(cases.group(2)) > 0:
        return session.add("op rows", "passed", f"{cases.group(2)} test cases, {numbers}")
    failed = sorted(set(re.findall(r"row\.name := (.*)", output)))
    session.add_failure("op rows", dump.read_text() if dump.is_file() else output)
    what = "no end in time" if code is None else f"exit code {code}; rows: {', '.join(failed)}"
    # A kernel that does not end, or a program that ends by a signal
    if (code is None or code < 0) and present.is_file():
        what += f"; the last row was {present.read_text()}"
    return session.add("op rows", "failed", what)


def verify(session):
    """Runs the reference cases."""
    manifests = sorted((session.shared / "golden").glob("*.json"))
    if not manifests:
        return session.add("reference cases", "skipped", f"{session.shared}/golden is missing")
    for manifest in manifests:
        code, output = session.strata("verify", manifest, "--device", session.device)
        last = (output.strip().splitlines() or [""])[-1]
        if code != 0:
            session.add_failure(f"verify {manifest.stem}", output)
        state = "passed" if code == 0 else "failed"
        session.add(manifest.stem, state, "no end in time" if code is None else last)
    return None


def train(session, project, name, *words, device=None, env=None):
    """Trains, and returns the losses and the last event, or None and the output."""
    folder = session.work / name
    code, output = session.strata(
        "train", project, "--device", device or session.device, "--run-dir", folder, "--events",
        folder.with_suffix(".jsonl"), "--no-progress", *words, env=env,
    )  # fmt: skip
    found = events_of(folder.with_suffix(".jsonl"))
    if code != 0 or not found or found[-1]["event"] != "end":
        return None, "no end in time" if code is None else output
    return [event for event in found if event["event"] == "step"], found[-1]


def kernels_of(folder):
    """Returns the kernel of each op of a run, from its choices.json."""
    kernels = json.loads((folder / "choices.json").read_text())["kernels"]
    return [(each["layer"], each["op"], each["implementation"]) for each in kernels]


def compare_kernels(session, name, graph, plain):
    """Adds whether two runs used the same kernels, and names the algorithms of convolutions."""
    one, other = kernels_of(session.work / graph), kernels_of(session.work / plain)
    title = f"{name}: kernels of both runs"
    if one != other:
        pairs = [(a, b) for a, b in zip(one, other) if a != b]
        text = f"{len(one)} and {len(other)} kernels; {len(pairs)} differ"
        if pairs:
            (layer, op, kernel), (*_, found) = pairs[0]
            text += f", such as {op} of {layer}: {kernel}, and {found}"
        return session.add(title, "failed", text)
    algorithms = [f"{op} of {layer} {kernel}" for layer, op, kernel in one if "conv" in op]
    return session.add(title, "passed", "the same: " + (", ".join(algorithms) or "no convolutions"))


def captured(session):
    """Trains with the captured graph, without it, and on the host. Fixed rules choose the kernels,
    because another algorithm would have other bits."""
    names = ["mlp-128", "lenet5"] if session.is_quick else ["mnist-cnn", "separable", "lstm"]
    steps = 5 if session.is_simulated else 20
    for name in names:
        project = session.shared / "peers" / "workloads" / f"{name}.json"
        if not project.is_file():
            session.add(name, "skipped", f"{project} is missing")
            continue
        words = ("--steps", steps, "--set", '/execution/kernel_choice="rule"')
        graph, end = train(session, project, f"{name}-captured", *words)
        plain, plain_end = train(
            session, project, f"{name}-uncaptured", *words, env={"STRATA_SKIP_CAPTURE": "1"}
        )
        if graph is None or plain is None:
            session.add_failure(name, str(end if graph is None else plain_end))
            session.add(name, "failed", (end if graph is None else plain_end)[-300:])
            continue
        compare_kernels(session, name, f"{name}-captured", f"{name}-uncaptured")
        is_equal = [step["loss"] for step in graph] == [step["loss"] for step in plain] and end[
            "weights_hash"
        ] == plain_end["weights_hash"]
        text = f"{steps} steps: losses and weights have {'the same' if is_equal else 'other'} bits"
        session.add(f"{name}: captured and uncaptured", "passed" if is_equal else "failed", text)
        host, host_end = train(session, project, f"{name}-host", *words, device="reference")
        if host is None:
            session.add(f"{name}: losses of the reference", "failed", host_end[-300:])
            continue
        worst = max(
            abs(a["loss"] - b["loss"]) / max(1e-3, abs(b["loss"])) for a, b in zip(graph, host)
        )
        state = "passed" if worst <= LOSS_TOLERANCE else "failed"
        session.add(f"{name}: losses of the reference", state, f"they differ by {worst:.1e}")
    return None


def other_bytes(session):
    """Returns what other programs use of the card's memory, as far as the driver reports it."""
    if session.is_simulated:
        return 0
    code, output = session.strata("devices", "--json", seconds=60)
    listed = json.loads(output[output.find("{") :])["devices"] if code == 0 else []
    found = [device for device in listed if device["name"] == session.device]
    return found[0]["memory_bytes"] - found[0]["available_bytes"] if found else 0


def memory(session):
    """Compares the memory that Strata knows of with what the driver says."""
    taken = other_bytes(session)
    if taken > MAX_OTHER_BYTES:
        text = f"other programs use {mib(taken)} of the card's memory"
        return session.add("memory", "skipped", f"{text}. Close them, and run this part again")
    for name, batch in MEMORY_WORKLOADS[session.is_simulated]:
        if not (session.shared / "peers" / "workloads" / f"{name}.json").is_file():
            session.add(name, "skipped", f"{session.shared}/peers/workloads is missing")
            continue
        answer = card_bench.bench_answer(session, name, batch, "float32")
        if answer is None:
            continue
        answered = answer["device_memory"]
        used = answered["used_bytes"]
        parts = {
            f"{name}_bytes": answered[f"{name}_bytes"]
            for name in ("network", "samples", "transfer", "context")
        }
        known = sum(parts.values())
        difference = abs(used - known) / used
        figures = ", ".join(f"{key.removesuffix('_bytes')} {mib(parts[key])}" for key in parts)
        state = "passed" if difference <= MEMORY_TOLERANCE else "failed"
        text = f"driver {mib(used)}, Strata {mib(known)} ({figures}): {100 * difference:.1f} %"
        session.add(f"memory of {name}:{batch}", state, f"{text} apart")
    return None


def sanitize(session, *checks):
    """Runs compute-sanitizer on a few steps, once for each check."""
    if session.is_simulated:
        return session.add("compute-sanitizer", "skipped", "it needs a real card")
    tool = card_machine.find_tool("compute-sanitizer")
    if not tool:
        return session.add("compute-sanitizer", "skipped", "it is not installed")
    workloads = session.shared / "peers" / "workloads"
    for check in checks:
        folder = session.work / f"sanitizer-{check}"
        # NVIDIA's kernels have races by design, and take most of the time
        excluded = ["--kernel-name-exclude", f"regex={NVIDIA_KERNELS}"]
        code, output = session.run(
            tool, "--tool", check, *(excluded if check == "racecheck" else []), "--error-exitcode",
            "9", session.bin / "strata", "train", workloads / "lenet5.json", "--steps", "4",
            "--device", session.device, "--run-dir", folder, "--no-progress",
        )  # fmt: skip
        # Some machines do not allow it, which says nothing about the programs
        if refusal := SANITIZER_REFUSAL.search(output):
            session.add(check, "skipped", f"it refuses: {refusal.group(1)}")
            continue
        if code != 0:
            session.add_failure(check, output)
        summary = re.findall(r"ERROR SUMMARY: .*|RACECHECK SUMMARY: .*", output)
        what = "no end in time" if code is None else " ".join(summary) or output[-300:]
        session.add(check, "passed" if code == 0 else "failed", what)
    return None


def memcheck(session):
    """Looks for accesses outside of allocations."""
    return sanitize(session, "memcheck")


def racecheck(session):
    """Looks for races in shared memory, and for wrong barriers."""
    return sanitize(session, "racecheck", *(() if session.is_quick else ("synccheck",)))


def accuracy_of(session, precision):
    """Trains mnist-cnn. Returns its accuracy, or None and the reason."""
    words = ["--precision", precision]
    if session.is_simulated:
        words += ["--steps", str(SIMULATED_STEPS[session.is_quick])]
    elif session.is_quick:
        words += ["--epochs", "1"]
    project = ROOT / "projects" / "mnist-cnn.json"
    steps, end = train(session, project, f"mnist-cnn-{precision}", *words)
    if steps is None:
        return None, end
    if session.is_simulated:
        last = [step["metrics"]["accuracy"] for step in steps[-SIMULATED_LAST:]]
        return sum(last) / len(last), end
    return end["test_metrics"]["accuracy"], end


def accuracy(session):
    """Trains mnist-cnn to its accuracy, in each precision."""
    least = LEAST_QUICK_ACCURACY if session.is_quick else LEAST_ACCURACY
    kind, allowed = "test accuracy", MAX_ACCURACY_LOSS
    if session.is_simulated:
        least, kind, allowed = SIMULATED_ACCURACY, "accuracy of the last steps", 0.05
    first = None
    for precision in PRECISIONS[: 2 if session.is_quick else 3]:
        reached, end = accuracy_of(session, precision)
        if reached is None:
            session.add_failure(f"mnist-cnn {precision}", end)
            session.add(f"mnist-cnn {precision}", "failed", end[-300:])
            continue
        first = reached if precision == "float32" else first
        is_good = reached >= least and (first is None or reached >= first - allowed)
        text = f"{kind} {reached:.4f} (at least {least}), {end['seconds']:.1f} s"
        session.add(f"mnist-cnn {precision}", "passed" if is_good else "failed", text)


PARTS = {
    "smoke": card_smoke.smoke,
    "rows": rows,
    "verify": verify,
    "captured": captured,
    "memcheck": memcheck,
    "memory": memory,
    "racecheck": racecheck,
    "accuracy": accuracy,
    **card_bench.PARTS,
}
