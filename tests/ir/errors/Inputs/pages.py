# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the programs in docs/diagnostics.

The first program of a page CFnnn fails with that number at the line that carries "// CFnnn"; every
further program of the page compiles. "// compile with: ..." in a program adds compiler options, "mpi"
those that find mpi.h.

    pages.py <folder of the pages> <options that find mpi.h> -- <compiler command>
"""

import pathlib
import re
import subprocess
import sys
import tempfile

_BLOCK = re.compile(r"^```c\+\+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WARNINGS = {"CF111"}
_OPTIONS = re.compile(r"^// compile with: (.*)$", re.MULTILINE)


def main():
    folder = pathlib.Path(sys.argv[1])
    divider = sys.argv.index("--")
    mpi, compiler = sys.argv[2:divider], sys.argv[divider + 1:]
    pages = sorted(folder.glob("CF[129]*.md"))
    problems, programs = [], 0
    for page in pages:
        number, before = page.stem, len(problems)
        for index, program in enumerate(_BLOCK.findall(page.read_text())):
            programs += 1
            for level in ("-O0", "-O2"):
                status, output = _compile(compiler, mpi, program, level)
                complaint = (_wrong_report(number, program, status, output) if index == 0
                             else "does not compile" if status
                             else "is not free of it" if f"[{number}]" in output else None)
                if complaint:
                    problems.append(f"{number}, program {index + 1}, {level}: {complaint}\n{output}")
        print(f"{number}: {'as it says' if before == len(problems) else 'WRONG'}")
    print("\n".join(problems))
    print(f"{len(pages)} pages, {programs} programs, {len(problems)} wrong")
    return 1 if problems or not programs else 0


def _compile(compiler, mpi, program, level):
    options = []
    for line in _OPTIONS.findall(program):
        for option in line.split():
            options += mpi if option == "mpi" else [option]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "page.cpp")
        source.write_text(program)
        done = subprocess.run([*compiler, level, *options, "-fno-caret-diagnostics", "-c", str(source),
                               "-o", f"{folder}/page.o"], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def _wrong_report(number, program, status, output):
    warns = number in _WARNINGS
    lines = [index for index, line in enumerate(program.splitlines(), 1) if line.endswith(f"// {number}")]
    if len(lines) != 1:
        return f"one line must end in '// {number}'"
    if (status == 0) != warns:
        return "does not compile" if status else "compiles"
    place = rf"page\.cpp:{lines[0]}:\d+"
    if not re.search(rf"warning: .*{place}: \[{number}\]" if warns else rf"{place}: error: \[{number}\]", output):
        return f"no {number} at line {lines[0]}"
    return None


if __name__ == "__main__":
    sys.exit(main())
