# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs against an oracle: random_test.py --clang CXX --plugin SO --libraries LIB ... [--seed N] [--programs N].

Each unit of programs is compiled at another optimisation level or with another analysis off, and run; a unit that
does not compile, crashes the compiler or compares wrongly is kept in --folder and named with its command. Of some
kinds, a few may be refused.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import generate
import generate_calls
import generate_idioms
import generate_ir
import generate_library
import generate_links
import generate_mpi
import generate_nests
import generate_objects
import generate_omp
import generate_second

# What comes after the derivative is compiled quickly where something before it is tried.
PLAIN = ["-fno-vectorize", "-fno-slp-vectorize", "-mllvm", "-disable-lsr"]
CONFIGURATIONS = (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"], ["-O2", "-g", *PLAIN], ["-O2", "-fno-strict-aliasing", *PLAIN],
                  ["-O2", "-mllvm", "-contraflow-activity=0", *PLAIN], ["-O2", "-mllvm", "-contraflow-mincut=0", *PLAIN],
                  ["-O1", "-ffast-math", "-fno-finite-math-only"])
PER_UNIT = 25
MOST_REFUSED = 0.25  # of the units of a generator whose programs may be refused
# class of programs, flags, numbers of threads (or of ranks, with --launcher)
KINDS = {"serial": (generate.Program, [], [""]), "idioms": (generate_idioms.Program, [], [""]), "objects": (generate_objects.Program, [], [""]),
         "links": (generate_links.Program, [], [""]), "nests": (generate_nests.Program, [], [""]), "library": (generate_library.Program, [], [""]),
         "calls": (generate_calls.Program, [], [""]), "calls_omp": (generate_calls.Parallel, ["-fopenmp"], ["1", "2", "3"]),
         "second": (generate_second.Program, [], [""]), "second_objects": (generate_second.Objects, [], [""]),
         "calls_links": (generate_calls.Links, [], [""]), "second_links": (generate_second.Links, [], [""]),
         "second_omp": (generate_second.Parallel, ["-fopenmp"], ["1", "2", "3"]),
         "ir": (generate_ir.Program, [], [""]),
         "omp": (generate_omp.Program, ["-fopenmp"], ["1", "2", "3", "8"]), "mpi": (generate_mpi.Program, [], ["1", "2", "3"])}
HERE = Path(__file__).resolve().parent


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=KINDS, default="serial")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--libraries", nargs="+", required=True)
    parser.add_argument("--flags", nargs="*", default=[])
    parser.add_argument("--launcher", type=str.split, default=[], help="of MPI programs, up to the number of ranks")
    parser.add_argument("--ranks", nargs="*")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--per-unit", type=int, default=0)
    return parser.parse_args()


def limited(command, seconds, environment=None):
    """Runs it; what it has started ends with it where it takes too long."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


def is_refusal(errors, family="CF2"):
    """True if it is said by numbers why there is no derivative, and nothing else is wrong: by the plugin, or by the runtime (CF3)."""
    said = [line for line in errors.splitlines() if "error:" in line and not re.search("too many errors|differentiation failed", line)]
    return bool(said) and all(re.search(rf"error: (in '\w+': )?\[{family}", line) for line in said)


def compile_and_run(chosen, command, program, teams):
    """Empty if all is well, else what to say."""
    made = limited(command, 300)
    if made.returncode:
        return f"{' '.join(command)}\n{made.stderr[-2000:]}", is_refusal(made.stderr)
    for team in chosen.ranks or teams:
        environment = dict(os.environ, OMP_NUM_THREADS=team) if team and not chosen.launcher else None
        launch = [*chosen.launcher, team] if chosen.launcher else []
        done = limited([*launch, str(program)], 120, environment)
        if done.returncode:
            return (f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-1000:]} (exit status {done.returncode}, "
                    f"threads or ranks: {team})"), is_refusal(done.stderr, "CF3")
    return "", False


def run_unit(chosen, number):
    """What to say, empty if all is well; and whether it is a refusal."""
    kind, more, teams = KINDS[chosen.kind]
    source = chosen.folder / f"unit{number}{getattr(kind, 'suffix', '.cpp')}"
    program = source.with_suffix("")
    unit = getattr(sys.modules[kind.__module__], "unit", generate.unit)
    count = chosen.per_unit or getattr(kind, "per_unit", PER_UNIT)
    source.write_text(unit(kind, chosen.seed, number * count, count), encoding="utf-8")
    configurations = getattr(kind, "configurations", CONFIGURATIONS)
    flags = configurations[number % len(configurations)]
    command = [chosen.clang, "-std=c++20", "-w", *flags, *more, *(f"-{flag}" for flag in chosen.flags), f"-I{HERE}", f"-fpass-plugin={chosen.plugin}",
               "-Rpass=contraflow-location", str(source), *map(str, getattr(kind, "companions", [])), "-o", str(program), *chosen.libraries, "-lpthread", "-ldl"]
    try:
        fault, refused = compile_and_run(chosen, command, program, teams)
    except subprocess.TimeoutExpired as late:
        fault, refused = f"{' '.join(command)}\n{late}", False
    if not fault:
        source.unlink()
        program.unlink()
    return fault, refused and getattr(kind, "may_be_refused", False)


def main():
    chosen = options()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    count = chosen.per_unit or getattr(KINDS[chosen.kind][0], "per_unit", PER_UNIT)
    units = -(-chosen.programs // count)
    workers = 1 if chosen.launcher else os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = [result for result in pool.map(lambda number: run_unit(chosen, number), range(units)) if result[0]]
    refused = sum(1 for _, is_refused in results if is_refused)
    for fault, _ in results:
        print(fault)
    print(f"{units * count} random programs with seed {chosen.seed}, {len(results) - refused} of {units} units failed"
          + (f", {refused} refused" if refused else ""))
    return 1 if len(results) > refused or refused > MOST_REFUSED * units else 0


if __name__ == "__main__":
    sys.exit(main())
