// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registered reverse function that reads what the program overwrites behind the call: memory of
// the caller's is a warning; memory of its own, or memory that stays, is none.
// RUN: %clang -O0 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -g1 -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>

__attribute__((noinline)) static double squares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return s;
}
static double squares_augmented(const double *x, double *bar, int n) {
  (void)bar;
  return squares(x, n);
}
static void squares_reverse(const double *x, double *bar, int n, double seed) {
  for (int i = 0; i < n; ++i)
    bar[i] += 2 * seed * x[i];
}
__attribute__((used)) static void *__enzyme_register_gradient_squares[] = {
    (void *)squares, (void *)squares_augmented, (void *)squares_reverse};

// CHECK-NOT: CF111
static double own(const double *x, double *y, int n) {
  double *a = malloc((unsigned long)n * sizeof *a);
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
  double s = squares(a, n);
  a[0] = s;
  s *= squares(a, n) + squares(x, n);
  free(a);
  y[0] = s;
  return s;
}

// CHECK: warning: {{.*}}registered_reads.c:[[@LINE+2]]:14: [CF111] {{.*}} 'squares_reverse' reads what argument 1 of 'squares' leads to
static double shrink(double *x, double *y, int n) {
  double s = squares(x, n);
  x[0] *= y[0];
  return s * x[0];
}

// Nobody says what these read and write.
double elsewhere(const double *x, int n);
double elsewhere_augmented(const double *x, double *bar, int n);
void elsewhere_reverse(const double *x, double *bar, int n, double seed);
__attribute__((used)) static void *__enzyme_register_gradient_elsewhere[] = {
    (void *)elsewhere, (void *)elsewhere_augmented, (void *)elsewhere_reverse};
// CHECK: warning: {{.*}}registered_reads.c:[[@LINE+2]]:14: [CF111] {{.*}} 'elsewhere_reverse' reads
static double scale(double *x, double *y, int n) {
  double s = elsewhere(x, n);
  x[0] *= y[0];
  return s * x[0];
}
// CHECK-NOT: CF111

void __enzyme_autodiff(void *, ...);
void gradients(double *x, double *x_bar, double *y, double *y_bar, int n) {
  __enzyme_autodiff((void *)own, x, x_bar, y, y_bar, n);
  __enzyme_autodiff((void *)shrink, x, x_bar, y, y_bar, n);
  __enzyme_autodiff((void *)scale, x, x_bar, y, y_bar, n);
}
