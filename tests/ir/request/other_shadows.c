// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reverse call adds to the shadows that its augmented call was given; others end the program.
//
// RUN: %cf_clang -O0 %s -o %t && %t && not --crash %t 1 2>&1 | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t && %t && not --crash %t 1 2>&1 | FileCheck %s
#include <stdio.h>

extern int enzyme_nofree;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);

static void grow(double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    x[i] *= *y *= x[i];
}

int main(int count, char **words) {
  (void)words;
  double x[2] = {2, 3}, y = 1, x_bar[2] = {1, 1}, y_bar = 0, other[2] = {1, 1};
  void *tape = __enzyme_augmentfwd((void *)grow, enzyme_nofree, x, x_bar, &y, &y_bar, 2);
  __enzyme_reverse((void *)grow, enzyme_nofree, x, x_bar, &y, &y_bar, 2, tape);
  printf("%g %g %g\n", x_bar[0], x_bar[1], y_bar);
  fflush(stdout);
  x_bar[0] = x_bar[1] = 1;
  y_bar = 0;
  // CHECK: error: [CF319] a reverse call of 'grow' is given other shadows than its augmented call
  __enzyme_reverse((void *)grow, x, count > 1 ? other : x_bar, &y, &y_bar, 2, tape);
  return x_bar[0] != 13 || x_bar[1] != 12 || y_bar != 22;
}
