// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library calls, or fills, out of sight: call_once, a task with a future, numbers read
// from a stream over active memory, also where there is nothing left to read; the inverse
// functions of complex numbers.
// Supports: `std::call_once`, `packaged_task`; streams that overwrite active values
#include "GradientCheck.h"
#include <cmath>
#include <complex>
#include <future>
#include <mutex>
#include <sstream>

static double once(const double *x, int n) {
  std::once_flag flag;
  double c = 0, s = 0;
  for (int i = 0; i < n; ++i) {
    std::call_once(flag, [&] { c = std::sin(x[0]); });
    s += c * x[i];
  }
  return s;
}

static double task(const double *x, int n) {
  std::packaged_task<double(int)> sum([=](int k) {
    double s = 0;
    for (int i = k; i < n; ++i)
      s += x[i] * x[i];
    return s;
  });
  auto result = sum.get_future();
  sum(1);
  return result.get() * x[0];
}

static double reads(const double *x, double a, double b) {
  std::istringstream in("1.5 2.5");
  double c = x[2] * x[2];
  in >> a >> b >> c;
  return a * x[0] + b * x[1] + c * x[0];
}

static double inverses(const double *x, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; ++i) {
    const std::complex<double> a(x[i], x[i + 1]), b(0.3 * x[i + 1], 0.2 * x[0]);
    s += real(asin(a)) + imag(acos(b)) + real(atan(b) * asinh(a)) + imag(acosh(a) * atanh(b)) +
         real(proj(a) * log10(a));
  }
  return s;
}

GRADIENT_CHECK(library_once, Double, once, In(double, 4), Int(4))
GRADIENT_CHECK(library_task, Double, task, In(double, 4), Int(4))
GRADIENT_CHECK(library_reads, Double, reads, In(double, 3), Scalar(double), Scalar(double))
GRADIENT_CHECK(library_inverses, Double, inverses, In(double, 4), Int(4))
