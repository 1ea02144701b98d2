// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scratch array and a counter at file scope.
// Supports: global variables
#include "GradientCheck.h"

static int Calls;
static const double Scale = 0.75;
static double Coefficient[3] = {0.5, 0.25, 0.125};

static double weigh(const double *x, int n) {
  double sum = 0;
  Calls++;
  for (int i = 0; i < n; i++)
    sum += Scale * Coefficient[i % 3] * x[i] * x[i] * x[(i + 1) % n];
  return sum;
}

GRADIENT_CHECK(global_constants, Double, weigh, In(double, 7), Int(7))
