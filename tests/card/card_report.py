# SPDX-License-Identifier: Apache-2.0
"""Writes the result page of gpu_test.py, and the recordings of a card."""
import json
import platform
import shutil

import card_machine


def cell(value, form="{:.1f}"):
    return "" if value is None else form.format(value)


def bench_table(rows):
    lines = [
        "| workload | precision | Strata, us | PyTorch eager | compile | max-autotune | to eager | "
        "to best | goals |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        times = row["torch"]
        eager, best = times.get("eager"), min(times.values(), default=None)
        goals = []
        for name, time in (("eager", eager), ("best", best)):
            goal = row[f"{name}_goal"]
            if goal and time:
                is_met = time / row["us"] >= goal
                goals.append(f"{goal} to {name}: {'met' if is_met else 'missed'}")
        cells = [
            f"{row['workload']}:{row['batch']}", row["precision"],
            cell(row["us"]) + (" predicted" if row["is_predicted"] else ""),
            *(cell(times.get(mode)) for mode in ("eager", "compile", "max-autotune")),
            cell(eager and eager / row["us"], "{:.2f}"), cell(best and best / row["us"], "{:.2f}"),
            ", ".join(goals),
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def write(session, started):
    """Writes the page with the results so far."""
    states = [state for _, _, state, _ in session.rows]
    kind = "simulated, so it proves nothing about a GPU" if session.is_simulated else "real card"
    lines = [
        f"# {session.card}, {started:%Y-%m-%d}", "",
        f"`./dev gpu-test{' --quick' if session.is_quick else ''} --device \"{session.device}\"` "
        f"({kind}), {started:%H:%M} UTC: {states.count('passed')} passed, "
        f"{states.count('failed')} failed, {states.count('skipped')} skipped.", "",
        f"Compute capability {session.capability}; {platform.platform()}.", "",
        "| part | test | result | figures |", "|---|---|---|---|",
    ]  # fmt: skip
    for part, name, state, detail in session.rows:
        lines.append(f"| {part} | {name} | {state} | {detail[:300].replace('|', '/')} |")
    if session.bench:
        text = "Microseconds per training step. The ratios are PyTorch's time divided by Strata's."
        lines += ["", "## Speed", "", text, "", *bench_table(session.bench)]
        (session.out / "bench.json").write_text(json.dumps(session.bench, indent=1))
    (session.out / "result.md").write_text("\n".join(lines) + "\n")


def record(session):
    """Keeps what the window and later plans can use: a run, the devices, cuDNN's properties."""
    run = session.work / "mnist-cnn-float32.jsonl"
    if run.is_file():
        shutil.copyfile(run, session.out / "recording-mnist-cnn.jsonl")
    profile = session.work / "mnist-cnn-float32" / "profile.json"
    if profile.is_file():
        shutil.copyfile(profile, session.out / "recording-profile.json")
    session.begin("recordings")
    answers = {}
    for command in ("devices", "doctor") if (session.bin / "strata").is_file() else ():
        code, output = session.strata(command, "--json", seconds=60)
        if code == 0:
            answers[command] = json.loads(output[output.find("{") :])
    if answers:
        (session.out / "recording-devices.json").write_text(json.dumps(answers, indent=1))
    if session.is_simulated:
        return
    ordinal = int(session.device.partition(":")[2] or 0)
    properties, reason = card_machine.cudnn_properties(ordinal)
    if properties:
        (session.out / "cudnn-properties.json").write_text(json.dumps(properties, indent=1))
    else:
        print(f"cuDNN's properties of the card: {reason}")
