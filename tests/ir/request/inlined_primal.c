// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that other files can name has called the primal before it was inlined there. Who knows
// nothing of this file's statics but its public functions does not call it while the primal runs.
//
// RUN: %clang -O0 -c %s -o /dev/null
// RUN: %clang -O2 -c %s -o /dev/null
double __enzyme_autodiff(void *, ...);
void log_event(int);

static double work[16];
static double energy(const double *x, int n) {
  log_event(n);
  for (int i = 0; i < n; ++i)
    work[i] = x[i] * x[0];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += work[i] * work[(i + 1) % n];
  return sum;
}
double evaluate(const double *x, int n) { return energy(x, n); }
void slope(const double *x, double *d, int n) { __enzyme_autodiff((void *)energy, x, d, n); }
