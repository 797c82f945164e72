#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no pass, planner, cost rule or layer compares the names of ops. Facts about ops are
members of OpDef (gpu/graph/op.h), which the op's file in gpu/ops sets. Creating an op by its name
is allowed.

    tst_op_names.py ROOT                prints one line per fault; exits with 1 if there are any
    tst_op_names.py --self-test ROOT    also checks that it finds the faults of wrong files
"""
import pathlib
import re
import sys

from wrong_lines import missed_lines

# Folders whose code works with any op. gpu/ops defines ops, and the folders of kernels map their
# names to kernels.
ENGINE = [
    "gpu/graph",
    "gpu/autodiff",
    "gpu/memory",
    "gpu/passes",
    "gpu/exec",
    "gpu/cpu/passes",
    "gpu/cost",
    "gpu/devices",
]
CHECKED = ENGINE + ["core"]
COMPARISON = r"(?:starts_with|ends_with|find|rfind|contains|compare|substr)"
OP_NAME = r"\bop(?:->|\.)name\b"

# Each entry has a pattern and a message.
ANYWHERE = [
    (OP_NAME + r"\s*(?:==|!=)", "compares the name of an op"),
    (r"(?:==|!=)\s*[\w.>()\[\]-]*" + OP_NAME, "compares the name of an op"),
    (OP_NAME + r"\s*\.\s*" + COMPARISON + r"\b", "examines the name of an op"),
    (r"(?:\.|->)op\s*(?:==|!=)\s*\"", "compares the name of an op"),
    (r"\b(?:op|opName)\s*(?:==|!=)\s*\"", "compares the name of an op"),
    (r"(?:\.|->)op\.\s*" + COMPARISON + r"\b", "examines the name of an op"),
    (r"\bfindOp\s*\(", "looks for an op by its name"),
]


def op_names(root):
    """Returns the names of all ops, from the files that define them."""
    names = set()
    for path in sorted((root / "gpu" / "ops").glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        names |= set(re.findall(r"\bname = \"(\w+)\"", text))
        names |= set(re.findall(r"\b(?:source|updateOp)\(\s*\"(\w+)\"", text))
        names |= set(re.findall(r"\bupdateWithProduct = \"(\w+)\"", text))
        # The rows of tables of ops
        for rows in re.findall(r"[rR]ows\[\] = \{\n(.*?)\n *\};", text, re.S):
            names |= set(re.findall(r"\{\"(\w+)\",\s*(?:OpKind|true|false)", rows))
        # Families of ops, whose names have one beginning
        for family in re.findall(r"\bstd::string name : \{([^}]*)\}", text):
            for name in re.findall(r"\"(\w+)\"", family):
                names |= {name} | {name + end for end in re.findall(r"\bname \+ \"(\w+)\"", text)}
    return names


def engine_patterns(names):
    name = '"(?:' + "|".join(sorted(names)) + ')"'
    return [
        (r"(?:==|!=)\s*" + name, "compares a value with the name of an op"),
        (name + r"\s*(?:==|!=)", "compares a value with the name of an op"),
        (r"(?<![.>\w])(?:is|has|match)\w*\([^\"&|\n]*" + name, "asks for the name of an op"),
        (r"(?:\.|->)is\w*\([^\"&|\n]*" + name, "asks for the name of an op"),
    ]


def table_pattern(names):
    name = '"(?:' + "|".join(sorted(names)) + ')"'
    return [(r"\{" + name + r",\s*[a-z]\w*\}", "maps the name of an op to a behaviour")]


def faults_of(root, path, patterns):
    place = path.relative_to(root).as_posix()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = re.sub(r"//.*", "", line)
        for pattern, message in patterns:
            if re.search(pattern, code):
                yield (
                    f"{place}:{number}: {message} (expected a member of OpDef, "
                    "such as role; see gpu/ops/README.md)"
                )
                break


def check(root):
    names = op_names(root)
    seen, faults = 0, []
    for folder in CHECKED:
        patterns = list(ANYWHERE)
        if folder in ENGINE and names:
            patterns += engine_patterns(names) + table_pattern(names)
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".inc"):
                continue
            # The registry of ops declares this function
            if path.relative_to(root).as_posix() == "gpu/graph/op.h":
                continue
            seen += 1
            faults += faults_of(root, path, patterns)
    return seen, len(names), faults


# Each entry has a path and a line that must be found.
WRONG = [
    ("gpu/passes/a.cpp", 'if (node.op->name == "matmul") return;'),
    ("gpu/passes/a.cpp", 'if ("matmul" != producerOf(graph, value).op->name) return;'),
    ("gpu/passes/a.cpp", 'if (c.is(c.input(0), "negate")) return {};'),
    ("gpu/passes/a.cpp", 'if (isRelu(mask, "activation_backward")) return;'),
    ("gpu/passes/a.cpp", '{"negate", doubleNegate},'),
    ("gpu/passes/a.cpp", 'if (other == "batch_norm") fuse(graph);'),
    ("gpu/cpu/passes/a.cpp", 'if (isOp(pool, "max_pool2d")) return;'),
    ("gpu/memory/a.cpp", 'const bool isInput = node.op->name == "input";'),
    ("gpu/cost/a.cpp", 'if (m_setup.op == "matmul") product();'),
    ("gpu/cost/a.cpp", 'if (op.name.starts_with("conv2d")) convolution();'),
    ("gpu/cost/a.cpp", 'if (m_setup.op.ends_with("_data")) return 0;'),
    ("gpu/exec/a.cpp", 'if (source.op->name != "variable") return;'),
    ("core/recipe/a.cpp", 'return g.node(id).op->name == "gather_backward";'),
    ("core/model/a.cpp", 'if (node.op == findOp("input")) return;'),
]
# Lines that must not be found
RIGHT = [
    ("gpu/passes/a.cpp", 'graph.add(opNamed("matmul"), {x, y});'),
    ("gpu/passes/a.cpp", 'attributes.set("activation", kind);'),
    ("gpu/passes/a.cpp", "if (node.op->role == OpRole::Matmul) return;"),
    ("gpu/passes/a.cpp", 'note(report, "fused " + node.op->name);'),
    ("gpu/passes/a.cpp", 'if (!node.attributes.has("activation")) return;'),
    ("core/data/a.cpp", 'if (type == "input") return;'),
]
OPS = '  op.name = "{}";\n'


def self_test(names):
    def prepare(root):
        (root / "gpu/ops").mkdir(parents=True)
        (root / "gpu/ops/ops.cpp").write_text("".join(OPS.format(n) for n in names))

    return missed_lines(lambda root: check(root)[2], WRONG, RIGHT, prepare)


def main():
    arguments = sys.argv[1:]
    is_self_test = arguments[:1] == ["--self-test"]
    root = pathlib.Path(arguments[-1] if len(arguments) > is_self_test else ".")
    missed = self_test(op_names(root)) if is_self_test else []
    seen, ops, faults = check(root)
    for line in missed + faults:
        print(line)
    print(f"{seen} files, {ops} ops, {len(faults)} faults")
    if seen < 50 or ops < 70:
        print("too few files or ops (expected at least 50 and 70): is this the root of the tree?")
        return 1
    return 1 if faults or missed else 0


if __name__ == "__main__":
    sys.exit(main())
