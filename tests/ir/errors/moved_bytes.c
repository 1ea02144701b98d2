// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that a loop of the program's own copies in another order, and that nobody looks at, may be
// those of numbers where the argument has a shadow. Text, which has none, is no error.
//
// RUN: %not %clang -O0 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O0 -DTEXT -c %s -o /dev/null
// RUN: %clang -O2 -DTEXT -c %s -o /dev/null
#include <string.h>

extern int enzyme_dup, enzyme_const, enzyme_out;
void __enzyme_autodiff(void *, ...);
double __enzyme_autodiff_number(void *, ...);

static void copy(void *to, const void *from, int n) {
  char *a = to;
  const char *b = from;
  while (n--)
    *a++ = b[n]; // CHECK: moved_bytes.c:[[@LINE]]:{{.*}}[CF203]
}

#ifdef TEXT
struct Entry {
  char name[16];
  double value;
  char *label;
};
static void hand(const struct Entry *from, struct Entry *to, int n) {
  for (int i = 0; i < 16; i++)
    to->name[i] = from->name[i];
  copy(to->label, from->label, n);
  to->value = from->value * 2;
}
static double length(double x, const char *text, int n) {
  char own[32] = {0};
  copy(own, text, n);
  return x * (double)strlen(own);
}
void gradient(struct Entry *x, struct Entry *dx, struct Entry *y, struct Entry *dy) {
  __enzyme_autodiff((void *)hand, enzyme_dup, x, dx, enzyme_dup, y, dy, 3);
  x->value = __enzyme_autodiff_number((void *)length, enzyme_out, 2.0, enzyme_const, "text", 4);
}
#else
static void both(const double *x, double *y, int n) { copy(y, x, 8 * n); }
void gradient(double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)both, enzyme_dup, x, dx, enzyme_dup, y, dy, 3);
}
#endif
