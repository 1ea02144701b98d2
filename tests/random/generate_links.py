# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs over objects that lead to each other, as C programs write them: tables of tables, links within
objects, pools with indices for addresses, flags in addresses, views with steps, jumps to where memory is freed,
callbacks with contexts, operations behind objects, logs of changes, stacks of bytes, offsets for members.

A program is text that compiles with real = double and with real = Dual.
"""

import generate
import generate_idioms


class Program(generate_idioms.Program):
    headers = (*generate_idioms.Program.headers, '#include "Links.h"')
    statics = True  # addresses may lie in variables at file scope

    def helped(self, stem, text):
        """A function of its own; NAME in its text is its name."""
        name = self.helper(stem)
        self.helpers.append(text.replace("NAME", name).replace("UNARY", self.pick(generate.UNARY).format("a"))
                            .replace("STATIC", self.pick(("static", "static", "__attribute__((noinline)) static"))))
        return name

    def room(self, kind, count, name):
        """Declares `name`, the address of `count` objects; and how they are given back."""
        choice = self.pick(("heap", "heap", "zeroed", "stack", "static" if self.statics else "stack"))
        if choice == "stack":
            return f"{kind} {name}_[{count}]; {kind} *{name} = {name}_;", ""
        if choice == "static":
            return f"static {kind} {name}_[{count}]; {kind} *{name} = {name}_;", ""
        call = f"malloc(sizeof({kind}) * ({count}))" if choice == "heap" else f"calloc({count}, sizeof({kind}))"
        return f"{kind} *{name} = ({kind} *){call};", f"free({name});"

    def lines_of(self, text):
        for line in text.strip("\n").split("\n"):
            if line.strip():
                self.emit(line)

    def sheets(self):
        a, s = self.fresh("sheet"), self.pick(self.scalars)
        columns, back = self.room("Column<real>", 4, a + "c")
        fill = self.pick((f"{a}c[j].data = (real *)malloc(3 * sizeof(real));", f"{a}c[j].data = {a}d + 3 * j;", f"{a}c[j].data = &{a}d[2 * j];"))
        self.lines_of(f"""
{{ {columns} real {a}d[12]; Sheet<real> {a}[3];
  for (int j = 0; j < 4; j++) {{ {fill} {a}c[j].rows = 2 + j % 2; {a}c[j].name = "ab"; }}
  for (int j = 0; j < 4; j++) for (int i = 0; i < 3; i++) {a}c[j].data[i] = x[3 * j + i] * {self.atom()};
  for (int j = 0; j < 3; j++) {{ {a}[j].columns[0] = &{a}c[j]; {a}[j].columns[1] = &{a}c[k[j] % 4]; {a}[j].other = &{a}[(j + 1) % 3]; {a}[j].scale = {self.expression(1)}; }}
  if ({self.condition()}) {{ Sheet<real> last = {a}[2]; {a}[2] = {a}[0]; {a}[0] = last; }}
  for (Sheet<real> *at = {a}; at < {a} + 3; at++) {{ Column<real> *col = at->other->columns[{self.pick(('0', '1', 'k[2] % 2'))}];
    for (int i = 0; i < col->rows; i++) col->data[i] = tanh(col->data[i] * at->scale + at->columns[0]->data[i]); }}
  {s} += real(0.2) * {a}[k[{self.index()}] % 3].other->other->columns[1]->data[1];
  {self.place()} = tanh({a}c[3].data[0] * {a}[1].scale);
  {'for (int j = 0; j < 4; j++) free(' + a + 'c[j].data);' if 'malloc' in fill else ''} {back} }}""")

    def embedded(self):
        a, s = self.fresh("body"), self.pick(self.scalars)
        made, back = self.room("Body<real>", 6, a)
        link = self.pick(("near", "all"))
        self.lines_of(f"""
{{ {made} Ends {a}all, {a}near; {a}all.clear(); {a}near.clear();
  for (int j = 0; j < 6; j++) {{ Body<real> *b = &{a}[j]; b->mass = x[j] * {self.atom()}; b->drift = {self.expression(1)}; b->tag = k[j];
    {a}all.add(&b->all); if (k[j] % 2) {a}near.add(&b->near); }}
  for (Ends *e = {a}near.next; e != &{a}near; e = e->next) {{ Body<real> *b = CONTAINER(Body<real>, near, e);
    Ends *after = b->all.next == &{a}all ? {a}all.next : b->all.next; b->drift += real(0.3) * CONTAINER(Body<real>, all, after)->mass * b->mass; }}
  for (Ends *e = {a}all.next, *f; e != &{a}all; e = f) {{ f = e->next; Body<real> *b = CONTAINER(Body<real>, all, e); if (b->tag % 3 == 1) b->all.drop(); else b->mass *= {self.unary('b->drift')}; }}
  for (Ends *e = {a}{link}.last; e != &{a}{link}; e = e->last) {s} = tanh({s} + CONTAINER(Body<real>, {link}, e)->{self.pick(('mass', 'drift'))});
  {back} }}""")

    def pool(self):
        a, s = self.fresh("pool"), self.pick(self.scalars)
        grow = self.helped("take", """STATIC int NAME(Cell<real> **cells, int *size, int *free_) {
  if (*free_ < 0) { const int old = *size; *size = old ? 2 * old : 2; *cells = (Cell<real> *)realloc(*cells, *size * sizeof(Cell<real>));
    for (int i = *size; i-- > old;) { (*cells)[i].next = *free_; (*cells)[i].used = 0; *free_ = i; } }
  const int at = *free_; *free_ = (*cells)[at].next; (*cells)[at].used = 1; return at;
}""")
        self.lines_of(f"""
{{ Cell<real> *{a} = nullptr; int {a}n = 0, {a}f = -1, {a}i[12];
  for (int j = 0; j < n; j++) {{ {a}i[j] = {grow}(&{a}, &{a}n, &{a}f); {a}[{a}i[j]].value = x[j] * {self.expression(1)};
    if (j > 1 && k[j] % 3 == 0 && {a}[{a}i[j / 2]].used) {{ Cell<real> *c = &{a}[{a}i[j / 2]]; {s} = tanh({s} + c->value); c->used = 0; c->next = {a}f; {a}f = {a}i[j / 2]; }} }}
  for (int j = 0; j < {a}n; j++) if ({a}[j].used) {self.pick(self.arrays)}[j % 12] += real(0.2) * {a}[j].value * {self.atom()};
  free({a}); }}""")

    def indices_as_links(self):
        """A binary tree in an array that grows, with indices instead of addresses."""
        a, s = self.fresh("nodes"), self.pick(self.scalars)
        self.lines_of(f"""
{{ struct {a}_t {{ int less, more; real key, sum; }}; {a}_t *{a} = ({a}_t *)malloc(2 * sizeof({a}_t)); int {a}n = 0, {a}room = 2;
  for (int j = 0; j < n; j++) {{ if ({a}n == {a}room) {a} = ({a}_t *)realloc({a}, ({a}room *= 2) * sizeof({a}_t));
    {a}_t *m = &{a}[{a}n]; m->less = m->more = -1; m->key = {self.pick(('x[j]', 'real(k[j])', 'x[j] * c[j]'))}; m->sum = {self.expression(1)} * x[j];
    for (int at = 0; at != {a}n;) {{ int *to = m->key < {a}[at].key ? &{a}[at].less : &{a}[at].more; {a}[at].sum += real(0.1) * m->sum; if (*to < 0) *to = {a}n; at = *to; }}
    {a}n++; }}
  int {a}s[12], {a}top = 0; {a}s[{a}top++] = 0;
  while ({a}top) {{ const {a}_t *m = &{a}[{a}s[--{a}top]]; {s} = tanh({s} * real(0.8) + m->sum * {self.pick(('m->key', 'x[' + a + 'top % 12]'))}); if (m->less >= 0) {a}s[{a}top++] = m->less; if (m->more >= 0) {a}s[{a}top++] = m->more; }}
  free({a}); }}""")

    def flagged(self):
        a, s = self.fresh("flag"), self.pick(self.scalars)
        made, back = self.room("Entry<real>", 6, a)
        self.lines_of(f"""
{{ {made} std::uintptr_t {a}p[6];
  for (int j = 0; j < 6; j++) {{ {a}[j].key = j; {a}[j].value = x[j] * {self.atom()}; {a}[j].from = &{self.pick(self.arrays)}[(j + {self.index()}) % 12]; {a}p[j] = (std::uintptr_t)&{a}[k[j] % 6] | (k[j] & {self.pick(('1', '3', '7'))}); }}
  for (int j = 0; j < 6; j++) {{ Entry<real> *e = (Entry<real> *)({a}p[j] & ~(std::uintptr_t)7); const int set = {a}p[j] & 7;
    if (set & 1) e->value = tanh(e->value + x[j]); else {s} += real(0.2) * e->value * {self.pick(('e->from[0]', '*e->from'))};
    {a}p[j] ^= {self.pick(('1', '2'))}; }}
  for (int j = 1; j < 6; j++) if ({a}p[j] & 2) *((Entry<real> *)({a}p[j] & -8))->from += real(0.1) * {a}[j].value * {self.atom()};
  {back} }}""")

    def stepped(self):
        a, s = self.fresh("view"), self.pick(self.scalars)
        axpy = self.helped("axpy", "STATIC void NAME(View<real> to, View<real> from, real a) {\n"
                           "  for (int i = 0; i < to.size && i < from.size; i++) to[i] = tanh(to[i] + a * from[i]);\n}")
        cut = self.helped("cut", "STATIC View<real> NAME(const View<real> *v, int first, long step) {\n"
                          "  View<real> r = {v->at + first * v->step, v->step * step, int((v->size - first + step - 1) / step)};\n  return r;\n}")
        half = self.helped("half", "static real NAME(View<real> v) {\n  if (v.size < 2) return v.size ? v[0] : real(0.0);\n"
                           "  View<real> even = {v.at, 2 * v.step, (v.size + 1) / 2}, odd = {v.at + v.step, 2 * v.step, v.size / 2};\n"
                           "  real a = NAME(even); return tanh(UNARY * NAME(odd));\n}")
        b = self.pick(self.arrays)
        self.lines_of(f"""
{{ real {a}d[12]; for (int j = 0; j < 12; j++) {a}d[j] = x[j] * {self.atom()};
  View<real> {a} = {{{b}, 1, n}}, {a}m[4], {a}r = {{{a}d + 11, -1, 12}};
  for (int j = 0; j < 4; j++) {a}m[j] = j % 2 ? View<real>{{{a}d + j, 4, 3}} : {cut}(&{a}, j, 3);
  for (int j = 0; j < 3; j++) {axpy}({a}m[j], {a}m[(j + 1) % 4], {self.expression(1)});
  if ({self.condition()}) {axpy}({cut}(&{a}r, 1, 2), {a}, {self.atom()});
  {s} = tanh({s} + {half}({self.pick((a, a + 'r', a + 'm[k[1] % 4]'))}));
  {self.place()} = tanh({a}m[k[{self.index()}] % 4][1] * {a}r[2]); }}""")

    def slots(self):
        a, s = self.fresh("slot"), self.pick(self.scalars)
        made, back = self.room("Slot<real>", 8, a)
        self.lines_of(f"""
{{ {made} char {a}k[8];
  for (int j = 0; j < 8; j++) switch ({a}k[j] = (k[j] + j) % 3) {{
    case 0: {a}[j].pair.a = x[j]; {a}[j].pair.b = {self.expression(1)}; break;
    case 1: {a}[j].link.id = j; {a}[j].link.at = {self.pick(self.arrays)} + j; break;
    default: {a}[j].one = x[j] * {self.atom()}; }}
  {self.pick(('', f'for (int j = 0; j < 4; j++) {{ Slot<real> m = {a}[j]; {a}[j] = {a}[7 - j]; {a}[7 - j] = m; char c = {a}k[j]; {a}k[j] = {a}k[7 - j]; {a}k[7 - j] = c; }}'))}
  for (int j = 0; j < 8; j++) if ({a}k[j] == 1) *{a}[j].link.at = real(0.5) * *{a}[j].link.at + real(0.1) * x[{a}[j].link.id];
    else {s} = tanh({s} + ({a}k[j] ? {a}[j].one : {a}[j].pair.a * {a}[j].pair.b));
  {back} }}""")

    def shifted(self):
        """Insertion into and removal from an array of structures by memmove."""
        a, s = self.fresh("row"), self.pick(self.scalars)
        made, back = self.room("Entry<real>", 14, a)
        self.lines_of(f"""
{{ {made} int {a}n = 0;
  for (int j = 0; j < n; j++) {{ int at = 0; while (at < {a}n && {self.pick((f'{a}[at].key < k[j]', f'{a}[at].value < x[j]'))}) at++;
    memmove({a} + at + 1, {a} + at, ({a}n++ - at) * sizeof *{a}); {a}[at].key = k[j]; {a}[at].value = x[j] * {self.pick(('real(1.0)', self.atom()))}; {a}[at].from = {self.pick((f'&t[j]', '&y[11 - j]', 'u + j'))}; }}
  for (int j = 0; j + 1 < {a}n;) if ({a}[j].key == {a}[j + 1].key) {{ {a}[j].value += {a}[j + 1].value * *{a}[j + 1].from; memmove(&{a}[j + 1], &{a}[j + 2], (--{a}n - j - 1) * sizeof *{a}); }} else j++;
  for (int j = 0; j < {a}n; j++) {{ *{a}[j].from = tanh(*{a}[j].from + real(0.3) * {a}[j].value); {s} += real(0.1) * {a}[j].value; }}
  {back} }}""")

    def cleanup(self):
        f = self.helped("work", """STATIC int NAME(const real *x, const int *k, int n, real *to) {
  int rc = -1; real *one = nullptr, *two = nullptr; Entry<real> *e = nullptr;
  one = (real *)malloc(n * sizeof(real)); if (!one) goto out;
  for (int i = 0; i < n; i++) { real a = x[i]; one[i] = UNARY; if (k[i] > 9) { rc = i; goto first; } }
  two = (real *)calloc(n, sizeof(real)); if (!two) goto first;
  for (int i = 0; i < n; i++) { if (one[i] < real(-0.6)) { *to += one[i] * x[0]; rc = -2; goto second; } two[k[i] % n] += one[i] * x[i]; }
  e = (Entry<real> *)malloc(2 * sizeof *e); e[0].value = two[1]; e[1].value = two[k[0] % n]; e[0].from = one; e[1].from = two; e[1].key = k[1];
  rc = e[1].key % 3; *to = tanh(*to + e[rc % 2].value * e[1].from[2] + e[0].from[3]);
  free(e);
second:
  *to += real(0.1) * two[2]; free(two);
first:
  *to = real(0.9) * *to + real(0.1) * one[0]; free(one);
out:
  return rc;
}""")
        a, s = self.fresh("rc"), self.pick(self.scalars)
        self.lines_of(f"""
{{ int {a} = 0; real {a}r = {self.atom()};
  for (int j = 0; j < 3 && {a} > -2; j++) {a} = {f}({self.pick(self.readable)}, k + j, n - 3, {self.pick((f'&{a}r', f'&{self.pick(self.arrays)}[{self.index()}]'))});
  {s} += tanh({a}r) * real(1.0 + 0.1 * {a}); }}""")

    def tasks(self):
        one = self.helped("add", "static real NAME(void *with, real a) {\n  Entry<real> *e = (Entry<real> *)with;\n  e->value = tanh(e->value + a * *e->from); return e->value;\n}")
        two = self.helped("mul", "static real NAME(void *with, real a) {\n  real *v = (real *)with; v[1] = v[0] * UNARY; return v[1];\n}")
        three = self.helped("again", "static real NAME(void *with, real a) {\n  Task<real> *t = (Task<real> *)with; return t->scale * t->run(t->with, UNARY);\n}")
        a, s = self.fresh("task"), self.pick(self.scalars)
        made, back = self.room("Task<real>", 6, a)
        drain = self.helped("drain", "STATIC real NAME(Task<real> *at, int n, real s) {\n  while (n--) { s = tanh(s + at->run(at->with, s * at->scale)); at++; }\n  return s;\n}")
        self.lines_of(f"""
{{ {made} Entry<real> {a}e = {{3, {self.atom()}, &{self.pick(self.arrays)}[{self.index()}]}}; real {a}v[2] = {{x[3], x[4]}};
  for (int j = 0; j < 6; j++) {{ {a}[j].scale = x[j] * real(0.5); if (k[j] % 3 == 0) {a}[j].run = {one}, {a}[j].with = &{a}e; else if (k[j] % 3 == 1 || !j) {a}[j].run = {two}, {a}[j].with = {a}v;
    else {a}[j].run = {three}, {a}[j].with = &{a}[j - 1]; }}
  {s} = {drain}({a}, 6, {self.atom()}); {self.place()} = tanh({a}v[1] + {a}e.value); {back} }}""")

    def derived(self):
        name = self.helper("kinds")
        one, two = self.unary("r->radius"), self.unary("a")
        self.helpers.append(f"""static real {name}_ra(const Shape<real> *s, real a) {{ const Round<real> *r = (const Round<real> *)s; return {one} * a; }}
static void {name}_rg(Shape<real> *s, real a) {{ ((Round<real> *)s)->radius = tanh(((Round<real> *)s)->radius + a); }}
static real {name}_ba(const Shape<real> *s, real a) {{ const Box<real> *b = (const Box<real> *)s; return b->sides[0] * {two} + b->edge[1]; }}
static void {name}_bg(Shape<real> *s, real a) {{ Box<real> *b = (Box<real> *)s; b->edge[0] *= a; b->sides = b->sides == b->edge ? b->edge + 1 : b->edge; }}
static const Operations<real> {name}_r = {{{name}_ra, {name}_rg, 0}}, {name}_b = {{{name}_ba, {name}_bg, 4}};
static Shape<real> *{name}_make(int kind, real v, real *other) {{
  if (kind % 2) {{ Round<real> *r = (Round<real> *)malloc(sizeof *r); r->base.does = &{name}_r; r->base.kind = kind; r->radius = v; return &r->base; }}
  Box<real> *b = (Box<real> *)calloc(1, sizeof *b); b->base.does = &{name}_b; b->base.kind = kind; b->edge[0] = v; b->edge[1] = v * v; b->sides = kind % 4 ? other : b->edge; return (Shape<real> *)b;
}}""")
        a, s = self.fresh("shape"), self.pick(self.scalars)
        self.lines_of(f"""
{{ Shape<real> *{a}[5]; for (int j = 0; j < 5; j++) {a}[j] = {name}_make(k[j], x[j] * {self.atom()}, &{self.pick(self.arrays)}[j]);
  for (int j = 0; j < 5; j++) if ({a}[j]->does->sides || {self.condition()}) {a}[j]->does->grow({a}[j], {self.expression(1)});
  for (int j = 0; j < 5; j++) {{ {s} = tanh({s} + {a}[j]->does->area({a}[(j * 2) % 5 == j ? j : j], x[j])); }}
  if ({a}[0]->kind % 2) {self.place()} = ((Round<real> *){a}[0])->radius;
  for (int j = 0; j < 5; j++) free({a}[j]); }}""")

    def undo(self):
        """Changes that are logged and taken back."""
        a, s, b = self.fresh("log"), self.pick(self.scalars), self.pick(self.arrays)
        put = self.helped("put", "STATIC int NAME(Change<real> *log, int n, real *at, real v) {\n  log[n].at = at; log[n].old = *at; *at = v; return n + 1;\n}")
        made, back = self.room("Change<real>", 12, a)
        self.lines_of(f"""
{{ {made} int {a}n = 0;
  for (int j = 0; j < n; j++) {a}n = {put}({a}, {a}n, &{b}[k[j]], tanh({self.expression(1)} * x[j]));
  {s} += real(0.1) * {b}[{self.index()}] * {b}[k[3]];
  while ({a}n > {self.pick(('0', '4', 'k[5] % 6'))}) {{ --{a}n; *{a}[{a}n].at = {self.pick((f'{a}[{a}n].old', f'real(0.5) * (*{a}[{a}n].at + {a}[{a}n].old)'))}; }}
  {back} }}""")

    def byte_stack(self):
        a, s = self.fresh("stack"), self.pick(self.scalars)
        self.lines_of(f"""
{{ alignas(16) unsigned char {a}[12 * (sizeof(real) + 1)]; int {a}t = 0; const char *{a}p = "{''.join(self.pick('vpvcvs') for _ in range(11))}";
  for (int j = 0; {a}p[j]; j++) {{ const char op = {a}p[j];
    if (op == 'p') {{ real *q = &{self.pick(self.arrays)}[j]; memcpy({a} + {a}t, &q, sizeof q); {a}t += sizeof q; {a}[{a}t++] = 'p'; }}
    else {{ real v = x[j] * {self.atom()}; memcpy({a} + {a}t, &v, sizeof v); {a}t += sizeof v; {a}[{a}t++] = 'v'; }} }}
  while ({a}t) if ({a}[--{a}t] == 'p') {{ real *q; memcpy(&q, {a} + ({a}t -= sizeof q), sizeof q); *q = tanh(*q + {s}); }}
    else {{ real v; {a}t -= sizeof v; memcpy(&v, {a} + {a}t, sizeof v); {s} = tanh({s} * real(0.7) + v); }} }}""")

    def offsets(self):
        """Members by their offsets, as tables of fields say them."""
        name = self.helper("fields")
        self.helpers.append(f"struct {name}_t {{ int id; real a; real *link; real b[2]; char letter; real c; }};\n"
                            f"static const struct {{ const char *name; std::size_t at; int kind; }} {name}[] = {{\n  {{\"a\", offsetof({name}_t, a), 0}}, {{\"b\", offsetof({name}_t, b), 0}}, "
                            f"{{\"link\", offsetof({name}_t, link), 1}}, {{\"c\", offsetof({name}_t, c), 0}}, {{\"id\", offsetof({name}_t, id), 2}}}};")
        a, s = self.fresh("field"), self.pick(self.scalars)
        made, back = self.room(f"{name}_t", 2, a)
        self.lines_of(f"""
{{ {made} for (int m = 0; m < 2; m++) for (int j = 0; j < 5; j++) {{ char *at = (char *)&{a}[m] + {name}[j].at;
    if ({name}[j].kind == 0) *(real *)at = x[j + m] * {self.atom()}; else if ({name}[j].kind == 1) *(real **)at = &{self.pick(self.arrays)}[j + m]; else *(int *)at = k[j]; }}
  {a}[1].b[1] = {self.expression(1)}; {self.pick(('', f'{a}[0] = {a}[1];', f'swapBytes(&{a}[0], &{a}[1], sizeof *{a});', f'memcpy(&{a}[0].a, &{a}[1].a, sizeof(real));'))}
  for (int j = 0; j < 4; j++) {{ const char *at = (const char *)&{a}[k[j] % 2] + {name}[j].at; {s} = tanh({s} + ({name}[j].kind ? **(real *const *)at : *(const real *)at)); }}
  *{a}[0].link += real(0.1) * {a}[0].c * {a}[1].a; {back} }}""")

    def generic_swap(self):
        a, f = self.fresh("any"), self.helped("sort", """STATIC void NAME(void *base, int n, std::size_t size, bool (*less)(const void *, const void *)) {
  for (int i = 1; i < n; i++) for (int j = i; j > 0; j--) { char *p = (char *)base + j * size; if (!less(p, p - size)) break; swapBytes(p, p - size, size); }
}""")
        kind = self.pick(("Entry<real>", "Pair<real>", "real *", "Entry<real> *"))
        get = {"Entry<real>": "{}->value", "Pair<real>": "{}->a", "real *": "**{}", "Entry<real> *": "(*{})->value"}[kind]
        less = self.helped("less", f"static bool NAME(const void *p, const void *q) {{ const auto *a = ({kind} const *)p, *b = ({kind} const *)q; return {get.format('a')} < {get.format('b')}; }}")
        made, back = self.room(kind, 8, a)
        fill = {"Entry<real>": f"{a}[j].key = j; {a}[j].value = V; {a}[j].from = &t[j];", "Pair<real>": f"{a}[j].a = V; {a}[j].b = x[j];", "real *": f"{a}d[j] = V; {a}[j] = &{a}d[j];",
                "Entry<real> *": f"{a}e[j].key = j; {a}e[j].value = V; {a}e[j].from = &y[j]; {a}[j] = &{a}e[j];"}[kind].replace("V", f"x[j] * {self.pick(('real(1.1)', 'c[j]', 'x[11 - j]'))}")
        fold = {"Entry<real>": f"{a}[j].value * *{a}[j].from", "Pair<real>": f"{a}[j].a * {a}[j].b", "real *": f"*{a}[j]", "Entry<real> *": f"{a}[j]->value * *{a}[j]->from"}[kind]
        self.lines_of(f"""
{{ real {a}d[8]; Entry<real> {a}e[8]; {made} for (int j = 0; j < 8; j++) {{ {fill} }}
  {f}({a}, 8, sizeof *{a}, {less});
  for (int j = 0; j < 8; j++) {self.pick(self.arrays)}[j] += real(0.1 * (j + 1)) * {fold}; {back} }}""")

    def tails(self):
        push = self.helped("push", """STATIC Tail<real> *NAME(Tail<real> *t, real v) {
  if (!t || t->used == t->room) { const int room = t ? 2 * t->room : 1; const bool fresh = !t;
    t = (Tail<real> *)realloc(t, sizeof *t + room * sizeof(real)); if (fresh) t->used = 0, t->first = v; t->room = room; }
  t->rest[t->used++] = v * t->first; return t;
}""")
        a, s = self.fresh("tail"), self.pick(self.scalars)
        self.lines_of(f"""
{{ Tail<real> *{a}[2] = {{nullptr, nullptr}}; for (int j = 0; j < n; j++) {a}[k[j] % 2] = {push}({a}[k[j] % 2], x[j] * {self.atom()});
  if ({self.condition()}) {{ Tail<real> *m = {a}[0]; {a}[0] = {a}[1]; {a}[1] = m; }}
  for (int m = 0; m < 2; m++) for (int j = 0; {a}[m] && j < {a}[m]->used; j++) {s} = tanh({s} + {a}[m]->rest[j]);
  if ({a}[0]) {self.place()} = tanh({a}[0]->first * {a}[0]->rest[{a}[0]->used - 1]);
  free({a}[0]); free({a}[1]); }}""")

    def machine_of_functions(self):
        name = self.helper("phase")
        one, two = self.unary("x[i]"), self.unary("v[1]")
        self.helpers.append(f"""static Step<real> {name}_b(real *v, const real *x, int i);
static Step<real> {name}_c(real *v, const real *x, int i) {{ v[2] += v[0] * {one}; Step<real> r = {{i % 3 ? {name}_b : nullptr, v[2] * real(0.3)}}; return r; }}
static Step<real> {name}_a(real *v, const real *x, int i) {{ v[0] = tanh(v[0] + x[i]); return {{v[0] < real(0.2) ? {name}_b : {name}_c, v[0]}}; }}
static Step<real> {name}_b(real *v, const real *x, int i) {{ v[1] = v[1] * x[i] + real(0.2); return {{i % 4 == 1 ? {name}_c : {name}_a, {two}}}; }}""")
        a, s = self.fresh("step"), self.pick(self.scalars)
        self.lines_of(f"""
{{ real {a}v[3] = {{x[0], x[1], {self.atom()}}}; Step<real> {a} = {{{name}_a, {self.atom()}}};
  for (int j = 0; j < n && {a}.next; j++) {{ const real w = {a}.weight; {a} = {a}.next({a}v, {self.pick(self.readable)}, j); {s} = tanh({s} + w * {a}.weight); }}
  {self.place()} = tanh({a}v[2] * {a}v[1]); }}""")

    def shared_counts(self):
        get = self.helped("own", """STATIC Shared<real> *NAME(Shared<real> *s) {
  if (s->count == 1) return s;
  Shared<real> *mine = (Shared<real> *)malloc(sizeof *mine); *mine = *s; mine->count = 1; s->count--; return mine;
}""")
        a, s = self.fresh("cow"), self.pick(self.scalars)
        self.lines_of(f"""
{{ Shared<real> *{a}[4]; {a}[0] = (Shared<real> *)malloc(sizeof *{a}[0]); {a}[0]->count = 4; for (int j = 0; j < 3; j++) {a}[0]->values[j] = x[j] * {self.atom()};
  for (int j = 1; j < 4; j++) {a}[j] = {a}[0];
  for (int j = 0; j < 4; j++) if (k[j] % {self.random.randrange(2, 4)}) {{ {a}[j] = {get}({a}[j]); {a}[j]->values[k[j] % 3] = tanh({a}[j]->values[(j + 1) % 3] * {self.expression(1)}); }}
  for (int j = 0; j < 4; j++) {{ for (const real &v : {a}[j]->values) {s} = tanh({s} * real(0.9) + v); if (--{a}[j]->count == 0) free({a}[j]); }} }}""")

    def marked_block(self):
        f = self.helped("deep", """static real NAME(Block *b, const real *x, int n, real a) {
  const std::size_t mark = b->top; Entry<real> *e = (Entry<real> *)b->take(sizeof *e); real *v = (real *)b->take(n * sizeof(real));
  if (!e || !v || n < 2) { b->top = mark; return a * x[0]; }
  e->value = a; e->from = v + n / 2; e->key = n;
  for (int i = 0; i < n; i++) v[i] = x[i] * UNARY;
  real r = NAME(b, v, n / 2, a * real(0.7)) + NAME(b, e->from, e->key - n / 2, e->value * *e->from);
  b->top = mark; return tanh(r + v[1]);
}""")
        a, s = self.fresh("block"), self.pick(self.scalars)
        room, back = self.pick(((f"alignas(16) static char {a}r[2048];", ""), (f"alignas(16) char {a}r[2048];", ""), (f"char *{a}r = (char *)malloc(2048);", f"free({a}r);")))
        self.lines_of(f"{{ {room} Block {a} = {{{a}r, 0, 2048}}; {s} = {f}(&{a}, {self.pick(self.readable)}, n - {self.random.randrange(4)}, {self.atom()}); {back} }}")

    def removed(self):
        """Elements leave a list by the address of what leads to them."""
        a, s = self.fresh("pp"), self.pick(self.scalars)
        made, back = self.room("Link<real>", 12, a)
        self.lines_of(f"""
{{ {made} Link<real> *{a}h = nullptr, **{a}e = &{a}h, *{a}d = nullptr;
  for (int j = 0; j < n; j++) {{ Link<real> *m = &{a}[{self.pick(('j', '11 - j', 'j * 5 % 12'))}]; m->value = x[j] * {self.atom()}; m->next = nullptr; *{a}e = m; {a}e = &m->next; }}
  for (Link<real> **at = &{a}h; *at;) if ({self.pick(('(*at)->value < real(0.1)', '(*at - ' + a + ') % 3 == 1'))}) {{ Link<real> *m = *at; *at = m->next; m->next = {a}d; {a}d = m; }} else {{ (*at)->value *= {self.atom()}; at = &(*at)->next; }}
  for (Link<real> *m = {a}h; m; m = m->next) {s} = tanh({s} + m->value);
  for (Link<real> *m = {a}d; m; m = m->next) {self.pick(self.arrays)}[m - {a}] += real(0.2) * m->value;
  {back} }}""")

    def relative(self):
        """Links that are distances from where they lie."""
        a, s = self.fresh("rel"), self.pick(self.scalars)
        self.lines_of(f"""
{{ struct {a}_t {{ std::int32_t to; real v; }}; struct {{ {a}_t cell[6]; real extra[3]; }} {a};
  for (int j = 0; j < 6; j++) {{ {a}.cell[j].v = x[j] * {self.atom()}; char *target = k[j] % 2 ? (char *)&{a}.extra[j % 3] : (char *)&{a}.cell[k[j] % 6].v; {a}.cell[j].to = target - (char *)&{a}.cell[j]; }}
  for (int j = 0; j < 3; j++) {a}.extra[j] = {self.expression(1)};
  for (int j = 0; j < 6; j++) {{ real *p = (real *)((char *)&{a}.cell[j] + {a}.cell[j].to); *p = tanh(*p + real(0.3) * {a}.cell[j].v); }}
  {s} += {a}.extra[1] * {a}.cell[k[{self.index()}] % 6].v; }}""")

    def registry(self):
        name = self.helper("reg")
        inline = self.pick(("static", "__attribute__((noinline)) static"))
        self.helpers.append(f"""static Entry<real> *{name}[4], {name}_own; static int {name}_n;
{inline} int {name}_add(Entry<real> *e) {{ if ({name}_n == 4) {name}_n = 0; {name}[{name}_n] = e; return {name}_n++; }}
{inline} real {name}_use(int id, real a) {{ Entry<real> *e = {name}[id]; if (!e) return a; e->value = {self.unary('a')} * e->value; return e->value + *e->from; }}""")
        a, s = self.fresh("reg"), self.pick(self.scalars)
        self.lines_of(f"""
{{ Entry<real> {a}[3]; {name}_n = 0; {name}_own.value = x[5]; {name}_own.from = &{name}_own.value; int {a}i[4];
  for (int j = 0; j < 3; j++) {{ {a}[j].key = k[j]; {a}[j].value = x[j] * {self.atom()}; {a}[j].from = &{self.pick(self.arrays)}[k[j]]; {a}i[j] = {name}_add(&{a}[j]); }}
  {a}i[3] = {name}_add(&{name}_own); for (int j = 0; j < n; j++) {s} = tanh({s} + real(0.3) * {name}_use({a}i[k[j] % 4], x[j]));
  for (Entry<real> *&e : {name}) e = nullptr; {self.place()} = tanh({a}[1].value * {name}_own.value); }}""")

    def buffers(self):
        """Two states of structures of addresses that change places."""
        a, s = self.fresh("dbl"), self.pick(self.scalars)
        rows = self.random.randrange(2, 5)
        self.lines_of(f"""
{{ struct {a}_t {{ real *u, *v; int n; real t; }}; real *{a}m = (real *)malloc(4 * n * sizeof(real)); {a}_t {a}[2] = {{{{{a}m, {a}m + n, n, 0.0}}, {{{a}m + 2 * n, {a}m + 3 * n, n, 0.0}}}}, *{a}o = &{a}[0], *{a}w = &{a}[1];
  for (int j = 0; j < n; j++) {a}o->u[j] = x[j], {a}o->v[j] = {self.expression(1)};
  for (int r = 0; r < {rows}; r++) {{ for (int j = 0; j < n; j++) {{ {a}w->u[j] = tanh({a}o->u[j] + real(0.3) * {a}o->v[(j + 1) % n]); {a}w->v[j] = {a}o->v[j] * {self.unary(f'{a}o->u[j]')}; }} {a}w->t = {a}o->t + {a}o->u[r];
    {self.pick((f'{a}_t *m = {a}o; {a}o = {a}w; {a}w = m;', f'{a}_t m = *{a}o; *{a}o = *{a}w; *{a}w = m;', f'real *m = {a}o->u; {a}o->u = {a}w->u; {a}w->u = m; m = {a}o->v; {a}o->v = {a}w->v; {a}w->v = m; {a}o->t = {a}w->t;'))} }}
  {s} += {a}o->t * {a}o->u[{self.index()}]; {self.place()} = tanh({a}o->v[3]); free({a}m); }}""")

    def shape(self):
        if self.chance(0.15):
            return super().shape()
        more = (self.registry,) if self.statics else ()
        self.pick((*more, self.sheets, self.embedded, self.pool, self.indices_as_links, self.flagged, self.stepped, self.slots, self.shifted, self.cleanup,
                   self.tasks, self.derived, self.undo, self.byte_stack, self.offsets, self.generic_swap, self.tails, self.machine_of_functions,
                   self.shared_counts, self.marked_block, self.removed, self.relative, self.buffers))()

    def statement(self):
        if self.depth < 3 and self.chance(0.4):
            return self.shape()
        return super().statement()
