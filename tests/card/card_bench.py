# SPDX-License-Identifier: Apache-2.0
"""Measures workloads on a card in three precisions, and PyTorch on those with goals."""
import json
import sys

import card_order

# Workload and batch, and the goals: ratio to PyTorch's eager mode, and to its best mode. The judged
# ones come first.
WORKLOADS = (
    ("mlp-128", 32, 5, 3), ("mlp-1024", 128, 5, 3), ("mnist-cnn", 64, 5, 2),
    ("resnet18", 512, None, 1.15), ("vgg-bn", 64, None, 1.15), ("transformer", 16, None, 1.1),
    ("lenet5", 64, None, None), ("lstm", 64, None, None), ("separable", 64, None, None),
    ("mlp-512x2", 128, None, None),
)  # fmt: skip
# Steps whose losses count; the timed windows come in addition
STEPS = 20
FASTEST = '/execution/kernel_choice="fastest"'


def torch_environment(precision):
    if precision == "tf32":
        return {"NVIDIA_TF32_OVERRIDE": "1", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}
    return {"NVIDIA_TF32_OVERRIDE": "0"}


def project_of(session, name):
    return session.shared / "peers" / "workloads" / f"{name}.json"


def bench_answer(session, name, batch, precision, *words, env=None):
    """Returns what strata bench says about a workload, or None, and adds the failure."""
    if precision == "tf32":
        env = {"NVIDIA_TF32_OVERRIDE": "1", **(env or {})}
    code, output = session.strata(
        "bench", project_of(session, name), "--device", session.device, "--precision", precision,
        "--batch-size", batch, "--steps", 2 if session.is_simulated else STEPS, "--json", *words,
        env=env,
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


def chosen_workloads(session):
    """Returns the workloads that are there, or fewer for a quick call or a simulated card."""
    workloads = [each for each in WORKLOADS if project_of(session, each[0]).is_file()]
    # Small networks are enough to try the command, because a simulated card is slow
    if session.is_simulated:
        chosen = ("mlp-128",) if session.is_quick else ("mlp-128", "mnist-cnn", "lenet5", "lstm")
        return [each for each in workloads if each[0] in chosen]
    return workloads[:4] if session.is_quick else workloads


def bench(session, precision, kernels):
    """Measures the workloads in a precision, with the usual kernels or the fastest ones."""
    workloads = chosen_workloads(session)
    if not workloads:
        return session.add(
            "workloads", "skipped", f"{session.shared}/peers/workloads is missing"
        )  # fmt: skip
    words = ("--set", FASTEST) if kernels == "fastest" else ()
    for name, batch, eager_goal, best_goal in workloads:
        if session.left() < 5:
            session.add(f"{name}:{batch}", "failed", "no time left")
            continue
        answer = bench_answer(session, name, batch, precision, *words)
        if answer is None:
            continue
        row = {
            "workload": name, "batch": batch, "precision": precision, "kernels": kernels,
            "us": answer["step_us"]["median"], "first_loss": answer["first_loss"],
            "last_loss": answer["last_loss"], "peak_bytes": answer["peak_bytes"],
            "is_predicted": bool(answer.get("predicted")), "eager_goal": eager_goal,
            "best_goal": best_goal,
        }  # fmt: skip
        session.bench.append(row)
        kind = "predicted" if row["is_predicted"] else "median"
        session.add(f"{name}:{batch}", "passed", f"{row['us']:.1f} us a step, {kind}")
    return None


def has_torch(session):
    """Asks once, because loading PyTorch takes seconds."""
    if session.has_torch is None:
        code, _ = session.run(
            sys.executable, "-c", "import torch; assert torch.cuda.is_available()"
        )  # fmt: skip
        session.has_torch = code == 0
    return session.has_torch


def torch_times(output, judged):
    """Returns what torch_bench.py printed: times and errors, by workload and batch."""
    names = {name: workload for workload, name in judged}
    times, errors = {}, {}
    for line in output.splitlines():
        if not line.startswith('{"peer"'):
            continue
        try:
            answer = json.loads(line)
        except json.JSONDecodeError:
            # The last line of a process that was ended
            continue
        key = (names.get(answer["model"], answer["model"]), answer["batch"])
        if "us" in answer:
            times[key] = answer["us"]
        else:
            errors[key] = answer.get("error", "")
    return times, errors


def measure_torch(session, precision, mode):
    """Measures the workloads with goals in one mode of PyTorch, all in one process."""
    if session.is_simulated:
        return session.add("PyTorch", "skipped", "it needs a real card")
    if session.is_quick and mode != card_order.MODES[0]:
        return session.add("PyTorch", "skipped", "a quick call measures eager mode alone")
    judged = [each for each in chosen_workloads(session) if each[2] or each[3]]
    if not judged:
        return session.add(
            "workloads", "skipped", f"{session.shared}/peers/workloads is missing"
        )  # fmt: skip
    if not has_torch(session):
        return session.add("PyTorch", "skipped", f"{sys.executable} has no PyTorch with CUDA")
    code, output = session.run(
        sys.executable, "-u", session.shared / "peers" / "torch_bench.py", "--device", "cuda",
        "--modes", mode, *(["--amp"] if precision == "bfloat16" else []),
        *(f"{project_of(session, name)}:{batch}" for name, batch, _, _ in judged),
        env=torch_environment(precision), cwd=session.work,
    )  # fmt: skip
    names = [(name, model_name(session, name)) for name, *_ in judged]
    times, errors = torch_times(output, names)
    for name, batch, *_ in judged:
        key = (name, batch)
        if key in times:
            session.torch.append(
                {"workload": name, "batch": batch, "precision": precision, "mode": mode,
                 "us": times[key]}
            )  # fmt: skip
            session.add(f"{name}:{batch}", "passed", f"{times[key]:.1f} us a step")
            continue
        what = "no end in time" if code is None else output.strip()[-200:]
        session.add(f"{name}:{batch}", "skipped", errors.get(key) or what)
    return None


def model_name(session, name):
    """Returns the name that PyTorch's program prints for a workload."""
    return json.loads(project_of(session, name).read_text()).get("name", name)


def part_of(function, *arguments):
    return lambda session: function(session, *arguments)


PARTS = {}
for each_precision in card_order.PRECISIONS:
    PARTS[f"bench-{each_precision}"] = part_of(bench, each_precision, "usual")
    PARTS[f"fastest-{each_precision}"] = part_of(bench, each_precision, "fastest")
    for each_mode in card_order.MODES:
        PARTS[f"torch-{each_precision}-{each_mode}"] = part_of(
            measure_torch, each_precision, each_mode
        )
