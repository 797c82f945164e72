#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the recordings of simulated cards in resources/recordings, for the window's replay.

    make_recordings.py [--bin DIR] [--out DIR]

One is a run directory of two cards, without weights and checkpoints. The other has the files that
gpu_test.py keeps of a card. Places on this machine are removed from both."""
import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = ROOT / "projects" / "mnist-cnn.json"
RUN_FILES = ("project.json", "events.jsonl", "history.bin", "memory.json", "profile.json")
# A recording of a card has one more value in each line
STEPS_OF_RUN, STEPS_OF_CARD = 240, 120
# Names of members that have places
PLACES = ("run", "path", "weights", "best")


def without_places(text):
    """Returns the lines of an events file without places on this machine."""
    lines = []
    for line in text.splitlines():
        event = json.loads(line)
        for name in PLACES:
            if isinstance(event.get(name), str):
                event[name] = pathlib.PurePath(event[name]).name if event[name] else ""
        lines.append(json.dumps(event, separators=(",", ":")))
    return "\n".join(lines) + "\n"


def train(program, device, steps, run, *words):
    subprocess.run(
        [str(program), "train", str(PROJECT), "--device", device, "--steps", str(steps),
         "--profile", "--no-progress", "--run-dir", str(run), *words],
        check=True,
    )  # fmt: skip


def make_run(program, work, target):
    train(program, "simulated:H100*2", STEPS_OF_RUN, work / "run")
    target.mkdir(parents=True, exist_ok=True)
    for name in RUN_FILES:
        shutil.copyfile(work / "run" / name, target / name)
    events = target / "events.jsonl"
    events.write_text(without_places(events.read_text()))


def make_card(program, work, target):
    events = work / "events.jsonl"
    train(
        program, "simulated:RTX 4090", STEPS_OF_CARD, work / "card", "--precision", "bfloat16",
        "--events", str(events),
    )  # fmt: skip
    target.mkdir(parents=True, exist_ok=True)
    (target / "recording-mnist-cnn.jsonl").write_text(without_places(events.read_text()))
    shutil.copyfile(work / "card" / "profile.json", target / "recording-profile.json")


def main():
    parser = argparse.ArgumentParser(description="Makes the recordings of simulated cards.")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "resources/recordings")
    options = parser.parse_args()
    program = options.bin / "strata"
    with tempfile.TemporaryDirectory() as folder:
        make_run(program, pathlib.Path(folder), options.out / "simulated-h100x2-run")
        make_card(program, pathlib.Path(folder), options.out / "simulated-rtx4090-card-test")


if __name__ == "__main__":
    main()
