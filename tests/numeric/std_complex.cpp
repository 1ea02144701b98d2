// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::complex arithmetic and abs, over an array of complex numbers; products as the formula,
// without the library call that repairs infinities.
// Supports: complex numbers
#include "GradientCheck.h"

#pragma STDC CX_LIMITED_RANGE ON
#include <complex>

using Complex = std::complex<double>;

static double impedance(const double *x, double omega, int n) {
  Complex z(1, 0);
  for (int i = 0; i < n; ++i) {
    const Complex element(x[2 * i], omega * x[2 * i + 1]);
    if (i % 2)
      z = z + element;
    else
      z = z * element;
  }
  return std::abs(z) + z.real() * z.imag() + std::norm(z);
}

GRADIENT_CHECK(std_complex, Double, impedance, In(double, 10), Scalar(double), Int(5))
