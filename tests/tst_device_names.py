#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no code above the engine compares the text of a device's name. DeviceName
(gpu/devices/device_name.h) says what a name means.

    tst_device_names.py ROOT                prints one line per fault; exits with 1 if there are any
    tst_device_names.py --self-test ROOT    also checks that it finds the faults of wrong files
"""
import pathlib
import re
import sys

from wrong_lines import missed_lines

CHECKED = ["core", "ui", "app"]
NAME = r'"(?:cpu|reference|detached|cuda(?::\d*)?|simulated:[^"]*)"'
COMPARISON = r"(?:starts_with|ends_with|find|rfind|contains|compare|startsWith|endsWith)"
PATTERNS = [
    r"(?:==|!=)\s*" + NAME,
    NAME + r"\s*(?:==|!=)",
    r"\bdevice\w*(?:\(\))?(?:(?:\.|->)name(?:\(\))?)?\s*(?:==|!=)\s*\"",
    r"\b" + COMPARISON + r'\(\s*u?"(?:cpu|cuda|simulated|reference)[:*]?',
    r"\b" + COMPARISON + r"\(\s*kSimulatedPrefix",
]

# Each entry has a path and a line that must be found.
WRONG = [
    ("core/a.cpp", 'if (device.name() == "cpu") return;'),
    ("core/a.cpp", 'if ("reference" == name) return;'),
    ("core/a.cpp", 'if (options.device != "auto") return;'),
    ("ui/a.cpp", 'return name.starts_with("cuda:");'),
    ("ui/a.cpp", 'return name.startsWith(u"simulated:"_s);'),
    ("app/a.cpp", "return name.starts_with(kSimulatedPrefix);"),
]
# Lines that must not be found
RIGHT = [
    ("core/a.cpp", "if (DeviceName(device.name()).isCpu()) return;"),
    ("core/a.cpp", 'options.device = "cpu";'),
    ("core/a.cpp", 'if (mode == "auto") return;'),
    ("core/a.cpp", "options.device = kSimulatedPrefix + device.name;"),
    ("gpu/devices/a.cpp", 'if (name == "cpu") kind = Kind::Cpu;'),
]


def check(root):
    seen, faults = 0, []
    for folder in CHECKED:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h"):
                continue
            seen += 1
            place = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                code = re.sub(r"//.*", "", line)
                if any(re.search(pattern, code) for pattern in PATTERNS):
                    faults.append(
                        f"{place}:{number}: compares the name of a device (expected DeviceName, "
                        "see gpu/devices/device_name.h)"
                    )
    return seen, faults


def self_test():
    return missed_lines(lambda root: check(root)[1], WRONG, RIGHT)


def main():
    arguments = sys.argv[1:]
    is_self_test = arguments[:1] == ["--self-test"]
    root = pathlib.Path(arguments[-1] if len(arguments) > is_self_test else ".")
    missed = self_test() if is_self_test else []
    seen, faults = check(root)
    for line in missed + faults:
        print(line)
    print(f"{seen} files, {len(faults)} faults")
    if seen < 50:
        print("too few files (expected at least 50): is this the root of the tree?")
        return 1
    return 1 if faults or missed else 0


if __name__ == "__main__":
    sys.exit(main())
