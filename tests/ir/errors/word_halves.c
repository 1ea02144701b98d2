// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two floats where there is an address or a double at other times: copied through a register,
// nobody knows what the word is.
//
// RUN: %not %clang -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: [CF203] {{.*}}a word is a float at one time and a double at another
struct Tagged {
  int tag;
  union {
    double *p;
    double d;
    struct {
      float a, b;
    } f;
  } u;
};
void __enzyme_autodiff(void *, ...);

__attribute__((noinline)) static double value(const struct Tagged *t) {
  return t->tag == 0 ? t->u.d : t->tag == 1 ? t->u.p[0] : (double)t->u.f.a * t->u.f.b;
}
static double sum(double *x, int n) {
  struct Tagged t[3], copy[3];
  t[0].tag = 0, t[0].u.d = x[0] * x[1];
  t[1].tag = 1, t[1].u.p = &x[2];
  t[2].tag = 2, t[2].u.f.a = (float)x[3], t[2].u.f.b = (float)x[0];
  for (int i = 0; i < 3; i++)
    copy[i] = t[(i + n) % 3];
  double s = 0;
  for (int i = 0; i < 3; i++)
    s += (i + 1) * value(&copy[i]);
  return s;
}
void derivative(double *x, double *dx, int n) { __enzyme_autodiff((void *)sum, x, dx, n); }
