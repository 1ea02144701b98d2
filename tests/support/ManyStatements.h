// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements by the dozen, for programs that are large. Each needs values of those before:
// a, b, c[4] of double, and seven inputs x.
#ifndef CONTRAFLOW_TEST_MANYSTATEMENTS_H
#define CONTRAFLOW_TEST_MANYSTATEMENTS_H

#include <math.h>

#define STEP(i)                                                                                    \
  a = a * x[(i) % 7] + 0.3 * b;                                                                    \
  b = sin(b + x[((i) + 3) % 7]) / (1.5 + a * a);                                                   \
  c[(i) % 4] = c[((i) + 1) % 4] * b + 0.2 * a;
#define STEP8(i)                                                                                   \
  STEP(i)                                                                                          \
  STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4) STEP((i) + 5) STEP((i) + 6) STEP((i) + 7)

#endif
