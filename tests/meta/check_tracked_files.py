# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing generated and nothing binary is tracked, but for the pictures of the documentation."""

import fnmatch

import repository

GENERATED = ("*.o", "*.a", "*.so", "*.bc", "*.pyc", "*.ninja", "*.log", "*.orig", "*.rej", "*~",
             "CMakeCache.txt", "compile_commands.json", "core.[0-9]*", "a.out", ".ninja_*")
LARGEST = 1 << 20


def check(_options):
    problems = []
    for path in repository.files():
        picture = path.parts[0] == "docs" and path.suffix in (".png", ".svg")
        if any(fnmatch.fnmatch(path.name, pattern) for pattern in GENERATED):
            problems.append(f"{path}: looks generated")
        elif not picture and repository.is_binary(path):
            problems.append(f"{path}: is binary")
        if len(repository.data(path)) > LARGEST:
            problems.append(f"{path}: has more than {LARGEST} bytes")
    if not repository.files():
        problems.append("no file found")
    return problems, f"{len(repository.files())} files"
