// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log likelihood of a mixture of Gaussians with triangular factors.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>

enum { Points = 5 };

static double logSumExp(const double *x, int n) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    m = fmax(m, x[i]);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += exp(x[i] - m);
  return m + log(s);
}

static double squaredNorm(int d, const double *logDiagonal, const double *lower, const double *v) {
  double sum = 0;
  for (int i = 0, at = 0; i < d; i++) {
    double row = exp(logDiagonal[i]) * v[i];
    for (int j = 0; j < i; j++)
      row += lower[at++] * v[j];
    sum += row * row;
  }
  return sum;
}

static double likelihood(const double *alphas, const double *means, const double *factors,
                         const double *points, int d, int k) {
  const int n = Points;
  int lowers = d * (d - 1) / 2, stride = d + lowers;
  double *terms = malloc(k * sizeof *terms), *centred = malloc(d * sizeof *centred);
  double sum = -n * logSumExp(alphas, k);
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < k; c++) {
      const double *factor = factors + c * stride;
      double logDet = 0;
      for (int j = 0; j < d; j++) {
        centred[j] = points[i * d + j] - means[c * d + j];
        logDet += factor[j];
      }
      terms[c] = alphas[c] + logDet - 0.5 * squaredNorm(d, factor, factor + d, centred);
    }
    sum += logSumExp(terms, k);
  }
  free(terms);
  free(centred);
  return sum;
}

GRADIENT_CHECK(gmm, Double, likelihood, In(double, 3), In(double, 9), In(double, 18),
               Const(double, 3 * Points), Int(3), Int(3))
