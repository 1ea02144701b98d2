// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to members, also to virtual ones; functions that return functions; std::bind.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
#include "GradientCheck.h"
#include <cmath>
#include <functional>
struct S {
  double a, b;
  virtual double get(double x) { return a * x; }
  virtual ~S() {}
};
struct T : S {
  double get(double x) override { return b * x * x; }
};
typedef double (*F)(double, double);
static double ad(double x, double y) { return x + y; }
static double mu(double x, double y) { return x * y; }
static F pick(int i) { return i % 2 ? ad : mu; }
static double f(const double *x, double c, int n) {
  T t;
  t.a = c;
  t.b = c * c;
  S s;
  s.a = x[0];
  s.b = x[1];
  double S::*m[] = {&S::a, &S::b};
  double (S::*g)(double) = &S::get;
  S *o[] = {&t, &s};
  double r = 0;
  auto bnd = std::bind(mu, std::placeholders::_1, c);
  for (int i = 0; i < n; i++) {
    S *q = o[i % 2];
    r += q->*m[i % 2];
    r += (q->*g)(x[i]);
    r = pick(i)(r, x[i]);
    r += bnd(x[i]);
  }
  return r;
}
GRADIENT_CHECK(member_pointers, Double, f, In(double, 5), Scalar(double), Int(5))

namespace {
/// A model that chooses its function when it is made, and keeps numbers, counts and addresses
/// beside it.
class Chooser {
public:
  virtual ~Chooser() { delete[] Weights, delete[] Signs; }
  Chooser(const double *x, int n, int which)
      : Rate(which == 0   ? &Chooser::linear
             : which == 1 ? &Chooser::curved
                          : &Chooser::mixed),
        Count(n), Weights(new double[n]), Signs(new signed char[n]), Values(x) {
    for (int i = 0; i < n; ++i) {
      Weights[i] = x[i] * x[0];
      Signs[i] = i % 2 ? 1 : -1;
    }
    Halves[0] = new float[n];
    Halves[1] = new float[n];
  }
  double at(int i, int depth) {
    float *half = Halves[Next];
    Next = 1 - Next;
    half[i] = static_cast<float>(Weights[i]);
    double sum = (this->*Rate)(i)*Signs[i] + 0 * half[i];
    if (depth > 0)
      sum += at((i + 1) % Count, depth - 1) * Weights[i];
    return sum;
  }
  void release() { delete[] Halves[0], delete[] Halves[1]; }
  virtual double mixed(int i) const { return Values[i] + Weights[i]; }

private:
  double linear(int i) const { return 2 * Values[i]; }
  double curved(int i) const { return std::sin(Values[i]) * Weights[i]; }
  double (Chooser::*Rate)(int) const;
  int Count, Next = 0;
  double *Weights;
  signed char *Signs;
  float *Halves[2];
  const double *Values;
};
double chosen(const double *x, int n, int which) {
  Chooser c(x, n, which);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += c.at(i, 3);
  c.release();
  return sum;
}
} // namespace
GRADIENT_CHECK(member_chosen_linear, Double, chosen, In(double, 5), Int(5), Int(0))
GRADIENT_CHECK(member_chosen_curved, Double, chosen, In(double, 5), Int(5), Int(1))
GRADIENT_CHECK(member_chosen_virtual, Double, chosen, In(double, 5), Int(5), Int(2))

namespace {
struct Rule {
  double Rate;
  double growth(double x) { return Rate * x * x; }
  double decay(double x) { return x / (1 + Rate * Rate); }
  virtual double wave(double x) { return std::sin(Rate * x); }
};
/// Chosen for the whole file, by who is not derived.
double (Rule::*Chosen)(double);
double (Rule::*Rows[2])(double) = {&Rule::growth, &Rule::wave};
void choose(int which) { Chosen = which == 0 ? &Rule::growth : &Rule::decay; }
double inFile(const double *x, int n) {
  Rule r;
  r.Rate = x[0];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (r.*Chosen)(x[i]) + (r.*Rows[i % 2])(x[i]);
  return sum;
}
[[maybe_unused]] const bool IsChosen = (choose(0), Rows[0] = &Rule::decay, true);
} // namespace
GRADIENT_CHECK(member_chosen_in_file, Double, inFile, In(double, 5), Int(5))
