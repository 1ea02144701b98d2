# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spellings of functions live in core/lib/callee alone: elsewhere the compiler compares no names.

Names of passes and of pass parameters ("ad<reverse>", "print<ad-plan>", "contraflow") are the plugin's own.
"""

import re

import repository

_COMPARISON = re.compile(
    r'(?:[=!]=|\b(?:equals|equals_insensitive|starts_with|ends_with|contains|compare|consume_front|'
    r'consume_back|find|Case|Cases|StartsWith|getFunction)\s*\()\s*"(?P<name>[^"]*)"')
_IDENTIFIER = re.compile(r"^[A-Za-z_][\w.$]*$")


def check(_options):
    problems, count = [], 0
    for path in repository.code("core", "parallel"):
        if path.parts[:3] == ("core", "lib", "callee"):
            continue
        count += 1
        for number, line in enumerate(repository.lines(path), 1):
            for match in _COMPARISON.finditer(line.split("//")[0]):
                if _is_spelling(path, match.group("name")):
                    problems.append(f"{path}:{number}: compares with the name \"{match.group('name')}\"; "
                                    "spellings belong in core/lib/callee/*.def")
    if not count:
        problems.append("no file of core/ or parallel/ found")
    return problems, f"{count} files of core/ and parallel/"


def _is_spelling(path, name):
    if not _IDENTIFIER.match(name):
        return False
    return not (path.parts[:3] == ("core", "lib", "plugin") and name.startswith(("contraflow", "ad")))
