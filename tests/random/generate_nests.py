# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random nests of loops over parts of one block, which may overlap: bounds are found at run time, some loops run nowhere,
inner bounds follow outer counters, rows and columns are walked up and down, what one step reads the next overwrites,
rows begin and are as wide as an array says.
"""

import generate
from generate import UNARY

ROOM = 96


class Program(generate.Program):
    per_unit = 25

    def subscript(self, loops):
        """A place of a row or of a matrix of at most 6 x 7, counted from where an array begins."""
        i = self.pick(loops)
        rows = [outer for outer in loops if outer in self.rows and outer != loops[-1]]
        if rows and self.chance(0.4):
            row, j = self.pick(rows), loops[-1]
            return self.pick((f"r{row} + {j}", f"r{row} + 2 * {j}", f"r{row} + 2 * {j} + 1", f"r{row} + 3 * {j} + 1",
                              f"r{row} * w{row} + w{row} * {j}", f"{row} * ld + w{row} * {j}"))
        if len(loops) > 1 and self.chance(0.6):
            j = self.pick([other for other in loops if other != i])
            return self.pick((f"{i} * ld + {j}", f"{i} * ld + {j}", f"{j} * ld + {i}", f"({i} + 1) * ld + {j}",
                              f"{i} * ld + {j} + 1", f"{i} + {j}", f"{i} * ld + k[{j}] % 4"))
        return self.pick((i, i, f"{i} + 1", f"{i} + 2", f"2 * {i}", f"3 * {i} + {self.random.randrange(3)}", f"k[{i}]",
                          f"n + 6 - {i}", f"{i} * ld", "0"))

    def read(self, loops):
        if self.chance(0.15):
            return self.pick(("s", "real(0.3)", f"c[{self.pick(loops)}]"))
        return f"{self.pick(('a', 'a', 'b', 'd'))}[{self.subscript(loops)}]"

    def term(self, loops):
        one, two = self.read(loops), self.read(loops)
        if self.chance(0.3):
            return self.pick(UNARY).format(one)
        return self.pick((f"{one} * {two}", f"{one} * {two}", f"{one} - {two}", f"{one} / (real(1.5) + {two} * {two})",
                          f"({one} > {two} ? {one} : real(0.5) * {two})"))

    def work(self, loops):
        value = self.term(loops) if self.chance(0.5) else f"{self.term(loops)} + {self.term(loops)}"
        if self.chance(0.2):
            self.emit(f"if ({self.read(loops)} < {self.read(loops)}) {self.pick(('continue', 's *= real(0.9)'))};")
        if self.chance(0.35):
            self.emit(f"s += real(0.05) * tanh({value});")
        else:
            target = f"{self.pick(('a', 'b', 'b'))}[{self.subscript(loops)}]"
            self.emit(self.pick((f"{target} = tanh({value});", f"{target} = tanh({value});", f"{target} += real(0.1) * sin({value});",
                                 f"{target} = real(0.5) * {target} - real(0.3) * tanh({value});", f"{target} = 0.0;")))

    def head(self, loops):
        i = self.fresh("i")
        kind = self.pick(("long", "int"))
        heads = [f"= 0; {i} < n; {i}++", f"= 0; {i} < m; {i}++", f"= n - 1; {i} >= 0; {i}--", f"= 1; {i} < n - 1; {i}++",
                 f"= 0; {i} < n; {i} += 2", f"= first; {i} < n; {i}++"]
        for o in loops[-1:]:
            heads += [f"= {o} + 1; {i} < n; {i}++", f"= 0; {i} <= {o}; {i}++", f"= {o}; {i} > 0; {i} -= 2",
                      f"= 2 * {o}; {i} < {o} + m && {i} < 5; {i}++", f"= first; {i} < {o}; {i}++", f"= {o} / 2; {i} < m; {i}++"]
        flag = f"if (k[{loops[-1]}] % 3 == 0) " if loops and self.chance(0.2) else ""
        return i, f"{flag}for ({kind} {i} {self.pick(heads)}) {{"

    def nest(self, loops):
        i, head = self.head(loops)
        self.emit(head)
        self.depth += 1
        loops = [*loops, i]
        if self.chance(0.4):  # where a row begins, and how wide it is
            self.emit(f"const long r{i} = k[{i}] % 6, w{i} = 1 + k[{i} + 1] % 3;")
            self.rows.add(i)
        if self.chance(0.5):
            self.work(loops)
        if len(loops) < 3 and self.chance(0.65):
            self.nest(loops)
        if self.chance(0.6):
            self.work(loops)
        self.depth -= 1
        self.emit("}")

    def function(self):
        self.rows = set()
        name = f"{self.name}_{self.fresh('nest')}"
        lines, self.lines = self.lines, []
        for _ in range(self.random.randrange(1, 3)):
            self.nest([])
        body, self.lines = "\n".join(self.lines), lines
        inline = self.pick(("", "__attribute__((noinline)) ", "inline "))
        self.helpers.append(f"{inline}static real {name}(real *a, real *b, const real *d, const real *c, const int *k, long n, long m, long first, long ld) {{\n"
                            f"  real s = 0.0;\n{body}\n  return s;\n}}")
        return name

    def part(self):
        return f"block + {self.pick(('0', f'k[{self.random.randrange(12)}]', f'{self.random.randrange(40)}', f'3 * k[{self.random.randrange(12)}]'))}"

    def call(self, one=None, two=None):
        """The first two arrays may be pointers that change places from step to step."""
        n, m = (f"k[{self.random.randrange(12)}] % {self.pick((5, 6, 7))} - 1" for _ in range(2))
        return f"{self.function()}({one or self.part()}, {two or self.part()}, {self.pick((self.part(), 'still', one or 'still'))}, c, k, {n}, {m}, {self.pick((0, 1, 'k[5] % 3'))}, 7)"

    def build(self):
        self.emit(f"real s = 0.1, block[{ROOM}], still[{ROOM}];")
        self.emit(f"for (int j = 0; j < {ROOM}; j++) {{ block[j] = x[j % 12] * c[j * 5 % 12] + real(0.1) * y[j * 7 % 12]; still[j] = sin(x[j * 3 % 12]); }}")
        for _ in range(self.random.randrange(1, 4)):
            steps, one, two = self.fresh("step"), self.fresh("u"), self.fresh("v")
            swapped = self.chance(0.5)
            if swapped:
                self.emit(f"real *{one} = {self.part()}, *{two} = {self.part()};")
            self.emit(f"for (int {steps} = 0; {steps} < {self.random.randrange(1, 5)}; {steps}++) {{")
            self.depth += 1
            for _ in range(self.random.randrange(1, 3)):
                self.emit(f"s += real(0.3) * {self.call(one, two) if swapped else self.call()};")
            if swapped:
                self.emit(self.pick((f"std::swap({one}, {two});", f"std::swap({one}, {two});", f"{one}++;", f"{{ real *w = {one}; {one} = {two}; {two} = w; }}")))
            if self.chance(0.5):
                self.emit(f"for (int j = 0; j < {ROOM}; j++) block[j] = tanh(block[j] + real(0.05) * s);")
            self.depth -= 1
            self.emit("}")
        self.emit(f"for (int j = 0; j < {ROOM}; j++) {{ s += block[j] * block[j]; y[j % 12] += real(0.1) * block[j]; }}")
        self.emit("return s;")
        head = f"static real {self.name}(const real *x, real *y, const real *c, const int *k, int) {{"
        return "\n\n".join(self.helpers + ["\n".join([head] + self.lines + ["}"])]) + "\n"
