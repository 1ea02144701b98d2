// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives of regions whose threads have variables of their own.
#include "Hessian.h"

#include <math.h>

enum { n = 8 };

static double own, sums[2];
#pragma omp threadprivate(own, sums)

static double hessian_copyin(const double *x) {
  double sum = 0;
  own = x[2] * x[1];
#pragma omp parallel for reduction(+ : sum) copyin(own)
  for (int i = 0; i < n; ++i)
    sum += tanh(x[i] * own) * own;
  return sum * x[0];
}
HESSIAN(hessian_copyin)
SLOPE(hessian_copyin)

static double hessian_kept(const double *x) {
  double sum = 0, product = 1;
  for (int step = 0; step < 2; ++step) {
#pragma omp parallel num_threads(3)
    sums[0] = sums[1] = 0;
#pragma omp parallel for schedule(static) num_threads(3)
    for (int i = 0; i < n; ++i)
      sums[i % 2] += x[i] * x[(i + step) % n];
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
      {
        sum += sums[0] * x[1];
        product += sin(sums[1]);
      }
    }
  }
  return sum * product;
}
HESSIAN(hessian_kept)
SLOPE(hessian_kept)
