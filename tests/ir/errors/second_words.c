// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats where others hold addresses: what the reverse of a copy moves is known while it runs, but
// not to its own reverse.
//
// RUN: %not %clang -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -DONCE -c %s -o %t.o

extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

struct entry {
  union {
    float numbers[2];
    double *at;
  } held;
  int leads;
};

static double swapped(double *x, int n) {
  struct entry e[6];
  double w = x[0] * x[1], s = 0;
  for (int i = 0; i < n; i++) {
    e[i].leads = i & 1;
    if (i & 1) {
      e[i].held.at = &w;
    } else {
      e[i].held.numbers[0] = x[i];
      e[i].held.numbers[1] = x[i] * x[i];
    }
  }
  struct entry first = e[0];
  e[0] = e[3];
  e[3] = first;
  for (int i = 0; i < n; i++)
    s += e[i].leads ? *e[i].held.at : e[i].held.numbers[0] * e[i].held.numbers[1];
  return s;
}
static void gradient(double *x, double *d, int n) {
  __enzyme_autodiff((void *)swapped, enzyme_dup, x, d, enzyme_const, n);
}
#ifdef ONCE
void slope(double *x, double *d) { gradient(x, d, 6); }
#else
// CHECK: second_words.c:{{.*}}[CF203]{{.*}}a second derivative of floats where others hold addresses
void curvature(double *x, double *xb, double *d, double *db, int n) {
  __enzyme_autodiff((void *)gradient, enzyme_dup, x, xb, enzyme_dup, d, db, enzyme_const, n);
}
#endif
