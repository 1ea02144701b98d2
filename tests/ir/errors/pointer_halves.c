// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers to active memory that are copied as two integers: the shadow would not be. A pointer
// that is copied whole, and integers that lie where a pointer is at another time, are no such
// thing.
//
// RUN: %not %clang -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O1 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DACCEPTED -c %s -o %t.o
// RUN: %clang -O1 -DACCEPTED -c %s -o %t.o
#include <stdint.h>

void __enzyme_autodiff(void *, ...);
union Address {
  double *whole;
  struct {
    uint32_t low, high;
  } half;
};

static double sum(const double *x) {
  double v[4], s = 0;
  union Address a[4], b[4];
  for (int i = 0; i < 4; i++) {
    v[i] = x[i] * x[i];
    a[i].whole = &v[i];
  }
  for (int i = 0; i < 4; i++) {
#ifdef ACCEPTED
    if (i < 2) {
      b[i].half.low = i;
      b[i].half.high = 1;
    }
    b[i] = a[3 - i];
#else
    b[i].half.low = a[3 - i].half.low;
    // CHECK: pointer_halves.c:{{.*}}[CF203] {{.*}}a pointer to active memory is copied in parts
    b[i].half.high = a[3 - i].half.high;
#endif
  }
  for (int i = 0; i < 4; i++)
    s += *b[i].whole * x[i];
  return s;
}
void slope(const double *x, double *dx) { __enzyme_autodiff((void *)sum, x, dx); }
