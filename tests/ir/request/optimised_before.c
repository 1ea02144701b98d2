// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitcode that another clang has optimised to the end (as in static libraries): neighbouring
// pointers are loaded and stored as vectors, which keep their shadows.
//
// RUN: clang -O2 -emit-llvm -c %s -o %t.bc && llvm-dis %t.bc -o - | FileCheck %s --check-prefix=INPUT
// RUN: %cf_clang -O2 %t.bc -o %t2 -lm && %t2 | FileCheck %s
// RUN: %cf_clang -O0 %t.bc -o %t0 -lm && %t0 | FileCheck %s
//
// CHECK: {{^}}0 wrong
// INPUT: load <2 x ptr>
// INPUT: store <2 x ptr>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct table {
  double *values;
  int *order;
};

enum { n = 6, tables = 3 };

__attribute__((noinline)) static void copy(struct table *const *from, struct table *const *to,
                                           int left) {
  if (left == 0)
    return;
  struct table *t = to[left - 1];
  double *values = from[left - 1]->values;
  int *order = from[left - 1]->order;
  t->values = values;
  t->order = order;
  copy(from, to, left - 1);
  if (left & 1)
    order[0] = (order[0] + 1) % n;
}

/// The one or the other pair of pointers.
__attribute__((noinline)) static void pick(const struct table *a, const struct table *b, int which,
                                           struct table *to) {
  const struct table chosen = which ? *a : *b;
  *to = chosen;
}

static double energy(const double *x) {
  struct table *from[tables], *to[tables], *last = malloc(sizeof *last);
  for (int k = 0; k < tables; ++k) {
    from[k] = malloc(sizeof **from);
    to[k] = malloc(sizeof **to);
    from[k]->values = malloc(n * sizeof(double));
    from[k]->order = malloc(n * sizeof(int));
    for (int i = 0; i < n; ++i) {
      from[k]->values[i] = x[i] * x[i] + k;
      from[k]->order[i] = n - 1 - i;
    }
  }
  copy(from, to, tables);
  pick(to[0], to[1], x[0] > x[1], last);
  double sum = 0;
  for (int k = 0; k < tables; ++k)
    for (int i = 0; i < n; ++i)
      sum += to[k]->values[to[k]->order[i]] * to[k]->values[i] * last->values[i];
  for (int k = 0; k < tables; ++k) {
    free(from[k]->values);
    free(from[k]->order);
    free(from[k]);
    free(to[k]);
  }
  free(last);
  return sum;
}

int main(void) {
  double x[n], bar[n] = {0};
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 + 0.1 * i;
  __enzyme_autodiff((void *)energy, enzyme_dup, x, bar);
  for (int i = 0; i < n; ++i) {
    double dot[n] = {0}, h = 1e-6, here = x[i];
    dot[i] = 1;
    const double tangent = __enzyme_fwddiff((void *)energy, enzyme_dup, x, dot);
    x[i] = here + h;
    const double above = energy(x);
    x[i] = here - h;
    const double difference = (above - energy(x)) / (2 * h);
    x[i] = here;
    wrong += fabs(tangent - difference) > 1e-5 || fabs(bar[i] - difference) > 1e-5;
  }
  printf("%d wrong\n", wrong);
  return 0;
}
