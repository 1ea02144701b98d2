# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random serial programs: nested loops with affine and indirect indices, branches, calls, recursion, structures,
arrays, pointers, early exits, copies, jumps, lists, containers, calls through tables and virtual ones, casts to float, bits, unions, vectors. Every program ends, stays within its arrays and keeps its values moderate.

A program is text that compiles with real = double and with real = Dual.
"""

import random

UNARY = ("sin({})", "cos({})", "tanh({})", "atan({})", "exp(-fabs({}))", "log(1.5 + {0} * {0})", "sqrt(1.0 + {0} * {0})",
         "(1.0 / (2.0 + sin({})))", "pow({}, 2)", "fabs({} + 0.37)")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "fmin({}, {})", "fmax({}, {})", "{} / (1.5 + cos({}))")


class Program:
    """One program; `lines` is its text."""

    headers = ("#include <algorithm>", "#include <cstring>", "#include <vector>")

    def __init__(self, seed, name):
        self.random = random.Random(f"{seed}/{name}")
        self.name = name
        self.lines = []
        self.helpers = []
        self.depth = 0
        self.counter = 0
        self.single = False        # values pass through float
        self.indices = []          # loop counters in scope, each in [0, n)
        self.scalars = ["s"]
        self.arrays = ["y", "t"]   # writable, n elements
        self.readable = ["x", "y", "t", "c"]

    def pick(self, options):
        return self.random.choice(list(options))

    def chance(self, p):
        return self.random.random() < p

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def emit(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def index(self):
        if not self.indices or self.chance(0.1):
            return str(self.random.randrange(12))
        i = self.pick(self.indices)
        return self.pick((i, i, i, f"(n - 1 - {i})", f"({i} + {self.random.randrange(1, 5)}) % n", f"k[{i}]",
                          f"({i} / 2)", f"({i} * {self.random.randrange(2, 4)}) % n",
                          f"({i} + {self.pick(self.indices)}) % n"))

    def atom(self):
        choice = self.random.random()
        if choice < 0.5:
            return f"{self.pick(self.readable)}[{self.index()}]"
        if choice < 0.8:
            return self.pick(self.scalars)
        if choice < 0.88:
            return f"p.{self.pick(('a', 'b'))}" if self.chance(0.5) else f"q[{self.index()} % 4].{self.pick(('a', 'b'))}"
        if self.indices and choice < 0.94:
            return f"real(0.1 * {self.pick(self.indices)})"
        return f"real({self.random.uniform(-1, 1):.3f})"

    def expression(self, levels=2):
        if levels == 0 or self.chance(0.2):
            return self.atom()
        if self.chance(0.4):
            return self.pick(UNARY).format(self.expression(levels - 1))
        return "(" + self.pick(BINARY).format(self.expression(levels - 1), self.expression(levels - 1)) + ")"

    def place(self):
        choice = self.random.random()
        if choice < 0.5:
            return f"{self.pick(self.arrays)}[{self.index()}]"
        if choice < 0.85:
            return self.pick(self.scalars)
        return f"p.{self.pick(('a', 'b'))}" if self.chance(0.5) else f"q[{self.index()} % 4].{self.pick(('a', 'b'))}"

    def condition(self):
        if self.indices and self.chance(0.4):
            i = self.pick(self.indices)
            return self.pick((f"{i} % 2 == 0", f"{i} > n / 2", f"k[{i}] < {i}", f"({i} & 3) == 1"))
        return f"{self.expression(1)} {self.pick(('<', '>'))} {self.expression(1)}"

    def block(self, statements):
        self.depth += 1
        scalars = len(self.scalars)
        for _ in range(statements):
            self.statement()
        del self.scalars[scalars:]
        self.depth -= 1

    def assign(self):
        target = self.place()
        if self.chance(0.3):
            self.emit(f"{target} = real(0.5) * {target} + real(0.3) * sin({self.expression()});")
        elif self.chance(0.5):
            self.emit(f"{target} += real(0.2) * tanh({self.expression()});")
        else:
            self.emit(f"{target} = tanh({self.expression()});")

    def declare(self):
        name = self.fresh("v")
        self.emit(f"real {name} = {self.expression()};")
        self.scalars.append(name)

    def branch(self):
        self.emit(f"if ({self.condition()}) {{")
        self.block(self.random.randrange(1, 3))
        if self.chance(0.6):
            self.emit("} else {")
            self.block(self.random.randrange(1, 3))
        self.emit("}")

    def loop(self):
        i = self.fresh("i")
        head = self.pick((f"for (int {i} = 0; {i} < n; {i}++)", f"for (int {i} = n - 1; {i} >= 0; {i}--)",
                          f"for (int {i} = {self.random.randrange(3)}; {i} < n; {i} += {self.random.randrange(1, 4)})",
                          f"for (long {i} = 0; {i} < n / 2; {i}++)", f"for (unsigned {i} = 1; {i} < (unsigned)n; {i} *= 2)",
                          f"for (int {i} = 0; {i} < {self.pick(self.indices + ['n'])}; {i}++)"))
        self.emit(head + " {")
        self.indices.append(f"(int){i}" if "long" in head or "unsigned" in head else i)
        self.block(self.random.randrange(1, 4))
        if self.chance(0.25):
            self.depth += 1
            self.emit(f"if ({self.condition()}) {self.pick(('break', 'continue'))};")
            self.depth -= 1
            self.block(1)
        self.indices.pop()
        self.emit("}")

    def while_loop(self):
        i = self.fresh("w")
        self.emit(f"int {i} = 0;")
        test = f"{i} < n && {self.condition()}"
        self.indices.append(i)
        if self.chance(0.5):
            self.emit(f"while ({test}) {{")
            self.block(self.random.randrange(1, 3))
            self.emit(f"  {i}++;")
            self.emit("}")
        else:
            self.emit("do {")
            self.block(self.random.randrange(1, 3))
            self.emit(f"}} while (++{i} < n && {self.condition()});")
        self.indices.pop()

    def switch(self):
        what = self.pick(self.indices) if self.indices else "n"
        self.emit(f"switch ({what} % 3) {{")
        for case in ("case 0:", "case 1:", "default:"):
            self.emit(case + " {")
            self.block(1)
            self.emit("} break;" if self.chance(0.7) else "}")
        self.emit("}")

    def call(self):
        kind = self.pick(("value", "pointer", "array", "recursive", "struct"))
        name = f"{self.name}_{self.fresh('h')}"
        inline = self.pick(("", "__attribute__((noinline)) ", "inline "))
        if kind == "value":
            body = f"  if (a < b) return {self.pick(UNARY).format('a')} * b;\n  return a + real(0.5) * b * b;"
            self.helpers.append(f"{inline}static real {name}(real a, real b) {{\n{body}\n}}")
            self.emit(f"{self.place()} = tanh({name}({self.expression(1)}, {self.expression(1)}));")
        elif kind == "pointer":
            self.helpers.append(f"{inline}static void {name}(real *a, const real *b) {{\n"
                                f"  *a = real(0.4) * *a + real(0.3) * {self.pick(UNARY).format('*b')};\n}}")
            self.emit(f"{name}(&{self.pick(self.arrays)}[{self.index()}], &{self.pick(self.readable)}[{self.index()}]);")
        elif kind == "array":
            self.helpers.append(f"{inline}static real {name}(const real *a, real *b, int n) {{\n  real r = 0.0;\n"
                                "  for (int i = 0; i < n; i++) {\n    r += a[i] * b[i];\n"
                                f"    b[i] = real(0.5) * {self.pick(UNARY).format('a[i]')};\n  }}\n  return tanh(r);\n}}")
            self.emit(f"{self.pick(self.scalars)} = {name}({self.pick(self.readable)}, {self.pick(self.arrays)}, n - 1);")
        elif kind == "recursive":
            self.helpers.append(f"static real {name}(const real *a, int n) {{\n  if (n <= 1) return a[0] * a[0];\n"
                                f"  return tanh({name}(a, n / 2) * {self.pick(UNARY).format(f'{name}(a + n / 2, n - n / 2)')});\n}}")
            self.emit(f"{self.place()} = {name}({self.pick(self.readable)}, n);")
        else:
            self.helpers.append(f"{inline}static Pair<real> {name}(Pair<real> a, real b) {{\n"
                                f"  Pair<real> r = {{a.b * b, {self.pick(UNARY).format('a.a')}}};\n  return r;\n}}")
            self.emit(f"p = {name}(q[{self.index()} % 4], {self.expression(1)});")

    def copy(self):
        kind = self.pick(("memcpy", "swap", "local", "zero", "heap"))
        if kind == "memcpy":
            self.emit(f"memcpy({self.pick(self.arrays)}, {self.pick(('x', 'c'))}, sizeof(real) * {self.pick(('n', '(n / 2)', '5'))});")
        elif kind == "swap":
            self.emit("{ real *swapped = u; u = v; v = swapped; }")
            self.emit(f"u[{self.index()}] = tanh({self.expression(1)} + v[{self.index()}]);")
            self.emit(f"{self.pick(self.scalars)} += real(0.1) * u[{self.index()}] * v[{self.index()}];")
        elif kind == "local":
            name = self.fresh("z")
            self.emit("{")
            self.emit(f"  real {name}[4] = {{{', '.join(self.expression(1) for _ in range(4))}}};")
            self.emit(f"  {self.pick(self.scalars)} = {name}[{self.index()} % 4] * {name}[{self.index()} % 4];")
            self.emit("}")
        elif kind == "heap":
            name = self.fresh("m")
            self.emit("{")
            self.emit(f"  real *{name} = static_cast<real *>(malloc(sizeof(real) * n));")
            self.emit(f"  for (int j = 0; j < n; j++) {name}[j] = {self.expression(1)} * x[j];")
            self.emit(f"  for (int j = 1; j < n; j++) {self.pick(self.arrays)}[j] = tanh({name}[j] * {name}[j - 1]);")
            self.emit(f"  free({name});")
            self.emit("}")
        else:
            self.emit(f"for (int j = 0; j < n; j++) {self.pick(self.arrays)}[j] = 0.0;")

    def update(self, value):
        """A place that takes part of a value."""
        self.emit(f"{self.place()} = tanh({value});")

    def structures(self):
        i, j = self.index(), self.index()
        self.emit(self.pick((f"q[{i} % 4] = p;", f"p = q[{i} % 4];", f"q[{i} % 4] = q[{j} % 4];",
                             f"memcpy(&q[{i} % 4], &p, sizeof p);", f"{{ Pair<real> *r = &q[{i} % 4]; r->a = r->b * p.a; p = *r; }}",
                             f"{{ Pair<real> r[2] = {{p, q[{i} % 4]}}; q[{j} % 4] = r[{i} % 2]; }}",
                             f"{{ Pair<Pair<real>> r = {{p, q[{i} % 4]}}; r.b.a = tanh(r.a.b); p = r.b; q[1] = r.a; }}")))
        self.update(f"p.a * q[{j} % 4].b + {self.atom()}")

    def pointers(self):
        i, j = self.index(), self.index()
        a, b = self.pick(self.arrays), self.pick(self.arrays)
        s = self.pick(self.scalars)
        name = self.fresh("r")
        if self.chance(0.4):
            self.emit(f"{{ real *{name} = {self.condition()} ? &{a}[{i}] : &{b}[{j}];")
            self.emit(f"  *{name} = real(0.5) * *{name} + real(0.3) * {self.atom()}; }}")
        elif self.chance(0.5):
            self.emit(f"for (const real *{name} = x + n; {name} != x + {self.random.randrange(3)};)")
            self.emit(f"  {s} = real(0.8) * {s} + real(0.1) * *--{name};")
        else:
            step = self.random.randrange(1, 4)
            self.emit(f"for (real *{name} = {a}, *end = {a} + n - 3; {name} < end; {name} += {step})")
            self.emit(f"  {name}[1] = tanh({name}[0] * {name}[2] + {self.atom()});")

    def functions(self):
        names = [f"{self.name}_{self.fresh('f')}" for _ in range(3)]
        for name in names:
            self.helpers.append(f"static real {name}(real a) {{ return {self.pick(UNARY).format('a')} + real(0.1) * a; }}")
        table = f"{self.name}_{self.fresh('table')}"
        if self.chance(0.6):
            self.helpers.append(f"static real (*const {table}[])(real) = {{{', '.join(names)}}};")
            self.update(f"{table}[{self.index()} % 3]({self.expression(1)})")
        else:
            pointer = self.fresh("g")
            self.emit(f"{{ real (*{pointer})(real) = {self.condition()} ? {names[0]} : {names[1]};")
            self.emit(f"  if ({self.condition()}) {pointer} = {names[2]};")
            self.emit(f"  {self.place()} = tanh({pointer}({self.expression(1)})); }}")

    def virtual(self):
        name = f"{self.name}_{self.fresh('Shape')}"
        one, two = (self.pick(UNARY).format("v") for _ in range(2))
        self.helpers.append(
            f"struct {name} {{ real v; {name}(real v) : v(v) {{}} virtual real f(real) const = 0; virtual void g(real) {{}} }};\n"
            f"struct {name}A : {name} {{ using {name}::{name}; real f(real a) const override {{ return {one} * a; }} }};\n"
            f"struct {name}B : {name} {{ real w; {name}B(real a) : {name}(a), w(a * a) {{}}\n"
            f"  real f(real a) const override {{ return {two} + w * a; }} void g(real a) override {{ w = tanh(w * a); }} }};")
        made = self.fresh("o")
        self.emit(f"{{ {name}A {made}a({self.expression(1)}); {name}B {made}b({self.expression(1)});")
        self.emit(f"  {name} *{made}[] = {{&{made}a, &{made}b}};")
        self.emit(f"  for (int j = 0; j < 4; j++) {{ {made}[j % 2]->g(x[j]); t[j] += real(0.1) * {made}[(j + {self.index()}) % 2]->f(y[j]); }} }}")

    def lists(self):
        name = self.fresh("l")
        heap = self.chance(0.5)
        self.emit(f"{{ Link<real> *{name} = nullptr, {name}s[12];")
        made = f"static_cast<Link<real> *>(malloc(sizeof(Link<real>)))" if heap else f"&{name}s[j]"
        self.emit(f"  for (int j = 0; j < n; j++) if (k[j] % {self.random.randrange(2, 4)}) {{ Link<real> *m = {made};")
        self.emit(f"    m->value = {self.pick(self.readable)}[j] * {self.atom()}; m->next = {name}; {name} = m; }}")
        s = self.pick(self.scalars)
        self.emit(f"  for (Link<real> *m = {name}; m; m = m->next) {s} = tanh({s} * real(0.7) + m->value);")
        if heap:
            self.emit(f"  while ({name}) {{ Link<real> *m = {name}->next; free({name}); {name} = m; }}")
        self.emit("}")

    def containers(self):
        name = self.fresh("d")
        s = self.pick(self.scalars)
        self.emit(f"{{ std::vector<real> {name};")
        self.emit(f"  for (int j = 0; j < n; j++) if (k[j] > {self.random.randrange(6)}) {name}.push_back({self.expression(1)} * x[j]);")
        if self.chance(0.5):
            self.emit(f"  if (!{name}.empty()) {name}.erase({name}.begin());")
            self.emit(f"  {name}.insert({name}.begin(), {self.atom()});")
        if self.chance(0.4):
            self.emit(f"  std::sort({name}.begin(), {name}.end(), [](const real &a, const real &b) {{ return a < b; }});")
        self.emit(f"  for (std::size_t j = 0; j < {name}.size(); j++) {s} = tanh({s} + {name}[j] * {name}[0]);")
        self.emit("}")

    def lambdas(self):
        name = self.fresh("f")
        s = self.pick(self.scalars)
        capture = self.pick(("&", "="))
        self.emit(f"{{ auto {name} = [{capture}](real a) {{ return {self.pick(UNARY).format('a')} * {s} + real(0.2) * {self.pick(('x', 't'))}[1]; }};")
        self.emit(f"  {self.place()} = tanh({name}({self.expression(1)}) + {name}({self.atom()})); }}")

    def globals(self):
        name = f"{self.name}_{self.fresh('state')}"
        self.helpers.append(f"static real {name}, {name}s[4];\n"
                            f"__attribute__((noinline)) static void {name}_add(real a, int i) {{\n"
                            f"  {name} += a * {name}s[i % 4];\n  {name}s[i % 4] = {self.pick(UNARY).format('a')};\n}}")
        self.emit(f"{name} = {self.atom()}; for (int j = 0; j < 4; j++) {name}s[j] = x[j];")
        self.emit(f"for (int j = 0; j < n; j++) {name}_add({self.pick(self.readable)}[j], j + {self.index()});")
        self.update(f"{name} * {name}s[{self.index()} % 4]")

    def jumps(self):
        out, i, j = self.fresh("out"), self.fresh("i"), self.fresh("i")
        s = self.pick(self.scalars)
        if self.chance(0.6):
            self.emit(f"for (int {i} = 0; {i} < n; {i}++) {{")
            self.emit(f"  for (int {j} = {i}; {j} < n; {j}++) {{")
            self.indices += [i, j]
            self.depth += 1
            self.block(1)
            self.depth -= 1
            self.emit(f"    if ({self.condition()}) goto {out};")
            self.emit("  }")
            del self.indices[-2:]
            self.emit("}")
            self.emit(f"{out}:;")
        else: # a loop with two entries
            self.emit(f"{{ int {i} = {self.random.randrange(4)};")
            self.emit(f"  if ({self.condition()}) goto {out};")
            self.emit(f"  while ({i} < n) {{")
            self.emit(f"    {s} = tanh({s} + x[{i}] * real(0.3));")
            self.emit(f"  {out}:")
            self.emit(f"    {self.pick(self.arrays)}[{i}] += real(0.2) * {s} * x[{i}];")
            self.emit(f"    {i} += 1 + k[{i}] % 2;")
            self.emit("  } }")

    def narrow(self):
        self.single = True
        self.update(f"narrowed({self.expression(1)}) * {self.atom()}")

    def disguises(self):
        """What Disguises.h does to numbers."""
        a, b = self.expression(1), self.atom()
        self.update(self.pick((f"throughUnion({a}) * {b}", f"throughWords({a}) - {b}",
                               f"turnedSign({a}) * {b}", f"withoutSign({a} + real(0.41))", f"chosenBits({a}, {b})",
                               f"widened({a}, {b})", f"complexPower(tanh({a}), {b})", f"complexQuotient({a}, {b})",
                               f"overLanes({self.pick(self.readable)} + {self.random.randrange(5)}, {b})",
                               f"overLanes(&{self.pick(self.arrays)}[({self.index()}) / 2], {b})",
                               f"throughArray({a}, {b}, {self.random.randrange(9)})")))

    def grown(self):
        name = self.fresh("e")
        self.emit(f"{{ int size = 1; real *{name} = static_cast<real *>(malloc(sizeof(real)));")
        self.emit(f"  {name}[0] = {self.atom()};")
        self.emit("  for (int j = 1; j < n; j++) {")
        self.emit(f"    if (j >= size) {name} = static_cast<real *>(realloc({name}, sizeof(real) * (size *= 2)));")
        self.emit(f"    {name}[j] = tanh({name}[j - 1] * {self.pick(self.readable)}[j] + real(0.1));")
        self.emit(f"  }} {self.pick(self.scalars)} += {name}[n - 1] * {name}[{self.index()}]; free({name}); }}")

    def nests(self):
        """Steps of a nest over an array that each step overwrites; some loops run nowhere."""
        m, most, step, i, j = (self.fresh(stem) for stem in ("m", "m", "step", "i", "j"))
        a, b, s = self.pick(self.arrays), self.pick(self.readable), self.pick(self.scalars)
        outer = self.pick((f"for (long {i} = 0; {i} < n - 3; {i}++)", f"for (long {i} = n - 4; {i} >= 0; {i}--)",
                           f"for (int {i} = {most}; {i} < n - 3; {i}++)", f"for (long {i} = 0; {i} < {m}; {i}++)",
                           f"for (long {i} = 1; {i} < n - 3; {i} += 2)"))
        inner = self.pick((f"for (long {j} = {i} + 1; {j} < n - 3; {j}++)", f"for (long {j} = {i}; {j} > 0; {j}--)",
                           f"for (long {j} = 0; {j} < {m}; {j}++)", f"for (int {j} = 2 * {i}; {j} < n - 3; {j}++)",
                           f"for (long {j} = {most}; {j} < {i}; {j}++)", f"for (long {j} = 2 * {i}; {j} < {i} + {m}; {j}++)",
                           f"for (long {j} = {i}; {j} >= 2 * {m} && {j} >= 0; {j} -= 2)"))
        near = lambda: f"{self.pick((a, a, a, b))}[{self.pick((i, j, j))}{self.pick(('', ' + 1', ' + 2'))}]"
        self.emit(f"{{ const long {m} = k[{self.index()}] % 6 - 2, {most} = {m} > 0 ? {m} : 0;")
        self.emit(f"  for (int {step} = 0; {step} < {self.random.randrange(2, 5)}; {step}++) {{")
        self.emit(f"    {outer} {{")
        if self.chance(0.5):
            self.emit(f"      {s} += real(0.1) * tanh({a}[{i}] * {a}[{i} + 1] * {b}[{i} + 2]);")
        self.emit(f"      {inner} {{")
        self.emit(f"        const real far = {near()} * {near()} - {near()};")
        if self.chance(0.3):
            self.emit("        if (far * far > real(0.2)) continue;")
        self.emit(f"        {s} += real(0.02) * sin(far) * {near()};")
        if self.chance(0.3):
            self.emit(f"        {self.pick(self.arrays)}[{self.pick((i, j))}] += real(0.02) * far;")
        self.emit("      } }")
        self.emit(f"    for (int {j} = 0; {j} < n; {j}++) {a}[{j}] = tanh({a}[{j}] + real(0.1) * sin({s}));")
        self.emit("  } }")

    def shape(self):
        self.pick((self.structures, self.structures, self.pointers, self.pointers, self.functions, self.virtual, self.lists,
                   self.containers, self.lambdas, self.globals, self.jumps, self.narrow, self.grown,
                   self.disguises, self.disguises, self.nests, self.nests))()

    def statement(self):
        kinds = [(5, self.assign), (1, self.declare), (1, self.call), (0.7, self.copy), (1.5, self.shape)]
        if self.depth < 4:
            kinds += [(1.5, self.branch), (2 if self.depth < 3 else 0.5, self.loop), (0.5, self.while_loop), (0.4, self.switch)]
        elif self.depth >= 5:
            kinds = [(1, self.assign)]
        weights, makers = zip(*kinds)
        self.random.choices(makers, weights)[0]()

    def build(self):
        self.emit("real s = 0.1, t[12], storage[2][12];")
        self.emit("Pair<real> p = {x[0], x[1]}, q[4];")
        self.emit("real *u = storage[0], *v = storage[1];")
        self.emit("for (int j = 0; j < 12; j++) { t[j] = x[j] * c[j]; u[j] = x[j]; v[j] = y[j]; }")
        self.emit("for (int j = 0; j < 4; j++) { q[j].a = x[j]; q[j].b = y[j]; }")
        for _ in range(self.random.randrange(4, 9)):
            self.statement()
            if self.chance(0.08):
                self.emit(f"if ({self.condition()}) return s + t[{self.index()}];")
        self.emit("for (int j = 0; j < 12; j++) { s += t[j] * u[j]; y[j] += real(0.1) * v[j] * s; }")
        self.emit("return s + p.a * q[1].b + p.b;")
        head = f"static real {self.name}(const real *x, real *y, const real *c, const int *k, int n) {{"
        return "\n\n".join(self.helpers + ["\n".join([head] + self.lines + ["}"])]) + "\n"


def oracle(real, programs):
    """The programs over dual numbers. They run once, and compiling them as such takes half of the time if it is optimised."""
    return ("#pragma clang optimize off\nnamespace oracle {\nusing real = " + real + ";\n" + programs
            + "}\n#pragma clang optimize on")


def unit(kind, seed, first, count):
    """Source of one translation unit with `count` programs of class `kind`."""
    names = [f"program{first + i}" for i in range(count)]
    made = [kind(seed, name) for name in names]
    programs = "\n".join(program.build() for program in made)
    out = ['#include "Check.h"', '#include "Disguises.h"', *kind.headers,
           "template <typename T> struct Pair { T a, b; };", "template <typename T> struct Link { T value; Link *next; };",
           "double __enzyme_fwddiff(void *, ...);", "double __enzyme_autodiff(void *, ...);",
           "#define OMP(words)", oracle("Dual", programs),
           "#undef OMP\n#define OMP(words) _Pragma(#words)",
           "namespace primal {\nusing real = double;\n" + programs + "}", "int main() {\n  int Failures = 0;"]
    for name, program in zip(names, made):
        tolerance = "2e-5" if program.single else "1e-9"
        passed = (f"(void *)primal::{name}, enzyme_dup, x, xd, enzyme_dup, y, yd, enzyme_const, c, enzyme_const, k, "
                  "enzyme_const, n")
        out.append(f'  Failures += check::run("{name}", oracle::{name}, primal::{name},\n'
                   f"    [](double *x, double *xd, double *y, double *yd, double *c, int *k, int n) {{\n"
                   f"      return __enzyme_fwddiff({passed}); }},\n"
                   f"    [](double *x, double *xd, double *y, double *yd, double *c, int *k, int n) {{\n"
                   f"      __enzyme_autodiff({passed}); }}, check::Settings{{{seed % 1000003 + 1}ul, {tolerance}}});")
    out.append("  return Failures != 0;\n}")
    return "\n".join(out) + "\n"
