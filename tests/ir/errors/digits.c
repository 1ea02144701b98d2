// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digits of floats that are taken apart or mixed, and become floats. Exponents,
// indices, counts, and integers that share memory with floats are accepted.
//
// RUN: %not %clang -O0 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -ferror-limit=0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DACCEPTED -c %s -o %t.o
// RUN: %clang -O2 -DACCEPTED -c %s -o %t.o

#include <string.h>

double __enzyme_autodiff(void *, ...);

static unsigned bits(float x) {
  unsigned b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static float number(unsigned b) {
  float x;
  memcpy(&x, &b, sizeof x);
  return x;
}

#ifdef ACCEPTED
float exponent(float x) { return x * (float)((int)(bits(x) >> 23) - 127); }
float power(float x) { return x * number(((unsigned)x + 127) << 23); }
float ordered(float x) { return (float)bits(x) > 2e9F ? x : 2 * x; }
float placed(const float *x, const float *table) {
  unsigned hash = bits(*x) * 2654435761u;
  return *x * table[hash >> 28];
}
float powers(const float *x, int n) {
  int exponents[8];
  float s = 0;
  for (int i = 0; i < n; i++)
    exponents[i] = (int)x[i];
  for (int i = 0; i < n; i++)
    s += x[i] * number((unsigned)(exponents[i] + 127) << 23);
  return s;
}
struct Value {
  int kind;
  union {
    float number;
    int count;
  };
};
float mixed(const float *x, int n) {
  struct Value v[8];
  float s = 0;
  for (int i = 0; i < n; i++) {
    v[i].kind = i % 3 == 0;
    if (v[i].kind)
      v[i].count = (int)x[i];
    else
      v[i].number = x[i];
  }
  for (int i = 0; i < n; i++) {
    if (v[i].kind)
      v[i].count++;
    s += v[i].kind ? (float)v[i].count * x[i] : v[i].number * x[i];
  }
  return s;
}
void ask(float *x, float *xb, float *table) {
  __enzyme_autodiff((void *)exponent, 2.0F);
  __enzyme_autodiff((void *)power, 2.0F);
  __enzyme_autodiff((void *)ordered, 2.0F);
  __enzyme_autodiff((void *)placed, x, xb, table, table);
  __enzyme_autodiff((void *)powers, x, xb, 8);
  __enzyme_autodiff((void *)mixed, x, xb, 8);
}
#else
// CHECK-DAG: digits.c:[[@LINE+1]]:{{.*}}[CF216] {{.*}}taken apart or mixed
float low(float x) { return x * (float)(bits(x) & 0xff); }
// CHECK-DAG: digits.c:[[@LINE+1]]:{{.*}}[CF216] {{.*}}taken apart or mixed
float both(float x, float y) { return x * (float)(bits(x) ^ bits(y)); }
// Half a number that is a number itself, where nobody stores integers.
double half(const double *x, int n) {
  double v = x[n / 2] > 1 ? x[0] : x[1];
  unsigned long b;
  memcpy(&b, &v, sizeof b);
  // CHECK-DAG: digits.c:[[@LINE+1]]:{{.*}}[CF216] {{.*}}depend on digits
  return v * (double)(int)b;
}
void ask(double *x, double *xb) {
  __enzyme_autodiff((void *)half, x, xb, 4);
  __enzyme_autodiff((void *)low, 2.0F);
  __enzyme_autodiff((void *)both, 2.0F, 3.0F);
}
#endif
