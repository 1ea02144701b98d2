// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Black-Scholes with erf, and a binomial tree with early exercise.
#include "GradientCheck.h"
#include <math.h>

static double blackScholes(double s, double k, double vol, double t) {
  double d1 = (log(s / k) + (0.02 + 0.5 * vol * vol) * t) / (vol * sqrt(t)),
         d2 = d1 - vol * sqrt(t);
  double n1 = 0.5 * (1 + erf(d1 * 0.7071067811865476)), n2 = 0.5 * erfc(-d2 * 0.7071067811865476);
  return s * n1 - k * exp(-0.02 * t) * n2;
}

static double binomialPut(double s, double k, double vol, int n) {
  double value[13], up = exp(vol / sqrt((double)n)), p = (1.001 - 1 / up) / (up - 1 / up);
  for (int i = 0; i <= n; i++)
    value[i] = fmax(0, k - s * pow(up, 2 * i - n));
  for (int step = n - 1; step >= 0; step--)
    for (int i = 0; i <= step; i++) {
      double hold = (p * value[i + 1] + (1 - p) * value[i]) / 1.001;
      double exercise = k - s * pow(up, 2 * i - step);
      value[i] = hold > exercise ? hold : exercise;
    }
  return value[0];
}

GRADIENT_CHECK(black_scholes, Double, blackScholes, ScalarRange(double, 0.9, 1.2),
               ScalarRange(double, 0.9, 1.2), ScalarRange(double, 0.2, 0.5), Scalar(double))
GRADIENT_CHECK(binomial_tree, Double, binomialPut, ScalarRange(double, 0.9, 1.1),
               ScalarRange(double, 0.9, 1.1), ScalarRange(double, 0.1, 0.5), Int(12))
