// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a comparison writes is seen by nobody, also where the array itself does not matter.
//
// RUN: %not %clang -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>
#include <string.h>
extern void __enzyme_autodiff(void *, ...);

static double sum, last;
static int order(double a, double b) { return (a > b) - (a < b); }
static int adding(const void *a, const void *b) {
  const double *u = a, *v = b;
  sum += *u * *v;
  return order(*u, *v);
}
static int keeping(const void *a, const void *b) {
  const double *u = a, *v = b;
  memcpy(&last, u, sizeof last);
  return order(*u, *v);
}
static int falling(const void *a, const void *b) {
  return order(*(const double *)b, *(const double *)a);
}

double sorted(const double *x) {
  double y[4];
  memcpy(y, x, sizeof y);
  sum = 0;
  // CHECK: sorted.c:[[@LINE+1]]:{{.*}}[CF210]{{.*}}a comparison that writes memory
  qsort(y, 4, sizeof *y, adding);
  // CHECK: sorted.c:[[@LINE+1]]:{{.*}}[CF210]{{.*}}a comparison that writes memory
  qsort(y, 4, sizeof *y, keeping);
  // CHECK-NOT: {{CF2}}
  qsort(y, 4, sizeof *y, falling);
  return sum * last;
}
void slope(const double *x, double *dx) { __enzyme_autodiff((void *)sorted, x, dx); }
