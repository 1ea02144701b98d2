// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dynamic_cast to another base of an object, which leads by a distance that the classes tell:
// counts, flags, addresses and numbers of the two bases are told apart.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
#include "GradientCheck.h"
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace {
/// Coefficients of an interpolation beside what all interpolations are.
struct Coefficients {
  explicit Coefficients(int n) : count(n), a(n), b(n), adjusted(n) {}
  virtual ~Coefficients() = default;
  int count;
  std::vector<double> a, b;
  std::vector<bool> adjusted;
};
struct Interpolation {
  virtual ~Interpolation() = default;
  virtual void update() = 0;
  virtual double value(double t) const = 0;
};
struct OfValues : Interpolation {
  OfValues(const double *y, int n) : y(y), n(n) {}
  const double *y;
  int n;
};
struct Cubic final : Coefficients, OfValues {
  Cubic(const double *y, int n) : Coefficients(n - 1), OfValues(y, n) {}
  void update() override {
    std::fill(adjusted.begin(), adjusted.end(), false);
    for (int i = 0; i < n - 1; i++) {
      a[i] = y[i + 1] - y[i];
      if (a[i] < 0) {
        a[i] *= 0.5;
        adjusted[i] = true;
      }
      b[i] = i ? 0.5 * (a[i] - a[i - 1]) : 0;
    }
  }
  double value(double t) const override {
    const int i = int(t) < n - 1 ? int(t) : n - 2;
    const double d = t - i;
    return y[i] + d * (a[i] + d * b[i]) * (adjusted[i] ? 1.5 : 1);
  }
};
struct Handle {
  std::shared_ptr<Interpolation> impl;
  const Coefficients &coefficients() const { return dynamic_cast<Coefficients &>(*impl); }
};
double spline(const double *y, double t, int n) {
  Handle h[] = {{std::make_shared<Cubic>(y, n)}, {std::make_shared<Cubic>(y + 1, n - 1)}};
  double s = 0;
  for (auto &one : h) {
    one.impl->update();
    const Coefficients &c = one.coefficients();
    s += one.impl->value(t);
    for (int i = 0; i < c.count; i++)
      s += c.a[i] * c.b[i] * (c.adjusted[i] ? 2 : 1);
  }
  return s;
}

/// Two classes that have the bases at other distances, and one that has only one of them.
struct Named {
  virtual ~Named() = default;
  int id = 3;
};
struct Weighted {
  virtual ~Weighted() = default;
  double w = 0.5;
};
struct Small : Named, Weighted {
  double x;
  explicit Small(double x) : x(x) { w = x * x; }
};
struct Large : Named {
  double x[3];
  explicit Large(double v) : x{v, v * v, 1} {}
};
struct Larger final : Large, Weighted {
  explicit Larger(double v) : Large(v) { w = v * x[1]; }
};
double chosen(const double *x, double scale, int n) {
  std::vector<std::unique_ptr<Named>> all;
  for (int i = 0; i < n; i++)
    if (i % 3 == 0)
      all.push_back(std::make_unique<Small>(x[i]));
    else if (i % 3 == 1)
      all.push_back(std::make_unique<Large>(x[i] * scale));
    else
      all.push_back(std::make_unique<Larger>(x[i]));
  double s = 0;
  for (auto &one : all) {
    if (auto *w = dynamic_cast<Weighted *>(one.get())) {
      w->w *= scale;
      s += w->w * one->id;
    }
    if (auto *l = dynamic_cast<Large *>(one.get()))
      s += l->x[0] * l->x[1];
  }
  return s;
}

/// Objects that are deleted by their own class, which has the virtual destructor from two bases,
/// and an error that has one, too.
struct Failure : std::exception {
  explicit Failure(const std::string &why) : why(std::make_shared<std::string>(why)) {}
  const char *what() const noexcept override { return why->c_str(); }
  std::shared_ptr<std::string> why;
};
template <class Y> struct Spline : Coefficients, Interpolation {
  Spline(Y y, int n) : Coefficients(n - 1), y(y), n(n) {
    if (n < 2)
      throw Failure("too few values: " + std::to_string(n));
    last.resize(2);
  }
  void update() override {
    std::fill(adjusted.begin(), adjusted.end(), false);
    for (int i = 0; i < n - 1; i++) {
      a[i] = y[i + 1] - y[i];
      b[i] = a[i] * a[i];
      if (a[i] < 0)
        adjusted[i] = true;
    }
    last[0] = a[0];
  }
  double value(double t) const override {
    double s = t * last[0];
    for (int i = 0; i < n - 1; i++)
      s += adjusted[i] ? a[i] : b[i] * t;
    return s;
  }
  Y y;
  int n;
  std::vector<double> last;
};
double deleted(const double *x, double t, int n) {
  std::vector<double> z(x, x + n);
  Interpolation *first = new Spline<const double *>(x, n);
  std::shared_ptr<Interpolation> second(new Spline<std::vector<double>>(z, n - 1));
  std::unique_ptr<Coefficients> third(new Spline<const double *>(z.data() + 1, n - 2));
  first->update();
  second->update();
  double s = first->value(t) + second->value(0.5 * t) + third->count;
  if (auto *last = dynamic_cast<Interpolation *>(third.get())) {
    last->update();
    s += last->value(t * t) + third->a[0];
  }
  delete first;
  return s;
}
} // namespace

GRADIENT_CHECK(cast_to_coefficients, Double, spline, In(double, 6), Scalar(double), Int(6))
GRADIENT_CHECK(cast_to_chosen_bases, Double, chosen, In(double, 7), Scalar(double), Int(7))
GRADIENT_CHECK(deleted_by_own_class, Double, deleted, In(double, 6), Scalar(double), Int(6))
