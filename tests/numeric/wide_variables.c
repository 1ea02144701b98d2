// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that live across hundreds of blocks, with ways out between them, and are read in few of
// them: their adjoints stay in memory, or begin late.

#include "GradientCheck.h"

#include <math.h>

#define STEP(i)                                                                                    \
  if ((k + (i)) % 3 == 0)                                                                          \
    s += 0.01 * cos(s) * y[(i) % 3];                                                               \
  else                                                                                             \
    y[(i) % 3] *= 0.9 + 0.001 * s;                                                                 \
  if (k > 3 && y[(i) % 3] > 40.0 + (i))                                                            \
    continue;
#define STEP8(i)                                                                                   \
  STEP(i)                                                                                          \
  STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4) STEP((i) + 5) STEP((i) + 6) STEP((i) + 7)
#define STEP64(i)                                                                                  \
  STEP8(i)                                                                                         \
  STEP8((i) + 8)                                                                                   \
  STEP8((i) + 16)                                                                                  \
  STEP8((i) + 24) STEP8((i) + 32) STEP8((i) + 40) STEP8((i) + 48) STEP8((i) + 56)

static double wide(const double *x, double *y, int n) {
  double s = x[0];
  for (int k = 0; k < n; k++) {
    const double a = sin(x[1] * k), b = x[2] * x[2], c = exp(-x[3]);
    s += a * b;
    STEP64(0)
    if (k & 1)
      s += a * c;
    STEP64(64)
    if (k > 2)
      y[k % 3] += s * b + c;
    for (int j = 0; j < k; j++)
      s += 0.001 * c * y[j % 3];
  }
  return s;
}

GRADIENT_CHECK(wide_variables, Double, wide, In(double, 4), InOut(double, 3), Int(6))
