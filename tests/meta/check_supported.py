# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README.md's table of supported constructs is what the numeric tests say: meta.py supported [--write].

A test names what it shows in its opening comment, '// Supports: <construct>', one line each; a construct that
several tests show is one row. The tests run at -O0 to -O3, so a row that stands is a row that works.
"""

import re

import repository

FOLDERS = {"numeric": "C and C++", "blas": "BLAS and LAPACK", "eigen": "Eigen", "omp": "OpenMP", "mpi": "MPI"}
TAG = re.compile(r"^// Supports: (.+)$")
BEGIN, END = "<!-- supported:begin -->\n", "<!-- supported:end -->"


def shown():
    """{folder: {construct: [test, ...]}} in alphabetical order."""
    rows = {folder: {} for folder in FOLDERS}
    for path in repository.code("tests"):
        if len(path.parts) != 3 or path.parts[1] not in FOLDERS:
            continue
        for line in repository.lines(path):
            if tag := TAG.match(line):
                rows[path.parts[1]].setdefault(tag[1], []).append(path.name)
    return {folder: dict(sorted(found.items())) for folder, found in rows.items()}


def table(rows):
    out = ["| | construct | shown by |", "|---|---|---|"]
    for folder, found in rows.items():
        for number, (construct, tests) in enumerate(found.items()):
            title = FOLDERS[folder] if number == 0 else ""
            names = " ".join(f"[{name}](tests/{folder}/{name})" for name in sorted(tests))
            out.append(f"| {title} | {construct} | {names} |")
    return "\n".join(out) + "\n"


def check(options):
    rows = shown()
    readme = repository.ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        return [f"README.md:1: the lines '{BEGIN.strip()}' and '{END}' are missing"], "nothing"
    before, rest = text.split(BEGIN, 1)
    wanted = before + BEGIN + table(rows) + END + rest.split(END, 1)[1]
    problems = [f"tests/{folder}: no test has a line '// Supports: ...'" for folder, found in rows.items() if not found]
    if options.write:
        readme.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        problems.append("README.md:1: the table of supported constructs is not what the tests say: run "
                        "'python3 -B tests/meta/meta.py supported --write'")
    return problems, f"{sum(len(found) for found in rows.values())} constructs"
