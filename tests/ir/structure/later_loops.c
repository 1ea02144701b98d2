// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array is read, and sixteen loops come behind that: none of them writes there, and what wrote
// there ran before. It is read once more where it lies.
//
// RUN: %clang -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s
// CHECK: tape plan of cf.adjoint.many:
// CHECK-NOT: store

#define N 500
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static double X[N], Y[N];

#define ONCE_MORE(C)                                                                               \
  for (int I = 0; I < Steps; ++I)                                                                  \
    Y[I] = C * Y[I] + P[1];
#define FOUR_TIMES(C) ONCE_MORE(C) ONCE_MORE(C + 1) ONCE_MORE(C + 2) ONCE_MORE(C + 3)

static double many(const double *P, int Steps) {
  for (int I = 0; I < N; ++I)
    X[I] = P[0] * I;
  double Sum = 0;
  for (int I = 0; I < Steps; ++I)
    Sum += X[I] * X[I];
  FOUR_TIMES(0.1)
  FOUR_TIMES(0.2)
  FOUR_TIMES(0.3)
  FOUR_TIMES(0.4)
  return Sum + Y[0];
}

void gradient(const double *P, double *DP, int Steps) {
  __enzyme_autodiff((void *)many, enzyme_dup, P, DP, enzyme_const, Steps);
}
