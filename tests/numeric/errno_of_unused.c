// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What mathematical functions say by errno is said where nobody uses their result, too: in the
// derivative as without it.
#include "GradientCheck.h"

#include <errno.h>
#include <math.h>

static double undefined(const double *x, int n) {
  double sum = 0;
  errno = 0;
  for (int i = 0; i < n; ++i) {
    const double y = log(x[i] - 3); // nobody looks at it
    (void)y;
    sum += sin(x[i]);
  }
  return errno ? sum * x[0] : sum;
}
GRADIENT_CHECK(errno_decides, Double, undefined, InRange(double, 5, 1, 2), Int(5))

static __attribute__((noinline)) int failed(void) { return errno != 0; }

/// Somebody else looks, and leaves what is seen to the program.
static double reported(const double *x, double *seen, int n) {
  errno = 0;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double y = log(x[i] - 5);
    (void)y;
    sum += x[i] * x[i];
  }
  *seen = sum * (1 + failed());
  return sum;
}
GRADIENT_CHECK(errno_reported, Double, reported, In(double, 4), Out(double, 1), Int(4))
