// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A character where a number is at other times is one byte, among the digits of that number.
// Whoever copies the number byte by byte has to write its exponent as well: refused.
//
// RUN: %not %clangxx -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -fno-vectorize -fno-slp-vectorize -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: [CF203] {{.*}}bits are stored into active memory
template <class R, class... A> R __enzyme_autodiff(void *, A...);

union Slot {
  double number;
  char letter[8];
};

constexpr int bytes[] = {0, 1, 2, 3, 4, 5, 6, 7};

__attribute__((noinline)) static void copy(volatile Slot *to, const volatile Slot *from) {
#pragma unroll
  for (int k : bytes)
    to->letter[k] = from->letter[k];
}

static double sum(const double *x, int n) {
  Slot a[2];
  double s = 0;
  for (int i = 0; i < n; i++) {
    a[0].number = x[i] * x[i];
    a[1].number = i;
    copy(&a[1], &a[0]);
    s += a[1].number;
  }
  return s;
}
void derivative(double *x, double *dx, int n) { __enzyme_autodiff<void>((void *)sum, x, dx, n); }
