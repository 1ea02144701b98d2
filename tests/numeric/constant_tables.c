// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of constants at file scope and within the function.
// Supports: global variables
#include "GradientCheck.h"

static const double Nodes[5] = {-0.906179845938664, -0.538469310105683, 0, 0.538469310105683,
                                0.906179845938664};
static const double Weights[5] = {0.236926885056189, 0.478628670499366, 0.568888888888889,
                                  0.478628670499366, 0.236926885056189};

static double quadrature(double a, double b) {
  static const int Power[5] = {0, 1, 2, 1, 0};
  double sum = 0;
  for (int i = 0; i < 5; i++) {
    double t = 0.5 * (a + b) + 0.5 * (b - a) * Nodes[i], p = t;
    for (int k = 0; k < Power[i]; k++)
      p *= t + a;
    sum += Weights[i] * p;
  }
  return 0.5 * (b - a) * sum;
}

GRADIENT_CHECK(constant_tables, Double, quadrature, Scalar(double), ScalarRange(double, 2, 3))
