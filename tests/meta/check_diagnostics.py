# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every diagnostic of the compiler has one number, a page in docs/diagnostics and a test in tests/ir/errors."""

import re

import repository

_LINE = re.compile(r'^CF_DIAG\(\s*(\w+)\s*,\s*(\d+)\s*,', re.MULTILINE)
_PAGE = re.compile(r"^CF(\d+)\.md$")
INTERNAL = 900      # from here on: our bugs, which no user's program can provoke
RUNTIME = range(300, 400)   # printed by the runtime, whose tests are elsewhere


def check(_options):
    definitions = [path for path in repository.files() if path.name == "Diag.def"]
    if len(definitions) != 1:
        return [f"expected one Diag.def, found {len(definitions)}"], "nothing"
    source = definitions[0]
    rows = [(match.group(1), int(match.group(2))) for match in _LINE.finditer(repository.text(source))]
    problems = _unique(source, rows)
    pages = {int(_PAGE.match(path.name).group(1)) for path in repository.files()
             if path.parts[:2] == ("docs", "diagnostics") and _PAGE.match(path.name)}
    tested = "\n".join(repository.text(path) for path in repository.files()
                       if path.parts[:3] == ("tests", "ir", "errors"))
    for name, number in rows:
        if number not in pages:
            problems.append(f"{source}: {name} (CF{number}) has no page docs/diagnostics/CF{number}.md")
        if number < INTERNAL and not re.search(rf"\bCF{number}\b", tested):
            problems.append(f"{source}: {name} (CF{number}) is provoked by no test in tests/ir/errors")
    for number in sorted(pages - {number for _, number in rows} - set(RUNTIME)):
        problems.append(f"docs/diagnostics/CF{number}.md: no such diagnostic in {source}")
    if not rows:
        problems.append(f"{source}: no CF_DIAG line found")
    return problems, f"{len(rows)} diagnostics, {len(pages)} pages"


def _unique(source, rows):
    problems = []
    for column in (0, 1):
        values = [row[column] for row in rows]
        problems += [f"{source}: {value} is there twice"
                     for value in sorted({v for v in values if values.count(v) > 1}, key=str)]
    return problems
