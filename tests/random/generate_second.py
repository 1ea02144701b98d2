# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of derivatives of the serial random programs, of those over C++ data and of those with OpenMP: tangents of
tangents and of adjoints, and adjoints of tangents, against nested duals.
"""

import generate
import generate_links
import generate_objects
import generate_omp


class Program(generate.Program):
    per_unit = 10


class Objects(generate_objects.Program):
    per_unit = 3


class Links(generate_links.Program):
    per_unit = 2
    statics = False  # see CF209


class Parallel(generate_omp.Program):
    per_unit = 3


def functions(name):
    """Functions that ask for the first derivatives of the program, in C++."""
    given = f"(void *)primal::{name}, enzyme_dup, x, xa, enzyme_dup, y, ya, enzyme_const, c, enzyme_const, k, enzyme_const, n"
    parameters = "double *x, double *xa, double *y, double *ya, double *c, int *k, int n"
    return (f"static double {name}_tangent({parameters}) {{ return __enzyme_fwddiff({given}); }}\n"
            f"static void {name}_adjoint({parameters}) {{ __enzyme_autodiff({given}); }}")


def check(name, program, seed):
    again = "T.x, T.xb, enzyme_dup, T.xa, T.xab, enzyme_dup, T.y, T.yb, enzyme_dup, T.ya, T.yab, enzyme_const, T.c, enzyme_const, T.k, enzyme_const, check::N"
    tolerance = "2e-4" if program.single else "1e-7"
    return (f'  Failures += check::runTwice("{name}", oracle::{name},\n'
            f"    [](check::Twice &T) {{ return __enzyme_fwddiff((void *){name}_tangent, enzyme_dup, {again}); }},\n"
            f"    [](check::Twice &T) {{ __enzyme_fwddiff_void((void *){name}_adjoint, enzyme_dup, {again}); }},\n"
            f"    [](check::Twice &T) {{ __enzyme_autodiff((void *){name}_tangent, enzyme_dup, {again}); }},\n"
            f"    check::Settings{{{seed % 1000003 + 1}ul, {tolerance}}});")


def framed(made, header, declarations, oracle, functions, checks):
    """Source of one translation unit: the programs `made`, each with numbers of type `oracle` and with doubles; `checks` is called when they are built."""
    programs = "\n".join(program.build() for program in made)
    return "\n".join((
        f'#include "{header}"', '#include "Disguises.h"', *made[0].headers,
        "template <typename T> struct Pair { T a, b; };", "template <typename T> struct Link { T value; Link *next; };",
        *declarations, "#define OMP(words)", generate.oracle(oracle, programs),
        "#undef OMP\n#define OMP(words) _Pragma(#words)", "namespace primal {\nusing real = double;\n" + programs + "}", *functions,
        "int main() {\n  int Failures = 0;", *checks(), "  return Failures != 0;\n}")) + "\n"


def unit(kind, seed, first, count):
    """Source of one translation unit with `count` programs of class `kind`."""
    made = {name: kind(seed, name) for name in (f"program{first + i}" for i in range(count))}
    declarations = ("double __enzyme_fwddiff(void *, ...);", "void __enzyme_fwddiff_void(void *, ...);", "double __enzyme_autodiff(void *, ...);")
    return framed(list(made.values()), "CheckSecond.h", declarations, "Second", map(functions, made),
                  lambda: [check(name, program, seed) for name, program in made.items()])
