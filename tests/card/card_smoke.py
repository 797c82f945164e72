# SPDX-License-Identifier: Apache-2.0
"""The first minute on a card: four networks with and without a captured graph, a profile, and where
operands of library calls are."""
import json
import math

import card_bench

WORKLOADS = (("mlp-1024", 128), ("mnist-cnn", 64), ("resnet18", 64), ("transformer", 16))
# A simulated card is slow
SIMULATED_WORKLOADS = (("mlp-1024", 128),)
PRECISION = "bfloat16"
# A profile needs at least 20 steps
PROFILED, PROFILED_STEPS = ("mlp-1024", 128), 20
# What cuBLASLt and cuDNN run at full speed, and the beginnings of the ops that call them
ALIGNMENT = 256
LIBRARY_OPS = ("matmul", "conv2d", "attention")


def run_workload(session, name, batch):
    """Measures a network with a captured graph and without."""
    answers = {}
    for kind, env in (("captured", {}), ("uncaptured", {"STRATA_SKIP_CAPTURE": "1"})):
        answer = card_bench.bench_answer(session, name, batch, PRECISION, env=env)
        if answer is None:
            return
        answers[kind] = answer
    losses = [answer[key] for answer in answers.values() for key in ("first_loss", "last_loss")]
    is_finite = all(loss is not None and math.isfinite(loss) for loss in losses)
    times = ", ".join(
        f"{kind} {answer['step_us']['median']:.1f} us" for kind, answer in answers.items()
    )
    hashes = {answer["weights_hash"] for answer in answers.values()}
    text = f"{times} a step; losses {', '.join(f'{loss:.4f}' for loss in losses if loss)}; "
    text += "the same weights" if len(hashes) == 1 else "other weights"
    session.add(f"{name}:{batch} {PRECISION}", "passed" if is_finite else "failed", text)


def profile(session):
    """Trains with a profile, and reads its kernels."""
    name, batch = PROFILED
    folder = session.work / "smoke-profile"
    code, output = session.strata(
        "train", card_bench.project_of(session, name), "--device", session.device, "--precision",
        PRECISION, "--batch-size", batch, "--steps", PROFILED_STEPS, "--profile", "--run-dir",
        folder, "--no-progress",
    )  # fmt: skip
    if code == 0:
        code, output = session.strata("profile", folder, "--count", 3)
    if code != 0:
        session.add_failure("profile", output)
        what = "no end in time" if code is None else output.strip()[-300:]
        return session.add(f"profile of {name}:{batch}", "failed", what)
    return session.add(f"profile of {name}:{batch}", "passed", output.splitlines()[0])


def misaligned(plan):
    """Returns how many operands and workspaces of library calls begin at an address that is no
    multiple of 256, of how many, and the largest one."""
    used = set()
    for node in plan["nodes"]:
        if node["op"].startswith(LIBRARY_OPS):
            used |= {*node["inputs"], *(output["value"] for output in node["outputs"])}
    storages = [
        each for each in plan["memory"]["storages"]
        if each["category"] == "workspace" or used & set(each["values"])
    ]  # fmt: skip
    found = [each for each in storages if each["offset"] % ALIGNMENT]
    return len(found), len(storages), max(found, key=lambda each: each["bytes"], default=None)


def alignment(session, name, batch):
    """Checks that the plan of a network has no misaligned operands."""
    code, output = session.strata(
        "dump", card_bench.project_of(session, name), "--stage", "planned", "--format", "json",
        "--device", session.device, "--precision", PRECISION, "--batch-size", batch,
    )  # fmt: skip
    title = f"addresses of {name}:{batch}"
    begin = output.find("{")
    if code != 0 or begin < 0:
        session.add_failure(title, output)
        what = "no end in time" if code is None else output.strip()[-300:]
        return session.add(title, "failed", what)
    count, total, largest = misaligned(json.JSONDecoder().raw_decode(output[begin:])[0])
    text = f"{count} of {total} operands and workspaces are not at a multiple of {ALIGNMENT}"
    if largest:
        text += f"; the largest is {largest['category']} of {largest['layer'] or 'no layer'}, "
        text += f"{largest['bytes']} bytes at {largest['offset']}"
    return session.add(title, "failed" if count else "passed", text)


def smoke(session):
    """Shows in a minute whether the rest is worth the time."""
    workloads = SIMULATED_WORKLOADS if session.is_simulated else WORKLOADS
    present = [each for each in workloads if card_bench.project_of(session, each[0]).is_file()]
    if not present:
        return session.add("workloads", "skipped", f"{session.shared}/peers/workloads is missing")
    for name, batch in present:
        run_workload(session, name, batch)
    profile(session)
    for name, batch in WORKLOADS:
        if card_bench.project_of(session, name).is_file():
            alignment(session, name, batch)
    return None
