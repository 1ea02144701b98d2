# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs over what C programs do with memory and control: arrays of variable length, tagged unions, bytes
in buffers, packed members, ring buffers, tables by keys, trees, rows of pointers, callbacks, variable arguments,
structures by value, scratch arrays that stay, machines of states, indices made of numbers.

A program is text that compiles with real = double and with real = Dual.
"""

import generate


class Program(generate.Program):
    headers = (*generate.Program.headers, '#include "Idioms.h"')
    per_unit = 4
    may_be_refused = True  # counts in unions with numbers, where the optimiser hides which is read

    def helper(self, stem):
        return f"{self.name}_{self.fresh(stem)}"

    def unary(self, argument):
        return self.pick(generate.UNARY).format(argument)

    def variable_length(self):
        a = self.fresh("vla")
        self.emit(f"{{ real {a}[n + k[{self.index()}] % 3], {a}s[2][n / 2 + 1];")
        self.emit(f"  for (int j = 0; j < n; j++) {a}[j] = {self.expression(1)} + x[j], {a}s[j % 2][j / 2] = {a}[j];")
        self.emit(f"  for (unsigned j = n; j-- > 1;) {self.pick(self.scalars)} += real(0.1) * {a}[j] * {a}s[(j + 1) % 2][j / 3]; }}")

    def tagged(self):
        a = self.fresh("tag")
        self.emit(f"{{ Tagged<real> {a}[12];")
        self.emit(f"  for (int j = 0; j < n; j++) switch ({a}[j].kind = (k[j] + j) % 4) {{")
        self.emit(f"    case 0: {a}[j].number = {self.expression(1)} * x[j]; break;")
        self.emit(f"    case 1: {a}[j].pair = {{x[j], {self.atom()}}}; break;")
        self.emit(f"    case 2: {a}[j].count[0] = j, {a}[j].count[1] = k[j]; break;")
        self.emit(f"    default: {a}[j].address = &{self.pick(self.arrays)}[{self.index()}]; }}")
        if self.chance(0.5):
            self.emit(f"  Tagged<real> moved = {a}[{self.index()}]; {a}[{self.index()}] = {a}[2]; {a}[2] = moved;")
        s = self.pick(self.scalars)
        self.emit(f"  for (const Tagged<real> &e : {a}) {s} = tanh({s} + (e.kind == 0 ? e.number : e.kind == 1 ? e.pair.a * e.pair.b")
        self.emit("    : e.kind == 2 ? real(0.01 * e.count[1]) : *e.address)); }")

    def bytes_in_buffer(self):
        a = self.fresh("buf")
        self.emit(f"{{ char {a}[12 * (sizeof(real) + sizeof(int))], *to = {a}; const char *from = {a};")
        self.emit(f"  for (int j = 0; j < n; j++) {{ real v = {self.expression(1)} * x[j]; int i = k[j];")
        self.emit("    memcpy(to, &i, sizeof i); to += sizeof i; memcpy(to, &v, sizeof v); to += sizeof v; }")
        self.emit("  while (from != to) { int i; real v; memcpy(&i, from, sizeof i); memcpy(&v, from + sizeof i, sizeof v);")
        self.emit(f"    from += sizeof i + sizeof v; {self.pick(self.arrays)}[i] += real(0.1) * v; }} }}")

    def packed(self):
        a = self.fresh("pk")
        self.emit(f"{{ Packed<real> {a}[4]; Fields<real> f;")
        self.emit(f"  for (int j = 0; j < 4; j++) {a}[j].letter = 'a' + j, {a}[j].value = {self.expression(1)} * x[j], {a}[j].count = k[j];")
        self.emit(f"  f.low = {a}[1].count; f.high = k[2]; f.value = {a}[f.low % 4].value; f.tail = {a}[2].letter;")
        self.update(f"f.value * {a}[f.high % 4].value + real(0.001 * f.tail)")
        self.emit("}")

    def ring(self):
        a, s = self.fresh("ring"), self.pick(self.scalars)
        self.emit(f"{{ Ring<real> {a} = {{}};")
        self.emit(f"  for (int j = 0; j < 2 * n; j++) {{ {a}.push(x[j % n] * {self.atom()});")
        self.emit(f"    if ({a}.count == 5 || k[j % n] % 3 == 0) {s} = tanh({s} + {a}.pop()); }}")
        self.emit(f"  while ({a}.count) {self.place()} += real(0.2) * {a}.pop(); }}")

    def table(self):
        a, s = self.fresh("map"), self.pick(self.scalars)
        self.emit(f"{{ struct {{ int key; real value; }} {a}[16]; for (auto &e : {a}) e.key = -1;")
        self.emit(f"  for (int j = 0; j < n; j++) {{ int h = k[j] * 7 % 16; while ({a}[h].key >= 0 && {a}[h].key != k[j]) h = (h + 1) % 16;")
        self.emit(f"    if ({a}[h].key < 0) {a}[h].key = k[j], {a}[h].value = x[j]; else {a}[h].value *= {self.unary('x[j]')}; }}")
        self.emit(f"  for (const auto &e : {a}) if (e.key >= 0) {s} += real(0.1) * e.value * x[e.key]; }}")

    def tree(self):
        a, s = self.fresh("tree"), self.pick(self.scalars)
        grow, fold = self.helper("grow"), self.helper("fold")
        self.helpers.append(f"static void {grow}(Tree<real> *&at, int key, real v) {{\n"
                            "  if (!at) { at = static_cast<Tree<real> *>(calloc(1, sizeof *at)); at->key = key; at->value = v; return; }\n"
                            f"  if (key == at->key) at->value = tanh(at->value * v + {self.unary('v')}); else {grow}(key < at->key ? at->less : at->more, key, v);\n}}\n"
                            f"static real {fold}(Tree<real> *at, real from) {{\n  if (!at) return from;\n"
                            f"  real r = {fold}(at->less, from); r = tanh(r + at->value); r = {fold}(at->more, r * at->value);\n  free(at); return r;\n}}")
        self.emit(f"{{ Tree<real> *{a} = nullptr; for (int j = 0; j < n; j++) {grow}({a}, k[j], x[j] * {self.atom()});")
        self.emit(f"  {s} += {fold}({a}, {self.atom()}); }}")

    def rows(self):
        a = self.fresh("rows")
        self.emit(f"{{ real **{a} = static_cast<real **>(malloc(4 * sizeof(real *)));")
        self.emit(f"  for (int j = 0; j < 4; j++) {{ {a}[j] = static_cast<real *>(malloc(3 * sizeof(real))); for (int i = 0; i < 3; i++) {a}[j][i] = x[3 * j + i] * {self.atom()}; }}")
        self.emit(f"  for (int j = 0; j < 3; j++) if (fabs({a}[j][0]) < fabs({a}[j + 1][0])) {{ real *row = {a}[j]; {a}[j] = {a}[j + 1]; {a}[j + 1] = row; }}")
        self.emit(f"  for (int j = 1; j < 4; j++) for (int i = 0; i < 3; i++) {a}[j][i] -= real(0.3) * {a}[j - 1][i] * {a}[0][2 - i];")
        self.update(f"{a}[{self.index()} % 4][{self.index()} % 3] + {a}[3][1]")
        self.emit(f"  for (int j = 0; j < 4; j++) free({a}[j]); free({a}); }}")

    def callback(self):
        one, all_ = self.helper("each"), self.helper("all")
        self.helpers.append(f"static real {one}(real t, void *data) {{\n  auto *p = static_cast<Pair<real> *>(data);\n"
                            f"  p->b = real(0.5) * p->b + real(0.1) * t;\n  return {self.unary('t')} * p->a + p->b;\n}}\n"
                            f"__attribute__((noinline)) static real {all_}(real (*f)(real, void *), void *data, const real *at, int n) {{\n"
                            "  real sum = 0.0;\n  for (int i = 0; i < n; i++) sum += real(0.2) * f(at[i], data);\n  return sum;\n}")
        a = self.fresh("data")
        self.emit(f"{{ Pair<real> {a} = {{{self.atom()}, {self.expression(1)}}};")
        self.emit(f"  {self.place()} = tanh({all_}({one}, &{a}, {self.pick(self.readable)}, n) * {a}.b); }}")

    def variadic(self):
        f = self.helper("va")
        self.helpers.append(f"static real {f}(int count, ...) {{\n  va_list list; va_start(list, count); real r = 0.1;\n"
                            f"  while (count-- > 0) {{ real v = va_arg(list, real); int i = va_arg(list, int); const real *p = va_arg(list, const real *);\n"
                            f"    r = tanh(r * v + {self.unary('p[i]')}); }}\n  va_end(list); return r;\n}}")
        one = f"{self.expression(1)}, {self.random.randrange(12)}, {self.pick(('x', 'c', 'x'))}"
        self.emit(f"{self.place()} = {f}({self.random.randrange(1, 3)}, {one}, {self.atom()}, 3, x);")

    def by_value(self):
        f, a = self.helper("big"), self.fresh("big")
        self.helpers.append(f"{self.pick(('__attribute__((noinline)) ', ''))}static Big<real> {f}(Big<real> b, real s) {{\n"
                            f"  for (int i = 0; i < b.used; i++) b.v[i] = real(0.5) * b.v[i] + {self.unary('s')} * b.from[i];\n"
                            "  b.used = (b.used + 1) % 6; b.from += 1; return b;\n}")
        self.emit(f"{{ Big<real> {a} = {{{{x[0], x[1], x[2], {self.atom()}, x[4], x[5]}}, 4, x}};")
        self.emit(f"  for (int j = 0; j < {self.random.randrange(1, 5)}; j++) {a} = {f}({a}, {self.expression(1)});")
        self.update(f"{a}.v[{a}.used] * {a}.from[1] + {a}.v[2]")
        self.emit("}")

    def scratch(self):
        f = self.helper("scratch")
        self.helpers.append(f"__attribute__((noinline)) static real {f}(const real *a, int m) {{\n  static real room[12], *at; static int calls;\n"
                            "  if (++calls % 2) at = room; else at = room + 2;\n"
                            f"  for (int i = 0; i < 10; i++) at[i] = a[i] * {self.unary('a[(i + m) % 10]')};\n"
                            "  real r = 0.0; for (int i = 1; i < 10; i++) r += at[i] * at[i - 1];\n  return tanh(r);\n}")
        self.emit(f"for (int j = 0; j < 3; j++) {self.place()} += real(0.3) * {f}({self.pick(self.readable)}, j);")

    def machine(self):
        st, s = self.fresh("st"), self.pick(self.scalars)
        self.emit(f"{{ int {st} = 0, {st}n = 0;")
        self.emit(f"again{st}: switch ({st}n++ < 2 * n ? {st} : 3) {{")
        self.emit(f"  case 0: {s} = tanh({s} + x[{st}n % 12]); {st} = {self.condition()} ? 1 : 2; goto again{st};")
        self.emit(f"  case 1: t[{st}n % 12] *= real(0.7); [[fallthrough]];")
        self.emit(f"  case 2: {self.pick(self.arrays)}[{st}n % 12] += real(0.2) * {s} * {self.atom()}; {st} = k[{st}n % 12] % 3; goto again{st};")
        self.emit("  default:; } }")

    def place_of_number(self):
        i = self.fresh("at")
        self.emit(f"{{ int {i} = int(fabs({self.pick(self.readable)}[{self.index()}]) * real(7.3)) % 12;")
        self.emit(f"  {self.pick(self.arrays)}[{i}] = tanh({self.pick(self.readable)}[11 - {i}] * {self.expression(1)}); }}")

    def moved(self):
        a = self.pick(self.arrays)
        d = self.random.randrange(1, 5)
        self.emit(self.pick((f"memmove({a} + {d}, {a}, sizeof(real) * (n - {d}));", f"memmove({a}, {a} + {d}, sizeof(real) * (n - {d}));")))
        self.emit(f"{a}[{self.index()}] += {self.atom()} * real(0.2);")

    def sorted_items(self):
        a, f = self.fresh("items"), self.helper("order")
        self.helpers.append(f"struct {f}_item {{ real key; int tag; real value; }};\n"
                            f"static int {f}(const void *a, const void *b) {{\n  auto *p = static_cast<const {f}_item *>(a), *q = static_cast<const {f}_item *>(b);\n"
                            "  return p->key < q->key ? -1 : q->key < p->key ? 1 : p->tag - q->tag;\n}")
        self.emit(f"{{ {f}_item {a}[12]; for (int j = 0; j < n; j++) {a}[j] = {{x[j] * real({self.random.uniform(0.5, 2):.2f}), j, {self.expression(1)}}};")
        self.emit(f"  qsort({a}, n, sizeof *{a}, {f});")
        self.emit(f"  for (int j = 1; j < n; j++) {self.pick(self.arrays)}[{a}[j].tag] += real(0.1) * {a}[j].value * {a}[j - 1].key; }}")

    def optional_room(self):
        a = self.fresh("room")
        self.emit(f"{{ real *{a} = nullptr, *{a}at; if ({self.condition()}) {a} = static_cast<real *>(calloc(n, sizeof(real)));")
        self.emit(f"  {a}at = {a} ? {a} : {self.pick(self.arrays)};")
        self.emit(f"  for (int j = 0; j < n; j++) {a}at[j] = real(0.5) * {a}at[j] + {self.unary('x[j]')} * real(0.4);")
        self.emit(f"  {self.pick(self.scalars)} += {a}at[{self.index()}] * {a}at[0]; free({a}); }}")

    def program_text(self):
        s, p = self.pick(self.scalars), self.fresh("op")
        text = "".join(self.pick("+-*sxk") for _ in range(self.random.randrange(3, 9)))
        self.emit(f'for (const char *{p} = "{text}"; *{p}; {p}++) switch (*{p}) {{')
        self.emit(f"  case '+': {s} += x[k[3]]; break; case '-': {s} -= {self.atom()}; break; case '*': {s} = tanh({s} * {self.atom()}); break;")
        self.emit(f"  case 's': {s} = sin({s}); [[fallthrough]]; case 'k': {s} += real(0.01 * *{p}); break; default: {s} = {s} * x[{p}[1] % 12]; }}")

    def extended_numbers(self):
        self.update(f"extended({self.expression(1)}) * {self.atom()}")

    def shape(self):
        if self.chance(0.25):
            return super().shape()
        self.pick((self.variable_length, self.tagged, self.bytes_in_buffer, self.packed, self.ring, self.table, self.tree, self.rows,
                   self.callback, self.variadic, self.by_value, self.scratch, self.machine, self.place_of_number, self.moved,
                   self.sorted_items, self.optional_room, self.program_text, self.extended_numbers))()

    def statement(self):
        if self.depth < 3 and self.chance(0.3):
            return self.shape()
        return super().statement()
