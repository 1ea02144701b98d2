// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// d/dx x*x = 2x, in C.

#include <stdio.h>

extern double __enzyme_autodiff(void *, double);

static double square(double x) { return x * x; }

int main(void) {
  for (double x = -2; x <= 2; x += 0.5) {
    const double derivative = __enzyme_autodiff((void *)square, x);
    if (derivative != 2 * x) {
      printf("d/dx x*x at %g: got %g\n", x, derivative);
      return 1;
    }
  }
  return 0;
}
