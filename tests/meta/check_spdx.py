# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every source file opens with the licence line (after '#!', where there is one)."""

import repository

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SUFFIXES = repository.CODE | {".def", ".inc", ".py", ".sh", ".cmake", ".in"}


def check(_options):
    problems, count = [], 0
    for path in repository.files():
        head = repository.data(path)[:2]
        if path.suffix not in SUFFIXES and path.name != "CMakeLists.txt" and head != b"#!":
            continue
        count += 1
        first = repository.lines(path)[head == b"#!":][:1]
        if not first or LICENCE not in first[0]:
            problems.append(f"{path}:1: the first line is not the licence line '{LICENCE}'")
    if not count:
        problems.append("no source file found")
    return problems, f"{count} files"
