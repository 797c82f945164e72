# SPDX-License-Identifier: Apache-2.0
"""The order of the parts of gpu_test.py, and how long each one may take. A card is often lent for
minutes, so what is most likely to fail, and what is most wanted, comes first."""
import shlex
import sys

PRECISIONS = ("bfloat16", "float32", "tf32")
MODES = ("eager", "compile", "max-autotune")
GROUPS = {
    "a": ("build", "smoke"),
    "b": ("rows", "verify", "captured", "memcheck"),
    "c": (
        *(f"bench-{precision}" for precision in PRECISIONS),
        *(f"fastest-{precision}" for precision in PRECISIONS),
        *(f"torch-{precision}-{mode}" for precision in PRECISIONS for mode in MODES),
    ),
    "d": ("memory", "racecheck", "accuracy"),
}
ORDER = tuple(part for parts in GROUPS.values() for part in parts)
# Several parts under one name
NAMES = {**GROUPS, "sanitizer": ("memcheck", "racecheck")}
# Seconds that a part takes on a card, by the beginning of its name; longer beginnings come first
EXPECTED = (
    ("build", 120), ("smoke", 60), ("rows", 60), ("verify", 40), ("captured", 60),
    ("memcheck", 60), ("bench", 80), ("fastest", 150), ("memory", 40), ("racecheck", 120),
    ("accuracy", 90),
)  # fmt: skip
EXPECTED_MODES = {"eager": 60, "compile": 150, "max-autotune": 240}
CALL_SECONDS, QUICK_SECONDS = 9 * 60, 8 * 60
# A call ends this long before its limit, so that the page is written in time
RESERVE_SECONDS = 15


def expected_seconds(part, session):
    """Returns how long a part takes, roughly. A part does not begin if less time is left."""
    if part.startswith("torch-"):
        if session.is_simulated or (session.is_quick and not part.endswith("eager")):
            return 0
        seconds = EXPECTED_MODES[part.split("-", 2)[2]]
    else:
        seconds = next(value for name, value in EXPECTED if part.startswith(name))
    if session.is_simulated:
        return 30
    return seconds / 3 if session.is_quick else seconds


def part_limit(part, session):
    """Returns after how many seconds a part must end, so that one that hangs leaves time for the
    others. A simulated card is too slow for such a limit."""
    if session.is_simulated:
        return float("inf")
    return 3 * expected_seconds(part, session) + 60


def parts_named(name):
    """Returns the parts with a name or its beginning: "bench" means all that begin so."""
    if name in NAMES:
        return NAMES[name]
    return tuple(part for part in ORDER if part == name or part.startswith(name + "-"))


def chosen_parts(names, is_done):
    """Returns the parts to run, in order. A single part runs again; of a group, and without names,
    those run that have no results yet."""
    chosen = set()
    for name in names or GROUPS:
        parts = parts_named(name)
        if not parts:
            known = ", ".join([*GROUPS, *ORDER])
            sys.exit(f"gpu-test: {name}: no such part (expected one of {known})")
        chosen |= {part for part in parts if name not in GROUPS or not is_done(part)}
    return [part for part in ORDER if part in chosen]


def next_command(options, is_done):
    """Returns the command that runs what has no results yet, or None if all parts are done."""
    group = next((g for g, parts in GROUPS.items() if not all(map(is_done, parts))), None)
    if group is None:
        return None
    words = ["./dev", "gpu-test"]
    if options.quick:
        words.append("--quick")
    if options.part:
        words += ["--part", group]
    if options.device != "cuda:0":
        words += ["--device", options.device]
    if options.bin:
        words += ["--bin", str(options.bin)]
    if options.seconds:
        words += ["--seconds", str(options.seconds)]
    return shlex.join([*words, "--out", str(options.out)])
