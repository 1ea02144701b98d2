# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs over what the C++ library and idioms of C++ offer beyond generate_objects.py: ordered and hashed sets,
queues, trees of owners, storage filled by placement new, tagged unions, std::any, arenas, several bases, visitors,
exceptions caught inside, expression templates, matrices of fixed size, algorithms and views.

Each type is a class with fill, fold and change, as there; members may be of any type of either generator.
"""

import generate_objects
from generate_objects import Type


class Program(generate_objects.Program):
    """One program over a few random types, some of them of the library's rarer kind."""

    headers = generate_objects.Program.headers + ('#include "Library.h"',)
    per_unit = 1
    configurations = (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"], ["-O2", "-fno-strict-aliasing"], ["-O1", "-g"])

    def named(self, stem):
        return f"{self.name}_{self.fresh(stem)}"

    def declare_class(self, name, text, fill, fold, change):
        self.helpers.append(f"struct {name} {{\n{text}\n}};")
        return self.declare_type(name, fill, fold, change)

    def one(self, kind, place="e"):
        return self.parts([(kind, place)])

    def valued(self):
        """A structure with a key that is a number."""
        while not (made := self.structure(1)).key:
            pass
        return made

    # Containers

    def set(self, levels):
        kind = self.valued()
        a, b = kind.key.format("a"), kind.key.format("b")
        name = self.named("Less")
        self.helpers.append(f"struct {name} {{ bool operator()(const {kind.text} &a, const {kind.text} &b) const {{ return {a} < {b}; }} }};")
        text = f"std::{self.pick(('set', 'multiset'))}<{kind.text}, {name}>"
        one = self.one(kind)
        make = f"{kind.text} e{{}}; {one[0]} o.insert({self.pick(('e', 'std::move(e)'))});"
        change = self.pick((f"  if (o.size() > 1) o.erase(o.begin());", f"  auto node = o.extract(o.begin()); auto &e = node.value(); {one[2]} o.insert(std::move(node));",
                            f"  {kind.text} e = *o.rbegin(); {one[2]} auto at = o.lower_bound(e); if (at != o.end()) o.erase(at); o.insert(e);"))
        return self.declare_type(text, f"  int n = 1 + from.count() % 4;\n  for (int j = 0; j < n; j++) {{ {make} }}",
                                 f"  for (const auto &e : o) {{ {one[1]} }}", f"  if (o.empty()) return;\n{change}")

    def multimap(self, levels):
        kind = self.element(levels)
        one = self.one(kind)
        which, key = self.pick((("multimap", "int"), ("multimap", "std::string"), ("map", "std::pair<int, int>"), ("map", "char")))
        text = f"std::{which}<{key}, {kind.text}>"
        if known := self.known(text):
            return known
        at = {"int": "j % 2", "std::string": "std::string(1 + j % 2, 'k')", "std::pair<int, int>": "std::pair<int, int>(j % 2, j / 2)", "char": "char('a' + j % 3)"}[key]
        fill = f"  for (int j = 0; j < 4; j++) {{ {kind.text} e{{}}; {one[0]} o.insert({{{at}, e}}); }}"
        fold = self.pick((f"  for (const auto &[k, e] : o) {{ {one[1]} }}",
                          f"  {{ int j = 1; auto [lo, hi] = o.equal_range({at}); for (; lo != hi; ++lo) {{ const auto &e = lo->second; {one[1]} }} }}",
                          f"  for (const auto &e : o | std::views::values) {{ {one[1]} }}"))
        change = self.pick((f"  int j = i % 3; o.erase({at});", f"  int j = i % 4; auto it = o.find({at}); if (it != o.end()) {{ auto &e = it->second; {one[2]} }}",
                            f"  for (auto it = o.begin(); it != o.end();) {{ auto &e = it->second; {one[2]} if (i % 2 && o.size() > 1) it = o.erase(it); else ++it; }}"))
        return self.declare_type(text, fill, fold, change)

    def queue(self, levels):
        kind = self.valued()
        one = self.one(kind)
        a, b = kind.key.format("a"), kind.key.format("b")
        name = self.named("Later")
        self.helpers.append(f"struct {name} {{ bool operator()(const {kind.text} &a, const {kind.text} &b) const {{ return {b} < {a}; }} }};")
        text, first = self.pick(((f"std::priority_queue<{kind.text}, std::vector<{kind.text}>, {name}>", "top"),
                                 (f"std::stack<{kind.text}, std::vector<{kind.text}>>", "top"), (f"std::queue<{kind.text}>", "front"), (f"std::stack<{kind.text}>", "top")))
        return self.declare_type(text, f"  for (int j = 0; j < 3; j++) {{ {kind.text} e{{}}; {one[0]} o.push(e); }}",
                                 f"  auto copy = o;\n  while (!copy.empty()) {{ const auto &e = copy.{first}(); {one[1]} copy.pop(); }}",
                                 f"  if (o.empty()) return;\n  {kind.text} e = o.{first}(); o.pop(); {one[2]} if (o.size() < 6) o.push(e);")

    def handles(self, levels):
        """Elements, and pointers or iterators to them that a copy has to find again."""
        kind = self.valued()
        one = self.one(kind)
        name = self.named("Handles")
        by = self.pick(("p", "it"))
        held = {"p": f"std::vector<const {kind.text} *> order", "it": f"std::vector<typename std::{(which := self.pick(('vector', 'list', 'deque')))}<{kind.text}>::const_iterator> order"}[by]
        get = "&*it" if by == "p" else "it"
        a, b = kind.key.format("(*a)"), kind.key.format("(*b)")
        text = (f"  std::{which}<{kind.text}> all;\n  {held};\n  {name}() = default;\n  {name}(const {name} &other) : all(other.all) {{ index(); }}\n"
                f"  {name} &operator=(const {name} &other) {{ all = other.all; index(); return *this; }}\n"
                f"  void index() {{ order.clear(); for (auto it = all.cbegin(); it != all.cend(); ++it) order.push_back({get});\n"
                f"    std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) {{ return {a} < {b}; }}); }}")
        return self.declare_class(name, text, f"  for (int j = 0; j < 3; j++) {{ {kind.text} e{{}}; {one[0]} o.all.push_back(e); }} o.index();",
                                  f"  for (const auto &p : o.order) {{ const auto &e = *p; {one[1]} s = s * real(0.9); }}",
                                  f"  for (auto &e : o.all) {{ {one[2]} }} o.index();")

    def allocated(self, levels):
        kind = self.element(levels)
        one = self.one(kind)
        name = self.named("Allocator")
        if self.chance(0.5):
            allocator = f"Counting<{kind.text}>"
            text = self.pick((f"std::vector<{kind.text}, {allocator}>", f"std::list<{kind.text}, {allocator}>"))
            if known := self.known(text):
                return known
            return self.declare_type(text, f"  for (int j = 0; j < 3; j++) {{ {kind.text} e{{}}; {one[0]} o.push_back(e); }}",
                                     f"  for (const auto &e : o) {{ {one[1]} }}", f"  if (o.size() < 5) o.push_back(o.front()); for (auto &e : o) {{ {one[2]} }}")
        text = (f"  std::vector<{kind.text}> all;\n  real through(real s) const {{\n    alignas(16) std::byte room[512]; std::pmr::monotonic_buffer_resource pool(room, sizeof room);\n"
                f"    std::pmr::vector<{kind.text}> copy(all.rbegin(), all.rend(), &pool);\n    for (const auto &e : copy) {{ {one[1]} }}\n    return s;\n  }}")
        return self.declare_class(name, text, f"  o.all.resize(2); for (auto &e : o.all) {{ {one[0]} }}", "  s = o.through(s);",
                                  f"  for (auto &e : o.all) {{ {one[2]} }}")

    # Storage of one's own

    def placed(self, levels):
        """A vector with room for a few elements in itself."""
        kind = self.element(levels)
        one = self.one(kind)
        name, k = self.named("Inplace"), kind.text
        room = self.pick((f"alignas({k}) std::byte room[4 * sizeof({k})]", f"alignas({k}) unsigned char room[sizeof({k}) * 4]", f"struct alignas({k}) {{ char bytes[sizeof({k}) * 4]; }} room"))
        text = (f"  {room};\n  int n = 0;\n  {name}() = default;\n  {name}(const {name} &other) {{ for (int i = 0; i < other.n; i++) push(other[i]); }}\n"
                f"  {name} &operator=(const {name} &other) {{ if (this != &other) {{ clear(); for (int i = 0; i < other.n; i++) push(other[i]); }} return *this; }}\n"
                f"  ~{name}() {{ clear(); }}\n  {k} &operator[](int i) {{ return *std::launder(reinterpret_cast<{k} *>(&room) + i); }}\n"
                f"  const {k} &operator[](int i) const {{ return *std::launder(reinterpret_cast<const {k} *>(&room) + i); }}\n"
                f"  void push(const {k} &v) {{ if (n < 4) {{ new (reinterpret_cast<{k} *>(&room) + n) {k}(v); ++n; }} }}\n"
                f"  void clear() {{ while (n > 0) std::destroy_at(&(*this)[--n]); }}")
        return self.declare_class(name, text, f"  int n = 1 + from.count() % 4;\n  for (int j = 0; j < n; j++) {{ {k} e{{}}; {one[0]} o.push(e); }}",
                                  f"  for (int j = 0; j < o.n; j++) {{ const auto &e = o[j]; {one[1]} }}",
                                  "  if (!o.n) return;\n" + self.pick((f"  for (int j = 0; j < o.n; j++) {{ auto &e = o[j]; {one[2]} }}", f"  {k} e = o[0]; {one[2]} o.push(e);",
                                             f"  if (o.n > 1) std::destroy_at(&o[--o.n]); auto &e = o[0]; {one[2]}")))

    def arena(self, levels):
        """Objects of two types side by side in a block of bytes."""
        kinds = [self.structure(1), self.structure(0)]
        a, b = self.one(kinds[0], "(*p)"), self.one(kinds[1], "(*q)")
        name, (k, m) = self.named("Arena"), (kind.text for kind in kinds)
        text = (f"  std::vector<{k}> first; std::vector<{m}> second;\n  real through(real s) const {{\n"
                f"    alignas(std::max_align_t) std::byte room[8192]; std::size_t top = 0;\n"
                f"    auto take = [&](std::size_t bytes, std::size_t align) -> void * {{ top = (top + align - 1) / align * align; void *p = room + top; top += bytes; return p; }};\n"
                f"    std::vector<{k} *> ps; std::vector<{m} *> qs;\n"
                f"    for (const auto &e : first) {{ ps.push_back(new (take(sizeof({k}), alignof({k}))) {k}(e)); if (!second.empty()) qs.push_back(new (take(sizeof({m}), alignof({m}))) {m}(second[0])); }}\n"
                f"    for (auto *p : ps) {{ {a[1]} p->~{k.split('::')[-1]}(); }}\n    for (auto *q : qs) {{ {b[1]} q->~{m.split('::')[-1]}(); }}\n    return s;\n  }}")
        fill_a, fill_b = self.one(kinds[0]), self.one(kinds[1])
        return self.declare_class(name, text, f"  o.first.resize(2); for (auto &e : o.first) {{ {fill_a[0]} }}\n  o.second.resize(1); for (auto &e : o.second) {{ {fill_b[0]} }}",
                                  "  s = o.through(s);", f"  for (auto &e : o.first) {{ {fill_a[2]} }}")

    def tagged(self, levels):
        name = self.named("Tagged")
        extra = self.pick(("int n", "long n", "const real *n", "Pair<real> n", "char n[8]"))
        value = "s += real(0.01 * u.n);" if extra in ("int n", "long n") else "s += *u.n * u.n[0];" if "*" in extra else "s += u.n.a * u.n.b;" if "Pair" in extra else "s += real(0.1 * u.n[1]);"
        put = "u.n = 3;" if extra in ("int n", "long n") else "u.n = at;" if "*" in extra else "u.n.a = *at; u.n.b = tanh(*at);" if "Pair" in extra else "for (char &letter : u.n) letter = 2;"
        text = (f"  union Either {{ real x; {extra}; Either() : x(0.0) {{}} }} u;\n  {self.pick(('int', 'bool', 'char', 'long'))} tag = 0;\n"
                f"  void number(real a) {{ u.x = a; tag = 0; }}\n  void other(const real *at) {{ {put} tag = 1; }}\n"
                f"  real value(real s) const {{ if (tag) {{ {value} }} else s += {self.unary('u.x')}; return s; }}")
        return self.declare_class(name, text, "  if (from.count() % 2) o.other(&from.x[1]); else o.number(from.next());", "  s = o.value(s);",
                                  "  if (o.tag == 0) o.number(o.u.x * a); else if (i % 2) o.number(a);")

    def bits(self, levels):
        name = self.named("Bits")
        text = (f"  unsigned a : 3 = 1;\n  real x{{}};\n  int b : 5 = 0;\n  bool c : 1 = false;\n  {self.pick(('real', 'Single<real>'))} w{{}};\n  unsigned long long d : 40 = 7;")
        self.single |= "Single" in text
        return self.declare_class(name, text, "  o.a = from.count() % 8; o.x = from.next(); o.b = from.count() % 9 - 4; o.w = from.next(); o.d = from.count();",
                                  f"  if (o.a & 1) s += {self.unary('o.x')}; s = s * real(0.5 + 0.01 * o.b) + o.w * real(0.01 * (o.d % 7)); if (o.c) s = s * o.w;",
                                  "  o.c = i % 2; o.a++; o.x = o.x * a; if (o.b > 0) o.w = a;")

    def singles(self, levels):
        """Numbers of both widths side by side."""
        self.single = True
        name = self.named("Mixed")
        kind = self.element(levels)
        one = self.one(kind, "o.m")
        inner = self.pick(("std::vector<Single<real>> v", "std::array<Single<real>, 3> v", "Single<real> v[2]"))
        return self.declare_class(name, f"  Single<real> f{{}};\n  real x{{}};\n  {kind.text} m{{}};\n  {inner}{{}};\n  int n = 0;",
                                  f"  o.f = from.next(); o.x = from.next(); {one[0]}\n  {'o.v.resize(2);' if 'vector' in inner else ''} for (auto &e : o.v) e = from.next();",
                                  f"  s += {self.unary('real(o.f)')} * o.x; {one[1]}\n  for (const auto &e : o.v) s = s * real(0.7) + real(e) * real(o.f);",
                                  f"  o.f = a * real(o.f); {'if (o.v.size() > 1) ' if 'vector' in inner else ''}o.v[1] = o.v[0]; {one[2]}")

    # Classes

    def any_of(self, levels):
        kind = self.structure(1)
        one = self.one(kind)
        if self.known("std::any"):
            return self.known("std::any")
        return self.declare_type("std::any", f"  if (from.count() % 2) {{ {kind.text} e{{}}; {one[0]} o = e; }} else o = from.next();",
                                 f"  if (const real *p = std::any_cast<real>(&o)) s += {self.unary('*p')}; else if (auto *q = std::any_cast<{kind.text}>(&o)) {{ const auto &e = *q; {one[1]} }}",
                                 f"  if (auto *q = std::any_cast<{kind.text}>(&o)) {{ auto &e = *q; {one[2]} }} else if (i % 2) o = a;")

    def variants(self, levels):
        """Several alternatives; two of them visited at once."""
        kinds = [self.real(), self.structure(0), self.element(levels)]
        self.random.shuffle(kinds)
        if kinds[2].text in (kinds[0].text, kinds[1].text) or kinds[0].text == kinds[1].text:
            kinds = kinds[:2] if kinds[0].text != kinds[1].text else [self.real(), self.structure(0)]
        first = self.pick(("std::monostate, ", "int, ", ""))
        name = self.named("Choice")
        text = f"std::variant<{first}{', '.join(kind.text for kind in kinds)}>"
        fills, folds, changes = "", "", ""
        for i, kind in enumerate(kinds):
            one = self.one(kind)
            fills += f"  if (which == {i}) {{ {kind.text} e{{}}; {one[0]} o.u = {self.pick(('e', 'std::move(e)'))}; }}\n"
            folds += f"    real operator()(const {kind.text} &e) const {{ real s = start; {one[1]} return s; }}\n"
            changes += f"  if (auto *p = std::get_if<{kind.text}>(&o.u)) {{ auto &e = *p; {one[2]} }}\n"
        if first:
            folds += f"    real operator()({first[:-2]}) const {{ return start * real(0.5); }}\n"
        self.helpers.append(f"struct {name}Fold {{\n    real start;\n{folds}  }};")
        pair = (f"  s += std::visit([&](const auto &a, const auto &b) {{ return {name}Fold{{s}}(a) * real(0.3) + {name}Fold{{s}}(b); }}, o.u, o.w);" if self.chance(0.5)
                else f"  s = std::visit({name}Fold{{s}}, o.u);\n  s += std::visit({name}Fold{{s}}, o.w);")
        return self.declare_class(name, f"  {text} u, w;", f"  int which = from.count() % {len(kinds)};\n{fills}  o.w = o.u;", pair,
                                  self.pick((changes, "  if (i % 2) std::swap(o.u, o.w);\n" + changes, "  o.w = o.u;\n" + changes)))

    def bases(self, levels):
        """Two interfaces, one of them virtual maybe, and a cast across."""
        name = self.named("Part")
        virtual = self.pick(("", "virtual "))
        member = self.element(levels)
        one = self.one(member, "m")
        one = tuple(text.replace("fill(", "::CF_NAMESPACE::fill(").replace("fold(", "::CF_NAMESPACE::fold(").replace("change(", "::CF_NAMESPACE::change(") for text in one)
        self.helpers.append(f"struct {name}Root {{ real r{{}}; virtual ~{name}Root() = default; virtual real value() const = 0; virtual {name}Root *clone() const = 0; }};\n"
                            f"struct {name}Left : {virtual}{name}Root {{ real l{{}}; real value() const override {{ return r * l; }} }};\n"
                            f"struct {name}Right {{ real q{{}}; virtual ~{name}Right() = default; virtual real also(real s) const {{ return s * q; }} }};\n"
                            f"struct {name}Both : {name}Left, {name}Right {{ {member.text} m{{}};\n  real also(real s) const override {{ {one[1]} return s * real(0.5) + q * l; }}\n"
                            f"  {name}Both *clone() const override {{ return new {name}Both(*this); }} }};\n"
                            f"struct {name}Only : {name}Left {{ {name}Only *clone() const override {{ return new {name}Only(*this); }} }};")
        text = (f"  std::unique_ptr<{name}Root> p;\n  {name}() = default;\n  {name}(const {name} &other) : p(other.p ? other.p->clone() : nullptr) {{}}\n  {name}({name} &&) = default;\n"
                f"  {name} &operator=({name} other) {{ p.swap(other.p); return *this; }}")
        return self.declare_class(name, text,
                                  f"  if (from.count() % 3) {{ auto made = std::make_unique<{name}Both>(); auto &m = made->m; {one[0]} made->l = from.next(); made->q = from.next(); o.p = std::move(made); }}\n"
                                  f"  else {{ auto made = std::make_unique<{name}Only>(); made->l = from.next(); o.p = std::move(made); }}\n  o.p->r = from.next();",
                                  f"  if (!o.p) return s;\n  s += o.p->value();\n  if (const auto *right = dynamic_cast<const {name}Right *>(o.p.get())) s = right->also(s);",
                                  f"  if (!o.p) return;\n  o.p->r = o.p->r * a; if (auto *both = dynamic_cast<{name}Both *>(o.p.get())) {{ auto &m = both->m; {one[2]} }}")

    def curious(self, levels):
        """Static polymorphism, and an expression of templates."""
        name = self.named("Curious")
        member = self.element(levels)
        one = self.one(member, "m")
        self.helpers.append(f"template <typename D> struct {name}Base {{ real scale{{}}; real run(real s) const {{ return static_cast<const D *>(this)->step(s) * scale + s; }} }};")
        text = (f"  {member.text} m{{}};\n  Small<real, 2, 3> left{{}};\n  Small<real, 3, 2> right{{}};\n"
                f"  real step(real s) const {{ const Small<real, 2, 2> product = left * right; return trace(product + product * s) + s; }}")
        self.helpers.append(f"struct {name} : {name}Base<{name}> {{\n{text}\n}};")
        one = self.one(member, "o.m")
        return self.declare_type(name, f"  o.scale = from.next(); for (auto &e : o.left.v) e = from.next(); for (auto &e : o.right.v) e = from.next();\n{one[0]}",
                                 f"  s = tanh(o.run(s));\n{one[1]}", f"  o.left(0, i % 3) = a; o.right(i % 3, 1) = o.left(1, 1);\n{one[2]}")

    def tree(self, levels):
        """A tree of owners with values of any type at its nodes."""
        kind = self.element(levels)
        one = self.one(kind, "v")
        name = self.named("Tree")
        if self.chance(0.5):
            text = (f"  {kind.text} v{{}};\n  std::vector<std::unique_ptr<{name}>> below;\n  {name}() = default;\n"
                    f"  {name}(const {name} &other) : v(other.v) {{ for (const auto &p : other.below) below.push_back(std::make_unique<{name}>(*p)); }}\n"
                    f"  {name}({name} &&) = default;\n  {name} &operator=({name} other) {{ std::swap(v, other.v); below.swap(other.below); return *this; }}\n"
                    f"  void grow(int n) {{ for (int j = 0; j < n; j++) {{ below.push_back(std::make_unique<{name}>()); below.back()->v = v; below.back()->grow(n - 1); }} }}")
        else:
            text = (f"  {kind.text} v{{}};\n  std::vector<std::shared_ptr<{name}>> below;\n  std::weak_ptr<{name}> up;\n"
                    f"  void grow(int n) {{ for (int j = 0; j < n; j++) {{ auto made = std::make_shared<{name}>(); made->v = v; made->grow(n - 1); made->up = made; below.push_back(std::move(made)); }} }}")
        self.helpers.append(f"struct {name} {{\n{text}\n}};")
        self.helpers.append(f"static real walk(const {name} &o, real s) {{\n  const auto &v = o.v; {one[1]}\n  for (const auto &p : o.below) s = walk(*p, s * real(0.8));\n  return s;\n}}")
        self.helpers.append(f"static void touch({name} &o, real a, int i) {{\n  auto &v = o.v; {one[2]}\n  for (auto &p : o.below) touch(*p, a * real(0.5), i + 1);\n}}")
        return self.declare_type(name, f"  auto &v = o.v; {one[0]} o.below.clear(); o.grow({self.pick(('1', '2', '1 + from.count() % 2'))});", "  s = walk(o, s);",
                                 self.pick(("  touch(o, a, i);", "  if (!o.below.empty()) o.below.pop_back(); touch(o, a, i);")))

    def pieces(self, levels):
        kind = self.element(levels)
        one = self.one(kind)
        name, k = self.named("Pieces"), kind.text
        text = (f"  std::unique_ptr<{k}[]> p;\n  std::size_t n = 0;\n  {name}() = default;\n  {name}(const {name} &other) : p(std::make_unique<{k}[]>(other.n)), n(other.n) {{ std::copy_n(other.p.get(), n, p.get()); }}\n"
                f"  {name}({name} &&) = default;\n  {name} &operator=({name} other) {{ p = std::move(other.p); n = other.n; return *this; }}\n"
                f"  std::span<{k}> all() {{ return {{p.get(), n}}; }}\n  std::span<const {k}> all() const {{ return {{p.get(), n}}; }}")
        return self.declare_class(name, text, f"  o.n = 1 + from.count() % 4; o.p = std::make_unique<{k}[]>(o.n);\n  for (auto &e : o.all()) {{ {one[0]} }}",
                                  f"  for (const auto &e : {self.pick(('o.all()', 'o.all().first(1)', 'o.all() | std::views::reverse'))}) {{ {one[1]} }}",
                                  f"  if (!o.n) return;\n  auto &e = o.all()[i % o.n]; {one[2]}")

    def thrown(self, levels):
        kind = self.structure(1)
        one = self.one(kind, "(*p)")
        name = self.named("Thrown")
        self.helpers.append(f"struct {name}Error{self.pick((' : std::runtime_error', ''))} {{ real left; int code;\n  {name}Error(real left, int code) : {'std::runtime_error(' + chr(34) + 'no' + chr(34) + '), ' if 0 else ''}left(left), code(code) {{}} }};"
                            .replace(f"{name}Error : std::runtime_error {{ real left; int code;\n  {name}Error(real left, int code) : ", f"{name}Error : std::runtime_error {{ real left; int code;\n  {name}Error(real left, int code) : std::runtime_error(\"no\"), "))
        text = (f"  {kind.text} m{{}};\n  {self.attribute()}real check(real s) const {{\n    const auto *p = &m; std::vector<real> held(2, s);\n    {one[1]}\n"
                f"    if ({self.pick(('s > real(0.4)', 'fabs(s) < real(0.5)', 's < real(0.0)'))}) throw {name}Error(s * held[1], 2);\n    return s + held[0];\n  }}")
        one = self.one(kind, "o.m")
        catch = self.pick((f"catch (const {name}Error &e) {{ s = tanh(e.left) * real(0.1 * e.code); }}", f"catch ({name}Error e) {{ s += e.left; }}", "catch (...) { s = s * real(0.3); }"))
        return self.declare_class(name, text, one[0], f"  try {{ s = o.check(s); }} {catch}", one[2])

    # Algorithms

    def ordered(self, levels):
        """Numbers in a vector that algorithms of the library move and sum up."""
        kind = self.valued()
        one = self.one(kind)
        v, k, key = "o", kind.text, kind.key.format("e")
        text = f"std::vector<{k}>"
        if known := self.known(text):
            return known
        a, b = kind.key.format("a"), kind.key.format("b")
        less = f"[](const {k} &a, const {k} &b) {{ return {a} < {b}; }}"
        moves = (f"std::nth_element(o.begin(), o.begin() + o.size() / 2, o.end(), {less});", f"std::partial_sort(o.begin(), o.begin() + 2, o.end(), {less});",
                 f"std::stable_sort(o.begin(), o.end(), {less});", "std::rotate(o.begin(), o.begin() + 1, o.end());",
                 f"o.erase(std::remove_if(o.begin() + 1, o.end(), [](const {k} &e) {{ return {key} < real(-0.6); }}), o.end());", f"std::erase_if(o, [](const {k} &e) {{ return {key} < real(-0.7); }});",
                 f"std::stable_partition(o.begin(), o.end(), [](const {k} &e) {{ return {key} > real(0.2); }});", f"std::partition(o.begin(), o.end(), [](const {k} &e) {{ return {key} > real(0.1); }});",
                 f"std::make_heap(o.begin(), o.end(), {less}); std::pop_heap(o.begin(), o.end(), {less}); o.pop_back();", "std::swap_ranges(o.begin(), o.begin() + 1, o.begin() + 1);",
                 f"{{ auto copy = o; o.insert(o.end(), copy.begin(), copy.begin() + 1); }}", f"std::ranges::sort(o, {{}}, [](const {k} &e) {{ return {key}; }});" if 0 else f"std::ranges::sort(o, {less});",
                 f"{{ {text} out; std::copy_if(o.begin(), o.end(), std::back_inserter(out), [](const {k} &e) {{ return {key} < real(0.9); }}); o.swap(out); }}",
                 f"{{ auto m = std::max_element(o.begin(), o.end(), {less}); std::iter_swap(m, o.begin()); }}",
                 f"{{ {text} out(o.size() + 1); std::merge(o.begin(), o.begin() + 1, o.begin(), o.end(), out.begin(), {less}); o = std::move(out); }}",
                 f"o.assign(2, {k}(o.back()));", "o.shrink_to_fit();", f"std::vector<int> order(o.size()); std::iota(order.begin(), order.end(), 0); "
                 f"std::sort(order.begin(), order.end(), [&](int i, int j) {{ const auto &a = o[i]; const auto &b = o[j]; return {a} < {b}; }}); {text} out; for (int j : order) out.push_back(o[j]); o = out;")
        sums = (f"  for (const auto &e : o) {{ {one[1]} }}",
                f"  s = std::accumulate(o.begin(), o.end(), s, [](real s, const {k} &e) {{ return s * real(0.9) + {key}; }});\n  for (const auto &e : o) {{ {one[1]} }}",
                f"  s += std::inner_product(o.begin(), o.end(), o.begin(), real(0.0), std::plus<>(), [](const {k} &a, const {k} &b) {{ return {a} * {b}; }});",
                f"  s += std::transform_reduce(o.begin(), o.end(), real(0.0), std::plus<>(), [](const {k} &e) {{ return {self.unary(key)}; }});",
                f"  for (real e : o | std::views::transform([](const {k} &e) {{ return {key}; }}) | std::views::filter([](real a) {{ return a > real(-0.5); }})) s = s * real(0.8) + e;",
                f"  for (const auto &e : o | std::views::reverse | std::views::take(2)) {{ {one[1]} }}", f"  for (const auto &e : o | std::views::drop(1)) {{ {one[1]} }}",
                f"  for (int j : std::views::iota(0, int(o.size()))) {{ const auto &e = o[j]; {one[1]} }}",
                f"  std::vector<real> part(o.size()); std::transform(o.begin(), o.end(), part.begin(), [](const {k} &e) {{ return {key}; }}); std::partial_sum(part.begin(), part.end(), part.begin());\n"
                f"  std::adjacent_difference(part.rbegin(), part.rend(), part.rbegin()); for (real e : part) s = tanh(s + e);")
        return self.declare_type(text, f"  int n = 3 + from.count() % 3;\n  for (int j = 0; j < n; j++) {{ {k} e{{}}; {one[0]} o.push_back(e); }}", self.pick(sums),
                                 "  while (o.size() < 3) { o.emplace_back(); auto &e = o.back(); " + one[2] + " }\n  " + "\n  ".join(f"{{ {text} }}" for text in self.random.sample(moves, 2)).replace(f"{{ {text} }}", text)
                                 + "\n  if (o.size() > 7) o.resize(4);")

    def closures(self, levels):
        """Functions that hold objects, in containers."""
        kind = self.structure(1)
        one = self.one(kind, "held")
        name = self.named("Closures")
        text = f"  std::vector<std::function<real(real)>> steps;\n  std::map<std::string, std::function<real(const {name} &, real)>> named;"
        fill = (f"  {{ {kind.text} held{{}}; {one[0]} o.steps.push_back([held](real s) {{ {one[1]} return tanh(s); }}); }}\n"
                f"  {{ auto shared = std::make_shared<real>(from.next()); o.steps.push_back([shared](real s) {{ return s * *shared; }}); o.steps.push_back([shared](real s) {{ *shared = *shared * real(0.5); return s + *shared; }}); }}\n"
                f"  o.named[\"all\"] = [](const {name} &own, real s) {{ for (const auto &f : own.steps) s = f(s); return s; }};\n"
                f"  if (from.count() % 2) o.named[\"a name that does not fit inside\"] = [w = from.next()](const {name} &own, real s) {{ return w * real(0.1 * own.steps.size()) + s; }};")
        return self.declare_class(name, text, f"  o.steps.clear();\n{fill}", "  for (const auto &[name, f] : o.named) s = f(o, s);", "  if (o.steps.size() > 4) o.steps.pop_back(); else o.steps.push_back([a](real s) { return a * s; });")

    def complexes(self, levels):
        name = self.named("Wave")
        text = ("  std::complex<real> a{}, b{};\n  std::vector<std::complex<real>> more;\n"
                "  std::complex<real> at(real s) const { std::complex<real> z(s, real(0.3)); for (const auto &c : more) z = z * a + c; return z * b; }")
        return self.declare_class(name, text, "  o.a = {from.next(), from.next()}; o.b = {from.next(), from.next()}; o.more.resize(3); for (auto &c : o.more) c = {from.next(), from.next()};",
                                  "  const std::complex<real> z = o.at(tanh(s)); s = tanh(z.real() * z.imag() + z.real());", "  if (o.more.empty()) o.more.resize(3);\n  o.more[i % 3] = o.a * std::complex<real>(a, a); o.a = std::complex<real>(o.a.imag(), o.b.real());")

    def any(self, levels):
        if levels > 0 and self.chance(0.45):
            return self.pick((self.set, self.multimap, self.queue, self.handles, self.allocated, self.placed, self.arena, self.tagged, self.bits, self.singles, self.any_of,
                              self.variants, self.bases, self.curious, self.tree, self.pieces, self.thrown, self.ordered, self.closures, self.complexes))(levels)
        return super().any(levels)
