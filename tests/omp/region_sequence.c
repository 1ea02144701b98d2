// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions one after the other: what a region reads stays as it is if only those before it write
// there, and is recorded if one behind it does, or the code between them.
// Supports: sequences of regions that share arrays
#include "GradientCheck.h"
#include <math.h>

static double vectors(double a, const double *x, double *y, int n) {
  double dot = 0, norm = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] = y[i] * y[i] + a * x[i] * x[i];
#pragma omp parallel for reduction(+ : dot, norm)
  for (int i = 0; i < n; i++) {
    dot += x[i] * y[i];
    norm += y[i] * y[i];
  }
  return dot / sqrt(norm);
}

static double between(double *x, double *y, int n) {
  double sum = 0;
  x[0] *= x[1];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] *= x[i] * x[i];
  x[1] = x[0] * y[2];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i] * y[i];
  if (sum > 0) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = sin(x[i]) * y[i];
  }
  y[0] = x[3];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i] * y[i];
  return sum;
}

static double repeated(double *x, double *y, int n, int steps) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    y[i] *= x[i];
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] += 0.1 * y[i] * y[i] * x[i];
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
      sum += x[i] * y[i];
    y[s] = x[s + 1] * x[s];
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i] * y[i];
  return sum;
}

GRADIENT_CHECK(sequence_of_vectors, Double, vectors, Scalar(double), In(double, 21),
               InOut(double, 21), Int(21))
GRADIENT_CHECK(sequence_with_code_between, Double, between, InOut(double, 13), InOut(double, 13),
               Int(13))
GRADIENT_CHECK(sequence_repeated, Double, repeated, InOut(double, 9), InOut(double, 9), Int(9),
               Int(4))
