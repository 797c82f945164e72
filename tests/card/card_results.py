# SPDX-License-Identifier: Apache-2.0
"""The results of gpu_test.py in the folder --out. Several calls add to one folder: each part that
ended is kept in results.json, and a later run of the same part replaces it."""
import json
import os
import sys

import card_machine

# What gpu_test.py writes; results.json is the truth, and the others can be made again from it
STATE = "results.json"
OUTPUTS = {
    "result.md", STATE, "log.txt", "failures.txt", "recording-mnist-cnn.jsonl",
    "recording-profile.json", "recording-devices.json", "cudnn-properties.json",
}  # fmt: skip
UNFINISHED = ".unfinished"


def write_whole(path, text):
    """Writes a file so that a kill leaves the old text or the new one."""
    unfinished = path.with_name(path.name + UNFINISHED)
    unfinished.write_text(text)
    os.replace(unfinished, path)


class Results:
    """The parts that ended, in this call or an earlier one."""

    def __init__(self, out, device, card, capability):
        self.out = out
        out.mkdir(parents=True, exist_ok=True)
        for path in out.iterdir():
            if path.name.removesuffix(UNFINISHED) not in OUTPUTS:
                sys.exit(f"gpu-test: {out} has other files ({path.name}). Name a new folder.")
        if not (out / STATE).is_file():
            # What an older version left
            for path in out.iterdir():
                path.unlink()
            self.state = {
                "version": 1, "device": device, "card": card, "capability": capability,
                "begun": None, "parts": {},
            }  # fmt: skip
            return self.save()
        try:
            self.state = json.loads((out / STATE).read_text())
            known = (self.state["device"], self.state["card"], self.state["begun"])
        except (json.JSONDecodeError, KeyError, TypeError):
            sys.exit(f"gpu-test: {out / STATE} is damaged. Name a new folder.")
        if known[:2] != (device, card):
            sys.exit(f"gpu-test: {out} has results of {known[1]} ({known[0]}). Name a new folder.")
        return None

    def save(self):
        write_whole(self.out / STATE, json.dumps(self.state, indent=1))

    def is_done(self, part, is_quick):
        """Returns whether a part ended. A quick part counts only for quick calls."""
        kept = self.state["parts"].get(part)
        return kept is not None and (is_quick or not kept["quick"])

    def begin(self, part):
        """Notes that a part begins. Returns whether its last run was killed."""
        was_killed = self.state["begun"] == part
        self.state["begun"] = part
        self.save()
        return was_killed

    def keep(self, part, record):
        self.state["parts"][part] = record
        self.state["begun"] = None
        self.save()

    def records(self, order):
        """Returns the parts that ended with their records, in this order."""
        return [(part, self.state["parts"][part]) for part in order if part in self.state["parts"]]

    def rows(self, order):
        """Returns part, name, state and detail of each result."""
        return [(part, *row) for part, record in self.records(order) for row in record["rows"]]

    def bench(self, order):
        """Returns the times of the workloads, each with PyTorch's times of the same precision."""
        records = [record for _, record in self.records(order)]
        torch = [each for record in records for each in record["torch"]]
        rows = [dict(row, torch={}) for record in records for row in record["bench"]]
        for row in rows:
            for each in torch:
                if all(each[key] == row[key] for key in ("workload", "batch", "precision")):
                    row["torch"][each["mode"]] = each["us"]
        return rows

    @property
    def is_simulated(self):
        return self.state["device"].startswith(card_machine.SIMULATED)
