# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every MPI function that has a derivative is called by a numeric test: meta.py mpi_functions.

The functions are the rows MPI_FN and MPI_PERSISTENT of parallel/mpi/Functions.def. A program of tests/mpi is run as tangent, as adjoint and in
two directions, on 1, 2, 3, 4 and 7 ranks, so a function that one of them calls has been seen in all of that.
"""

import re

import repository

TABLE = "parallel/mpi/Functions.def"
ROW = re.compile(r"^MPI_(?:FN|PERSISTENT)\((\w+),")
CALL = re.compile(r"\bP?MPIX?_(\w+)\(")


def check(_options):
    called = set()
    for path in repository.code("tests"):
        if path.parts[1] == "mpi":
            called.update(CALL.findall(repository.text(path)))
    problems, rows = [], 0
    for number, line in enumerate(repository.lines(TABLE), 1):
        if row := ROW.match(line):
            rows += 1
            if row[1] not in called:
                problems.append(f"{TABLE}:{number}: no program in tests/mpi calls MPI_{row[1]}")
    return problems, f"{rows} functions"
