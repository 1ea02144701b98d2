// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled with -contraflow-deterministic: gradients of four threads, twenty times, have the same
// bits.

#include <omp.h>
#include <stdio.h>
#include <string.h>

void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const, enzyme_out;

enum { N = 20001, Runs = 20 };

static double scatter(const double *x, const int *at, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[at[i]] = x[at[i]] * x[at[(i * 7) % n] / 5] + x[i % 11];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i] / (1 + i);
  return sum;
}

static double reduces(const double *x, const int *at, double *y, int n) {
  double sum = 0, product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(* : product)
  for (int i = 0; i < n; ++i) {
    sum += x[i] * x[at[i]] / (3 + i % 17);
    product *= 1 + 1e-3 * x[at[i] % 97];
  }
  return sum * product * y[0];
}

static double scalars(const double *x, const int *at, double *y, int n) {
  double shared = x[0] * x[1], value = x[2];
#pragma omp parallel for firstprivate(value)
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * shared * value / (1 + at[i]);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3)
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[n - 1 - i] * shared;
  return sum;
}

static double phases(const double *x, const int *at, double *y, int n) {
  double norm = 0, z[64];
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < 64; ++i)
      z[i] = x[i] * x[i + 1];
    for (int step = 0; step < 3; ++step) {
#pragma omp for
      for (int i = 0; i < n; ++i)
        y[i] = z[at[i] % 64] * x[at[i]] + 0.1 * x[i % 5];
#pragma omp for
      for (int i = 0; i < 64; ++i)
        z[i] = 0.5 * (y[i] + y[n - 1 - 2 * i]) + z[i] * y[i / 2];
    }
#pragma omp for reduction(+ : norm)
    for (int i = 0; i < n; ++i)
      norm += y[i] * z[i % 64] * 1e-3;
  }
  return norm;
}

static double matrix(const double *x, const int *at, double *y, int n) {
  const int rows = 120;
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    y[i] = 0;
    for (int j = 0; j < rows; ++j)
      y[i] += x[rows + i * rows + j] * x[j] * at[j];
  }
  double sum = 0;
  for (int i = 0; i < rows && i < n; ++i)
    sum += y[i] * y[i] * 1e-7;
  return sum;
}

static double narrow(const double *x, const int *at, double *y, int n) {
  float z[32], sum = 0;
  for (int i = 0; i < 32; ++i)
    z[i] = (float)x[i];
#pragma omp parallel for reduction(+ : sum) schedule(guided)
  for (int i = 0; i < n; ++i)
    sum += z[at[i] % 32] * z[i % 31] * (float)y[i];
  return sum;
}

static double x[N], xBar[N], first[N], y[N], yBar[N];
static int at[N];

/* Also printed: a digest, so that two builds can be compared. */
#define CHECK(F)                                                                                   \
  for (int run = 0; run < Runs; ++run) {                                                           \
    memset(xBar, 0, sizeof xBar);                                                                  \
    memset(yBar, 0, sizeof yBar);                                                                  \
    __enzyme_autodiff((void *)F, enzyme_dup, x, xBar, enzyme_const, at, enzyme_dup, y, yBar,       \
                      enzyme_const, N);                                                            \
    if (run == 0)                                                                                  \
      memcpy(first, xBar, sizeof first);                                                           \
    if (memcmp(first, xBar, sizeof first))                                                         \
      ++differ, printf("%s: run %d differs\n", #F, run);                                           \
  }                                                                                                \
  for (int i = 0; i < N; ++i)                                                                      \
    check += first[i];

int main(void) {
  int differ = 0;
  double check = 0;
  for (int i = 0; i < N; ++i) {
    x[i] = 0.5 + (i * 37 % 101) / 150.0;
    y[i] = 1.5;
    at[i] = (i * 1009) % N;
  }
  omp_set_num_threads(4);
  CHECK(scatter)
  CHECK(reduces)
  CHECK(scalars)
  CHECK(phases)
  CHECK(matrix)
  CHECK(narrow)
  printf("%.8g\n", check);
  return differ != 0;
}
