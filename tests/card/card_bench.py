# SPDX-License-Identifier: Apache-2.0
"""Measures workloads on a card in three precisions, with PyTorch next to them."""
import json
import sys

import card_machine

# Workload and batch, and the goals: ratio to PyTorch's eager mode, and to its best mode. The judged
# ones come first.
WORKLOADS = (
    ("mlp-128", 32, 5, 3), ("mlp-1024", 128, 5, 3), ("mnist-cnn", 64, 5, 2),
    ("resnet18", 512, None, 1.15), ("vgg-bn", 64, None, 1.15), ("transformer", 16, None, 1.1),
    ("lenet5", 64, None, None), ("lstm", 64, None, None), ("separable", 64, None, None),
    ("mlp-512x2", 128, None, None),
)  # fmt: skip
QUICK = {True: 2, False: 4}
# PyTorch's modes, cheapest first
MODES = ("eager", "compile", "max-autotune")
# Steps whose losses count; the timed windows come in addition
STEPS = 20
MODE_SECONDS = 120


def torch_environment(precision):
    if precision == "tf32":
        return {"NVIDIA_TF32_OVERRIDE": "1", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}
    return {"NVIDIA_TF32_OVERRIDE": "0"}


def has_torch(session):
    code, _ = session.run(sys.executable, "-c", "import torch; assert torch.cuda.is_available()")
    return code == 0


def bench_answer(session, name, batch, precision):
    """Returns what strata bench says about a workload, or None, and adds the failure."""
    project = session.shared / "peers" / "workloads" / f"{name}.json"
    code, output = session.strata(
        "bench", project, "--device", session.device, "--precision", precision, "--batch-size",
        batch, "--steps", 2 if session.is_simulated else STEPS, "--json",
        env={"NVIDIA_TF32_OVERRIDE": "1"} if precision == "tf32" else None,
    )  # fmt: skip
    begin = output.find("{")
    if code != 0 or begin < 0:
        session.add_failure(f"{name} {precision}", output)
        what = "no end in time" if code is None else output.strip()[-300:]
        session.add(f"{name}:{batch}", "failed", what)
        return None
    try:
        return json.JSONDecoder().raw_decode(output[begin:])[0]
    except json.JSONDecodeError as error:
        session.add(f"{name}:{batch}", "failed", f"bench --json: {error}")
        return None


def strata_row(session, name, batch, precision):
    answer = bench_answer(session, name, batch, precision)
    return answer and {
        "workload": name, "batch": batch, "precision": precision, "torch": {},
        "us": answer["step_us"]["median"], "first_loss": answer["first_loss"],
        "last_loss": answer["last_loss"], "peak_bytes": answer["peak_bytes"],
        "is_predicted": bool(answer.get("predicted")),
    }  # fmt: skip


def measure_torch(session, rows, precision):
    """Adds PyTorch's times to the rows, mode by mode, while there is time."""
    peers = session.shared / "peers"
    for mode in MODES[: 1 if session.is_quick else None]:
        for row in rows:
            if session.left() < 20:
                session.add(f"PyTorch {mode} from {row['workload']} on", "skipped", "no time left")
                return
            words = ["--device", "cuda", "--modes", mode] + (
                ["--amp"] if precision == "bfloat16" else []
            )
            project = peers / "workloads" / f"{row['workload']}.json"
            code, output = session.run(
                sys.executable, peers / "torch_bench.py", *words, f"{project}:{row['batch']}",
                env=torch_environment(precision), cwd=session.work, seconds=MODE_SECONDS,
            )  # fmt: skip
            for line in output.splitlines():
                if line.startswith('{"peer"') and "us" in json.loads(line):
                    row["torch"][mode] = json.loads(line)["us"]
            if mode not in row["torch"]:
                what = "no end in time" if code is None else output.strip()[-200:]
                session.add(f"PyTorch {mode} {row['workload']}", "skipped", what)


def bench(session, precision):
    """Measures the workloads in a precision."""
    folder = session.shared / "peers" / "workloads"
    workloads = [each for each in WORKLOADS if (folder / f"{each[0]}.json").is_file()]
    if not workloads:
        return session.add("workloads", "skipped", f"{folder} is missing")
    # Small networks are enough to try the command, because a simulated card is slow
    if session.is_simulated:
        chosen = ("mlp-128",) if session.is_quick else ("mlp-128", "mnist-cnn", "lenet5", "lstm")
        workloads = [w for w in workloads if w[0] in chosen]
    elif session.is_quick:
        workloads = workloads[:4]
    rows = []
    for name, batch, eager_goal, best_goal in workloads:
        if session.left() < 5:
            session.add(f"{name}:{batch}", "failed", "no time left")
            continue
        if row := strata_row(session, name, batch, precision):
            row.update(eager_goal=eager_goal, best_goal=best_goal)
            rows.append(row)
            kind = "predicted" if row["is_predicted"] else "median"
            session.add(f"{name}:{batch}", "passed", f"{row['us']:.1f} us a step, {kind}")
    session.bench += rows
    if session.is_simulated:
        return session.add("PyTorch", "skipped", "it needs a real card")
    if not has_torch(session):
        return session.add("PyTorch", "skipped", f"{sys.executable} has no PyTorch with CUDA")
    return measure_torch(session, rows, precision)


PARTS = {
    f"bench-{precision}": lambda session, precision=precision: bench(session, precision)
    for precision in ("float32", "tf32", "bfloat16")
}
