# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other forms of the call of the serial random programs and of those with OpenMP: several directions at once, and adjoints
in two calls.
"""

import generate
import generate_links
import generate_omp
import generate_second


class Program(generate.Program):
    per_unit = 10


class Links(generate_links.Program):
    per_unit = 3


class Parallel(generate_omp.Program):
    per_unit = 5


def check(name, program, seed):
    rest = "enzyme_const, B.c, enzyme_const, B.k, enzyme_const, check::N"
    one = f"(void *)primal::{name}, enzyme_dup, B.x, B.xs[0], enzyme_dup, B.y, B.ys[0], {rest}"
    three = ("(void *)primal::" + name + ", enzyme_width, 3, enzyme_dup, B.x, B.xs[0], B.xs[1], B.xs[2], "
             f"enzyme_dup, B.y, B.ys[0], B.ys[1], B.ys[2], {rest}")
    other = one.replace("B.", "A.")
    tolerance = "2e-5" if program.single else "1e-9"
    return (f'  Failures += check::runCalls("{name}", oracle::{name},\n'
            f"    [](check::Bundle &B) {{ return __enzyme_fwddiff_three({three}); }},\n"
            f"    [](check::Bundle &A, check::Bundle &B) {{\n"
            f"      void *first = __enzyme_augmentfwd({other});\n"
            f"      void *second = __enzyme_augmentfwd({one});\n"
            f"      __enzyme_reverse({other}, 1.0, enzyme_tape, first);\n"
            f"      __enzyme_reverse({one}, 1.0, enzyme_tape, second); }},\n"
            f"    check::Settings{{{seed % 1000003 + 1}ul, {tolerance}}});")


def unit(kind, seed, first, count):
    """Source of one translation unit with `count` programs of class `kind`."""
    made = {name: kind(seed, name) for name in (f"program{first + i}" for i in range(count))}
    declarations = ("check::Three __enzyme_fwddiff_three(void *, ...);", "void *__enzyme_augmentfwd(void *, ...);", "void __enzyme_reverse(void *, ...);")
    return generate_second.framed(list(made.values()), "CheckCalls.h", declarations, "Dual", (),
                                  lambda: [check(name, program, seed) for name, program in made.items()])
