// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions with combiners of the program, with all operators, of complex numbers and arrays of
// any length, and in sections.
// Supports: `declare reduction`, `reduction` with every operator, of complex numbers
#include "GradientCheck.h"
#include <complex.h>
#include <math.h>

#pragma omp declare reduction(lse:double : omp_out = log(exp(omp_out) + exp(omp_in)))              \
    initializer(omp_priv = -1e3)

static double logOfSum(const double *x, int n) {
  double s = -1e3;
#pragma omp parallel for reduction(lse : s)
  for (int i = 0; i < n; i++)
    s = log(exp(s) + exp(x[i]));
  return s;
}

struct pair {
  double sum, product;
};

static void combine(struct pair *to, const struct pair *from) {
  to->sum += from->sum;
  to->product *= from->product;
}

#pragma omp declare reduction(pairs : struct pair : combine(&omp_out, &omp_in))                    \
    initializer(omp_priv = (struct pair){0, 1})

static double pairs(const double *x, int n) {
  struct pair p = {0, 1};
#pragma omp parallel for reduction(pairs : p)
  for (int i = 0; i < n; i++) {
    p.sum += x[i] * x[i];
    p.product *= x[i];
  }
  return p.sum * p.product;
}

struct place {
  double value;
  int index;
};

#pragma omp declare reduction(largest : struct place : omp_out =                                   \
                                  omp_in.value > omp_out.value ? omp_in : omp_out)                 \
    initializer(omp_priv = (struct place){-1, -1})

static double largest(const double *x, int n) {
  struct place p = {-1, -1};
#pragma omp parallel for reduction(largest : p)
  for (int i = 0; i < n; i++)
    if (x[i] > p.value)
      p = (struct place){x[i], i};
  return p.value * x[(p.index + 1) % n];
}

static double operators(const double *x, int n) {
  double a = 0, b = 1, c = -9, d = 9, e = 0;
  int all = 1, any = 0, both = -1, either = 0, odd = 0;
#pragma omp parallel for reduction(+ : a) reduction(* : b) reduction(max : c) reduction(min : d)   \
    reduction(- : e) reduction(&& : all) reduction(|| : any) reduction(& : both)                   \
    reduction(| : either) reduction(^ : odd)
  for (int i = 0; i < n; i++) {
    a += x[i] * x[i];
    b *= x[i];
    c = fmax(c, x[i]);
    d = fmin(d, x[i]);
    e -= sin(x[i]);
    all = all && x[i] > 0;
    any = any || x[i] > 5;
    both &= i;
    either |= i;
    odd ^= i;
  }
  return a * b + c * d * (all + any + both + either + odd) + e * e;
}

static double numbers(const double *x, int n) {
  double h[n], s = 0;
  double _Complex turns = 1;
  for (int i = 0; i < n; i++)
    h[i] = 0;
#pragma omp parallel for reduction(+ : h) reduction(* : turns)
  for (int i = 0; i < n; i++) {
    turns *= x[i] + 0.1 * x[0] * I;
    for (int j = 0; j < n; j++)
      h[j] += x[i] * x[j] * x[j];
  }
#pragma omp parallel sections reduction(+ : s)
  {
#pragma omp section
    s += h[0] * h[1];
#pragma omp section
    s += h[2] * h[2];
  }
  return s * creal(turns) + cimag(turns);
}

GRADIENT_CHECK(reduction_log_of_sum, Double, logOfSum, In(double, 14), Int(14))
GRADIENT_CHECK_BOUND(1e-10, reduction_pairs, Double, pairs, In(double, 10), Int(10))
GRADIENT_CHECK(reduction_largest, Double, largest, In(double, 14), Int(14))
GRADIENT_CHECK_BOUND(1e-10, reduction_operators, Double, operators, In(double, 9), Int(9))
GRADIENT_CHECK_BOUND(1e-10, reduction_numbers, Double, numbers, In(double, 8), Int(8))
