// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two classes of one base whose members lie differently, with arrays among them. What one of them
// does to its members must not be thought of for objects of the other: an index of it would read
// the bits of a number.
// Supports: classes of one base whose members differ, called through it
#include "GradientCheck.h"
#include <cmath>
#include <memory>

namespace {

struct Rows {
  virtual ~Rows() = default;
  virtual const double *row(int i) const = 0;
  virtual double diagonal(int i) const = 0;
};

/// Rows that are calculated, two of which are kept.
class Kernel : public Rows {
  const double *x;
  int n;
  double width;
  double *kept[2];
  mutable int next = 0;
  double *squares;

public:
  Kernel(const double *x, int n) : x(x), n(n), width(x[0]) {
    for (auto &row : kept)
      row = new double[n];
    squares = new double[n];
    for (int i = 0; i < n; i++)
      squares[i] = x[i] * x[i];
  }
  ~Kernel() override {
    delete[] kept[0];
    delete[] kept[1];
    delete[] squares;
  }
  const double *row(int i) const override {
    double *r = kept[next];
    next = 1 - next;
    for (int j = 0; j < n; j++)
      r[j] = std::exp(-width * (x[i] - x[j]) * (x[i] - x[j]));
    return r;
  }
  double diagonal(int i) const override { return squares[i]; }
};

/// Rows that are given, in another order.
class Table : public Rows {
  int n;
  int *order;
  double *numbers;
  double scale[3];

public:
  Table(const double *x, int m) : n(m), order(new int[m]), numbers(new double[m * m]) {
    for (int i = 0; i < m; i++)
      order[i] = m - 1 - i;
    for (int i = 0; i < m * m; i++)
      numbers[i] = x[i % m] * i;
    for (int i = 0; i < 3; i++)
      scale[i] = x[i] * 2;
  }
  ~Table() override {
    delete[] order;
    delete[] numbers;
  }
  const double *row(int i) const override { return numbers + n * order[i]; }
  double diagonal(int i) const override { return scale[i % 3] * numbers[i]; }
};

double solve(const Rows &rows, double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double *r = rows.row(i), *s = rows.row((i + 1) % n);
    double t = 0;
    for (int j = 0; j < n; j++)
      t += r[j] * a[j] * s[n - 1 - j];
    a[i] = std::tanh(t * 0.1 + rows.diagonal(i));
    sum += a[i] * rows.diagonal(i);
  }
  return sum;
}

double local(const double *x, int n) {
  double a[8], b[8];
  for (int i = 0; i < n; i++) {
    a[i] = x[i];
    b[i] = 1;
  }
  Kernel kernel(x, n);
  Table table(x, n);
  return solve(kernel, a, n) + solve(table, b, n) * solve(table, a, n);
}

double chosen(const double *x, int n) {
  double a[8], sum = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++)
      a[i] = x[i];
    std::unique_ptr<Rows> rows;
    if (x[k] > x[k + 1])
      rows = std::make_unique<Kernel>(x, n);
    else
      rows = std::make_unique<Table>(x, n);
    sum += solve(*rows, a, n);
  }
  return sum;
}

/// Where one has a number, the other has an address.
struct Step {
  virtual ~Step() = default;
  virtual double go(double s, int i) const = 0;
  virtual double again(double s) const = 0;
};
struct First : Step {
  const double *x;
  double width;
  int n;
  First(const double *x, int n) : x(x), width(x[1] * 2), n(n) {}
  double go(double s, int i) const override { return s * x[i % n] * width; }
  double again(double s) const override { return s + x[0] * width; }
};
struct Second : Step {
  double width;
  const double *x;
  int n;
  Second(const double *x, int n) : width(x[0] * 3), x(x), n(n) {}
  double go(double s, int i) const override { return s + std::sin(width * x[(i + 1) % n]); }
  double again(double s) const override { return s * width; }
};
double run(const Step &step, int n) {
  double s = 1;
  for (int i = 0; i < n; i++)
    s = step.again(step.go(s, i) * 0.5);
  return s;
}
double swapped(const double *x, int n) {
  const First first(x, n);
  const Second second(x, n);
  const Step *all[] = {&first, &second};
  double s = 0;
  for (int i = 0; i < n; i++)
    s += run(*all[i % 2], n) * run(*all[i / 2 % 2], n - i);
  return s;
}

/// Where one has a number, the other has the character of an operator, which it hands on by
/// reference; and beside that, what kind of node it is.
struct Term {
  virtual ~Term() = default;
  virtual double value() const = 0;
  virtual std::unique_ptr<Term> copy() const = 0;
};
enum class Kind : unsigned char { Leaf, Inner };
struct Leaf : Term {
  double x;
  explicit Leaf(double x) : x(x) {}
  double value() const override { return x; }
  std::unique_ptr<Term> copy() const override { return std::make_unique<Leaf>(*this); }
};
struct Inner : Term {
  char op;
  Kind kind;
  std::unique_ptr<Term> l, r;
  Inner(char op, Kind kind, std::unique_ptr<Term> l, std::unique_ptr<Term> r)
      : op(op), kind(kind), l(std::move(l)), r(std::move(r)) {}
  double value() const override {
    const double a = l->value(), b = r->value();
    return kind == Kind::Leaf ? 0 : op == '+' ? a + b : op == '*' ? a * b : a / b;
  }
  std::unique_ptr<Term> copy() const override {
    return std::make_unique<Inner>(op, kind, l->copy(), r->copy());
  }
};
double term(const double *x, int n) {
  std::unique_ptr<Term> t = std::make_unique<Leaf>(x[0]);
  for (int i = 1; i < n; i++)
    t = std::make_unique<Inner>("*+/"[i % 3], Kind::Inner, std::move(t),
                                std::make_unique<Leaf>(x[i]));
  const std::unique_ptr<Term> same = t->copy();
  return t->value() * same->value();
}

} // namespace

GRADIENT_CHECK(class_layouts_local, Double, local, In(double, 5), Int(5))
GRADIENT_CHECK(class_layouts_chosen, Double, chosen, In(double, 5), Int(5))
GRADIENT_CHECK(class_layouts_swapped, Double, swapped, In(double, 6), Int(6))
GRADIENT_CHECK(class_layouts_term, Double, term, In(double, 5), Int(5))
