# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constructs of OpenMP for generate_omp.py: each method emits one, which means the same with the directives left out."""

SCHEDULES = ("", " schedule(static, 2)", " schedule(dynamic)", " schedule(guided, 2)", " schedule(runtime)",
             " schedule(nonmonotonic : dynamic, 3)")


class Constructs:
    """Arrays a, b, d, y are shared; r, s, m are scalars of the whole program."""

    def value(self, writes, scalars=("r",), levels=2):
        """An expression of iteration i that reads nothing of `writes`."""
        kept = self.only([name for name in self.shared if name not in writes] + ["x", "c"], scalars)
        self.indices.append("i")
        text = self.expression(levels)
        self.indices.pop()
        self.readable, self.scalars = kept
        return text

    def helper(self, parameters, body, result="void"):
        """A function that stays a call; its name."""
        name = f"{self.name}_{self.fresh('part')}"
        self.helpers.append(f"__attribute__((noinline)) static {result} {name}({parameters}) {{\n{body}\n}}")
        return name

    def two(self):
        return self.random.sample(self.shared, 2)

    def lines_of(self, *lines):
        for line in lines:
            if line.startswith("omp "):
                self.directive(line[4:])
            else:
                self.emit(line)

    def orphans(self):
        """Worksharing in functions that are called from a region, perhaps by themselves."""
        first, second = self.two()
        name = f"{self.name}_part{self.counter + 1}"
        again = self.pick(("", f"  if (depth > 0) {name}(to, from, x, n, depth - 1);\n"))
        odd = self.pick(("", "  OMP(omp single)\n  to[0] += real(0.1) * from[1] * x[1];\n",
                         "  OMP(omp sections)\n  {\n    OMP(omp section)\n    to[2] += real(0.1) * x[2] * from[0];\n"
                         "    OMP(omp section)\n    to[3] *= x[1];\n  }\n",
                         "  OMP(omp for nowait)\n  for (int i = 0; i < n; i++) {\n    OMP(omp critical)\n    to[5] += real(0.1) * from[i] * x[i];\n  }\n"
                         "  OMP(omp barrier)\n"))
        assert self.helper("real *from, real *to, const real *x, int n, int depth",
                           f"  OMP(omp for{self.pick(SCHEDULES)})\n  for (int i = 1; i < n; i++)\n"
                           f"    to[i] = tanh({self.pick(('to[i]', 'x[i]'))} * from[i - 1] + {self.pick(('from[i]', 'x[0]', 'sin(from[0])'))});\n"
                           f"{odd}{again}  OMP(omp for{self.pick(SCHEDULES)})\n  for (int i = 0; i < n; i++)\n"
                           f"    from[i] = tanh(from[i] + to[n - 1 - i] * {self.pick(('x[i]', 'to[i]', 'from[i]'))});") == name
        self.lines_of("omp parallel" + self.pick(("", " num_threads(3)")), f"{name}({first}, {second}, x, n, {self.pick((0, 1, 2))});")

    def region_in_call(self):
        """A function with a region of its own, called by a serial loop or by itself."""
        first, second = self.two()
        name = f"{self.name}_part{self.counter + 1}"
        self.helper("real *from, real *to, const real *x, int n, int depth",
                    f"  real sum = 0.0;\n  OMP(omp parallel for reduction(+ : sum){self.pick(SCHEDULES)})\n"
                    f"  for (int i = 0; i < n; i++) {{ to[i] = tanh(from[i] * x[n - 1 - i] + to[i]); sum += real(0.1) * to[i] * from[{self.pick(('i', '0', 'n - 1 - i'))}]; }}\n"
                    f"  return depth > 0 ? tanh(sum + {name}(to, from, x, n, depth - 1)) : sum;", "real")
        self.helpers.insert(-1, f"static real {name}(real *, real *, const real *, int, int);")
        self.emit(f"r = tanh(r + {name}({first}, {second}, x, n, {self.pick((0, 1, 3))}));")

    def ordered(self):
        first, second = self.two()
        self.lines_of("m = 0.3;", f"omp parallel for ordered{self.pick(SCHEDULES[:3])}", "for (int i = 0; i < n; i++) {",
                      f"  real part = {self.value((first, second))};", "omp ordered",
                      f"  {{ m = tanh(m * {self.pick(('r', 'x[i]', 'part'))} + real(0.5) * part); {first}[i] = m * x[i]; }}",
                      f"  {second}[i] += real(0.1) * part * {first}[i];", "}", "r = tanh(r + m);")

    def tickets(self):
        """Whoever comes next takes the next element."""
        target = self.pick(self.shared)
        self.lines_of("{", "int next = 0;", "omp parallel" + self.pick(("", " num_threads(2)")), "for (;;) {", "  int i;",
                      "omp atomic capture", "  i = next++;", "  if (i >= n) break;",
                      f"  {target}[i] = tanh({target}[i] * {self.value((target,))});", "}", "}")

    def locks(self):
        source, target = self.two()
        take = self.pick(("omp_set_lock(lock + k[i] % 2);", "while (!omp_test_lock(lock + k[i] % 2)) {}"))
        self.lines_of("{", "omp_lock_t lock[2];", "omp_init_lock(lock); omp_init_lock(lock + 1);", f"omp parallel for{self.pick(SCHEDULES)}",
                      "for (int i = 0; i < n; i++) {", f"  real part = real(0.1) * {self.value((source, target))};", f"  {take}",
                      f"  {target}[k[i] % 2] += part * {source}[i];", "  omp_unset_lock(lock + k[i] % 2);", "}",
                      "omp_destroy_lock(lock); omp_destroy_lock(lock + 1);", "}")

    def lasts(self):
        target = self.pick(self.shared)
        condition = self.pick(("", "", "if (i % 3 == 0) "))
        kind = "conditional : " if condition else ""
        # (With a dynamic schedule, libomp 22 now and then forgets who has the last iteration. Clang 22 does not forget which
        # one that was in an earlier execution of a conditional one: it has to be the same each time.)
        self.lines_of("{", "real last = x[0];", f"omp parallel for lastprivate({kind}last){self.pick(SCHEDULES[:2])}",
                      "for (int i = 0; i < n; i++) {", f"  real part = {self.value((target,))};",
                      f"  {condition}last = tanh(part * x[i]);", f"  {target}[i] = tanh(part + {target}[i]);", "}",
                      "r = tanh(r * real(0.5) + last);", "}")

    def bins(self):
        target = self.pick(self.shared)
        clause = self.pick(("h", "h[:4]", "h[0:3], h[3:1]")[:2])
        self.lines_of("{", "real h[4] = {0.1, x[0], 0.0, r};", f"omp parallel for reduction(+ : {clause}, s){self.pick(SCHEDULES)}",
                      "for (int i = 0; i < n; i++) {", f"  h[k[i] % 4] += real(0.1) * {self.value((), ('r',))};",
                      f"  s += real(0.01) * {target}[i] * x[i];", "}", f"for (int j = 0; j < 4; j++) {target}[j] = tanh({target}[j] + h[j]);", "}")

    def combined(self):
        """A combiner of the program's own: (1 + a) (1 + b) - 1."""
        how = self.pick(("omp_out = omp_out + omp_in + omp_out * omp_in", "omp_out += omp_in * (real(1.0) + omp_out)"))
        self.lines_of("{", f"omp declare reduction(grow : real : {how}) initializer(omp_priv = real(0.0))", "real g = x[1];",
                      f"omp parallel for reduction(grow : g){self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {",
                      f"  real part = real(0.1) * tanh({self.value(())});", "  g = g + part + g * part;", "}", "r = tanh(r * g);", "}")

    def several(self):
        self.lines_of("{", "real low = x[0], high = x[1], all = 1.0;",
                      f"omp parallel for reduction(min : low) reduction(max : high) reduction(* : all){self.pick(SCHEDULES)}",
                      "for (int i = 0; i < n; i++) {", f"  real part = {self.value(())};", "  low = fmin(low, part); high = fmax(high, part * x[i]);",
                      "  all *= real(1.0) + real(0.1) * tanh(part);", "}", "r = tanh(low * high + all * r);", "}")

    def own(self):
        """A variable that each thread has for itself."""
        target, name = self.pick(self.shared), f"{self.name}_{self.fresh('own')}"
        self.helpers.append(f"static real {name};\nOMP(omp threadprivate({name}))")
        if self.chance(0.5):
            self.lines_of(f"{name} = x[2] * r;", f"omp parallel for copyin({name}){self.pick(SCHEDULES)}",
                          f"for (int i = 0; i < n; i++) {target}[i] = tanh({target}[i] * {name} + {self.value((target,))});")
        else:
            self.lines_of("m = 0.0;", "omp parallel", "{", f"{name} = 0.0;", f"omp for nowait{self.pick(SCHEDULES)}",
                          f"for (int i = 0; i < n; i++) {name} += real(0.1) * {self.value(())};", "omp atomic", f"m += {name};", "}",
                          "r = tanh(r + m);")

    def nested(self):
        source, target = self.two()
        self.lines_of("omp_set_max_active_levels(2);", f"omp parallel for num_threads(2){self.pick(SCHEDULES)}", "for (int j = 0; j < 3; j++) {",
                      "  real sum = 0.0;", "omp parallel for num_threads(2) reduction(+ : sum)", "  for (int i = 0; i < 4; i++) {",
                      f"    {target}[4 * j + i] = tanh({target}[4 * j + i] + {source}[i] * x[j]);",
                      f"    sum += real(0.1) * {target}[4 * j + i] * {source}[j];", "  }", f"  {target}[4 * j] += sum * r;", "}")

    def triangle(self):
        source, target = self.two()
        self.lines_of(f"omp parallel for collapse(2){self.pick(SCHEDULES[:4])}", "for (int j = 0; j < 4; j++)", "  for (int i = 0; i <= j; i++)",
                      f"    {target}[j * (j + 1) / 2 + i] = tanh({target}[j * (j + 1) / 2 + i] * {source}[i] + x[j] * {self.pick(('r', source + '[j]'))});")

    def exclusive(self):
        source, target = self.two()
        self.lines_of("m = 0.0;", "omp parallel for reduction(inscan, + : m)", "for (int i = 0; i < n; i++) {", f"  {target}[i] = tanh(m * r + {target}[i]);",
                      "omp scan exclusive(m)", f"  m += real(0.1) * {source}[i] * x[i];", "}", "r = tanh(r + m);")

    def chain(self):
        """Tasks that wait for their neighbour's."""
        source, target = self.two()
        self.lines_of("omp parallel", "omp " + self.pick(("single", "masked", "single nowait")), "for (int i = 1; i < n; i++) {",
                      f"omp task depend(in : {target}[i - 1]) depend({self.pick(('out', 'inout'))} : {target}[i]){self.pick(('', ' untied', ' if (i % 2)', ' final(i > 6)'))}",
                      f"  {target}[i] = tanh({target}[i - 1] * x[i] + {source}[{self.pick(('i', 'n - i', 'k[i]'))}] * r);", "}")

    def grouped(self):
        target = self.pick(self.shared)
        self.lines_of("m = 0.0;", "omp parallel", "omp single", "{", "omp taskgroup task_reduction(+ : m)", "{",
                      "for (int i = 0; i < n; i++) {", "omp task in_reduction(+ : m)", "{",
                      f"  real part = {self.value((target,))};", f"  {target}[i] = tanh({target}[i] + part);", "  m += real(0.1) * part;", "}", "}", "}",
                      f"omp taskloop{self.pick((' grainsize(2)', ' num_tasks(3)', ' nogroup', ' simd'))}",
                      f"for (int i = 0; i < n; i++) {target}[i] *= x[i];", "}", "r = tanh(r + m);")

    def halves(self):
        """A tree of tasks."""
        source = self.pick(self.shared)
        name = f"{self.name}_part{self.counter + 1}"
        self.helper("const real *v, const real *x, int n",
                    "  if (n < 3) { real sum = 0.0; for (int i = 0; i < n; i++) sum += real(0.2) * v[i] * x[i]; return sum; }\n  real low, high;\n"
                    f"  OMP(omp task shared(low){self.pick(('', ' untied', ' mergeable'))})\n  low = {name}(v, x, n / 2);\n"
                    f"  OMP(omp task shared(high) if (n > 6))\n  high = {name}(v + n / 2, x + n / 2, n - n / 2);\n"
                    "  OMP(omp taskwait)\n  return tanh(low + high * x[0]);", "real")
        self.lines_of("m = 0.0;", "omp parallel", "omp single", f"m = {name}({source}, x, n);", "r = tanh(r + m);")

    def parts(self):
        first, second = self.two()
        self.lines_of("{", "real last = 0.0;", "m = 0.0;", "omp parallel sections reduction(+ : m) lastprivate(last)", "{", "omp section",
                      f"  for (int i = 0; i < n; i++) {{ {first}[i] = tanh({first}[i] * r); m += real(0.1) * {first}[i]; }}", "omp section",
                      f"  {{ last = x[0]; for (int i = 0; i < n; i++) {{ last = tanh(last + {second}[i] * x[i]); {second}[i] = last; }} m += last; }}",
                      "}", "r = tanh(r + m * last);", "}")

    def steps(self):
        target = self.pick(self.shared)
        self.lines_of("{", "int at = 0;", "omp parallel for linear(at : 2)", "for (int i = 0; i < n / 2; i++) {",
                      f"  {target}[at] = tanh({target}[at + 1] * {self.value((target,))}); {target}[at + 1] *= x[i]; at += 2;", "}", "}")

    def leagues(self):
        target = self.pick(self.shared)
        words = self.pick(("teams distribute parallel for", "teams distribute parallel for simd", "target teams distribute parallel for",
                           "parallel loop", "teams loop", "target parallel for", "parallel for simd", "parallel for order(concurrent)"))
        mapped = f" map(tofrom : {target}[0:n])" if words.startswith("target") else ""
        self.lines_of(f"omp {words}{mapped}", f"for (int i = 0; i < n; i++) {target}[i] = tanh({target}[i] + {self.value((target,), levels=1)});")

    def transformed(self):
        source, target = self.two()
        self.lines_of(f"omp parallel for{self.pick(SCHEDULES)}", "omp " + self.pick(("tile sizes(5)", "unroll partial(2)", "unroll partial(5)")),
                      f"for (int i = 1; i < n; i++) {target}[i] = tanh({target}[i] * {source}[i - 1] + {source}[i] * {self.pick(('r', 'x[i]'))});")

    def scratch(self):
        """Memory of each iteration's own, on the stack or from the heap."""
        source, target = self.two()
        room = self.pick(("real own[12];", "std::vector<real> own(n);", "real *own = new real[n];"))
        self.lines_of(f"omp parallel for{self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {", f"  {room}",
                      f"  for (int j = 0; j < n; j++) own[j] = {source}[j] * x[i] * real(0.2);",
                      "  for (int j = 1; j < n; j++) own[j] = tanh(own[j] + own[j - 1] * r);",
                      f"  {target}[i] = tanh({target}[i] + own[n - 1] * own[{self.pick(('i', '0', 'k[i]'))}]);",
                      "  delete[] own;" if "new" in room else "", "}")

    def wave(self):
        source, target = self.two()
        self.lines_of(f"omp parallel for ordered(2){self.pick(('', ' schedule(static, 1)', ' schedule(dynamic)'))}", "for (int j = 1; j < 3; j++)",
                      "  for (int i = 1; i < 4; i++) {", "omp ordered depend(sink : j - 1, i) depend(sink : j, i - 1)",
                      f"    {target}[4 * j + i] = tanh({target}[4 * j + i - 4] * x[i] + {target}[4 * j + i - 1] * {source}[j]);",
                      "omp ordered depend(source)", "  }")

    def chosen(self):
        first, second = self.two()
        self.lines_of("m = 0.0;", f"omp parallel{self.pick((' if (n < 3)', '', ' num_threads(5)', ' proc_bind(close)'))}", "{", "omp for nowait",
                      f"for (int i = 0; i < n; i++) {first}[i] = tanh({self.value((first, second))} + {first}[i]);", "omp barrier",
                      "omp " + self.pick(("masked", "single nowait", "single", "master")),
                      f"  {{ m = {first}[n - 1] * r; {second}[0] = tanh(m); }}", "omp barrier", "omp for nowait",
                      f"for (int i = 1; i < n; i++) {second}[i] = tanh({second}[i] * m + {first}[i] * {second}[0]);", "}", "r = tanh(r + m);")
