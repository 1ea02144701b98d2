# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The border between compiler and runtime: every line of abi.def has its symbol in the runtime libraries.

libcontraflow_runtime.a has the symbols of no model. Those of a model M are in libcontraflow_runtime_M.a and, the
same ones, in libcontraflow_runtime_M_absent.a, so that a program links whether or not the model is there.
"""

import pathlib
import re
import subprocess

import repository

_ROWS = '#define CF_FN(name, ret, args) [[name]]\n#include "contraflow/abi.def"\n'
_SYMBOL = re.compile(r"^(cf_v\d+_\w+)\b")
MODELS = ("mpi", "omp")


def check(options):
    names = _names(options.clang)
    problems = [f"abi.def: {name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    wanted = {f"cf_v1_{name}" for name in names}
    library = pathlib.Path(options.lib)
    defined = _symbols(options.nm, library / "libcontraflow_runtime.a")
    for model in MODELS:
        absent = _symbols(options.nm, library / f"libcontraflow_runtime_{model}_absent.a")
        real_archive = library / f"libcontraflow_runtime_{model}.a"
        if real_archive.exists():
            real = _symbols(options.nm, real_archive)
            problems += [f"{symbol}: in the {model} runtime, not in its absent version"
                         for symbol in sorted(real - absent)]
            problems += [f"{symbol}: in the absent {model} runtime, not in the real one"
                         for symbol in sorted(absent - real)]
        twice = defined & absent
        problems += [f"{symbol}: defined by two runtime libraries" for symbol in sorted(twice)]
        defined |= absent
    problems += [f"{symbol}: in abi.def, defined by no runtime library"
                 for symbol in sorted(wanted - defined)]
    problems += [f"{symbol}: defined by a runtime library, not in abi.def"
                 for symbol in sorted(defined - wanted)]
    if not wanted:
        problems.append("abi.def: no CF_FN line found")
    return problems, f"{len(wanted)} functions"


def _names(clang):
    """The first column of abi.def, as the preprocessor sees it."""
    run = subprocess.run([clang, "-E", "-P", f"-I{repository.ROOT / 'runtime/include'}", "-xc", "-"],
                         input=_ROWS, capture_output=True, text=True, check=True)
    return re.findall(r"\[\[(\w+)\]\]", run.stdout)


def _symbols(nm, archive):
    """The functions of the ABI that an archive defines."""
    run = subprocess.run([nm, "--defined-only", "--extern-only", "--format=just-symbols",
                          str(archive)], capture_output=True, text=True, check=True)
    return {match.group(1) for line in run.stdout.splitlines() if (match := _SYMBOL.match(line))}
