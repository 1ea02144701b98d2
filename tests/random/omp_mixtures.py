# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constructs of OpenMP inside each other, and clauses that programs rarely have, for generate_omp.py."""

SCHEDULES = ("", " schedule(static, 1)", " schedule(dynamic, 2)", " schedule(guided)", " schedule(monotonic : dynamic)", " schedule(runtime)")


class Mixtures:
    """See omp_constructs.Constructs."""

    def strided(self):
        """Leagues of teams. (With schedule(static, 1), clang 22 by itself loses iterations of a team of one.)"""
        target = self.pick(self.shared)
        words = self.pick(("teams distribute parallel for", "target teams distribute parallel for", "teams distribute parallel for simd",
                           "teams distribute parallel for num_teams(2) thread_limit(4)"))
        chunks = self.pick(("", " dist_schedule(static, 5)")) + self.pick((" schedule(static, 3)", " schedule(dynamic)"))
        mapped = f" map(tofrom : {target}[0:n], s)" if words.startswith("target") else ""
        self.lines_of(f"omp {words}{chunks}{mapped} reduction(+ : s)", "for (int i = 0; i < n; i++) {", f"  real part = {self.value((target,), levels=1)};",
                      f"  {target}[i] = tanh({target}[i] * part); s += real(0.1) * part;", "}")

    def tasks_of_iterations(self):
        """Tasks that iterations make and wait for, with their own variables shared."""
        source, target = self.two()
        waits = self.pick((("omp taskgroup", ""), ("", "omp taskwait")))
        self.lines_of("omp parallel", f"omp for{self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {", "real sum = 0.0, half[2] = {0.0, r};", waits[0], "{",
                      "for (int j = 0; j < 3; j++) {", f"omp task firstprivate(j) shared(sum){self.pick(('', ' untied', ' if (j % 2)', ' mergeable'))}", "{",
                      f"real part = real(0.2) * {source}[(i + j) % n] * x[j];", "omp atomic", "sum += part;", "}", "}",
                      "omp task shared(half)", f"half[0] = sin({source}[i]) * half[1];", "}", waits[1], f"{target}[i] = tanh({target}[i] + sum * half[0]);", "}")

    def regions_of_sections(self):
        first, second = self.two()
        self.lines_of("omp_set_max_active_levels(2);", "m = 0.0;", "omp parallel sections num_threads(2) reduction(+ : m)", "{", "omp section", "{",
                      f"omp parallel for num_threads({self.pick((1, 2, 3))}){self.pick(SCHEDULES)} reduction(+ : m)",
                      f"for (int i = 0; i < n; i++) {{ {first}[i] = tanh({first}[i] * x[i] + r); m += real(0.1) * {first}[i]; }}", "}", "omp section", "{",
                      "omp parallel num_threads(2)", "omp single", f"omp taskloop grainsize({self.pick((1, 4))})",
                      f"for (int i = 0; i < n; i++) {second}[i] = tanh({second}[i] * r + x[n - 1 - i]);", f"m += {second}[0] * {second}[1];", "}", "}", "r = tanh(r + m);")

    def regions_of_tasks(self):
        source = self.pick(self.shared)
        self.lines_of("omp_set_max_active_levels(2);", "{", "real sums[3] = {0.0, 0.0, 0.0};", "omp parallel num_threads(2)", "omp single", "for (int j = 0; j < 3; j++) {",
                      f"omp task firstprivate(j) shared(sums){self.pick(('', ' untied', ' if (j)'))}", "{", "real sum = 0.0;",
                      f"omp parallel for reduction(+ : sum) num_threads(2){self.pick(SCHEDULES)}", f"for (int i = j; i < n; i += 3) sum += real(0.2) * {self.value(())};",
                      f"sums[j] = tanh(sum * {source}[j]);", "}", "}", "r = tanh(r + sums[0] * sums[1] + sums[2]);", "}")

    def planes_of_sums(self):
        """Reductions of arrays of two dimensions and of parts of arrays."""
        target = self.pick(self.shared)
        if self.chance(0.5):
            self.lines_of("{", "real g[3][4]; for (int j = 0; j < 12; j++) g[j / 4][j % 4] = real(0.1) * x[j];",
                          f"omp parallel for reduction(+ : g[{self.pick((':3', '0:3', '1:2'))}][:4]){self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++)",
                          "  for (int j = 0; j < 4; j++)", f"    g[1 + (i + j) % 2][j] += real(0.1) * {self.value(())};",
                          f"for (int j = 0; j < n; j++) {target}[j] = tanh({target}[j] * g[j / 4][j % 4]);", "}")
        else:
            self.lines_of("{", "real g[9]; for (int j = 0; j < 9; j++) g[j] = real(0.5) + real(0.1) * x[j];", "real *part = g + 2; int from = 1;",
                          f"omp parallel for reduction(* : part[from : 4]){self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++)",
                          f"  part[1 + i % 4] *= real(1.0) + real(0.1) * tanh({self.value(())});", f"for (int j = 0; j < 9; j++) {target}[j] = tanh({target}[j] + g[j]);", "}")

    def records(self):
        """Objects that are reduced, given to threads, kept of the last iteration, sent to all."""
        target, name = self.pick(self.shared), f"{self.name}_{self.fresh('Pair')}"
        self.helpers.append(f"struct {name} {{\n  real a, b; int count;\n  {name}() : a(0.0), b(0.0), count(0) {{}}\n  {name}(real v, real w) : a(v), b(w), count(1) {{}}\n"
                            f"  {name}(const {name} &o) : a(o.a), b(o.b), count(o.count) {{}}\n  {name} &operator=(const {name} &o) {{ a = o.a; b = o.b; count = o.count; return *this; }}\n"
                            f"  {name} &operator+=(const {name} &o) {{ a += o.a; b += o.b; count += o.count; return *this; }}\n  ~{name}() {{}}\n}};\n"
                            f"OMP(omp declare reduction(+ : {name} : omp_out += omp_in) initializer(omp_priv = {name}()))")
        self.lines_of("{", f"{name} all, given(x[0] * r, x[1]), last;",
                      f"omp parallel for reduction(+ : all) firstprivate(given) lastprivate(last){self.pick(SCHEDULES[:2])}", "for (int i = 0; i < n; i++) {",
                      f"  {name} one({self.value((target,))} * given.a, {target}[i]);", f"  all += one; last = one; {target}[i] = tanh(one.b + given.b * x[i]);", "}",
                      "omp parallel", "{", f"{name} sent;", "omp single copyprivate(sent)", "sent = all;", f"omp for{self.pick(SCHEDULES)}",
                      f"for (int i = 0; i < n; i++) {target}[i] += real(0.01) * sent.a * sent.count;", "}", "r = tanh(r + real(0.1) * all.b + last.a * last.b);", "}")

    def thrown(self):
        """Exceptions that stay inside of an iteration or a task."""
        target = self.pick(self.shared)
        work = [f"  try {{ real part = {self.value((target,))}; if (k[i] % 3 == {self.pick((0, 1))}) throw part * real(0.5); {target}[i] = tanh({target}[i] + part); }}",
                f"  catch (const real &part) {{ {target}[i] = tanh({target}[i] * part); }}"]
        if self.chance(0.5):
            self.lines_of(f"omp parallel for{self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {", *work, "}")
        else:
            self.lines_of("omp parallel", "omp single", "for (int i = 0; i < n; i++) {", "omp task firstprivate(i)", "{", *work, "}", "}")

    def far_chains(self):
        """Iterations that wait for the one two or three before them."""
        source, target = self.two()
        far = self.pick((1, 2, 3))
        self.lines_of(f"omp parallel for ordered(1){self.pick(('', ' schedule(static, 1)', ' schedule(dynamic)', ' schedule(static, 2)'))}", f"for (int i = {far}; i < n; i++) {{",
                      f"  real part = {self.value((target,))};", f"omp ordered depend(sink : i - {far})",
                      f"  {target}[i] = tanh({target}[i - {far}] * part + {target}[i]);", "omp ordered depend(source)", f"  part = part * {source}[i];", "}")

    def slanted(self):
        """Collapsed loops whose inner bounds go with the outer counter, and three of them."""
        source, target = self.two()
        if self.chance(0.5):
            inner = self.pick(("int i = 2 * j; i < 2 * j + 3; i++", "int i = j; i < n; i++", "int i = n - 1; i > j; i--", "int i = n - 1; i >= 2 * j; i--"))
            self.lines_of(f"omp parallel for collapse(2){self.pick(SCHEDULES)} reduction(+ : s)", "for (int j = 0; j < 4; j++)", f"  for ({inner})",
                          f"    s += real(0.01) * {source}[i] * x[j] * {self.pick(('r', 'c[i]', source + '[j]'))};")
        else:
            self.lines_of(f"omp parallel for collapse(3){self.pick(SCHEDULES)}", "for (int l = 0; l < 2; l++)", "  for (int j = 0; j < 3; j++)", "    for (int i = 1; i >= 0; i--)",
                          f"      {target}[6 * l + 2 * j + i] = tanh({target}[6 * l + 2 * j + i] * {source}[j + l] + x[i] * {source}[i]);")

    def tokens(self):
        """Tasks ordered by dependences of every kind."""
        source, target = self.two()
        how = self.random.randrange(3)
        self.lines_of("m = 0.0;", "omp parallel", "omp single", "{")
        if how == 0:
            self.lines_of("for (int i = 0; i < n; i++) {", f"omp task depend(out : {target}[i]) firstprivate(i)", f"{target}[i] = tanh({target}[i] * x[i] + {source}[i]);", "}",
                          f"omp task depend(iterator(int j = 0 : n), in : {target}[j]) shared(m)", f"for (int i = 0; i < n; i++) m += real(0.1) * {target}[i] * {source}[i];")
        elif how == 1:
            self.lines_of("int token = 0;", "for (int i = 0; i < n; i += 3) {", "omp task depend(inoutset : token) firstprivate(i)",
                          f"for (int j = 0; j < 3; j++) {target}[i + j] = tanh({target}[i + j] + {source}[n - 1 - i] * r);", "}",
                          f"omp task depend(in : token) shared(m){self.pick(('', ' priority(2)'))}", f"m = {target}[0] * {target}[n - 1];", "omp taskwait depend(inout : token)",
                          f"{target}[1] = tanh({target}[1] * x[1]);", "token++;")
        else:
            self.lines_of("omp_depend_t way;", "omp depobj(way) depend(inout : m)", "for (int i = 0; i < 4; i++) {", "omp task depend(depobj : way) shared(m) firstprivate(i)",
                          f"m = tanh(m * r + {source}[i] * x[i]);", "}", "omp taskwait", "omp depobj(way) destroy", f"{target}[0] = m; (void)way;")
        self.lines_of("}", "r = tanh(r + m);")

    def combined_tasks(self):
        target = self.pick(self.shared)
        words = self.pick(("parallel masked taskloop", "parallel master taskloop", "parallel master taskloop grainsize(2)", "parallel masked taskloop num_tasks(5)"))
        # (clang 22 takes a local array that such a loop changes for firstprivate. With simd and -fno-math-errno it sums
        # up wrongly in a team of one.)
        self.lines_of("m = 0.0;", f"omp {words} shared({target}) reduction(+ : m){self.pick(('', ' num_threads(3)', ' untied'))}", "for (int i = 0; i < n; i++) {",
                      f"  {target}[i] = tanh({target}[i] * r + {self.value((target,))});", f"  m += real(0.1) * {target}[i];", "}", "r = tanh(r + m);")

    def never_cancelled(self):
        """Points at which a construct could be cancelled."""
        first, second = self.two()
        self.lines_of("omp parallel", "{", f"omp for{self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {", f"  {first}[i] = tanh({first}[i] + {self.value((first, second))});",
                      "omp cancel for if (n < 0)", f"  {first}[i] *= x[i];", "omp cancellation point for", "}", "omp cancel parallel if (n < 0)", "omp single", "{", "omp taskgroup", "{",
                      "for (int i = 0; i < n; i++) {", "omp task firstprivate(i)", "{", "omp cancel taskgroup if (n < 0)", f"{second}[i] = tanh({second}[i] * {first}[i]);", "}", "}", "}", "}", "}")

    def borrowed(self):
        """Memory of OpenMP's allocators, and an allocator in a clause."""
        source, target = self.two()
        self.lines_of("{", "real *room = (real *)omp_alloc(n * sizeof(real), omp_default_mem_alloc); real own = x[0] * r;",
                      f"omp parallel for firstprivate(own) allocate(omp_default_mem_alloc : own){self.pick(SCHEDULES)}", f"for (int i = 0; i < n; i++) room[i] = {source}[i] * own + x[i];",
                      f"omp parallel for{self.pick(SCHEDULES)}", f"for (int i = 0; i < n; i++) {target}[i] = tanh({target}[i] + room[i] * room[n - 1 - i]);",
                      "omp_free(room, omp_default_mem_alloc);", "}")

    def either_way(self):
        """Work that is called from a region and without one."""
        source, target = self.two()
        name = self.helper("real *to, const real *from, const real *x, int n",
                           f"  OMP(omp for{self.pick(SCHEDULES)})\n  for (int i = 0; i < n; i++) {{\n    real low, high = x[i];\n    OMP(omp task shared(low))\n    low = to[i] * from[n - 1 - i];\n"
                           "    OMP(omp task shared(high) if (i % 2))\n    high = sin(high) * from[i];\n    OMP(omp taskwait)\n    to[i] = tanh(low + high);\n  }\n"
                           "  OMP(omp single)\n  for (int i = 0; i < 3; i++) {\n    OMP(omp task firstprivate(i))\n    to[i] *= x[i];\n  }")
        self.lines_of(f"{name}({target}, {source}, x, n);", "omp parallel" + self.pick(("", " num_threads(2)")), f"{name}({target}, {source}, x, n);", f"{name}({source}, {target}, x, n);")

    def members(self):
        """Locks and numbers in structures, handed on by address."""
        source, name = self.pick(self.shared), f"{self.name}_{self.fresh('Cell')}"
        self.helpers.append(f"struct {name} {{ omp_lock_t lock; real sum, scale; }};")
        add = self.helper(f"{name} *at, real part", "  omp_set_lock(&at->lock);\n  at->sum = at->sum + part * at->scale;\n  omp_unset_lock(&at->lock);")
        self.lines_of("{", f"{name} cells[3]; for (int j = 0; j < 3; j++) {{ omp_init_lock(&cells[j].lock); cells[j].sum = x[j]; cells[j].scale = r * x[j + 1]; }}",
                      f"omp parallel for{self.pick(SCHEDULES)}", f"for (int i = 0; i < n; i++) {add}(cells + k[i] % 3, real(0.1) * {self.value(())} * {source}[i]);",
                      "for (int j = 0; j < 3; j++) { r = tanh(r + cells[j].sum); omp_destroy_lock(&cells[j].lock); }", "}")

    def swapped(self):
        """Pointers of each thread's own that change places."""
        first, second = self.two()
        self.lines_of("omp parallel" + self.pick(("", " num_threads(3)")), "{", f"real *from = {first}, *to = {second};", f"for (int step = 0; step < {self.pick((2, 3))}; step++) {{",
                      f"omp for{self.pick((' schedule(static)', ' schedule(dynamic, 2)', ' nowait'))}",
                      f"for (int i = 1; i < n - 1; i++) to[i] = real(0.4) * from[i] + real(0.2) * from[i - 1] * {self.pick(('from[i + 1]', 'x[step]', 'r'))};",
                      "omp barrier", "{ real *other = from; from = to; to = other; }", "}", "}")
