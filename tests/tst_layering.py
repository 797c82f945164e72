#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the includes of every file. A floor may include only the floors below it; the order is app
> ui > core > gpu. In gpu, core and ui a room (folder) may include only rooms before it in ROOMS, so
that there are no cycles. Only ui and app may include Qt, and only gpu/cuda and gpu/simulated may
include CUDA. Paths of includes start at the root. Every file must have a licence line.

    tst_layering.py ROOT                prints one line per fault; exits with 1 if there are any
    tst_layering.py --self-test ROOT    also checks that it finds the faults of wrong files
"""
import pathlib
import re
import sys
import tempfile

RANK = {"gpu": 0, "core": 1, "ui": 2, "app": 3}
# Each floor has a list of rooms. A room may include the rooms before it. cost comes after cpu
# because it prices the kernels of cpu. interchange comes before data because its readers of weights
# also read arrays of samples. "." stands for files directly in the folder of the floor.
ROOMS = {
    "gpu": "base tensor graph ops autodiff memory passes exec host reference cpu detached cost "
    "cuda simulated replicate devices",
    "core": "project cost layers model recipe interchange data trace compile runs layer_statistics "
    "launch check evaluation run_list report train explain verify",
    "ui": "theme . desktop document run workspace models plots canvas inspector dialogs lenses "
    "pages main_window",
}
ROOMS = {
    floor: {room: place for place, room in enumerate(rooms.split())}
    for floor, rooms in ROOMS.items()
}
LICENCE = {
    "gpu": "Apache-2.0",
    "core": "Apache-2.0",
    "ui": "GPL-3.0-or-later",
    "app": "GPL-3.0-or-later",
}
CODE = {".cpp", ".h", ".inc", ".cu", ".cuh"}
SCRIPTS = {".py", ".sh", ".cmake"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CUDA = re.compile(r"^(cuda|cudnn|cublas|nccl|cupti|nvrtc|nvml)")
SKIPPED = {"build", ".git", ".venv", "__pycache__"}


def files(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if any(p in SKIPPED or p.endswith(".runs") for p in parts) or not path.is_file():
            continue
        if (
            path.suffix in CODE | SCRIPTS
            or path.name in ("CMakeLists.txt", "dev")
            or parts[:1] == (".ci",)
        ):
            yield path, parts


def floor_of(parts):
    """Returns the floor whose rules apply to a file: for a test, the floor that it tests."""
    if parts[0] in RANK:
        return parts[0]
    if parts[0] == "tests" and len(parts) > 2:
        return parts[1] if parts[1] in RANK else "core"
    return None


def room_of(parts):
    """Returns the room of a file, or "." for a file directly in the folder of its floor."""
    return parts[1] if len(parts) > 2 else "."


def room_fault(parts, included):
    """Returns the fault of an include within a floor, or None."""
    rooms = ROOMS.get(parts[0])
    if rooms is None or included[0] != parts[0] or not len(included) > 1:
        return None
    own, other = room_of(parts), room_of(included)
    if own in rooms and other in rooms and rooms[other] > rooms[own]:
        return f"{parts[0]}/{own} knows {parts[0]}/{other}, a later room (see ROOMS)"
    return None


def faults_of(root, path, parts):
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    place = "/".join(parts)
    floor = floor_of(parts)

    first = (
        lines[1]
        if lines and lines[0].startswith("#!") and len(lines) > 1
        else (lines[0] if lines else "")
    )
    licence = LICENCE.get(floor, "Apache-2.0")
    if path.suffix in CODE and f"SPDX-License-Identifier: {licence}" not in first:
        yield (
            f"{place}:1: no licence (expected // SPDX-License-Identifier: {licence} "
            "as the first line)"
        )
    elif "SPDX-License-Identifier:" not in first:
        yield f"{place}:1: no licence (expected # SPDX-License-Identifier: as the first line)"
    if path.suffix not in CODE:
        return

    if parts[0] in ROOMS and room_of(parts) not in ROOMS[parts[0]]:
        yield (
            f"{place}:1: {parts[0]}/{room_of(parts)} is no room "
            f"(expected one of: {', '.join(ROOMS[parts[0]])})"
        )
    if path.suffix == ".h" and "#pragma once" not in text:
        yield f"{place}:1: no #pragma once"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, name = match.groups()
        where = f"{place}:{number}: "
        if ".." in name.split("/"):
            yield where + f'"{name}" climbs (expected a path whole from the root)'
            continue
        top = name.split("/")[0]
        if quote == '"' and not name.endswith(".moc"):
            if top not in RANK and top != "tests":
                yield (
                    where + f'"{name}" is not whole from the root '
                    '(expected "gpu/...", "core/...", "ui/...", "app/..." or "tests/...")'
                )
            elif not (root / name).is_file():
                yield where + f'"{name}" does not exist'
            if top == "tests" and parts[0] != "tests":
                yield where + f'"{name}": a program includes a test'
        if floor is None:
            continue
        if top in RANK and RANK[top] > RANK[floor]:
            yield where + f'"{name}" points upward, from {floor} to {top}'
        if quote == '"' and parts[0] in ROOMS and (fault := room_fault(parts, name.split("/"))):
            yield where + f'"{name}": {fault}'
        qt_free = RANK[floor] < RANK["ui"] or parts[:2] == ("app", "cli")
        if qt_free and quote == "<" and re.match(r"Q[A-Z]|Qt[A-Z]", name):
            yield where + f"<{name}>: Qt below ui"
        if parts[:2] == ("app", "cli") and top == "ui":
            yield where + f'"{name}": the command line knows the window'
        home = parts[1:3] if parts[0] == "tests" else parts[:2]
        if (
            quote == "<"
            and CUDA.match(name)
            and home not in (("gpu", "cuda"), ("gpu", "simulated"))
        ):
            yield where + f"<{name}>: CUDA outside gpu/cuda and gpu/simulated"
        if name.startswith("gpu/cuda/") and floor != "gpu":
            yield where + f'"{name}": CUDA known above gpu'


def check(root):
    seen, faults = 0, []
    for path, parts in files(root):
        seen += 1
        faults += faults_of(root, path, parts)
    return seen, faults


# Each entry has a path, the text of the file and the expected message.
WRONG = [
    ("gpu/ops/a.cpp", '{gpu}#include "core/data/b.h"\n', "points upward, from gpu to core"),
    ("core/data/a.cpp", '{gpu}#include "ui/b.h"\n', "points upward, from core to ui"),
    ("ui/run/a.cpp", '{gpl}#include "app/b.h"\n', "points upward, from ui to app"),
    ("tests/gpu/a.cpp", '{gpu}#include "core/data/b.h"\n', "points upward, from gpu to core"),
    ("core/data/a.h", "{gpu}#pragma once\n#include <QString>\n", "Qt below ui"),
    ("app/cli/a.cpp", "{gpl}  #  include <QtCore/QFile>\n", "Qt below ui"),
    ("app/cli/a.cpp", '{gpl}#include "ui/b.h"\n', "the command line knows the window"),
    ("gpu/cpu/a.cpp", "{gpu}#include <cuda_runtime.h>\n", "CUDA outside gpu/cuda"),
    ("gpu/memory/a.cpp", '{gpu}#include "gpu/exec/b.h"\n', "gpu/memory knows gpu/exec"),
    ("gpu/passes/a.cpp", '{gpu}#include "gpu/devices/b.h"\n', "gpu/passes knows gpu/devices"),
    ("gpu/cpu/kernels/a.inc", '{gpu}#include "gpu/cost/b.h"\n', "gpu/cpu knows gpu/cost"),
    ("gpu/base/a.h", '{gpu}#pragma once\n#include "gpu/tensor/b.h"\n', "gpu/base knows gpu/tensor"),
    ("gpu/utils/a.cpp", "{gpu}int x;\n", "gpu/utils is no room"),
    ("core/runs/a.cpp", '{gpu}#include "core/train/b.h"\n', "core/runs knows core/train"),
    ("core/data/a.cpp", '{gpu}#include "core/check/b.h"\n', "core/data knows core/check"),
    ("core/layers/a.cpp", '{gpu}#include "core/model/b.h"\n', "core/layers knows core/model"),
    ("ui/inspector/a.cpp", '{gpl}#include "ui/pages/design/b.h"\n', "ui/inspector knows ui/pages"),
    (
        "ui/document/a.h",
        '{gpl}#pragma once\n#include "ui/workspace/b.h"\n',
        "ui/document knows ui/workspace",
    ),
    ("ui/theme/a.cpp", '{gpl}#include "ui/b.h"\n', "ui/theme knows ui/."),
    ("core/data/a.cpp", '{gpu}#include "gpu/cuda/b.h"\n', "CUDA known above gpu"),
    ("core/data/a.cpp", '{gpu}#include "../gpu/b.h"\n', "climbs"),
    ("core/data/a.cpp", '{gpu}#include "b.h"\n', "not whole from the root"),
    ("core/data/a.cpp", '{gpu}#include "core/none.h"\n', "does not exist"),
    ("core/data/a.cpp", '{gpu}#include "tests/b.h"\n', "a program includes a test"),
    ("core/data/a.cpp", "int x;\n", "no licence"),
    ("ui/a.cpp", "{gpu}int x;\n", "no licence"),
    ("tests/a.py", "#!/usr/bin/env python3\nprint()\n", "no licence"),
    ("core/data/a.h", "{gpu}int x;\n", "no #pragma once"),
]


# Each of these folders gets a header b.h, which the wrong files include.
FOLDERS = ["gpu", "core", "ui", "app", "tests", "ui/pages/design"]
FOLDERS += [f"{floor}/{room}" for floor, rooms in ROOMS.items() for room in rooms if room != "."]


def self_test():
    licences = {
        "gpu": "// SPDX-License-Identifier: Apache-2.0\n",
        "gpl": "// SPDX-License-Identifier: GPL-3.0-or-later\n",
    }
    missed = []
    for place, text, reason in WRONG:
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder in FOLDERS:
                (root / folder).mkdir(parents=True, exist_ok=True)
                if folder in ("gpu", "core"):
                    continue  # these floors have no files outside rooms
                licence = licences["gpl" if folder.split("/")[0] in ("ui", "app") else "gpu"]
                (root / folder / "b.h").write_text(licence + "#pragma once\n")
            if check(root)[1]:
                missed.append(f"faults in a clean tree: {check(root)[1]}")
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            (root / place).write_text(text.format(**licences))
            faults = check(root)[1]
            if not any(place in f and reason in f for f in faults):
                missed.append(f"{place}: expected '{reason}', got {faults}")
    return missed


def main():
    arguments = sys.argv[1:]
    missed = []
    if arguments[:1] == ["--self-test"]:
        arguments = arguments[1:]
        missed = self_test()
    seen, faults = check(pathlib.Path(arguments[0] if arguments else "."))
    for line in missed + faults:
        print(line)
    print(
        f"{seen} files, {len(faults)} faults"
        + (f", {len(missed)} wrong files not found" if missed else "")
    )
    if seen < 50:
        print("too few files (expected at least 50): is this the root of the tree?")
        return 1
    return 1 if faults or missed else 0


if __name__ == "__main__":
    sys.exit(main())
