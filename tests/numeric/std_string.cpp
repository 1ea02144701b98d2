// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings are built and compared beside the arithmetic.
// Supports: `std::string`, `valarray`
#include "GradientCheck.h"
#include <string>

static double named(const double *x, double a, int n) {
  std::string name = "term";
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    std::string key = name + "." + std::to_string(i) + " of a series of many terms";
    if (key.size() % 2 == 0 || key.find("3") != std::string::npos)
      sum += x[i] * a;
    else
      sum += x[i] * x[i];
  }
  return sum * sum;
}

GRADIENT_CHECK(std_string, Double, named, In(double, 12), Scalar(double), Int(12))
