// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests that lead to the same functions share the derivatives of them: functions that call each
// other, and code that restricted pointers were inlined into.
//
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not='prepared.{{turn|descend|restricted}}.{{[0-9]}}'

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

double sin(double);

static double turn(const double *x, int n), descend(const double *x, int n);
static double (*const Steps[2])(const double *x, int n) = {turn, descend};

// Too much for a copy in each caller.
#define TERM(i) y += sin(x[i] + y) * x[i + 1] + sin(x[i] * y)
#define TERMS TERM(0), TERM(1), TERM(2), TERM(3), TERM(4), TERM(5), TERM(6), TERM(7)

static double turn(const double *x, int n) {
  double y = x[0];
  TERMS;
  return n < 2 ? y : x[n] * Steps[n & 1](x, n - 1) + descend(x, n - 2) * y;
}

static double descend(const double *x, int n) {
  double y = x[1];
  TERMS;
  return n < 1 ? y : sin(x[n]) * Steps[n % 3 == 1](x, n - 1) + turn(x, n / 2);
}

static inline void scale(double *restrict y, const double *restrict x, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
}

static double restricted(double *x, int n) {
  double y = x[n];
  TERMS;
  scale(x + 16, x, n);
  return n < 2 ? y : y * restricted(x, n - 1) + restricted(x, n - 2);
}

static double first(double *x, int n) { return descend(x, n) + turn(x, n) + restricted(x, n); }
static double second(double *x, int n) {
  return turn(x, n) * descend(x, n + 1) * restricted(x, n + 1);
}

void gradients(double *x, double *dx, int n) {
  __enzyme_autodiff((void *)first, enzyme_dup, x, dx, n);
  __enzyme_autodiff((void *)second, enzyme_dup, x, dx, n);
}

// CHECK-DAG: define {{.*}} @cf.augmented.cf.prepared.turn(
// CHECK-DAG: define {{.*}} @cf.augmented.cf.prepared.descend(
// CHECK-DAG: define {{.*}} @cf.augmented.cf.prepared.restricted(
