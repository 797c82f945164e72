#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every string of the window, and every sentence of core and app that it shows, is ready for Qt Linguist: lupdate reads the sources without a
complaint, finds each of them, and in the context that the running program asks for.

    tst_strings.py LUPDATE ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

LITERAL = r'"(?:[^"\\]|\\.)*"'
SENTENCE = re.compile(rf"STRATA_TEXT\(\s*({LITERAL})\s*,\s*((?:{LITERAL}\s*)+)\)", re.S)


def joined(literals):
    return "".join(part[1:-1] for part in re.findall(LITERAL, literals)).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def main():
    lupdate, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    sources = [p for floor in ("ui", "core", "app") for p in sorted((root / floor).rglob("*")) if p.suffix in (".cpp", ".h")]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "strings.ts"
        files = pathlib.Path(folder) / "files"
        files.write_text("".join(f"{p}\n" for p in sources))
        done = subprocess.run([lupdate, "-I", root, "-tr-function-alias", "translate+=STRATA_TEXT", "-locations", "none", f"@{files}", "-ts", table],
                              capture_output=True, text=True)
        faults += [line for line in (done.stdout + done.stderr).splitlines() if re.match(r".*:\d+: ", line)]
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        found, plurals = set(), set()
        for context in xml.etree.ElementTree.parse(table).getroot().iter("context"):
            name = context.findtext("name") or ""
            if not name:
                faults.append("a string without a context: " + (context.findtext("message/source") or ""))
            found |= {(name, message.findtext("source")) for message in context.iter("message")}
            plurals |= {(name, message.findtext("source")) for message in context.iter("message") if message.get("numerus") == "yes"}
    # English itself needs a table for its plurals: each finished, with both forms.
    english = set()
    for context in xml.etree.ElementTree.parse(root / "resources/translations/strata_en.ts").getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            forms = [form.text for form in translation.iter("numerusform")]
            if translation.get("type") != "unfinished" and len(forms) == 2 and all(forms):
                english.add((context.findtext("name"), message.findtext("source")))
    faults += [f"resources/translations/strata_en.ts: no English plural of {p}" for p in sorted(plurals - english)]
    faults += [f"resources/translations/strata_en.ts: {p} is in no source any more" for p in sorted(english - plurals)]
    wanted = 0
    for path in sources:
        for match in SENTENCE.finditer(path.read_text()):
            wanted += 1
            sentence = (joined(match.group(1)), joined(match.group(2)))
            if sentence not in found:
                faults.append(f"{path.relative_to(root)}: lupdate does not find {sentence}")
    for line in faults:
        print(line)
    print(f"{len(found)} strings, {wanted} sentences of core and app, {len(faults)} faults")
    return 1 if faults or len(found) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
