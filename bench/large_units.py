# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes large programs to time their compilation: large_units.py NAME SIZE > FILE.

Each has a function `root` and, unless PRIMAL is defined, differentiates it; with PRIMAL it calls it. All random
choices start from the same seed.
"""

import random
import sys

HEAD = """#include <math.h>
#ifdef __cplusplus
extern "C" {
#endif
double __enzyme_autodiff(void *, ...);
#ifdef __cplusplus
}
#endif
extern int enzyme_dup, enzyme_const;
"""


def request(name="g", root="root"):
    return f"""void {name}(const double *x, double *d) {{
#ifdef PRIMAL
  *d = {root}(x);
#else
  __enzyme_autodiff((void *){root}, enzyme_dup, x, d);
#endif
}}
"""


def statements(choose, size, names, recent=40):
    """Assignments of expressions of what was assigned not long before."""
    forms = ["{a} * {b}", "{a} + {b}", "{a} - 0.5 * {b}", "sin({a}) * {b}", "{a} / (2.0 + {b} * {b})"]
    lines = []
    for number in range(size):
        form = choose.choice(forms)
        lines.append(f"v{number} = {form.format(a=choose.choice(names[-recent:]), b=choose.choice(names[-recent:]))};")
        names.append(f"v{number}")
    return lines


def straight(size):
    names = [f"x[{i}]" for i in range(8)]
    body = "".join(f"  double {line}\n" for line in statements(random.Random(1), size, names))
    return f"{HEAD}static double root(const double *x) {{\n{body}  return {' + '.join(names[-30:])};\n}}\n{request()}"


def loop(size):
    """One loop whose body is long."""
    names = [f"x[{i}]" for i in range(8)] + ["s"]
    body = "".join(f"    double {line}\n" for line in statements(random.Random(1), size, names))
    return (f"{HEAD}static double root(const double *x) {{\n  double s = x[0];\n  for (int i = 0; i < 100; ++i) {{\n"
            f"{body}    s += 1e-3 * ({' + '.join(names[-30:])});\n  }}\n  return s;\n}}\n{request()}")


def switch(size):
    choose = random.Random(1)
    lines = [f"    case {i}: s += {choose.choice(['sin(s)', 'x[%d] * s' % choose.randrange(8), 's * s'])} * {choose.random():.3f}; break;"
             for i in range(size)]
    return (f"{HEAD}static double root(const double *x) {{\n  double s = x[0];\n  for (int i = 0; i < 100; ++i)\n"
            "    switch ((int)x[i & 7]) {\n" + "\n".join(lines) + f"\n    }}\n  return s;\n}}\n{request()}")


def branches(size):
    choose = random.Random(1)
    lines = [f"  if (x[{choose.randrange(8)}] > {choose.random():.3f}) s += {choose.choice(['sin(s)', 's * s'])} * 0.1; else s *= 0.9;"
             for _ in range(size)]
    return f"{HEAD}static double root(const double *x) {{\n  double s = x[0];\n" + "\n".join(lines) + f"\n  return s;\n}}\n{request()}"


def stencil(size):
    """A loop over cells whose body is unrolled by hand."""
    lines = [f"    y[i + {k}] = 0.5 * x[i + {k}] + 0.25 * (x[i + {k + 1}] * x[i + {k + 2}]);" for k in range(size)]
    return (f"{HEAD}static double root(const double *x) {{\n  static double y[{8 * size}];\n  double s = 0;\n"
            f"  for (int i = 0; i + {size} <= {8 * size - 2}; i += {size}) {{\n" + "\n".join(lines)
            + f"\n  }}\n  for (int i = 0; i < {8 * size}; ++i)\n    s += y[i];\n  return s;\n}}\n{request()}")


def loops(size):
    """Loops in a row, through one array."""
    lines = [f"  for (int i = 1; i < 100; ++i) t[i] = t[i - 1] * x[{number % 8}] + {number}.0;" for number in range(size)]
    return (f"{HEAD}static double root(const double *x) {{\n  double t[100];\n  for (int i = 0; i < 100; ++i)\n    t[i] = x[i % 8];\n"
            + "\n".join(lines) + f"\n  return t[50];\n}}\n{request()}")


def chemistry(size, species=60):
    """The rates of reactions, as generators write them, in a loop over time."""
    choose = random.Random(5)
    lines = []
    for _ in range(size):
        a, b, c, d = (choose.randrange(species) for _ in range(4))
        lines.append(f"  k = exp({choose.random():.4f} * log_t - {choose.random():.4f} * inverse); q = k * c[{a}] * c[{b}] - 0.1 * k * c[{c}]; "
                     f"w[{a}] -= q; w[{b}] -= q; w[{c}] += q; w[{d}] += 0.5 * q;")
    return (f"{HEAD}__attribute__((noinline)) static void rates(const double *c, double t, double *w) {{\n"
            "  double k, q, log_t = log(t), inverse = 1 / t;\n" + "\n".join(lines) + f"""
}}
static double root(const double *x) {{
  double c[{species}], w[{species}] = {{0}};
  for (int i = 0; i < {species}; ++i)
    c[i] = x[i % 8];
  for (int t = 0; t < 100; ++t) {{
    rates(c, x[0] + 300, w);
    for (int i = 0; i < {species}; ++i)
      c[i] += 1e-3 * w[i];
  }}
  return c[3];
}}
{request()}""")


def variables(size):
    """Numbers in variables of the program."""
    lines = [f"  g{number} = x[{number % 8}] * s + g{number * 7 % size}; s += g{number} * x[1];" for number in range(size)]
    return (HEAD + "".join(f"double g{number};\n" for number in range(size))
            + "static double root(const double *x) {\n  double s = x[0];\n" + "\n".join(lines) + f"\n  return s;\n}}\n{request()}")


def classes(size):
    """Classes with a virtual function, any of which one call may mean."""
    text = HEAD + "struct Base {\n  virtual double f(const double *x, double a) const = 0;\n  virtual ~Base() {}\n};\n"
    for number in range(size):
        text += (f"struct C{number} : Base {{\n  double f(const double *x, double a) const override {{\n    double s = {number} * a;\n"
                 f"    for (int i = 0; i < {number % 5 + 1}; ++i)\n      s += x[i] * sin(a);\n    return s;\n  }}\n}};\n")
    cases = "".join(f"  case {number}: return new C{number};\n" for number in range(size))
    return text + f"""static Base *make(int which) {{
  switch (which) {{
{cases}  default: return nullptr;
  }}
}}
static double root(const double *x) {{
  double s = x[0];
  for (int i = 0; i < {size}; ++i) {{
    Base *object = make(i);
    s = s + 1e-3 * object->f(x, s);
    delete object;
  }}
  return s;
}}
{request()}"""


def graph_function(choose, number, size):
    lines = [f"  s {choose.choice(['+=', '-='])} "
             f"{choose.choice(['sin(s)', 'x[%d] * s' % choose.randrange(8), 'a / (1.5 + s * s)', 's * 0.25'])};" for _ in range(6)]
    lines += [f"  s += 0.1 * f{callee}(x, s);" for callee in sorted({2 * number + 1, 2 * number + 2, number + 17}) if callee < size]
    return f"static double f{number}(const double *x, double a) {{\n  double s = a * {choose.random():.3f};\n" + "\n".join(lines) + "\n  return s;\n}\n"


def graph(size):
    """Functions that call up to three later ones."""
    choose = random.Random(2)
    functions = "".join(graph_function(choose, number, size) for number in reversed(range(size)))
    return f"{HEAD}{functions}static double root(const double *x) {{ return f0(x, 1.0); }}\n{request()}"


def shared(size, functions=40):
    """Requests for functions of their own that share a library."""
    choose = random.Random(2)
    text = HEAD + "".join(graph_function(choose, number, functions) for number in reversed(range(functions)))
    for number in range(size):
        text += f"static double root{number}(const double *x) {{ return {number + 1} * f0(x, 1.0) + f{number % functions}(x, x[1]); }}\n"
        text += request(f"g{number}", f"root{number}")
    return text


def templates(size):
    """A stack of templates, each of which works on what the next one returns."""
    return HEAD + f"""template <int N> struct Layer {{
  double weight[4], bias;
  Layer<N - 1> next;
  double operator()(const double *x, double a) const {{
    double s = bias;
    for (int i = 0; i < 4; ++i)
      s += weight[i] * tanh(a + x[(i + N) % 8]);
    return s * next(x, s) + a;
  }}
}};
template <> struct Layer<0> {{
  double operator()(const double *, double a) const {{ return a; }}
}};
static double root(const double *x) {{
  Layer<{size}> layers;
  double *weights = (double *)&layers;
  for (int i = 0; i < {5 * size}; ++i)
    weights[i] = 0.1 * x[i % 8];
  return layers(x, x[0]);
}}
{request()}"""


def expressions(size):
    """Expression templates: a deep type, taken apart by recursion."""
    return HEAD + f"""template <class L, class R> struct Sum {{
  L left; R right;
  double operator[](int i) const {{ return left[i] + right[i]; }}
}};
template <class L, class R> struct Product {{
  L left; R right;
  double operator[](int i) const {{ return left[i] * right[i]; }}
}};
struct Vector {{
  const double *data;
  double operator[](int i) const {{ return data[i]; }}
}};
template <int N> auto build(const double *x) {{
  if constexpr (N == 0)
    return Vector{{x}};
  else if constexpr (N % 2)
    return Sum<decltype(build<N - 1>(x)), Vector>{{build<N - 1>(x), {{x + N}}}};
  else
    return Product<decltype(build<N - 1>(x)), Vector>{{build<N - 1>(x), {{x + N}}}};
}}
static double root(const double *x) {{
  auto e = build<{size}>(x);
  double s = 0;
  for (int i = 0; i < 100; ++i)
    s += e[i];
  return s;
}}
{request()}"""


def eigen(size):
    """Decompositions of Eigen, of matrices of fixed and of dynamic size."""
    n = size
    return f"""#include <Eigen/Dense>
{HEAD}static double root(const double *x) {{
  Eigen::Map<const Eigen::Matrix<double, {n}, {n}>> fixed(x);
  Eigen::Map<const Eigen::MatrixXd> dynamic(x, {n}, {n});
  Eigen::Map<const Eigen::VectorXd> b(x, {n});
  double s = fixed.determinant() + fixed.inverse().sum();
  s += dynamic.partialPivLu().solve(b).squaredNorm();
  s += (dynamic.transpose() * dynamic + Eigen::MatrixXd::Identity({n}, {n})).llt().solve(b).sum();
  s += dynamic.householderQr().solve(b).sum();
  return s;
}}
{request()}"""


UNITS = {f.__name__: f for f in (straight, loop, switch, branches, stencil, loops, chemistry, variables, classes, graph, shared, templates,
                                 expressions, eigen)}
CPLUSPLUS = {"classes", "templates", "expressions", "eigen"}

if __name__ == "__main__":
    print(UNITS[sys.argv[1]](int(sys.argv[2])), end="")
