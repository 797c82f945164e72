# SPDX-License-Identifier: Apache-2.0
"""Writes the result page of gpu_test.py, and the recordings of a card."""
import json
import pathlib
import platform
import shutil
import sys

import card_order
from card_results import write_whole

PROPERTIES = pathlib.Path(__file__).resolve().parent / "card_machine.py"


def cell(value, form="{:.1f}"):
    return "" if value is None else form.format(value)


def bench_table(rows):
    lines = [
        "| workload | precision | kernels | Strata, us | PyTorch eager | compile | max-autotune | "
        "to eager | to best | goals |",
        "|---|---|---|---|---|---|---|---|---|---|",
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
            f"{row['workload']}:{row['batch']}", row["precision"], row["kernels"],
            cell(row["us"]) + (" predicted" if row["is_predicted"] else ""),
            *(cell(times.get(mode)) for mode in card_order.MODES),
            cell(eager and eager / row["us"], "{:.2f}"), cell(best and best / row["us"], "{:.2f}"),
            ", ".join(goals),
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def failures_text(results):
    entries = [
        f"--- {part}: {title}\n{text}\n"
        for part, record in results.records(card_order.ORDER)
        for title, text in record["failures"]
    ]
    return "\n".join(entries)


def write(session, started, following):
    """Writes the page with the results of all calls so far, and the command that comes next."""
    results = session.results
    rows = results.rows(card_order.ORDER)
    states = [state for _, _, state, _ in rows]
    kind = "simulated, so it proves nothing about a GPU" if session.is_simulated else "real card"
    lines = [
        f"# {session.card}, {started:%Y-%m-%d}", "",
        f"`./dev gpu-test{' --quick' if session.is_quick else ''} --device \"{session.device}\"` "
        f"({kind}), {started:%H:%M} UTC: {states.count('passed')} passed, "
        f"{states.count('failed')} failed, {states.count('skipped')} skipped.", "",
        f"Compute capability {session.capability}; {platform.platform()}.", "",
        f"Next: `{following}`" if following else "All parts done.", "",
        "| part | test | result | figures |", "|---|---|---|---|",
    ]  # fmt: skip
    for part, name, state, detail in rows:
        lines.append(f"| {part} | {name} | {state} | {detail[:300].replace('|', '/')} |")
    if bench := results.bench(card_order.ORDER):
        text = "Microseconds per training step. The ratios are PyTorch's time divided by Strata's."
        lines += ["", "## Speed", "", text, "", *bench_table(bench)]
    lines += ["", "## Parts", "", "| part | ended | seconds | kind |", "|---|---|---|---|"]
    for part, record in results.records(card_order.ORDER):
        sample = "sample" if record["quick"] else "full"
        lines.append(f"| {part} | {record['ended']} | {record['seconds']:.0f} | {sample} |")
    if failures := failures_text(results):
        write_whole(session.out / "failures.txt", failures)
    else:
        (session.out / "failures.txt").unlink(missing_ok=True)
    write_whole(session.out / "result.md", "\n".join(lines) + "\n")


def record(session):
    """Keeps what the window and later plans can use: a run, the devices, cuDNN's properties."""
    for source, target in (
        ("mnist-cnn-float32.jsonl", "recording-mnist-cnn.jsonl"),
        ("smoke-profile/profile.json", "recording-profile.json"),
    ):
        if (session.work / source).is_file():
            shutil.copyfile(session.work / source, session.out / target)
    if not (session.out / "recording-devices.json").is_file():
        record_devices(session)
    properties = session.out / "cudnn-properties.json"
    if not session.is_simulated and not properties.is_file() and session.asks_cudnn:
        session.asks_cudnn = False
        # Not in this process, because cuDNN takes memory of the card until its process ends
        ordinal = session.device.partition(":")[2] or "0"
        code, output = session.run(sys.executable, PROPERTIES, ordinal, seconds=60)
        if code == 0:
            write_whole(properties, output)
        else:
            print(f"cuDNN's properties of the card: {output.strip()}", flush=True)


def record_devices(session):
    answers = {}
    for command in ("devices", "doctor") if (session.bin / "strata").is_file() else ():
        code, output = session.strata(command, "--json", seconds=60)
        if code == 0 and "{" in output:
            answers[command] = json.loads(output[output.find("{") :])
    if answers:
        write_whole(session.out / "recording-devices.json", json.dumps(answers, indent=1))
