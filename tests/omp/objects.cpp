// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ in regions: vectors, iterators, references, lambdas, virtual functions, classes with
// constructors as private variables and in reductions, exceptions that stay inside.
// Supports: C++ in regions: containers, iterators, lambdas, exceptions that stay inside
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

double vectors(const double *x, double *y, int n) {
  std::vector<double> all(x, x + n);
  std::vector<std::vector<double>> rows(3, std::vector<double>(4));
  double s = 0;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      rows[i][j] = all[4 * i + j] * all[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::vector<double> mine;
    for (int k = 0; k <= i; k++)
      mine.push_back(x[k] * rows[i / 4][i % 4]);
    y[i] = 0;
    for (const double v : mine)
      y[i] += v * v;
  }
#pragma omp parallel for reduction(+ : s)
  for (const double v : all)
    s += v * v;
#pragma omp parallel for reduction(+ : s)
  for (auto it = all.begin(); it < all.end(); ++it)
    s += std::sin(*it);
  return s;
}

class Scaled {
public:
  explicit Scaled(const double *x) : X(x), Factor(x[0] * x[1]) {}
  void run(double *y, int n) {
    double &total = Total;
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; i++) {
      y[i] = at(i) * at(i);
      total += at(i);
    }
  }
  [[nodiscard]] double total() const { return Total; }

private:
  [[nodiscard]] double at(int i) const { return Factor * X[i]; }
  const double *X;
  double Factor, Total = 0;
};

double members(const double *x, double *y, int n) {
  Scaled s(x);
  s.run(y, n);
  return s.total();
}

struct Shape {
  virtual ~Shape() = default;
  [[nodiscard]] virtual double area(double a) const = 0;
};
struct Square : Shape {
  explicit Square(double k) : K(k) {}
  [[nodiscard]] double area(double a) const override { return K * a * a; }
  double K;
};

double checked(double a) {
  if (a < -100)
    throw std::runtime_error("too small");
  return a * a;
}

void functions(const double *x, double *y, int n) {
  const auto square = std::make_unique<Square>(x[0]);
  const Shape &shape = *square;
  const double w = x[1];
  const std::function<double(double)> times = [w](double a) { return w * a * a; };
  const auto captured = [&](int i) { return w * x[i]; };
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const auto inside = [=](double b) { return w * b * x[i]; };
    y[i] = shape.area(x[i]) + times(x[i]) * captured(i) + inside(x[0]);
    try {
      y[i] *= checked(x[i]);
    } catch (const std::exception &) {
      y[i] = 0;
    }
  }
}

struct Point {
  double A = 0, B = 1;
  Point() {}
  Point(const Point &o) : A(o.A), B(o.B * 2) {}
  Point &operator=(const Point &o) {
    A = o.A;
    B = o.B;
    return *this;
  }
  ~Point() {}
  Point &operator+=(const Point &o) {
    A += o.A;
    B *= o.B;
    return *this;
  }
};

#pragma omp declare reduction(+ : Point : omp_out += omp_in) initializer(omp_priv = Point())
#pragma omp declare reduction(add : std::vector<double> : std::transform(                          \
        omp_out.begin(), omp_out.end(), omp_in.begin(), omp_out.begin(), std::plus<>()))           \
    initializer(omp_priv = std::vector<double>(omp_orig.size()))

double classes(const double *x, double *y, int n) {
  Point first, last, mine, sum;
  first.A = x[0];
  first.B = x[1];
  std::vector<double> sums(3);
#pragma omp parallel for firstprivate(first) lastprivate(last) private(mine)
  for (int i = 0; i < n; i++) {
    mine.A = x[i] * x[i];
    last.A = mine.A;
    last.B = x[i];
    y[i] = first.A * first.B * mine.A;
  }
#pragma omp parallel for reduction(+ : sum) reduction(add : sums)
  for (int i = 0; i < n; i++) {
    sum.A += x[i] * x[i];
    sum.B *= x[i];
    sums[i % 3] += x[i] * x[i];
  }
#pragma omp parallel
  {
    Point all;
#pragma omp single copyprivate(all)
    all.A = x[2] * x[3];
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] *= all.A;
  }
  return last.A * last.B + sum.A * sum.B + sums[0] * sums[1] + sums[2];
}

} // namespace

struct Account {
  double Sum = 0;
  int Entries = 0;
  Account() {}
  ~Account() { Entries = -1; }
  void add(double V) { Sum += V, ++Entries; }
};
Account Mine; // at -O0 its initialisation is called by a second name
#pragma omp threadprivate(Mine)

double accounts(const double *x, int n) {
  double Total = 0;
#pragma omp parallel
  {
    Mine.Sum = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
      Mine.add(x[i] * x[i]);
#pragma omp critical
    Total += Mine.Sum;
  }
  return Total * Total;
}

GRADIENT_CHECK(object_vectors, Double, vectors, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(object_members, Double, members, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK(object_functions, Void, functions, In(double, 12), Out(double, 12), Int(12))
GRADIENT_CHECK_BOUND(1e-10, object_classes, Double, classes, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(objects_accounts, Double, accounts, In(double, 9), Int(9))
