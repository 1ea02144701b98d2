// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An active array that is only read as integers: what is counted there and becomes a number would
// have no derivative. If the integers are an index, or are converted, they are integers.
//
// RUN: %not %clang -O0 -g -fno-strict-aliasing -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -g -fno-strict-aliasing -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DINTEGERS -c %s -o %t.o
// RUN: %clang -O2 -DINTEGERS -c %s -o %t.o
typedef long Int;
void __enzyme_autodiff(void *, ...);

union Word {
  double number;
  Int bits;
};
#ifndef INTEGERS
static double sum(const Int *x, union Word *y, int n) {
  double s = 0;
  // CHECK: hidden_bits.c:[[@LINE+2]]:{{.*}}[CF203] {{.*}}pass it as enzyme_const
  for (int i = 0; i < n; i++)
    y[i].bits = x[i] < 0 ? x[i] + 1 : x[i] - 1;
  for (int i = 0; i < n; i++)
    s += y[i].number * y[i].number;
  return s;
}
#else
static double sum(const Int *x, union Word *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    if (i % 2)
      y[i].bits = x[i] + 1;
  for (int i = 0; i < n; i++)
    s += i % 2 ? y[x[i]].number * y[i].bits : y[i].number * y[i].number;
  return s;
}
#endif
void gradient(Int *x, Int *xb, union Word *y, union Word *yb, int n) {
  __enzyme_autodiff((void *)sum, x, xb, y, yb, n);
}
