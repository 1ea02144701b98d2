# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs over random C++ data: structures, arrays, containers, options, variants, owners, class hierarchies and
functions, nested in each other, that are filled, copied, moved, changed, sorted, handed around and summed up.

A program is text that compiles with real = double and with real = Dual. Each type has three functions of its own:
fill(object, source) takes numbers from the arguments, fold(object, s) sums it up, change(object, a, i) writes to it.
"""

import generate
import object_layouts


class Type:
    """A type: its C++ name and what stands in the bodies of its functions."""

    def __init__(self, text, fill, fold, change, key=None):
        self.text, self.fill, self.fold, self.change, self.key = text, fill, fold, change, key


class Program(generate.Program):
    """One program over a few random types."""

    headers = generate.Program.headers + ('#include "Source.h"',)
    per_unit = 5
    may_be_refused = True # objects of several types at one place, see CF203
    # With all values active, objects that functions keep are refused, too.
    configurations = (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"], ["-O2", "-g"], ["-O1", "-ffast-math", "-fno-finite-math-only"])

    def __init__(self, seed, name):
        super().__init__(seed, name)
        self.types = []

    def unary(self, text):
        return self.pick(generate.UNARY).format(text)

    def number(self):
        return f"real({self.random.uniform(0.1, 0.9):.2f})"

    def attribute(self):
        return self.pick(("", "", "inline ", "__attribute__((noinline)) "))

    def declare_type(self, text, fill, fold, change, key=None):
        """Emits the functions of a type."""
        self.helpers.append(f"{self.attribute()}static void fill({text} &o, Source<real> &from) {{\n{fill}\n}}")
        by = self.pick((f"const {text} &o", f"const {text} &o", f"{text} o", f"const {text} *at"))
        head = f"const {text} &o = *at;\n" if "*at" in by else ""
        inner = f"fold_{len(self.types)}_{self.name}"
        attribute = self.attribute()
        self.helpers.append(f"{attribute}static real {inner}({by}, real s) {{\n{head}{fold}\n  return s;\n}}")
        self.helpers.append(f"static real fold(const {text} &o, real s) {{ return {inner}({'&o' if head else 'o'}, s); }}")
        self.helpers.append(f"{self.attribute()}static void change({text} &o, real a, int i) {{\n{change}\n}}")
        made = Type(text, fill, fold, change, key)
        self.types.append(made)
        return made

    # Types

    def known(self, text):
        return next((made for made in self.types if made.text == text), None)

    def real(self):
        return Type("real", "", "", "", "{}")

    def parts(self, members, separator="\n"):
        """Bodies over members: (type, how it is reached from o)."""
        fill, fold, change = [], [], []
        for kind, place in members:
            if kind.text == "real":
                fill.append(f"  {place} = from.next();")
                fold.append(self.pick((f"  s = tanh(s * {self.number()} + {place});", f"  s += {self.number()} * {self.unary(place)};",
                                       f"  s = s * {self.number()} + {place} * {place};")))
                change.append(self.pick((f"  {place} = tanh({place} * a);", f"  {place} += {self.number()} * {self.unary('a')};",
                                         f"  if (i % 2) {place} = a;", f"  {place} *= {self.number()};")))
            elif kind.text in ("int", "char", "bool", "long", "short"):
                fill.append(f"  {place} = from.count() % 5;")
                fold.append(self.pick(("", f"  if ({place}) s = s * {self.number()};", f"  s += real(0.1 * {place});")))
                change.append(self.pick(("", f"  {place} = i % 2;")))
            elif kind.text == "std::string":
                fill.append(f"  {place} = from.count() % 2 ? \"short\" : \"a name that does not fit inside\";")
                fold.append(f"  s += real(0.01 * {place}.size());")
                change.append(self.pick(("", f"  {place} += 'x';")))
            else:
                fill.append(f"  fill({place}, from);")
                fold.append(f"  s = fold({place}, s);")
                change.append(f"  change({place}, a, i);")
        order = list(range(len(members)))
        self.random.shuffle(order)
        return tuple("\n".join(lines) for lines in (fill, [fold[i] for i in order], [change[i] for i in order]))

    def plain(self):
        return Type(self.pick(("int", "char", "bool", "long", "short", "std::string")), "", "", "")

    def structure(self, levels):
        name = f"{self.name}_{self.fresh('S')}"
        members = []
        for i in range(self.random.randrange(1, 5)):
            kind = self.plain() if self.chance(0.25) else self.real() if self.chance(0.45) else self.any(levels - 1)
            members.append((kind, f"o.m{i}", f"m{i}"))
        if not any(kind.text == "real" or kind not in ("int",) for kind, _, _ in members) or self.chance(0.3):
            members.append((self.real(), "o.last", "last"))
        base = ""
        if self.chance(0.25):
            other = self.structure(0)
            base = f" : {other.text}"
        text = "".join(f"  {kind.text} {member}{'{}' if self.chance(0.7) else ''};\n" for kind, _, member in members)
        methods = ""
        reals = [member for kind, _, member in members if kind.text == "real"]
        if reals and self.chance(0.4):
            methods = f"  real energy() const {{ return {self.unary(reals[0])} * {reals[-1]}; }}\n"
        self.helpers.append(f"struct {name}{base} {{\n{text}{methods}}};")
        fill, fold, change = self.parts([(kind, place) for kind, place, _ in members])
        if base:
            up = base[3:]
            fill += f"\n  fill(static_cast<{up} &>(o), from);"
            fold += f"\n  s = fold(static_cast<const {up} &>(o), s);"
            change += f"\n  change(static_cast<{up} &>(o), a, i);"
        if methods:
            fold += "\n  s += real(0.1) * o.energy();"
        key = f"{{}}.{reals[0]}" if reals else None
        return self.declare_type(name, fill, fold, change, key)

    def element(self, levels):
        return self.real() if self.chance(0.4) else self.any(levels - 1)

    def sequence(self, levels):
        kind = self.element(levels)
        which = self.pick(("vector", "vector", "vector", "deque", "list"))
        text = f"std::{which}<{kind.text}>"
        if known := self.known(text):
            return known
        one = self.parts([(kind, "e")])
        count = self.pick(("1 + from.count() % 4", "3", "2 + from.count() % 2"))
        fill = self.pick((f"  o.resize({count});\n  for (auto &e : o) {{ {one[0]} }}",
                          f"  int n = {count};\n  for (int j = 0; j < n; j++) {{ {kind.text} e{{}}; {one[0]} o.push_back({self.pick(('e', 'std::move(e)'))}); }}",
                          f"  int n = {count};\n  for (int j = 0; j < n; j++) {{ o.emplace_back(); auto &e = o.back(); {one[0]} }}"))
        fold = self.pick((f"  for (const auto &e : o) {{ {one[1]} }}",
                          f"  for (auto it = o.begin(); it != o.end(); ++it) {{ const auto &e = *it; {one[1]} }}",
                          f"  for (auto it = o.rbegin(); it != o.rend(); ++it) {{ const auto &e = *it; {one[1]} }}",
                          f"  s = std::accumulate(o.begin(), o.end(), s, [](real s, const {kind.text} &e) {{ {one[1]} return s; }});",
                          f"  std::for_each(o.begin(), o.end(), [&](const {kind.text} &e) {{ {one[1]} }});"))
        changes = [f"  for (auto &e : o) {{ {one[2]} }}", f"  if (!o.empty()) {{ auto &e = o.back(); {one[2]} }}",
                   f"  {{ {kind.text} e{{}}; if (!o.empty()) e = o.front(); {one[2]} o.push_back(e); }}",
                   "  if (o.size() > 1) o.pop_back();", "  if (o.size() > 2) o.erase(o.begin());",
                   f"  {{ {kind.text} e{{}}; if (!o.empty()) e = o.back(); {one[2]} if (o.size() < 8) o.insert(o.begin(), {self.pick(('e', 'std::move(e)'))}); }}",
                   "  std::reverse(o.begin(), o.end());", f"  {text} copy(o); o = {self.pick(('copy', 'std::move(copy)'))};"]
        if kind.text == "real" and which != "list":
            changes.append("  std::sort(o.begin(), o.end());")
        elif kind.key and which != "list":
            changes.append(f"  std::sort(o.begin(), o.end(), [](const {kind.text} &p, const {kind.text} &q) {{ return "
                           f"{kind.key.format('p')} < {kind.key.format('q')}; }});")
        change = "\n".join(self.random.sample(changes, self.random.randrange(1, 4)))
        return self.declare_type(text, fill, fold, change)

    def array(self, levels):
        kind = self.element(levels)
        text = f"std::array<{kind.text}, {self.random.randrange(1, 4)}>"
        if known := self.known(text):
            return known
        one = self.parts([(kind, "e")])
        return self.declare_type(text, f"  for (auto &e : o) {{ {one[0]} }}", f"  for (const auto &e : o) {{ {one[1]} }}",
                                 self.pick((f"  auto &e = o[i % o.size()]; {one[2]}", f"  for (auto &e : o) {{ {one[2]} }}",
                                            f"  o[0] = o[o.size() - 1]; auto &e = o[0]; {one[2]}")))

    def mapping(self, levels):
        kind = self.element(levels)
        key = self.pick(("int", "int", "std::string"))
        which = self.pick(("map", "map", "unordered_map"))
        text = f"std::{which}<{key}, {kind.text}>"
        if known := self.known(text):
            return known
        one = self.parts([(kind, "e")])
        at = (lambda i: i) if key == "int" else (lambda i: f"std::to_string({i})")
        fill = f"  int n = 1 + from.count() % 3;\n  for (int j = 0; j < n; j++) {{ auto &e = o[{at('j * 7 % 5')}]; {one[0]} }}"
        if which == "map":
            fold = self.pick((f"  for (const auto &[k, e] : o) {{ {one[1]} }}", f"  for (auto it = o.begin(); it != o.end(); it++) {{ const auto &e = it->second; {one[1]} }}"))
        else:
            fold = f"  for (int j = 0; j < 5; j++) {{ auto it = o.find({at('j')}); if (it != o.end()) {{ const auto &e = it->second; {one[1]} }} }}"
        change = self.pick((f"  auto &e = o[{at('i % 5')}]; {one[2]}", f"  for (auto &[k, e] : o) {{ {one[2]} }}",
                            f"  o.erase({at('i % 3')});", f"  {kind.text} e{{}}; {one[2]} o.emplace({at('i % 4')}, e);",
                            f"  if (o.count({at('0')})) {{ auto &e = o.at({at('0')}); {one[2]} }}"))
        return self.declare_type(text, fill, fold, change)

    def option(self, levels):
        kind = self.element(levels)
        text = f"std::optional<{kind.text}>"
        if known := self.known(text):
            return known
        one = self.parts([(kind, "e")])
        return self.declare_type(text, f"  if (from.count() % 3) {{ {kind.text} e{{}}; {one[0]} o = e; }}",
                                 f"  if (o) {{ const auto &e = *o; {one[1]} }}",
                                 self.pick((f"  if (o) {{ auto &e = *o; {one[2]} }}", f"  if (!o) o.emplace(); auto &e = *o; {one[2]}",
                                            f"  if (i % 3 == 1) o.reset(); else if (o.has_value()) {{ auto &e = o.value(); {one[2]} }}")))

    def pair(self, levels):
        kinds = [self.real() if self.chance(0.5) else self.plain() if self.chance(0.3) else self.any(levels - 1) for _ in range(3)]
        if self.chance(0.5):
            text = f"std::pair<{kinds[0].text}, {kinds[1].text}>"
            members = [(kinds[0], "o.first"), (kinds[1], "o.second")]
        else:
            text = f"std::tuple<{', '.join(kind.text for kind in kinds)}>"
            members = [(kind, f"std::get<{i}>(o)") for i, kind in enumerate(kinds)]
        if known := self.known(text):
            return known
        return self.declare_type(text, *self.parts(members))

    def variant(self, levels):
        other = self.any(levels - 1)
        kinds = [self.real(), other] if other.text != "real" else [self.real(), self.structure(0)]
        text = f"std::variant<{kinds[0].text}, {kinds[1].text}>"
        if known := self.known(text):
            return known
        a, b = (self.parts([(kind, "e")]) for kind in kinds)
        fill = (f"  if (from.count() % 2) {{ {kinds[1].text} e{{}}; {b[0]} o = {self.pick(('e', 'std::move(e)'))}; }}\n"
                f"  else {{ real e{{}}; {a[0]} o = e; }}")
        if self.chance(0.5):
            fold = f"  if (const real *p = std::get_if<real>(&o)) {{ const real &e = *p; {a[1]} }}\n  else {{ const auto &e = std::get<1>(o); {b[1]} }}"
        else:
            fold = (f"  std::visit([&](const auto &e) {{ if constexpr (std::is_same_v<std::decay_t<decltype(e)>, real>) {{ {a[1]} }}\n"
                    f"  else {{ {b[1]} }} }}, o);")
        change = self.pick((f"  if (o.index() == 0) {{ real &e = std::get<0>(o); {a[2]} }} else {{ auto &e = std::get<1>(o); {b[2]} }}",
                            f"  if (o.index() == 1) o = a;", f"  if (i % 2 && o.index() == 0) {{ o.template emplace<1>(); auto &e = std::get<1>(o); {b[2]} }}"))
        return self.declare_type(text, fill, fold, change)

    def owner(self, levels):
        kind = self.any(levels - 1)
        name = f"{self.name}_{self.fresh('Owner')}"
        one = self.parts([(kind, "e")])
        if self.chance(0.4):
            text = f"std::shared_ptr<{kind.text}>"
            if known := self.known(text):
                return known
            return self.declare_type(text, f"  o = std::make_shared<{kind.text}>(); auto &e = *o; {one[0]}", f"  if (o) {{ const auto &e = *o; {one[1]} }}",
                                     self.pick((f"  if (o) {{ auto &e = *o; {one[2]} }}",
                                                f"  if (o && o.use_count() > 1) o = std::make_shared<{kind.text}>(*o); if (o) {{ auto &e = *o; {one[2]} }}")))
        if self.chance(0.5):
            self.helpers.append(f"struct {name} {{\n  std::unique_ptr<{kind.text}> p;\n  {name}() = default;\n"
                                f"  {name}(const {name} &other) : p(other.p ? std::make_unique<{kind.text}>(*other.p) : nullptr) {{}}\n"
                                f"  {name}({name} &&) = default;\n"
                                f"  {name} &operator=({name} other) {{ p = std::move(other.p); return *this; }}\n}};")
            return self.declare_type(name, f"  o.p = std::make_unique<{kind.text}>(); auto &e = *o.p; {one[0]}", f"  if (o.p) {{ const auto &e = *o.p; {one[1]} }}",
                                     f"  if (!o.p) o.p.reset(new {kind.text}()); auto &e = *o.p; {one[2]}")
        self.helpers.append(f"struct {name} {{\n  {kind.text} *p = nullptr;\n  int n = 0;\n  {name}() = default;\n"
                            f"  explicit {name}(int n) : p(new {kind.text}[n]()), n(n) {{}}\n"
                            f"  {name}(const {name} &other) : {name}(other.n) {{ for (int i = 0; i < n; i++) p[i] = other.p[i]; }}\n"
                            f"  {name}({name} &&other) noexcept : p(std::exchange(other.p, nullptr)), n(std::exchange(other.n, 0)) {{}}\n"
                            f"  {name} &operator=({name} other) {{ std::swap(p, other.p); std::swap(n, other.n); return *this; }}\n"
                            f"  ~{name}() {{ delete[] p; }}\n  {kind.text} &operator[](int i) {{ return p[i]; }}\n"
                            f"  const {kind.text} &operator[](int i) const {{ return p[i]; }}\n}};")
        return self.declare_type(name, f"  o = {name}(1 + from.count() % 3);\n  for (int j = 0; j < o.n; j++) {{ auto &e = o[j]; {one[0]} }}",
                                 f"  for (int j = 0; j < o.n; j++) {{ const auto &e = o[j]; {one[1]} }}",
                                 self.pick((f"  for (int j = 0; j < o.n; j++) {{ auto &e = o[j]; {one[2]} }}",
                                            f"  {name} bigger(o.n + 1); for (int j = 0; j < o.n; j++) bigger[j] = o[j];\n  {{ auto &e = bigger[o.n]; {one[2]} }}\n  o = std::move(bigger);")))

    def hierarchy(self, levels):
        name = f"{self.name}_{self.fresh('Base')}"
        classes = []
        self.helpers.append(f"struct {name} {{\n  virtual ~{name}() = default;\n  virtual void fill(Source<real> &from) = 0;\n"
                            f"  virtual real fold(real s) const = 0;\n  virtual void change(real, int) {{}}\n"
                            f"  virtual {name} *clone() const = 0;\n}};")
        for i in range(self.random.randrange(1, 4)):
            made = f"{name}_{i}"
            member = self.real() if self.chance(0.5) else self.any(levels - 1)
            fill, fold, change = self.parts([(member, "m"), (self.real(), "w")])
            fill, fold, change = (text.replace("fill(", "::CF_NAMESPACE::fill(").replace("fold(", "::CF_NAMESPACE::fold(").replace("change(", "::CF_NAMESPACE::change(")
                                  for text in (fill, fold, change))
            changes = f"  void change(real a, int i) override {{ {change} }}\n" if self.chance(0.7) else ""
            final = self.pick(("", " final"))
            self.helpers.append(f"struct {made}{final} : {name} {{\n  {member.text} m{{}};\n  real w{{}};\n"
                                f"  void fill(Source<real> &from) override {{ {fill} }}\n  real fold(real s) const override {{ {fold} return s; }}\n"
                                f"{changes}  {name} *clone() const override {{ return new {made}(*this); }}\n}};")
            classes.append(made)
        holder = f"{name}Holder"
        make = " : ".join([f"from.count() % {len(classes)} == {i} ? static_cast<{name} *>(new {made})" for i, made in enumerate(classes[:-1])]
                          + [f"new {classes[-1]}"])
        self.helpers.append(f"struct {holder} {{\n  std::unique_ptr<{name}> p;\n  {holder}() = default;\n"
                            f"  {holder}(const {holder} &other) : p(other.p ? other.p->clone() : nullptr) {{}}\n  {holder}({holder} &&) = default;\n"
                            f"  {holder} &operator=({holder} other) {{ p.swap(other.p); return *this; }}\n}};")
        return self.declare_type(holder, f"  o.p.reset({make});\n  o.p->fill(from);", "  if (o.p) s = o.p->fold(s);", "  if (o.p) o.p->change(a, i);")

    def function(self, _):
        text = "std::function<real(real)>"
        if known := self.known(text):
            return known
        return self.declare_type(
            text, f"  real w = from.next(), v = from.next();\n  if (from.count() % 2) o = [w](real a) {{ return {self.unary('a')} * w; }};\n"
            f"  else o = [w, v](real a) {{ return {self.unary('a * v')} + w; }};",
            f"  if (o) s = tanh(o(s));", f"  if (i % 3 == 0 && i < 6) {{ auto before = o; o = [=](real b) {{ return before ? before(b) * a : a * b; }}; }}")

    def any(self, levels):
        if self.types and self.chance(0.3):
            return self.pick(self.types)
        if levels <= 0:
            return self.structure(0) if self.chance(0.7) and levels == 0 else self.real()
        return self.pick((self.structure, self.structure, self.structure, self.sequence, self.sequence, self.sequence, self.array, self.mapping,
                          self.option, self.pair, self.variant, self.owner, self.owner, self.hierarchy, self.function))(levels)

    # Statements

    def act(self, objects):
        kind, name = self.pick(objects)
        i = self.pick(self.indices) if self.indices else str(self.random.randrange(6))
        fresh = self.fresh("b")
        actions = [f"change({name}, x[{i}] * c[{i}], {i});", f"change({name}, s, {i});", f"s = tanh(fold({name}, s));",
                   f"y[{i}] = tanh(fold({name}, y[{i}]));", f"change({name}, y[{i}], k[{i}]);",
                   f"{{ {kind.text} {fresh} = {name}; change({fresh}, s, {i}); s += real(0.1) * tanh(fold({fresh}, x[{i}])); }}",
                   f"{{ {kind.text} {fresh}(std::move({name})); change({fresh}, y[{i}], 1); {name} = std::move({fresh}); }}",
                   f"{{ {kind.text} {fresh}{{}}; fill({fresh}, from); std::swap({fresh}, {name}); s += real(0.2) * tanh(fold({fresh}, s)); }}",
                   f"{{ auto {fresh} = [&](real a) {{ change({name}, a, {i}); return fold({name}, a); }}; t[{i}] = tanh({fresh}(x[{i}])); }}",
                   f"if ({self.condition()}) change({name}, t[{i}], 2);",
                   f"if ({self.condition()}) {{ {kind.text} {fresh}{{}}; fill({fresh}, from); {name} = {fresh}; }}"]
        same = [other for made, other in objects if made is kind and other != name]
        if same:
            other = self.pick(same)
            actions += [f"{name} = {other};", f"std::swap({name}, {other});",
                        f"{{ {kind.text} *{fresh} = {self.condition()} ? &{name} : &{other}; change(*{fresh}, s, {i}); s += real(0.1) * tanh(fold(*{fresh}, s)); }}"] * 2
        self.emit(self.pick(actions))

    def statements(self, objects, count):
        scalars = len(self.scalars)
        for _ in range(count):
            if self.depth < 2 and self.chance(0.3):
                i = self.fresh("i")
                self.emit(f"for (int {i} = 0; {i} < {self.pick(('n', '3', '1 + k[2] % 4'))}; {i}++) {{")
                self.indices.append(i)
                self.depth += 1
                self.statements(objects, self.random.randrange(1, 3))
                self.depth -= 1
                self.indices.pop()
                self.emit("}")
            elif self.depth == 0 and self.chance(0.1):
                for line in object_layouts.statements(self):
                    self.emit(line)
            elif self.chance(0.15):
                generate.Program.statement(self)
            else:
                self.act(objects)
        del self.scalars[scalars:]

    def build(self):
        self.emit("real s = 0.1, t[12], storage[2][12];")
        self.emit("Pair<real> p = {x[0], x[1]}, q[4];")
        self.emit("real *u = storage[0], *v = storage[1];")
        self.emit("Source<real> from{x, y, c, k};")
        self.emit("for (int j = 0; j < 12; j++) { t[j] = x[j] * c[j]; u[j] = x[j]; v[j] = y[j]; }")
        self.emit("for (int j = 0; j < 4; j++) { q[j].a = x[j]; q[j].b = y[j]; }")
        objects = []
        for _ in range(self.random.randrange(1, 4)):
            kind = self.any(3)
            if kind.text == "real":
                kind = self.structure(2)
            for _ in range(self.random.randrange(1, 3)):
                name = self.fresh("o")
                objects.append((kind, name))
                self.emit(f"{kind.text} {name}{{}}; fill({name}, from);")
        self.statements(objects, self.random.randrange(2, 7))
        for _, name in objects:
            self.emit(f"s += tanh(fold({name}, s));")
        self.emit("for (int j = 0; j < 12; j++) { s += t[j] * u[j]; y[j] += real(0.1) * v[j] * s; }")
        self.emit("return s + p.a * q[1].b + p.b;")
        head = f"static real {self.name}(const real *x, real *y, const real *c, const int *k, int n) {{"
        text = "\n\n".join(self.helpers + ["\n".join([head] + self.lines + ["}"])]) + "\n"
        return f"namespace {self.name}_space {{\n{text}}}\nusing {self.name}_space::{self.name};\n".replace("::CF_NAMESPACE", f"{self.name}_space")
