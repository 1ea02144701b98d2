// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that are thrown and caught inside the differentiated function: handlers that repair
// and go on, destructors on the way, exceptions that carry numbers, rethrowing, catching by base,
// also by one that is not the first, by value, numbers and pointers that are thrown, errors of the
// library, virtual callees, callees that call themselves. Adjoints of that in several directions.
// Supports: `try` and `catch`
#include "GradientCheck.h"
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

double safe_log(double v) {
  if (v < 1)
    throw std::domain_error("too small");
  return std::log(v);
}

double repaired(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      s += safe_log(x[i] * x[i]);
    } catch (const std::domain_error &) {
      s += x[i] * s;
    }
  }
  return s;
}

struct Diverged : std::runtime_error {
  double residual;
  int step;
  Diverged(double r, int k) : std::runtime_error("diverged"), residual(r), step(k) {}
};

double attempt(double x, double h) {
  double y = x;
  for (int k = 0; k < 5; ++k) {
    y += h * std::sin(y) * y;
    if (y > 3)
      throw Diverged(y - 3, k);
  }
  return y;
}

double retried(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double h = 1;
    for (int tries = 0; tries < 6; ++tries) {
      try {
        s += attempt(x[i], h);
        break;
      } catch (const Diverged &d) {
        h *= 0.5;
        s += d.residual * d.residual * (d.step + 1);
      }
    }
  }
  return s;
}

struct Guard {
  double &place, old;
  explicit Guard(double &p) : place(p), old(p) {}
  ~Guard() { place = old * 0.5; }
};

double inner(double *v, int i, double a) {
  Guard g(v[i]);
  v[i] *= a;
  if (i % 2)
    throw i;
  return v[i] * v[i];
}

double unwound(const double *x, double a, int n) {
  std::vector<double> v(x, x + n);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      s += inner(v.data(), i, a);
    } catch (int k) {
      s += v[k] * k;
    }
    s += v[i] * a;
  }
  return s;
}

struct Fault {
  virtual ~Fault() = default;
  double weight = 1;
};
struct Small : Fault {
  double by;
  explicit Small(double b) : by(b) { weight = b * b; }
};
struct Large : Fault {};

void classify(double v) {
  if (v < 0.8)
    throw Small(v);
  if (v > 1.2)
    throw Large();
}

double hierarchy(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      try {
        classify(x[i]);
        s += x[i];
      } catch (const Small &f) {
        s += f.by * f.weight;
        throw;
      }
    } catch (const Fault &f) {
      s += 2 * f.weight * x[i];
    } catch (...) {
      s += 100;
    }
  }
  return s;
}

struct Cost {
  double by = 2;
  virtual ~Cost() = default;
};
struct Place {
  double at = 0;
};
struct Overrun : std::runtime_error, Cost {
  explicit Overrun(double b) : std::runtime_error("overrun") { by = b * b; }
};
struct Crash : Overrun, Place {
  explicit Crash(double a) : Overrun(2 * a) { at = a; }
};

double bases(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      try {
        if (x[i] < 0.8)
          throw Crash(x[i]);
        if (x[i] > 1.2)
          throw Overrun(x[i]);
        s += x[i];
      } catch (const Cost &c) {
        s += c.by * x[0];
        throw;
      }
    } catch (const Place &p) {
      s *= p.at;
    } catch (const std::exception &) {
      s -= x[i];
    }
  }
  return s;
}

double numbers(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      if (x[i] > 1.5)
        throw x[i] * x[i];
      if (x[i] < 0.7)
        throw "small";
      s += x[i];
    } catch (double v) {
      s += v * x[i];
    } catch (const char *text) {
      s += x[i] * x[i] * text[0] / 100;
    }
  }
  return s;
}

double library(const double *x, int n) {
  std::vector<double> v(x, x + n);
  double s = 0;
  for (int i = 0; i < 2 * n; i += 2) {
    try {
      s += v.at(i) * v[0];
      if (std::stoi("12x") == i)
        s += x[i];
    } catch (const std::out_of_range &e) {
      s *= x[i % n];
      std::string text = e.what();
      if (text.empty())
        s = 0;
    }
  }
  return s;
}

double everything(const double *x, int n) {
  auto first = [&](double a) {
    auto owned = std::make_unique<double[]>(n);
    for (int i = 0; i < n; ++i)
      owned[i] = x[i] * a;
    if (owned[n - 1] > 1)
      throw std::runtime_error("large");
    return owned[0];
  };
  double s = 0;
  for (int i = 0; i < n; ++i) {
    try {
      s += first(x[i]);
    } catch (...) {
      s += std::exp(-x[i]);
      if (i == n - 1)
        return s * x[0];
    }
  }
  return s;
}

struct Law {
  virtual ~Law() = default;
  virtual double of(double v) const = 0;
};
struct Root : Law {
  double of(double v) const override {
    if (v < 1)
      throw std::domain_error("no root");
    return std::sqrt(v - 0.5);
  }
};
struct Inverse : Law {
  double of(double v) const override {
    if (v > 1.2)
      throw Diverged(v, 1);
    return 1 / v;
  }
};

double laws(const double *x, int n) {
  std::unique_ptr<Law> all[2] = {std::make_unique<Root>(), std::make_unique<Inverse>()};
  double s = 0;
  for (int i = 0; i < n; ++i)
    try {
      s += all[i % 2]->of(x[i]) * x[i];
    } catch (const Diverged &d) {
      s += d.residual * x[0];
    } catch (const std::exception &e) {
      s -= x[i];
      if (e.what()[0] != 'n')
        std::printf("%s\n", e.what());
    }
  return s;
}

struct Located : virtual Cost {
  double at;
  explicit Located(double a) : at(a) { by = 3 * a; }
};
struct Marked : Located, virtual std::exception {
  explicit Marked(double a) : Located(a * a) {}
};

double virtual_bases(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    try {
      if (i % 3 == 0)
        throw Marked(x[i]);
      if (i % 3 == 1)
        throw Located(x[i]);
      throw Overrun(x[i]);
    } catch (const std::exception &) {
      s += x[i] * x[0];
    } catch (const Cost &c) {
      s += c.by * c.by;
    }
  for (int i = 0; i < n; ++i)
    try {
      throw Marked(x[i] * s);
    } catch (const Cost &c) {
      s = c.by * x[i];
    }
  return s;
}

// What stays a call throws: functions that call themselves or each other, with destructors on the
// way, handlers in between that throw again, bases that are not the first, the library's errors.
double bisect(const double *x, double a, double b, int depth) {
  const double m = 0.5 * (a + b), f = x[0] * m * m - x[1];
  if (std::abs(f) < 0.2 || depth > 12)
    throw Diverged(m * f, depth);
  return f > 0 ? bisect(x, a, m, depth + 1) * x[2] : bisect(x, m, b, depth + 1) + x[3];
}

double odd(const double *x, int n, std::vector<double> &seen, double &w);
double even(const double *x, int n, std::vector<double> &seen, double &w) {
  Guard g(w);
  w *= x[n];
  seen.push_back(x[n] * x[0]);
  if (n == 0)
    throw Crash(seen[0] * w);
  return odd(x, n - 1, seen, w) + x[n];
}
double odd(const double *x, int n, std::vector<double> &seen, double &w) {
  seen.push_back(x[n] * 2);
  if (n == 0)
    return seen.at(seen.size() - 3 * (x[0] > 0)) * w;
  try {
    return even(x, n - 1, seen, w) * x[n];
  } catch (const Crash &c) {
    if (n > 2)
      throw;
    throw Overrun(c.by * seen[0]);
  }
}

double recursive(const double *x, int n) {
  double s = 0, w = 1;
  for (int i = 0; i < n; ++i) {
    std::vector<double> seen;
    try {
      s += bisect(x, 0.1 * i, 2.0, 0);
    } catch (const Diverged &d) {
      s += d.residual * d.residual * x[i] + d.step;
    }
    try {
      s += even(x, i, seen, w);
    } catch (const Cost &c) {
      s += c.by * w;
    } catch (const std::exception &e) {
      s += seen.back() * (e.what()[0] == 'x' ? 1 : 2);
    }
  }
  return s;
}

double nested(const double *x, int n) {
  if (n == 1) {
    if (x[0] > 0)
      throw Overrun(x[0]);
    return x[0];
  }
  try {
    return nested(x, n - 1) * x[n - 1];
  } catch (const Overrun &e) {
    if (n == 3)
      throw Overrun(e.by * x[1]);
    return e.by * x[n - 1] * n;
  }
}

// An exception that is remembered, or carried by another one.
double guarded(const double *x, int i) {
  if (x[i] < 0.8)
    throw std::range_error("small");
  return x[i] * x[i];
}

double remembered(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    std::exception_ptr first;
    try {
      s += guarded(x, i);
    } catch (...) {
      first = std::current_exception();
      const std::exception_ptr second = first;
      if (first == second)
        s += x[i] * x[0];
    }
    if (!first)
      s *= x[1];
    try {
      try {
        s += guarded(x, i);
      } catch (...) {
        std::throw_with_nested(std::logic_error("outer"));
      }
    } catch (const std::logic_error &) {
      s += 2 * x[i] * x[i];
    }
  }
  return s;
}

/// What the function throws and writes into texts of its own it does again for each
/// direction.
double tallied(const double *x, int n) {
  std::string parts = "n";
  double s = 0;
  for (int i = 0; i < n; ++i)
    try {
      if (x[i] > 1)
        throw x[i] * x[i];
      parts += "," + std::to_string(i);
      s += std::sin(x[i]) * double(parts.size());
    } catch (double square) {
      s += square * x[0];
    }
  return s;
}
double tallied_primal(void *const *v) { return tallied(static_cast<double *>(v[0]), 6); }
double tallied_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff<double>((void *)tallied, enzyme_dup, (double *)v[0], (double *)d[0],
                                  enzyme_const, 6);
}
void tallied_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *bar = (double *)d[0], first[6] = {}, second[6] = {};
  __enzyme_autodiff<void>((void *)tallied, enzyme_width, 2, enzyme_dup, x, first, second,
                          enzyme_const, 6);
  for (int i = 0; i < 6; ++i)
    bar[i] += first[i] == second[i] ? first[i] : NAN;
}

} // namespace

GRADIENT_CHECK_CUSTOM(caught_directions, Double, tallied_primal, tallied_tangent, tallied_adjoint,
                      In(double, 6))
GRADIENT_CHECK(caught_repaired, Double, repaired, In(double, 6), Int(6))
GRADIENT_CHECK(caught_retried, Double, retried, In(double, 5), Int(5))
GRADIENT_CHECK(caught_unwound, Double, unwound, In(double, 5), Scalar(double), Int(5))
GRADIENT_CHECK(caught_hierarchy, Double, hierarchy, In(double, 7), Int(7))
GRADIENT_CHECK(caught_bases, Double, bases, In(double, 7), Int(7))
GRADIENT_CHECK(caught_numbers, Double, numbers, In(double, 7), Int(7))
GRADIENT_CHECK(caught_library, Double, library, In(double, 5), Int(5))
GRADIENT_CHECK(caught_everything, Double, everything, In(double, 5), Int(5))
GRADIENT_CHECK(caught_laws, Double, laws, In(double, 6), Int(6))
GRADIENT_CHECK(caught_recursive, Double, recursive, InRange(double, 6, 0.7, 1.2), Int(6))
GRADIENT_CHECK(caught_nested, Double, nested, In(double, 5), Int(5))
GRADIENT_CHECK(caught_virtual_bases, Double, virtual_bases, InRange(double, 5, 0.4, 0.9), Int(5))
GRADIENT_CHECK(caught_remembered, Double, remembered, In(double, 5), Int(5))
