# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No file names a folder of somebody's machine."""

import re

import repository

_PLACES = "|".join(("work/", "root/", r"home/\w", "tmp/b-", r"Users/\w"))
_MACHINE_PATH = re.compile(rf"(?<![\w.@}})*/-])/(?:{_PLACES})[\w./-]*")


def check(_options):
    problems = []
    for path in repository.files():
        if repository.is_binary(path):
            continue
        for number, line in enumerate(repository.lines(path), 1):
            match = _MACHINE_PATH.search(line)
            if match:
                problems.append(f"{path}:{number}: names the machine's path {match.group()}")
    return problems, f"{len(repository.files())} files"
