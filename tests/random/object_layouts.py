# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of one base whose members lie differently: where one has a number, another has an address, a count or an
array. They are called through the base, as local objects, through tables and as owned ones.
"""

# Per member: declaration, what the constructor does, what the destructor does, expressions, what changes it.
MEMBERS = {
    "p": ("const real *p;", "p = x + k[1] % 3;", "", ["p[i % 5]"], []),
    "own": ("real *own;", "own = new real[4]; for (int j = 0; j < 4; j++) own[j] = x[j] * x[j + 1];", "delete[] own;",
            ["own[i % 4]"], ["own[i % 4] += real(0.1) * s;"]),
    "w": ("real w;", "w = x[1] * real(1.5);", "", ["w"], ["w = tanh(w + real(0.1) * s);"]),
    "u": ("real u;", "u = x[k[0] % 4];", "", ["u", "u * u"], ["u *= real(0.9);"]),
    "n": ("int n;", "n = 3 + k[2] % 3;", "", ["real(0.1 * n)"], ["n = 3 + i % 3;"]),
    "idx": ("int *idx;", "idx = new int[4]; for (int j = 0; j < 4; j++) idx[j] = (j * 3 + k[j]) % 4;", "delete[] idx;",
            ["real(0.2 * idx[i % 4])"], ["idx[i % 4] = (idx[i % 4] + 1) % 4;"]),
    "v": ("real v[3];", "for (int j = 0; j < 3; j++) v[j] = x[j + 2];", "", ["v[i % 3]", "v[0] * v[2]"], ["v[i % 3] = tanh(s * v[1]);"]),
    "j": ("int j[3];", "for (int q = 0; q < 3; q++) j[q] = k[q] % 3;", "", ["real(0.3 * j[i % 3])"], ["j[i % 3] = (j[i % 3] + i) % 3;"]),
    "kept": ("real *kept[2]; int turn;", "turn = 0; for (auto &row : kept) { row = new real[3]; for (int j = 0; j < 3; j++) row[j] = x[j]; }",
             "for (auto *row : kept) delete[] row;", ["kept[turn][i % 3]"], ["turn = 1 - turn; kept[turn][i % 3] = s * kept[1 - turn][0];"]),
    "list": ("std::vector<real> list;", "for (int j = 0; j < 3; j++) list.push_back(x[j] * x[j]);", "", ["list[i % 3]", "list.back()"],
             ["list[i % 3] *= s;", "if (list.size() < 6) list.push_back(s);"]),
    "tag": ("long tag;", "tag = k[3];", "", ["real(tag % 2 ? 0.4 : 0.6)"], ["tag++;"]),
    "first": ("const real &first;", "", "", ["first"], []),
}


def one_class(program, base, name):
    """A class with a few members in any order."""
    chosen = program.random.sample(sorted(MEMBERS), program.random.randrange(2, 6))
    if not set(chosen) & {"w", "u", "v", "own", "p", "list", "kept", "first"}:
        chosen.append("w")
    parts = [MEMBERS[member] for member in chosen]
    reference = " : first(x[2])" if "first" in chosen else ""
    numbers = [text for part in parts for text in part[3]]
    changes = [text for part in parts for text in part[4]]
    expression = program.pick(("{} * {}", "{} + {}", "sin({}) * {}", "{} - cos({})"))
    at = expression.format(program.pick(numbers), program.pick(numbers))
    step = expression.format(program.pick(numbers), program.pick(("s", program.pick(numbers) + " * s")))
    if "s" not in step.replace("sin", "").replace("cos", "").replace("list", "").replace("first", ""):
        step += " + s"
    change = " ".join(program.random.sample(changes, min(len(changes), program.random.randrange(0, 3))))
    program.helpers.append(
        f"struct {name} : {base} {{\n  " + "\n  ".join(part[0] for part in parts)
        + f"\n  {name}(const real *x, const int *k){reference} {{ " + " ".join(part[1] for part in parts)
        + f" }}\n  {name}(const {name} &) = delete;\n  ~{name}() {{ " + " ".join(part[2] for part in parts)
        + f" }}\n  real at(int i) const override {{ return {at}; }}\n  real step(real s, int i) override {{ {change} return {step}; }}\n}};")


def statements(program):
    """Classes and lines that make objects of them and call their functions."""
    base = f"{program.name}_{program.fresh('Layout')}"
    program.helpers.append(
        f"struct {base} {{\n  virtual ~{base}() = default;\n  virtual real at(int i) const = 0;\n  virtual real step(real s, int i) = 0;\n}};")
    names = [f"{base}_{i}" for i in range(program.random.randrange(2, 4))]
    for name in names:
        one_class(program, base, name)
    run = f"{base}_run"
    program.helpers.append(
        f"{program.attribute()}static real {run}({base} &o, real s, int n) {{\n  for (int i = 0; i < n; i++) s = tanh(o.step(s, i) + real(0.3) * o.at({program.pick(('i', 'i + 1', 'n - i'))}));\n"
        f"  return s;\n}}")
    made = [program.fresh("e") for _ in names]
    lines = [f"{name} {at}(x, k);" for name, at in zip(names, made)]
    table, owner = program.fresh("e"), program.fresh("e")
    make = " : ".join([f"k[1] % {len(names)} == {i} ? std::unique_ptr<{base}>(new {name}(x, k))" for i, name in enumerate(names[:-1])]
                      + [f"std::make_unique<{names[-1]}>(x, k)"])
    uses = [[f"s += {run}({program.pick(made)}, s, n);"], [f"s += {program.pick(made)}.at(k[0]) * real(0.1);"],
            [f"{base} *{table}[] = {{{', '.join('&' + at for at in made)}}};", f"for (int i = 0; i < n; i++) s += real(0.1) * {run}(*{table}[i % {len(made)}], s, 3);"],
            [f"std::unique_ptr<{base}> {owner} = {make};", f"s += {run}(*{owner}, x[0], n);"]]
    for use in program.random.sample(uses, program.random.randrange(1, 4)):
        lines += use
    return lines
