// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ with OpenMP: containers, classes, lambdas and templates in regions and tasks.
// Supports: C++: reductions of classes, tasks over containers, members in regions, atomics of std
#include "GradientCheck.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <memory>
#include <numeric>
#include <vector>

namespace {

struct Vec {
  double x = 0, y = 0;
  Vec &operator+=(const Vec &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
  friend Vec operator*(double a, const Vec &v) { return {a * v.x, a * v.y}; }
};

#pragma omp declare reduction(+ : Vec : omp_out += omp_in) initializer(omp_priv = Vec())

double classes(const double *x, int n) {
  Vec sum;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * Vec{x[i], std::sin(x[i])};
  return sum.x * sum.y;
}

using Row = std::vector<double>;
#pragma omp declare reduction(rows:Row : std::transform(                                           \
        omp_in.begin(), omp_in.end(), omp_out.begin(), omp_out.begin(), std::plus<double>()))      \
    initializer(omp_priv = Row(omp_orig.size()))

double containers(const double *x, int n) {
  Row sums(3);
#pragma omp parallel for reduction(rows : sums)
  for (int i = 0; i < n; i++)
    sums[i % 3] += x[i] * x[i];
  return sums[0] * sums[1] + sums[2];
}

class Field {
public:
  explicit Field(const double *x, int n) : values(x, x + n), other(n) {}
  void step(double dt) {
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); i++) {
      const double left = values[i ? i - 1 : 0];
      other[i] = values[i] + dt * factor * (left - values[i]) * values[i];
    }
    values.swap(other);
  }
  double norm() const {
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (auto p = values.begin(); p < values.end(); ++p)
      s += *p * *p;
    return s;
  }

private:
  std::vector<double> values, other;
  double factor = 1.5;
};

double members(const double *x, int n, double dt) {
  Field f(x, n);
  for (int i = 0; i < 3; i++)
    f.step(dt);
  return f.norm();
}

template <class F> void forEach(int n, F f) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    f(i);
}

double lambdas(const double *x, double *y, int n) {
  double s = 0;
  forEach(n, [=](int i) { y[i] = x[i] * x[0]; });
  forEach(n, [&](int i) {
    const double v = y[i] * x[i];
#pragma omp atomic
    s += v;
  });
  return s * s;
}

double quick(std::vector<double> &v, int from, int to) {
  if (to - from <= 1)
    return to > from ? v[from] * (from + 1) : 0;
  const int middle = (from + to) / 2;
  double low = 0, high = 0;
#pragma omp task shared(low, v)
  low = quick(v, from, middle);
#pragma omp task shared(high, v)
  high = quick(v, middle, to);
#pragma omp taskwait
  return low + high * 0.5;
}

double tasks(const double *x, int n) {
  std::vector<double> v(x, x + n);
  double r = 0;
#pragma omp parallel
#pragma omp single
  r = quick(v, 0, n);
#pragma omp parallel
#pragma omp single
  for (auto &e : v)
#pragma omp task shared(v) firstprivate(r)
    e *= r;
  return std::accumulate(v.begin(), v.end(), 0.0);
}

double privates(const double *x, double *y, int n) {
  std::vector<double> w(3, x[0]);
  std::array<double, 2> a{x[1], 2};
#pragma omp parallel firstprivate(w, a)
  {
    w.push_back(a[0]);
    a[1] += 1;
#pragma omp for
    for (int i = 0; i < n; i++)
      y[i] = x[i] * w[i % 4] * a[i % 2];
  }
  return w[1] * a[1];
}

// std::atomic deals out the work.
double shared(const double *x, double *y, int n) {
  std::atomic<int> next{0};
  auto last = std::make_shared<double>(0);
#pragma omp parallel
  {
    auto mine = last;
    for (int i = next++; i < n; i = next++) {
      y[i] = x[i] * x[i];
      if (i == n - 1)
        *mine = y[i] * x[0];
    }
  }
  return *last;
}

double complexes(const double *x, int n) {
  std::complex<double> z{1, 0};
  std::vector<std::complex<double>> v(n);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    v[i] = std::complex<double>(x[i], x[n - 1 - i]) * x[0];
#pragma omp parallel
  {
    std::complex<double> mine{1, 0};
#pragma omp for nowait
    for (int i = 0; i < n; i++)
      mine *= v[i];
#pragma omp critical
    z *= mine;
  }
  return z.real() + z.imag();
}

// Threads clear what they have for themselves in a module with exceptions, too.
double ofThread;
#pragma omp threadprivate(ofThread)

double threadsOwn(const double *x, double *y, int n) {
  ofThread = x[0] * x[1];
  double s = 0;
#pragma omp parallel for copyin(ofThread) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    y[i] = ofThread + x[i];
    s += ofThread * y[i];
  }
  return s;
}

} // namespace

GRADIENT_CHECK(cxx_classes, Double, classes, In(double, 9), Int(9))
GRADIENT_CHECK(cxx_containers, Double, containers, In(double, 9), Int(9))
GRADIENT_CHECK(cxx_members, Double, members, In(double, 9), Int(9), Scalar(double))
GRADIENT_CHECK(cxx_lambdas, Double, lambdas, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(cxx_tasks, Double, tasks, In(double, 9), Int(9))
GRADIENT_CHECK(cxx_privates, Double, privates, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK(cxx_shared, Double, shared, In(double, 9), Out(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, cxx_complexes, Double, complexes, In(double, 7), Int(7))
GRADIENT_CHECK(class_threads_own, Double, threadsOwn, In(double, 9), Out(double, 9), Int(9))
