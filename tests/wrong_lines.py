# SPDX-License-Identifier: Apache-2.0
"""Tests a check of source files on single lines that it must find, and on lines that it must not
find. tst_op_names.py and tst_device_names.py use it."""
import pathlib
import tempfile


def missed_lines(find_faults, wrong, right, prepare=lambda root: None):
    """Writes each line, an entry (path, line), to a file of an otherwise empty tree, which
    prepare(root) may fill before. Returns what find_faults(root) gets wrong, one text per line."""
    missed = []
    for lines, is_wrong in ((wrong, True), (right, False)):
        for place, line in lines:
            with tempfile.TemporaryDirectory() as name:
                root = pathlib.Path(name)
                prepare(root)
                (root / place).parent.mkdir(parents=True, exist_ok=True)
                (root / place).write_text(line + "\n")
                if bool(find_faults(root)) != is_wrong:
                    missed.append(f"{place}: {'not found' if is_wrong else 'found'}: {line}")
    return missed
