# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who may include whom (docs/design, "the house").

    core      support <- callee <- rules <- construct <- request, prepare <- analysis <- plan <- emit <- plugin
    parallel  mpi | omp | gpu -> core/include only; never each other, never core/lib
    plugin    -> parallel/*/Register only: the one place where they meet
    runtime   support <- tape <- memory, accumulate <- checkpoint, blas;  mpi | omp | gpu -> tape, accumulate.  Never LLVM.
    the compiler knows the runtime through abi.def alone;  apps/ and tests/ use what an installed copy offers
"""

import pathlib
import re

import repository

CORE_RANK = {"support": 0, "callee": 1, "rules": 2, "construct": 3, "request": 4, "prepare": 4,
             "analysis": 5, "plan": 6, "emit": 7, "plugin": 8}
RUNTIME_RANK = {"support": 0, "tape": 1, "memory": 2, "accumulate": 2, "checkpoint": 3, "blas": 3}
RUNTIME_MODELS = ("mpi", "omp", "gpu")
ABI = re.compile(r"runtime/include/contraflow/abi(_\w+)?\.def$")
SEARCH = ("core/lib", "core/include", "runtime/lib", "runtime/include", "parallel", ".")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)')


def check(_options):
    problems, count = [], 0
    for path in repository.code() + [p for p in repository.files() if p.suffix in (".def", ".inc")]:
        for number, line in enumerate(repository.lines(path), 1):
            match = _INCLUDE.match(line)
            if not match:
                continue
            count += 1
            name = match.group(1) or match.group(2)
            reason = _objection(path, name, _resolve(path, name))
            if reason:
                problems.append(f"{path}:{number}: includes {name}: {reason}")
    if not count:
        problems.append("no #include found anywhere")
    return problems, f"{count} #include lines"


def _resolve(path, name):
    """The file of ours that is meant, or None for a system header."""
    own = set(repository.files())
    for folder in (str(path.parent),) + SEARCH:
        candidate = _normal(f"{folder}/{name}")
        if candidate in own:
            return candidate
    return None


def _normal(name):
    parts = []
    for part in name.split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    return pathlib.PurePosixPath("/".join(parts))


def _objection(path, name, target):
    rules = {"core": _core, "parallel": _parallel, "runtime": _runtime, "apps": _user,
             "tests": _user, "bench": _user}
    rule = rules.get(path.parts[0])
    return rule(path.parts, name, target) if rule else None


def _core(parts, _name, target):
    if target is None:
        return None
    to = target.parts
    if to[0] == "parallel":
        at_door = parts[:3] == ("core", "lib", "plugin") and target.stem.startswith("Register")
        return None if at_door else "the core is deaf to models; only plugin/ sees their Register headers"
    if to[0] == "runtime":
        return None if ABI.match(str(target)) else "the compiler knows the runtime through abi.def alone"
    if to[0] != "core":
        return "the core includes nothing outside core/"
    if to[1] != "lib":
        return None
    if parts[1] == "include":
        return "core/include is what parallel/ may see; it includes nothing of core/lib"
    return _ranked(parts[2], to[2], CORE_RANK)


def _ranked(room, other, ranks):
    if room == other or room not in ranks:
        return None
    if ranks.get(other, len(ranks)) < ranks[room]:
        return None
    return f"{room} comes before {other} or beside it"


def _parallel(parts, _name, target):
    if target is None or ABI.match(str(target)) or target.parts[:2] == ("core", "include"):
        return None
    if target.parts[0] == "parallel" and target.parts[1] == parts[1]:
        return None
    return "a model sees core/include, abi.def and itself"


def _runtime(parts, name, target):
    if re.match(r"(llvm|llvm-c|clang)/", name) or name.startswith("contraflow/core/"):
        return "the runtime knows no LLVM"
    if target is None:
        return None
    to = target.parts
    if to[0] != "runtime":
        return "the runtime includes nothing outside runtime/"
    if parts[1] != "lib" or to[1] != "lib" or len(parts) < 4 or len(to) < 4:
        return "headers of users include nothing of runtime/lib" if parts[1] != to[1] == "lib" else None
    room, other = parts[2], to[2]
    if room in RUNTIME_MODELS:
        fine = other in ("support", "tape", "memory", "accumulate", room)
        return None if fine else "a model's runtime sees support, tape, memory, accumulate and itself"
    return _ranked(room, other, RUNTIME_RANK)


def _user(parts, _name, target):
    """Unit tests look inside; everything else uses what an installed copy offers."""
    if target is None or parts[:2] == ("tests", "unit"):
        return None
    if target.parts[0] in ("core", "parallel") or target.parts[:2] == ("runtime", "lib"):
        return "apps, benchmarks and tests use what an installed copy offers (tests/unit may look inside)"
    return None
