# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random OpenMP programs, free of races by construction: what a parallel loop reads, no other iteration writes.

The oracle compiles the same text with the directives left out, so the program means the same serially: sums are equal
up to rounding.
"""

from generate import Program as Serial
from omp_constructs import Constructs
from omp_mixtures import Mixtures
from omp_programs import Idioms

SCHEDULES = ("", " schedule(static)", " schedule(static, 3)", " schedule(dynamic)", " schedule(dynamic, 2)",
             " schedule(guided)", " schedule(runtime)")


class Program(Constructs, Idioms, Mixtures, Serial):
    """Arrays a, b, d, y are shared; each loop writes one of them and reads the others, and its own element."""

    headers = (*Serial.headers, "#include <functional>", "#include <omp.h>")

    def __init__(self, seed, name):
        super().__init__(seed, name)
        self.shared = ["a", "b", "d", "y"]

    def directive(self, text):
        self.emit(f"OMP(omp {text})")

    def only(self, readable, scalars):
        """Limits what expressions read; returns what was."""
        kept = self.readable, self.scalars
        self.readable, self.scalars = list(readable), list(scalars)
        return kept

    def place(self):
        return self.pick(self.locals)

    def atom(self):
        choice = self.random.random()
        if choice < 0.6 or not self.scalars:
            return f"{self.pick(self.readable)}[{self.index()}]"
        if choice < 0.85:
            return self.pick(self.scalars)
        if self.indices and choice < 0.92:
            return f"real(0.1 * {self.pick(self.indices)})"
        return f"real({self.random.uniform(-1, 1):.3f})"

    def statement(self):
        kinds = [(4, self.assign)]
        if self.depth < 5:
            kinds += [(1, self.branch), (1, self.loop), (0.3, self.while_loop)]
        weights, makers = zip(*kinds)
        self.random.choices(makers, weights)[0]()

    def body(self, target, scalars, sums=()):
        """The body of a loop over i that writes target[i]."""
        others = [name for name in self.shared if name != target] + ["x", "c"]
        kept = self.only(others, scalars)
        self.depth += 1
        self.indices.append("i")
        self.locals = ["l"]
        self.emit(f"real l = real(0.3) * {target}[i] + {self.expression(1)};")
        self.scalars.append("l")
        for _ in range(self.random.randrange(0, 3)):
            self.statement()
        if self.chance(0.2):
            self.emit(f"if ({self.condition()}) continue;")
        for sum_ in sums:
            self.emit(f"{sum_} += real(0.1) * l * {self.expression(1)};")
        self.emit(f"{target}[i] = tanh(l);" if self.chance(0.8) else f"{target}[i] += real(0.1) * l;")
        self.indices.pop()
        self.depth -= 1
        self.readable, self.scalars = kept

    def head(self):
        return self.pick(("for (int i = 0; i < n; i++) {", "for (int i = n - 1; i >= 0; i--) {", "for (long i = 0; i < n; i++) {",
                          "for (int i = 1; i < n - 1; i++) {", "for (int i = 0; i < n; i += 2) {"))

    def parallel_for(self):
        target, clauses, sums = self.pick(self.shared), self.pick(SCHEDULES), []
        if self.chance(0.4):
            clauses += " reduction(+ : s)"
            sums = ["s"]
        elif self.chance(0.3):
            clauses += " firstprivate(r)"
        if self.chance(0.1):
            clauses += " num_threads(2)"
        self.directive(f"parallel for{clauses}")
        self.emit(self.head())
        self.body(target, ["r"] if sums else ["r", "s"], sums)
        self.emit("}")

    def extreme(self):
        which = self.pick(("max", "min"))
        self.emit("m = x[0];")
        self.directive(f"parallel for reduction({which} : m)")
        self.emit(f"for (int i = 0; i < n; i++) m = f{which}(m, {self.pick(self.shared)}[i] * (real(1.0) + c[i]));")
        self.emit("r = tanh(r + m);")

    def stencil(self):
        source, target = self.random.sample(self.shared, 2)
        self.emit("for (int step = 0; step < 3; step++) {")
        self.emit(f"  real *from = step % 2 ? {target} : {source}, *to = step % 2 ? {source} : {target};")
        self.directive(f"parallel for{self.pick(SCHEDULES)}")
        self.emit("  for (int i = 1; i < n - 1; i++)")
        self.emit(f"    to[i] = real(0.4) * from[i] + real(0.3) * from[i - 1] * {self.pick(('from[i + 1]', 'r', 'sin(from[i + 1])'))};")
        self.emit("}")

    def scatter(self):
        source, target = self.random.sample(self.shared, 2)
        self.directive(f"parallel for{self.pick(SCHEDULES)}")
        self.emit("for (int i = 0; i < n; i++) {")
        self.emit(f"  real part = real(0.1) * {source}[i] * {self.pick(('x[i]', 'r', 'c[k[i]]'))};")
        self.directive("atomic")
        self.emit(f"  {target}[k[i]] += part;")
        self.emit("}")

    def region(self):
        first, second = self.random.sample(self.shared, 2)
        self.emit("m = 0.0;")
        self.directive("parallel" + self.pick(("", " num_threads(3)")))
        self.emit("{")
        self.directive("for" + self.pick(SCHEDULES))
        self.emit(self.head())
        self.body(first, ["r"])
        self.emit("}")
        if self.chance(0.5):
            self.directive(self.pick(("single", "master")))
            self.emit(f"  {second}[0] = tanh({first}[n - 1] * r);")
            self.directive("barrier")
        self.directive("for" + self.pick(SCHEDULES))
        self.emit(self.head())
        self.body(second, ["r"])
        self.emit("}")
        self.directive("for nowait")
        self.emit("for (int i = 0; i < n; i++) {")
        self.emit(f"  real part = {first}[i] * {second}[n - 1 - i];")
        self.directive("critical")
        self.emit("  m += part;")
        self.emit("}")
        self.emit("}")
        self.emit("r = tanh(r + real(0.1) * m);")

    def march(self):
        """One region around a loop over time with two or three worksharing loops, and perhaps a swap of pointers."""
        first, second, third = self.random.sample(self.shared, 3)
        swaps, plain = self.chance(0.4), ("", " schedule(static)", " nowait", " schedule(dynamic, 2)")
        self.emit("{")
        self.emit(f"real *from = {first}, *to = {second};")
        self.directive("parallel" + self.pick(("", " num_threads(3)", " if (n > 3)")))
        self.emit(f"for (int step = 0; step < {self.pick((2, 3))}; step++) {{")
        self.directive("for" + self.pick(plain))
        self.emit(f"for (int i = 1; i < n - 1; i++) to[i] = real(0.4) * from[i] * from[i - 1] + real(0.3) * from[i + 1] * {self.pick(('x[step]', 'r', 'c[i]'))};")
        self.directive("barrier")
        if swaps:
            self.directive(self.pick(("single", "master")))
            self.emit("{ real *t = from; from = to; to = t; }")
            self.directive("barrier")
        if self.chance(0.7):
            self.directive("for" + self.pick(plain))
            self.emit(f"for (int i = {self.pick((0, 1))}; i < n; i += {self.pick((1, 2))}) {third}[i] = tanh({third}[i] + from[n - 1 - i] * {self.pick(('to[i]', 'x[i]', 'to[0]'))});")
            self.directive("barrier")
        self.directive("for" + self.pick(plain[:2]))
        self.emit(f"for (int i = n - 2; i > 0; i--) from[i] = tanh(to[i] * {self.pick(('to[i - 1]', 'to[i + 1]', third + '[i]'))} + from[i]);")
        self.emit("}")
        self.emit("}")

    def sections(self):
        first, second = self.random.sample(self.shared, 2)
        self.directive("parallel sections")
        self.emit("{")
        self.directive("section")
        self.emit(f"  for (int i = 0; i < n; i++) {first}[i] = tanh({first}[i] * x[i] + r);")
        self.directive("section")
        self.emit(f"  for (int i = 0; i < n; i++) {second}[i] *= c[i] * r;")
        self.emit("}")

    def plane(self):
        source, target = self.random.sample(self.shared, 2)
        self.directive("parallel for" + self.pick(("", " collapse(2)")))
        self.emit("for (int j = 0; j < 3; j++)")
        self.emit("  for (int i = 0; i < n / 3; i++)")
        self.emit(f"    {target}[j * (n / 3) + i] = sin({source}[i * 3 + j]) * x[j] + r * {source}[j * (n / 3) + i];")

    def products(self):
        """Every iteration reads all of one array, or nearly all, and its own element of another or the same."""
        source, target = self.random.sample(self.shared, 2)
        bounds = self.pick(("int j = 0; j < n; j++", "int j = n - 1; j >= 0; j--", "int j = 1; j < n; j += 2"))
        self.directive(f"parallel for{self.pick(SCHEDULES[:2])}{self.pick(('', ' num_threads(3)'))}")
        self.emit("for (int i = 0; i < n; i++) {")
        self.emit(f"  real l = real(0.1) * {self.pick((target, source, 'x'))}[i];")
        self.emit(f"  for ({bounds})")
        self.emit(f"    l += real(0.1) * {source}[j] * {self.pick((f'{source}[i]', 'x[i]', 'c[j]', f'sin({source}[j])'))};")
        self.emit(f"  {target}[i] = tanh(l * r);")
        self.emit("}")

    def broadcast(self):
        target = self.pick(self.shared)
        self.directive("parallel")
        self.emit("{")
        self.emit("  real t[2] = {0.0, 0.0}, u = 0.0;")
        self.directive("single copyprivate(t, u)")
        self.emit(f"  {{ t[0] = x[0] * r; t[1] = {target}[1]; u = sin({target}[0]) * x[2]; }}")
        self.directive("for" + self.pick(SCHEDULES))
        self.emit(f"  for (int i = 0; i < n; i++) {target}[i] = tanh(x[i] * t[i % 2] + u * {target}[i]);")
        self.emit("}")

    def factors(self):
        self.emit("m = 1.0;")
        self.directive(f"parallel for{self.pick(SCHEDULES)}")
        self.emit("for (int i = 0; i < n; i++) {")
        self.emit(f"  real part = real(1.0) + real(0.2) * tanh({self.pick(self.shared)}[i] * x[i]);")
        self.directive("atomic")
        self.emit("  m *= part;")
        self.emit("}")
        self.emit("r = tanh(r + m);")

    def prefix(self):
        source, target = self.random.sample(self.shared, 2)
        self.emit("m = 0.0;")
        self.directive("parallel for reduction(inscan, + : m)")
        self.emit(f"for (int i = 0; i < n; i++) {{ m += real(0.1) * {source}[i] * x[i];")
        self.directive("scan inclusive(m)")
        self.emit(f"  {target}[i] = tanh(m * r + {target}[i]); }}")

    def recurrence(self):
        source, target = self.random.sample(self.shared, 2)
        self.directive(f"parallel for ordered(1){self.pick(('', ' schedule(static, 1)', ' schedule(dynamic)'))}")
        self.emit("for (int i = 1; i < n; i++) {")
        self.emit(f"  real part = {source}[i] * x[i];")
        self.directive("ordered depend(sink : i - 1)")
        self.emit(f"  {target}[i] = tanh(part + {target}[i - 1] * r);")
        self.directive("ordered depend(source)")
        self.emit("}")

    def tasks(self):
        source, target = self.random.sample(self.shared, 2)
        self.directive("parallel")
        self.directive("single")
        self.emit("{")
        self.emit("real t = 0.0;")
        self.directive(f"task depend(out : t) shared(t){self.pick(('', ' untied', ' if (n > 99)'))}")
        self.emit(f"t = x[0] * {source}[0];")
        self.directive("task depend(inout : t) shared(t)")
        self.emit(f"t = sin(t) * {source}[1];")
        self.directive("taskwait")
        self.directive(self.pick(("taskloop", "taskloop grainsize(3)")) + " shared(t)")
        self.emit(f"for (int i = 0; i < n; i++) {target}[i] = tanh(t * x[i] + {target}[i]);")
        self.emit("}")

    def build(self):
        self.emit("real s = 0.1, r = x[1], m = 0.0, a[12], b[12], d[12];")
        self.emit("for (int j = 0; j < 12; j++) { a[j] = x[j] * c[j]; b[j] = x[j]; d[j] = y[j] * x[0]; }")
        more = (self.orphans, self.region_in_call, self.ordered, self.tickets, self.locks, self.lasts, self.bins, self.combined,
                self.several, self.own, self.nested, self.triangle, self.exclusive, self.chain, self.grouped, self.halves,
                self.parts, self.steps, self.leagues, self.transformed, self.scratch, self.wave, self.chosen,
                self.by_hand, self.sums_by_hand, self.converging, self.called_by_pointer, self.methods, self.closures, self.walked,
                self.lowest, self.task_sums, self.made_by_all, self.merged, self.copies, self.bundles, self.permuted, self.kept,
                self.exclusions, self.given_by_one, self.vectors, self.scopes, self.teams_of_sizes, self.passed_on, self.queued,
                self.strided, self.tasks_of_iterations, self.regions_of_sections, self.regions_of_tasks, self.planes_of_sums, self.records,
                self.thrown, self.far_chains, self.slanted, self.tokens, self.combined_tasks, self.never_cancelled, self.borrowed,
                self.either_way, self.members, self.swapped)
        for _ in range(self.random.randrange(2, 6)):
            if self.chance(0.6):
                self.pick(more)()
                continue
            self.random.choices((self.parallel_for, self.extreme, self.stencil, self.scatter, self.region, self.sections, self.plane,
                                 self.products, self.broadcast, self.factors, self.prefix, self.recurrence, self.tasks,
                                 self.march),
                                (4, 1, 1, 1, 2, 0.6, 1, 1.5, 0.7, 0.7, 0.5, 0.5, 0.5, 1.5))[0]()
        self.emit("for (int j = 0; j < 12; j++) s += a[j] * b[j] + d[j];")
        self.emit("return s + r;")
        head = f"static real {self.name}(const real *x, real *y, const real *c, const int *k, int n) {{"
        return "\n".join([*self.helpers, head, *self.lines, "}"]) + "\n"
