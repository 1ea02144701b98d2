# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one check of the source tree: meta.py <check> [options].

A check is a module with check(options) -> (list of problems, sentence on what was looked at). Each
problem is a line "file:line: what is wrong"; any problem fails the test, and so does a check that found
nothing to look at.
"""

import argparse
import importlib
import sys

CHECKS = ("layering", "size_budget", "names", "spdx", "diagnostics", "tracked_files", "shell_syntax",
          "machine_paths", "format", "abi", "supported", "mpi_functions")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--clang-format", default="clang-format-22")
    parser.add_argument("--nm", default="llvm-nm-22")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--lib", help="folder of the runtime libraries (abi)")
    parser.add_argument("--write", action="store_true", help="put it right instead (supported)")
    options = parser.parse_args()
    problems, looked_at = importlib.import_module(f"check_{options.check}").check(options)
    for problem in problems:
        print(problem)
    print(f"{options.check}: {looked_at}; {len(problems)} problem(s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
