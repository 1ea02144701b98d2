# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs build from the constructs of OpenMP, for generate_omp.py: threads that divide the work themselves, iterations
until something converges, functions chosen at run time, objects, trees of tasks, tasks that all threads make.
"""

SCHEDULES = ("", " schedule(static, 1)", " schedule(static, 4)", " schedule(dynamic)", " schedule(guided)")


class Idioms:
    """See omp_constructs.Constructs."""

    def by_hand(self):
        target = self.pick(self.shared)
        loop = self.pick(("for (int i = n * me / all; i < n * (me + 1) / all; i++)", "for (int i = me; i < n; i += all)",
                          "for (int i = n - 1 - me; i >= 0; i -= all)"))
        self.lines_of("omp parallel" + self.pick(("", " num_threads(3)")), "{", "int me = omp_get_thread_num(), all = omp_get_num_threads();",
                      f"{loop} {target}[i] = tanh({target}[i] * {self.pick(('x[i]', 'r', 'real(0.5)'))} + {self.value((target,))});", "}")

    def sums_by_hand(self):
        """A sum for each thread, in an array that all threads see."""
        source = self.pick(self.shared)
        self.lines_of("{", "real sums[64]; int teams = 1;", "omp parallel num_threads(" + self.pick(("2", "3", "4")) + ")", "{",
                      "int me = omp_get_thread_num();", "omp single", "teams = omp_get_num_threads();", "sums[me] = 0.0;",
                      f"omp for nowait{self.pick(SCHEDULES)}", f"for (int i = 0; i < n; i++) sums[me] += real(0.1) * {source}[i] * {self.value(())};",
                      "}", "for (int j = 0; j < teams; j++) r = r + real(0.2) * sums[j];", "r = tanh(r);", "}")

    def converging(self):
        """All threads go on until what they have summed up is small."""
        first, second = self.two()
        self.lines_of("{", "real change = 0.0; int turn = 0;", "omp parallel" + self.pick(("", " num_threads(2)", " firstprivate(r)")), "for (;;) {",
                      f"omp for{self.pick(SCHEDULES)}", f"for (int i = 1; i < n - 1; i++) {second}[i] = real(0.3) * {first}[i - 1] * x[i] + real(0.4) * {first}[i + 1] * r;",
                      "omp single", "{ change = 0.0; turn++; }",
                      # (clang 22 by itself loses iterations here if the schedule is guided or dynamic.)
                      f"omp for reduction(+ : change){self.pick(SCHEDULES[:3])}",
                      f"for (int i = 1; i < n - 1; i++) {{ change += ({second}[i] - {first}[i]) * ({second}[i] - {first}[i]); {first}[i] = {second}[i]; }}",
                      "if (change < real(0.05) || turn > 3) break;", "omp barrier", "}", "r = tanh(r + change);", "}")

    def called_by_pointer(self):
        first, second = self.two()
        parts = [self.helper("const real *from, real *to, const real *x, int n",
                             f"  OMP(omp for{self.pick(SCHEDULES)})\n  for (int i = 0; i < n; i++)\n    to[i] = tanh(to[i] * {factor} + from[{at}]);")
                 for factor, at in (("x[i]", "n - 1 - i"), ("real(0.5)", "i"))]
        self.lines_of("{", f"void (*parts[2])(const real *, real *, const real *, int) = {{{parts[0]}, {parts[1]}}};", "omp parallel",
                      f"for (int step = 0; step < {self.pick((1, 2, 3))}; step++) {{ parts[(k[step] + step) % 2]({first}, {second}, x, n); parts[k[step] % 2]({second}, {first}, x, n); }}", "}")

    def methods(self):
        """Regions and orphaned loops in methods, some of them virtual."""
        source, target = self.two()
        name = f"{self.name}_{self.fresh('Shape')}"
        self.helpers.append(
            f"struct {name} {{\n  real scale, v[12];\n  virtual ~{name}() = default;\n  virtual real at(int i) const {{ return v[i] * scale; }}\n"
            f"  __attribute__((noinline)) virtual void share(const real *from, int n) {{\n    OMP(omp for{self.pick(SCHEDULES)})\n"
            "    for (int i = 0; i < n; i++) v[i] = tanh(v[i] + from[i] * scale);\n  }\n"
            "  void apply(const real *from, int n, int times) {\n    OMP(omp parallel)\n    for (int j = 0; j < times; j++) share(from, n);\n  }\n"
            f"  real total(int n) const {{\n    real sum = 0.0;\n    OMP(omp parallel for reduction(+ : sum){self.pick(SCHEDULES)})\n"
            "    for (int i = 0; i < n; i++) sum += real(0.1) * at(i);\n    return sum;\n  }\n};\n"
            f"struct {name}Bent : {name} {{\n  real at(int i) const override {{ return sin(v[i]) + scale; }}\n"
            "  void share(const real *from, int n) override {\n    OMP(omp for)\n    for (int i = 0; i < n; i++) v[i] *= from[n - 1 - i];\n"
            "    OMP(omp single)\n    scale = scale * real(0.5) + v[0];\n  }\n};")
        self.lines_of("{", f"{name} plain; {name}Bent bent; {name} *all[2] = {{&plain, &bent}};",
                      f"for (auto *s : all) {{ s->scale = x[2]; for (int i = 0; i < n; i++) s->v[i] = {source}[i] * x[i]; }}",
                      f"for (int j = 0; j < 2; j++) {{ {name} *s = all[(k[j] + j) % 2]; s->apply({target}, n, {self.pick((1, 2))}); r = tanh(r + s->total(n)); }}",
                      f"for (int i = 0; i < n; i++) {target}[i] = tanh(plain.v[i] + bent.v[i]);", "}")

    def closures(self):
        source, target = self.two()
        kind = self.pick(("auto", "std::function<real(int)>"))
        self.lines_of("{", f"real shift = x[1] * r; {kind} part = [&, shift](int i) -> real {{ return sin({source}[i] * x[i]) + shift * r; }};",
                      f"omp parallel for{self.pick(SCHEDULES)}", f"for (int i = 0; i < n; i++) {target}[i] = tanh({target}[i] + part(i) * part(n - 1 - i));", "}")

    def walked(self):
        """Loops over iterators and ranges."""
        source, target = self.two()
        loop = self.pick(("for (auto at = v.begin(); at < v.end(); ++at) { real &e = *at;", "for (real &e : v) {",
                          "for (real *at = v.data(); at != v.data() + n; at++) { real &e = *at;"))
        self.lines_of("{", f"std::vector<real> v({source}, {source} + n);", f"omp parallel for{self.pick(SCHEDULES)}",
                      f"{loop} e = tanh(e * {self.pick(('r', 'x[3]', 'e'))} + x[0]); }}",
                      f"omp parallel for{self.pick(SCHEDULES)}", f"for (std::size_t i = 0; i < v.size(); i++) {target}[i] = v[i] * {self.pick((f'{target}[i]', 'v[n - 1 - i]'))};", "}")

    def lowest(self):
        which = self.pick(("<", ">"))
        self.lines_of("m = x[0];", f"omp parallel for{self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {", f"  real part = {self.value(())};",
                      "omp atomic compare" + self.pick(("", " seq_cst", " acq_rel")), f"  if (part {which} m) {{ m = part; }}", "}", "r = tanh(r + m);")

    def task_sums(self):
        target = self.pick(self.shared)
        how = self.random.randrange(3)
        self.emit("m = 0.0;")
        if how == 0:
            self.lines_of("omp parallel", "omp single", f"omp taskloop reduction(+ : m){self.pick((' grainsize(2)', ' num_tasks(4)', ''))}",
                          "for (int i = 0; i < n; i++) {", f"  real part = {self.value((target,))};", f"  {target}[i] = tanh({target}[i] * part);", f"  m += real(0.1) * part * {target}[i];", "}")
        elif how == 1:
            self.lines_of("omp parallel reduction(task, + : m)", "{", "omp for nowait", "for (int i = 0; i < n; i++) {", "omp task in_reduction(+ : m)",
                          f"  m += real(0.1) * {self.value(())};", "}", "}")
        else:
            self.lines_of("omp parallel", "omp single", "for (int i = 0; i < n; i++) {", "omp task depend(mutexinoutset : m) shared(m)",
                          f"  m += real(0.1) * {self.value(())};", "}")
        self.emit("r = tanh(r + m);")

    def made_by_all(self):
        """Tasks that every thread makes, which read what it has for itself."""
        source, target = self.two()
        self.lines_of("omp parallel" + self.pick(("", " num_threads(3)")), "{", "real own = x[0] * r;", f"omp for{self.pick(SCHEDULES)}",
                      "for (int i = 0; i < n; i++) {", "real part[2] = {x[i] * own, r};",
                      f"omp task firstprivate(part{self.pick(('', ', own'))}){self.pick(('', ' untied', ' if (i % 3)'))}",
                      f"  {target}[i] = tanh({target}[i] * part[1] + part[0] * {source}[{self.pick(('i', '0', 'n - 1 - i'))}]);",
                      self.pick(("", "omp taskwait")), "}", "}")

    def merged(self):
        """A tree of tasks over an array in place."""
        target, name = self.pick(self.shared), f"{self.name}_part{self.counter + 1}"
        waits = self.pick((("", "  OMP(omp taskwait)\n"), ("  OMP(omp taskgroup)\n", "")))
        self.helper("real *v, const real *x, int n",
                    f"  if (n < 2) {{ v[0] = tanh(v[0] * x[0]); return; }}\n{waits[0]}  {{\n  OMP(omp task{self.pick(('', ' untied', ' final(n < 4)', ' if (n > 3)'))})\n  {name}(v, x, n / 2);\n"
                    f"  {self.pick(('OMP(omp task)', ''))}\n  {name}(v + n / 2, x + n / 2, n - n / 2);\n  }}\n{waits[1]}"
                    "  for (int i = 0; i < n / 2; i++) { real t = v[i]; v[i] = tanh(t + v[n / 2 + i]); v[n / 2 + i] = t * v[n / 2 + i]; }")
        self.lines_of("omp parallel", "omp single", f"{name}({target}, x, n);")

    def copies(self):
        """Arrays that are private in one way or another."""
        source, target = self.two()
        how = self.pick(("firstprivate(own)", "private(own)", "lastprivate(own)", "firstprivate(own) lastprivate(own)"))
        begin = "own[0] = x[i] * own[1]; own[2] = own[0] * r;" if "first" in how else "own[0] = x[i]; own[1] = r; own[2] = own[0] * own[1]; own[3] = sin(own[2]);"
        self.lines_of("{", "real own[4] = {x[0], x[1], x[2], r};", f"omp parallel for {how}{self.pick(SCHEDULES[:3])}", "for (int i = 0; i < n; i++) {",
                      # What a copy was given first is not changed, so that it does not matter which iterations a thread has.
                      f"  {begin}", f"  {target}[i] = tanh({target}[i] * own[1] + own[2] * {source}[i]);", "}",
                      "r = tanh(own[0] + own[1] * own[2] + own[3]);" if "last" in how else "", "}")

    def bundles(self):
        """Reductions of whole arrays, extremes among them."""
        target, which = self.pick(self.shared), self.pick(("+", "max", "min", "*"))
        one = {"+": "h[j] += part;", "max": "h[j] = fmax(h[j], part);", "min": "h[j] = fmin(h[j], part);", "*": "h[j] *= real(1.0) + real(0.1) * tanh(part);"}[which]
        self.lines_of("{", "real h[5]; for (int j = 0; j < 5; j++) h[j] = real(0.5) * x[j] * r;", f"omp parallel for reduction({which} : h{self.pick(('', '[:5]', '[0:5]'))}){self.pick(SCHEDULES)}",
                      "for (int i = 0; i < n; i++)", "  for (int j = 0; j < 5; j++) {", f"    real part = real(0.1) * {self.value(())} * x[j];", f"    {one}", "  }",
                      f"for (int j = 0; j < 5; j++) {target}[j] = tanh({target}[j] * h[j]);", "}")

    def permuted(self):
        """Every iteration writes a place of its own, which no compiler can see."""
        source, target = self.two()
        self.lines_of("{", "int at[12]; for (int i = 0; i < n; i++) at[i] = (5 * i + 3) % 12;", f"omp parallel for{self.pick(SCHEDULES)}",
                      f"for (int i = 0; i < n; i++) {target}[at[i]] = tanh({target}[at[i]] * x[i] + {source}[{self.pick(('at[i]', 'i', 'k[i]'))}] * r);", "}")

    def kept(self):
        """What each thread has for itself from one region to the next."""
        source, name = self.pick(self.shared), f"{self.name}_{self.fresh('own')}"
        self.helpers.append(f"static real {name}[2];\nOMP(omp threadprivate({name}))")
        self.lines_of("{", "m = 0.0;", "omp parallel num_threads(3)", f"{name}[0] = {name}[1] = 0.0;", "omp parallel num_threads(3)", "{",
                      "omp for schedule(static)", f"for (int i = 0; i < n; i++) {name}[i % 2] += real(0.1) * {self.value(())};", "}",
                      "omp parallel for schedule(static) num_threads(3)", f"for (int i = 0; i < n; i++) {name}[0] += real(0.1) * {source}[i];",
                      "omp parallel num_threads(3)", "{", "omp critical", f"m += {name}[0] + {name}[1];", "}", "r = tanh(r + m);", "}")

    def exclusions(self):
        """Critical sections in branches and in each other, nested locks."""
        source = self.pick(self.shared)
        self.lines_of("{", "real sum = 0.0, tally = 0.0, product = 1.0; omp_nest_lock_t lock; omp_init_nest_lock(&lock);", f"omp parallel for{self.pick(SCHEDULES)}", "for (int i = 0; i < n; i++) {",
                      f"  real part = real(0.1) * {self.value(())};", "  if (k[i] % 2) {", "omp critical(first)", "  {", f"    sum += part * {source}[i];",
                      "omp critical(second)", "    product *= real(1.0) + part * part;", "  }", "  } else {", "omp critical(second)", "    product *= real(1.0) + tanh(part);", "  }",
                      "  omp_set_nest_lock(&lock);", "  if (i % 3 == 0) { omp_set_nest_lock(&lock); tally += part; omp_unset_nest_lock(&lock); }", "  omp_unset_nest_lock(&lock);", "}",
                      "omp_destroy_nest_lock(&lock);", "r = tanh(r * product + sum * tally);", "}")

    def given_by_one(self):
        """Memory that one thread allocates for all."""
        source, target = self.two()
        self.lines_of("{", "real *room = nullptr;", "omp parallel", "{", "omp single", "room = new real[n];", f"omp for{self.pick(SCHEDULES)}",
                      f"for (int i = 0; i < n; i++) room[i] = {source}[i] * x[i] + r;", f"omp for{self.pick(SCHEDULES)}",
                      f"for (int i = 0; i < n; i++) {target}[i] = tanh(room[i] * room[n - 1 - i] + {target}[i]);", "omp " + self.pick(("single", "masked")), "delete[] room;", "}", "}")

    def vectors(self):
        target, name = self.pick(self.shared), f"{self.name}_{self.fresh('lane')}"
        self.helpers.append(f"OMP(omp declare simd{self.pick(('', ' uniform(b)', ' notinbranch', ' simdlen(4)'))})\nstatic real {name}(real a, real b) {{ return a * b + tanh(a); }}")
        self.lines_of(self.pick(("omp simd", "omp parallel for simd", "omp parallel for simd safelen(4)", "omp simd simdlen(4)")),
                      f"for (int i = 0; i < n; i++) {target}[i] = tanh({name}({target}[i], r) * {self.value((target,), levels=1)});")

    def scopes(self):
        target = self.pick(self.shared)
        self.lines_of("m = 0.0;", "omp parallel", "{", "omp scope reduction(+ : m)", "{", f"omp for nowait{self.pick(SCHEDULES)}",
                      f"for (int i = 0; i < n; i++) m += real(0.1) * {self.value(())};", "}", "omp masked filter(omp_get_num_threads() - 1)",
                      f"{target}[2] = tanh({target}[2] * m);", "}", "r = tanh(r + m);")

    def teams_of_sizes(self):
        """A region in a loop over time, with another team each time."""
        first, second = self.two()
        self.lines_of("for (int step = 0; step < 4; step++) {", f"omp parallel for num_threads(1 + step * {self.pick((1, 2))} % 5){self.pick(SCHEDULES)}",
                      f"for (int i = step; i < n; i++) {first}[i] = tanh({first}[i] + {second}[n - 1 - i] * x[step]);", "omp parallel if (step % 2)", "{", "omp for nowait",
                      f"for (int i = 0; i < n; i++) {second}[i] = tanh({second}[i] * {first}[i] + r);", "}", "}")

    def passed_on(self):
        """Threads that wait for the one before them: atomic flags."""
        source, target = self.two()
        order = self.pick(("", " seq_cst", " acquire"))
        self.lines_of("{", "int done[65] = {1};", "omp parallel" + self.pick(("", " num_threads(3)")), "{",
                      "int me = omp_get_thread_num(), all = omp_get_num_threads(), ready;", "do {",
                      f"omp atomic read{order}", "ready = done[me];", "} while (!ready);",
                      "for (int i = me * n / all; i < (me + 1) * n / all; i++)",
                      f"  {target}[i] = tanh({target}[i] * {self.pick(('r', 'x[i]'))} + {target}[(i + n - 1) % n] * {source}[i]);",
                      "omp atomic write" + (" release" if order == " acquire" else order), "done[me + 1] = 1;", "}", "}")

    def queued(self):
        """Jobs that the threads take from a common list, until there are none."""
        source, target = self.two()
        self.lines_of("m = 0.0;", "{", "std::vector<int> jobs;", "for (int i = 0; i < n; i++) jobs.push_back((7 * i) % n);", "omp parallel" + self.pick(("", " num_threads(3)")),
                      "for (;;) {", "int i = -1;", "omp critical(jobs)", "if (!jobs.empty()) { i = jobs.back(); jobs.pop_back(); }",
                      "if (i < 0) break;", f"real part = real(0.1) * {self.value((target,))};", f"{target}[i] = tanh({target}[i] + part * {source}[i]);",
                      *self.pick((("omp atomic", "m += part;"), ("omp critical(sum)", "m = m + part * part;"))), "}", "}", "r = tanh(r + m);")
