// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives of regions with atomic operations on integers: what keeps these in
// order is there once.
#include "Hessian.h"

#include <math.h>

enum { n = 8 };

static int seen;

static double signal_product(const double *x) {
  double sum = 0, product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(* : product)
  for (int i = 0; i < n; ++i) {
    sum += sqrt(x[i]) * x[i];
    product *= x[i];
  }
  return sum * product + log(product);
}
HESSIAN_FORWARD(signal_product)

static double signal_written(const double *x) {
  double a = x[0], *same = &a, sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    if (i == 3) {
#pragma omp atomic write
      seen = 3;
    }
    sum += a * x[i];
  }
  *same = x[1];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += a * a * x[i];
  return sum;
}
HESSIAN_FORWARD(signal_written)
