#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that every string of the window can be translated. lupdate must read the sources without
warnings and find each string in the context that the program uses. Every translation table must
contain each string as finished, with the same placeholders, marks and line breaks as in English.

    tst_strings.py LUPDATE ROOT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

LITERAL = r'"(?:[^"\\]|\\.)*"'
SENTENCE = re.compile(rf"STRATA_TEXT\(\s*({LITERAL})\s*,\s*((?:{LITERAL}\s*)+)\)", re.S)


def joined(literals):
    return (
        "".join(part[1:-1] for part in re.findall(LITERAL, literals))
        .replace('\\"', '"')
        .replace("\\n", "\n")
        .replace("\\\\", "\\")
    )


# A translation must contain the same marks as its source, and the same placeholders. Placeholders
# may be repeated and reordered.
MARK = re.compile(r"</?[a-z]+[^>]*>|&nbsp;|…|\n|\\*\.[a-z]+|\[\*\]")
PLACE = re.compile(r"%L?(?:\d+|n)")
MNEMONIC = re.compile(r"&[A-Za-z]")


def differences(source, translation):
    """Yields the differences in placeholders and marks between a sentence and its translation."""
    if sorted(set(PLACE.findall(source))) != sorted(set(PLACE.findall(translation))):
        yield "other places for arguments"
    if sorted(MARK.findall(source)) != sorted(MARK.findall(translation)):
        yield "other marks, line ends or ellipses"
    if len(MNEMONIC.findall(source.replace("&nbsp;", ""))) != len(
        MNEMONIC.findall(translation.replace("&nbsp;", ""))
    ):
        yield "another mnemonic"
    if (
        source[:1].isspace() != translation[:1].isspace()
        or source[-1:].isspace() != translation[-1:].isspace()
    ):
        yield "other space at its ends"


def table_faults(path, found, plurals, forms_wanted):
    """Yields the messages that are missing, unfinished or wrong in the table of a language."""
    seen = set()
    for context in xml.etree.ElementTree.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            key = (context.findtext("name"), message.findtext("source"))
            seen.add(key)
            translation = message.find("translation")
            forms = (
                [form.text or "" for form in translation.iter("numerusform")]
                if key in plurals
                else [translation.text or ""]
            )
            if translation.get("type"):
                yield f"{translation.get('type')}: {key}"
            elif key in plurals and len(forms) != forms_wanted:
                yield f"{len(forms)} plural forms (expected {forms_wanted}): {key}"
            elif not all(form.strip() for form in forms):
                yield f"empty: {key}"
            else:
                yield from (
                    f"{what}: {key}: {form}" for form in forms for what in differences(key[1], form)
                )
    yield from (f"missing: {key}" for key in sorted(found - seen))
    yield from (f"in no source any more: {key}" for key in sorted(seen - found))


PLURAL_FORMS = {"zh_CN": 1}


def main():
    lupdate, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    sources = [
        p
        for floor in ("ui", "core", "gpu", "app")
        for p in sorted((root / floor).rglob("*"))
        if p.suffix in (".cpp", ".h")
    ]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "strings.ts"
        files = pathlib.Path(folder) / "files"
        files.write_text("".join(f"{p}\n" for p in sources))
        done = subprocess.run(
            [
                lupdate,
                "-I",
                root,
                "-tr-function-alias",
                "translate+=STRATA_TEXT",
                "-locations",
                "none",
                f"@{files}",
                "-ts",
                table,
            ],
            capture_output=True,
            text=True,
        )
        faults += [
            line for line in (done.stdout + done.stderr).splitlines() if re.match(r".*:\d+: ", line)
        ]
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        found, plurals = set(), set()
        for context in xml.etree.ElementTree.parse(table).getroot().iter("context"):
            name = context.findtext("name") or ""
            if not name:
                faults.append(
                    "a string without a context: " + (context.findtext("message/source") or "")
                )
            found |= {(name, message.findtext("source")) for message in context.iter("message")}
            plurals |= {
                (name, message.findtext("source"))
                for message in context.iter("message")
                if message.get("numerus") == "yes"
            }
    # English has a table for its plurals. Each plural must be finished and have two forms.
    english = set()
    for context in (
        xml.etree.ElementTree.parse(root / "resources/translations/strata_en.ts")
        .getroot()
        .iter("context")
    ):
        for message in context.iter("message"):
            translation = message.find("translation")
            forms = [form.text for form in translation.iter("numerusform")]
            if translation.get("type") != "unfinished" and len(forms) == 2 and all(forms):
                english.add((context.findtext("name"), message.findtext("source")))
    faults += [
        f"resources/translations/strata_en.ts: no English plural of {p}"
        for p in sorted(plurals - english)
    ]
    faults += [
        f"resources/translations/strata_en.ts: {p} is in no source any more"
        for p in sorted(english - plurals)
    ]
    tables = {
        path.stem.removeprefix("strata_"): path
        for path in sorted((root / "resources/translations").glob("strata_*.ts"))
    }
    faults += [f"no table of {language}" for language in PLURAL_FORMS if language not in tables]
    for language, path in tables.items():
        if language != "en":
            faults += [
                f"{path.relative_to(root)}: {fault}"
                for fault in table_faults(path, found, plurals, PLURAL_FORMS[language])
            ]
    for path in sorted((root / "projects").glob("*.json")):  # the window shows the notes
        notes = json.loads(path.read_text()).get("notes", "")
        if notes and ("ProjectNotes", notes) not in found:
            faults.append(
                f"{path.relative_to(root)}: its notes are not those of ui/project_notes.cpp"
            )
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
