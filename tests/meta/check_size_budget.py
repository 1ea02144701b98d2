# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The size budget: a function fits on a page, a file can be read in one go.

Functions: 60 lines by habit, 100 at most, 6 parameters. Files: 800 lines, headers 300. Functions of the C
ABI and functions of MPI take what the function they stand for takes.
"""

import ast
import re

import cpp_scan
import repository

HABIT, LONGEST, PARAMETERS = 60, 100, 6
FILE_LINES, HEADER_LINES = 800, 300
_GIVEN_SIGNATURE = re.compile(r"^(\w+::)*(cf_v\d+_\w+|P?MPI_\w+)$")


def check(_options):
    problems, total, long = [], 0, 0
    paths = [path for path in repository.files() if path.suffix in repository.CODE | {".py"}]
    for path in paths:
        problems += _file(path)
        for function in _functions(path):
            total += function.length
            long += function.length if function.length > HABIT else 0
            problems += _function(path, function)
    share = 100.0 * long / max(total, 1)
    if not total:
        problems.append("no function found in any file")
    return problems, (f"{len(paths)} files, {total} lines in functions, {share:.1f} % of them in "
                      f"functions of more than {HABIT} lines")


def _file(path):
    limit = HEADER_LINES if path.suffix in repository.HEADERS else FILE_LINES
    count = len(repository.lines(path))
    return [f"{path}:1: {count} lines; at most {limit}"] if count > limit else []


def _functions(path):
    if path.suffix == ".py":
        return _python_functions(repository.text(path))
    return cpp_scan.functions(repository.text(path))


def _python_functions(source):
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = node.args
            count = len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs)
            found.append(cpp_scan.Function(node.name, node.lineno, node.end_lineno, count))
    return found


def _function(path, function):
    place = f"{path}:{function.first}: '{function.name}'"
    problems = []
    if function.length > LONGEST:
        problems.append(f"{place} has {function.length} lines; at most {LONGEST}, {HABIT} by habit")
    if function.parameters > PARAMETERS and not _GIVEN_SIGNATURE.match(function.name):
        problems.append(f"{place} has {function.parameters} parameters; at most {PARAMETERS}")
    return problems
