// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which programs declare the calls: with the parameters of the function, with its type,
// with its address as a number, without a prototype; results as arrays and structures; functions
// that are never inlined, that are not optimised, or that a variable holds.
//
// RUN: %cf_clang -std=c99 -w -O0 %s -o %t0 -lm && %t0 | FileCheck %s
// RUN: %cf_clang -std=c99 -w -Ofast %s -o %t3 -lm && %t3 | FileCheck %s
#include <math.h>
#include <stdio.h>

int enzyme_dup;
int enzyme_const = 7;
extern void *enzyme_out;

typedef double function(double);
struct two {
  double v[2];
};
struct uneven {
  double a;
  float b;
};

double __enzyme_autodiff(void *, double);
double __enzyme_autodiff_typed(function *, double);
double __enzyme_autodiff_variable(function *, ...);
double __enzyme_autodiff_number(long, ...);
double __enzyme_autodiff_old();
void __enzyme_autodiff_pointers(void (*)(double *, double *), double *, double *, double *,
                                double *);
struct two __enzyme_autodiff_two(void *, double, double);
struct uneven __enzyme_autodiff_uneven(void *, ...);
long double __enzyme_autodiff_long(void *, long double);
double __enzyme_autodiff_marked(void *, ...);
double __enzyme_fwddiff0(void *, double, double);
double __enzyme_fwddiff1(void *, ...);

static double square(double x) { return x * x; }
static double old(x)
double x;
{
  return x * x * x;
}
static double product(double x, double y) { return x * x * y; }
static double scaled(double x, float y) { return x * x * y; }
static long double cube(long double x) { return x * x * x; }
static void into(double *x, double *y) { *y = *x * *x; }
__attribute__((noinline)) static double kept(double x) { return square(x) * x; }
__attribute__((optnone, noinline)) static double plain(double x) { return kept(x) * x; }
static double sum(double x[2][2], int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i][0] * x[i][1];
  return s;
}

int main(void) {
  // CHECK: 6 6 6 6 12
  function *f = square;
  printf("%g %g %g %g %g\n", __enzyme_autodiff(square, 3), __enzyme_autodiff_typed(square, 3),
         __enzyme_autodiff_variable(f, 3.0), __enzyme_autodiff_number((long)square, 3.0),
         __enzyme_autodiff_old(old, 2.0));

  // CHECK: 6 0 9
  double x = 3, x_bar = 0, y = 0, y_bar = 1;
  __enzyme_autodiff_pointers(into, &x, &x_bar, &y, &y_bar);
  printf("%g %g %g\n", x_bar, y_bar, y);

  // CHECK: 12 4, 12 4, 12
  const struct two t = __enzyme_autodiff_two(product, 2, 3);
  const struct uneven u = __enzyme_autodiff_uneven(scaled, 2.0, 3.0F);
  printf("%g %g, %g %g, %Lg\n", t.v[0], t.v[1], u.a, u.b, __enzyme_autodiff_long(cube, 2));

  // CHECK: 12 32 16
  printf("%g %g %g\n", __enzyme_autodiff(kept, 2), __enzyme_autodiff(plain, 2),
         __enzyme_fwddiff0(square, 4, 2) * __enzyme_fwddiff1(square, 0.5, 1.0));

  // CHECK: 2 1 4 3, 4
  double m[2][2] = {{1, 2}, {3, 4}}, m_bar[2][2] = {{0}};
  __enzyme_autodiff_marked(sum, enzyme_dup, m, m_bar, enzyme_const, 2);
  printf("%g %g %g %g, %g\n", m_bar[0][0], m_bar[0][1], m_bar[1][0], m_bar[1][1],
         __enzyme_autodiff_marked(product, enzyme_const, 2.0, enzyme_out, 3.0));
  return 0;
}
