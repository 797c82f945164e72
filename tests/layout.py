#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks layout rules that clang-format does not know: comments stand above their code, and lines
have at most 100 columns. Rows of tables, links and raw strings may be longer.

    layout.py [ROOT]                prints one line per fault; exits with 1 if there are any
    layout.py --comments FILE...    moves trailing comments of C++ files above their lines
    layout.py --wrap FILE...        wraps comments of C++ files, and Markdown, at 100 columns
    layout.py --self-test [ROOT]    also checks that it finds the faults of a list of wrong files
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

COLUMNS = 100
CODE = {".cpp", ".h", ".inc", ".cu", ".cuh"}
OTHER = {".py", ".md", ".cmake", ".txt", ".sh"}
# A line that begins with one of these labels starts a new paragraph of a comment.
LABEL = re.compile(
    r"(SPDX-|Thread:|Fails:|Fail:|Requires:|Not here:|Source:|Errors:|Gradient:|Input:|Inputs:|"
    r"Output:|Outputs:|Formula:|Numerics:|NOLINT|clang-format|[-*] |\d+\. )"
)
COMMENT = re.compile(r"^(\s*)(///?)( ?)(.*)$")
# These words begin with a lower-case letter even at the beginning of a comment.
NAMES = {"null", "nullopt", "true", "false", "cuda", "cpu", "relu", "softmax", "sigmoid", "float"}
KEPT = re.compile(r"(NOLINT|clang-format|namespace|extern|IWYU)")


def is_digit_separator(line, i):
    """Returns whether the quote at column i separates digits, as in 1'000, instead of beginning a
    character literal."""
    if i == 0 or i + 1 >= len(line) or not (line[i - 1].isalnum() and line[i + 1].isalnum()):
        return False
    return re.match(r"[0-9a-fA-Fx']*$", re.split(r"\W", line[:i])[-1]) is not None


class Lexer:
    """Finds // comments in lines of C++. It recognizes strings, raw strings and block comments."""

    def __init__(self):
        self.raw = None
        self.block = False

    def comment_at(self, line):
        """Returns the column where a // comment begins in the next line of the file, or -1."""
        i = 0
        while i < len(line):
            if self.raw is not None:
                end = line.find(self.raw, i)
                if end < 0:
                    return -1
                i = end + len(self.raw)
                self.raw = None
                continue
            if self.block:
                end = line.find("*/", i)
                if end < 0:
                    return -1
                i = end + 2
                self.block = False
                continue
            two = line[i:i + 2]
            if two == "//":
                return i
            if two == "/*":
                self.block = True
                i += 2
                continue
            if line[i] == '"':
                match = re.search(r'(?:u8|u|U|L)?R$', line[:i])
                if match:
                    delimiter = re.match(r'"([^(\s]*)\(', line[i:])
                    self.raw = ")" + (delimiter.group(1) if delimiter else "") + '"'
                    i += 2 + (len(delimiter.group(1)) if delimiter else 0)
                    continue
                i += 1
                while i < len(line) and line[i] != '"':
                    i += 2 if line[i] == "\\" else 1
                i += 1
                continue
            if line[i] == "'" and not is_digit_separator(line, i):
                i += 1
                while i < len(line) and line[i] != "'":
                    i += 2 if line[i] == "\\" else 1
                i += 1
                continue
            i += 1
        return -1

    @property
    def inside(self):
        return self.raw is not None or self.block


def comments_of(lines):
    """Returns two values for each line: the column of its // comment or -1, and whether the line
    begins inside a raw string or block comment."""
    lexer, result = Lexer(), []
    for line in lines:
        inside = lexer.inside
        result.append((lexer.comment_at(line), inside))
    return result


def is_trailing(line, column):
    code = line[:column].strip()
    comment = line[column + 2:].strip(" /<")
    if not code or KEPT.match(comment) or code in ("}", "};", ")") or code.startswith("#"):
        return False
    return True


def begins_statement(lines, places, i):
    """Returns whether line i begins a declaration, a statement or a list element, so that a comment
    may precede it."""
    for k in range(i - 1, -1, -1):
        column, inside = places[k]
        code = (lines[k] if column < 0 else lines[k][:column]).strip()
        if not code:
            continue
        return code[-1] in "{};:,)" or code.startswith("#")
    return True


def sentence(comment, code):
    """Returns the comment with a capital letter, unless it begins with a name from the code."""
    word = re.match(r"[a-z]+(?=[\s,.;]|$)", comment)
    if not word or re.search(rf"\b{word.group(0)}\b", code) or word.group(0) in NAMES:
        return comment
    return comment[0].upper() + comment[1:]


def move_comments(text):
    lines = text.split("\n")
    places = comments_of(lines)
    out, i = [], 0
    start = 0  # the index in `out` of the first line of the current statement
    while i < len(lines):
        line, (column, inside) = lines[i], places[i]
        if begins_statement(lines, places, i):
            start = len(out)
        if column < 0 or inside or not is_trailing(line, column):
            out.append(line)
            i += 1
            continue
        if not begins_statement(lines, places, i):
            if len(line) <= COLUMNS:
                out.append(line)
            else:  # move the comment above the whole statement
                first = out[start]
                indent = first[:len(first) - len(first.lstrip())]
                comment = sentence(line[column:].lstrip("/< ").strip(), line[:column])
                out.insert(start, indent + "// " + comment)
                out.append(line[:column].rstrip())
            i += 1
            continue
        code = line[:column].rstrip()
        words = [line[column:].lstrip("/<").strip()]
        after = i + 1
        least = max(8, len(code) - len(code.lstrip()) + 4, column - 1)
        while after < len(lines) and places[after][0] >= least \
                and not lines[after][:places[after][0]].strip():
            words.append(lines[after][places[after][0]:].lstrip("/").strip())
            after += 1
        indent = code[:len(code) - len(code.lstrip())]
        comment = sentence(" ".join(words), code)
        stripped = code.strip()
        if stripped.startswith("}") and stripped.endswith("{"):
            out += [code, indent + "  // " + comment]
        elif re.match(r"(else|do)\b", stripped) and not stripped.startswith("else if"):
            out.append(line)
            out += lines[i + 1:after]
        else:
            out += [indent + "// " + comment, code]
        i = after
    return "\n".join(out)


def wrap_comments(text):
    lines = text.split("\n")
    places = comments_of(lines)
    out, i = [], 0
    while i < len(lines):
        match = COMMENT.match(lines[i]) if places[i][0] >= 0 and not places[i][1] else None
        if not match or places[i][0] != len(match.group(1)):
            out.append(lines[i])
            i += 1
            continue
        prefix = match.group(1) + match.group(2)
        block = []
        while i < len(lines) and places[i][0] >= 0 and not places[i][1]:
            other = COMMENT.match(lines[i])
            if not other or other.group(1) + other.group(2) != prefix:
                break
            block.append(other.group(4) if other.group(3) else other.group(4))
            i += 1
        out += wrap_block(prefix, block)
    return "\n".join(out)


def wrap_block(prefix, block):
    out, paragraph = [], []

    def flush():
        width = COLUMNS - len(prefix) - 1
        if any(len(line) > width for line in paragraph):
            hang = re.match(r"([-*] |\d+\. )", paragraph[0])
            out.extend(f"{prefix} {line}" for line in textwrap.wrap(
                " ".join(paragraph), width, break_long_words=False, break_on_hyphens=False,
                subsequent_indent="  " if hang else ""))
        else:
            out.extend(f"{prefix} {line}".rstrip() for line in paragraph)
        paragraph.clear()

    for line in block:
        is_drawing = line.startswith(" ") or re.search(r"\S {2,}\S", line) is not None
        is_licence = line.startswith("SPDX-")
        if not line or is_drawing or is_licence or LABEL.match(line):
            flush()
        if not line or is_drawing or is_licence:
            out.append(f"{prefix} {line}".rstrip())
        else:
            paragraph.append(line)
    flush()
    return out


def wrap_markdown(text):
    out, paragraph, fenced = [], [], False

    def flush():
        if not paragraph:
            return
        if any(len(line) > COLUMNS for line in paragraph):
            first = paragraph[0]
            match = re.match(r"(\s*)([-*] |\d+\. )?", first)
            hang = " " * len(match.group(0))
            joined = " ".join(line.strip() for line in paragraph)
            out.extend(textwrap.wrap(match.group(1) + joined, COLUMNS, break_long_words=False,
                                     break_on_hyphens=False, subsequent_indent=hang))
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in text.split("\n"):
        if line.startswith("```"):
            flush()
            fenced = not fenced
            out.append(line)
        elif fenced or not line.strip() or line.startswith(("#", "|", "    ", "![", "<")):
            flush()
            out.append(line)
        elif re.match(r"\s*([-*] |\d+\. )", line):
            flush()
            paragraph.append(line)
        else:
            paragraph.append(line)
    flush()
    return "\n".join(out)


def is_checked(path):
    return path.suffix in CODE | OTHER or path.name in ("dev", "run", "with_display")


def faults_of(path, text):
    lines = text.split("\n")
    code = path.suffix in CODE
    places = comments_of(lines) if code else [(-1, False)] * len(lines)
    fenced = False
    for number, line in enumerate(lines, 1):
        column, inside = places[number - 1]
        if path.suffix == ".md":
            fenced = fenced != line.startswith("```")
        is_table = path.suffix == ".md" and (line.startswith("|") or fenced)
        is_link = re.search(r"https?://\S+$", line) is not None
        is_raw = code and (inside or 'R"' in line)
        if len(line) > COLUMNS and not (is_table or is_link or is_raw):
            yield f"{path}:{number}: {len(line)} columns (expected at most {COLUMNS}: ./dev format)"
        if code and column >= 0 and not inside and is_trailing(line, column) and \
                begins_statement(lines, places, number - 1) and \
                not re.match(r"\s*(else|do)\b", line):
            yield f"{path}:{number}: a comment behind its line (expected above it: ./dev format)"


def tracked(root):
    """Returns the files that git tracks. Without git, returns all files outside build trees."""
    try:
        names = subprocess.check_output(["git", "-C", str(root), "ls-files"], text=True).split("\n")
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(root)) for path in sorted(root.rglob("*"))]
    skipped = ("LICENSES/", "build/", ".git/")
    return [
        root / name
        for name in names
        if name and not name.startswith(skipped) and (root / name).is_file()
    ]


def check(root):
    faults = []
    for path in tracked(root):
        if is_checked(path):
            faults += faults_of(path, path.read_text(encoding="utf-8"))
    return faults


WRONG = [
    ("a.cpp", "int x = 0;  // how many\n", "behind its line"),
    ("a.h", "struct A {\n  int x = 0;  // how many\n};\n", "behind its line"),
    ("a.inc", "// " + "word " * 25 + "\n", "columns"),
    ("a.md", "word " * 25 + "\n", "columns"),
    ("a.py", "x = '" + "y" * 100 + "'\n", "columns"),
]
RIGHT = [
    ("a.cpp", '// how many\nint x = 0;\nconst char* y = "a // b";\n}  // namespace strata\n'),
    ("a.md", "| " + "word " * 25 + "|\n"),
]


def self_test():
    for name, text, reason in WRONG:
        if not any(reason in fault for fault in faults_of(pathlib.Path(name), text)):
            yield f"{name}: '{reason}' was not found in {text!r}"
    for name, text in RIGHT:
        if faults := list(faults_of(pathlib.Path(name), text)):
            yield f"{name}: {faults}"


def rewrite(paths, change):
    for path in map(pathlib.Path, paths):
        text = path.read_text(encoding="utf-8")
        changed = change(path, text)
        if changed != text:
            path.write_text(changed, encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--comments"]:
        rewrite(arguments[1:], lambda path, text: move_comments(text))
        return 0
    if arguments[:1] == ["--wrap"]:
        rewrite(arguments[1:], lambda path, text:
                wrap_markdown(text) if path.suffix == ".md" else wrap_comments(text))
        return 0
    if arguments[:1] == ["--self-test"]:
        faults = list(self_test()) + check(pathlib.Path(arguments[1] if arguments[1:] else "."))
    else:
        faults = check(pathlib.Path(arguments[0] if arguments else "."))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
