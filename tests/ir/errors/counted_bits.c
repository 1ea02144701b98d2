// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A member that only goes up by one, and into which two floats are copied: it is no count.
// RUN: %not %clang -O0 -w -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -w -c %s -o %t.o 2>&1 | FileCheck %s
#include <stdlib.h>
#include <string.h>

struct box {
  void *owner;
  long bits;
};

// CHECK: [CF203] cannot tell whether this moves floating-point values: bits are stored
static float f(const float *a, int n) {
  struct box *b = malloc((unsigned long)n * sizeof *b);
  float s = 0;
  for (int i = 0; i < n; ++i) {
    const float x[2] = {a[i] * a[i], a[i]};
    memcpy(&b[i].bits, x, sizeof x);
    b[i].owner = b;
  }
  for (int i = 0; i < n; ++i)
    b[i].bits += 1;
  for (int i = 0; i < n; ++i) {
    float x[2];
    memcpy(x, &b[i].bits, sizeof x);
    s += x[0] * x[1];
  }
  free(b);
  return s;
}

extern float __enzyme_autodiff(void *, ...);
extern int enzyme_dup;

void g(const float *a, float *a_bar, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, a, a_bar, n);
}
