// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of C: any name that begins with the spelling, float and short promoted by the variable
// arguments, results as a number, a structure in registers, and a structure in memory.
//
// RUN: %cf_clang -O0 %s -o %t0 && %t0 | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t2 && %t2 | FileCheck %s
// RUN: %clang -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=LEFT
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=LEFT
//
// Nothing of the request is left for the linker.
// LEFT-NOT: @__enzyme
// LEFT-NOT: @enzyme_{{.*}} external
// LEFT: define {{.*}}@main(
// LEFT-NOT: @__enzyme
#include <stdio.h>

extern int enzyme_dup, enzyme_out, enzyme_const, enzyme_dupnoneed, enzyme_primal_return;

struct Two {
  double a, b;
};
struct Three {
  float a, b, c;
};
struct Five {
  double v[5];
};

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff_product(void *, ...);
struct Two __enzyme_fwddiff_two(void *, ...);
struct Two __enzyme_autodiff_two(void *, ...);
struct Three __enzyme_autodiff_three(void *, ...);
struct Five __enzyme_autodiff_five(void *, ...);
void __enzyme_autodiff_void(void *, ...);

static double product(double a, double b) { return a * b; }
static float volume(float a, float b, float c) { return a * b * c; }
static double five(double a, double b, double c, double d, double e) {
  return a * b + 3.0 * c + d * e;
}
static double scaled(const double *x, short n, double k) { return k * n * x[0] * x[1]; }
static float halved(float a, unsigned char n) { return a * a / n; }

int main(void) {
  // CHECK: adjoint 5.0 3.0
  printf("adjoint %.1f", __enzyme_autodiff((void *)product, enzyme_out, 3.0, enzyme_const, 5.0));
  printf(" %.1f\n", __enzyme_autodiff((void *)product, enzyme_const, 3.0, enzyme_out, 5.0));

  // CHECK: tangent 11.0
  printf("tangent %.1f\n", __enzyme_fwddiff_product((void *)product, 3.0, 1.0, 5.0, 2.0));

  // CHECK: two 5.0 3.0
  struct Two two = __enzyme_autodiff_two((void *)product, 3.0, 5.0);
  printf("two %.1f %.1f\n", two.a, two.b);

  // The primal result comes first, wherever the marker stands.
  // CHECK: with value 15.0 5.0, 15.0 11.0
  struct Two adjoint = __enzyme_autodiff_two((void *)product, enzyme_primal_return, enzyme_out, 3.0,
                                             enzyme_const, 5.0);
  struct Two tangent =
      __enzyme_fwddiff_two((void *)product, 3.0, 1.0, 5.0, 2.0, enzyme_primal_return);
  printf("with value %.1f %.1f, %.1f %.1f\n", adjoint.a, adjoint.b, tangent.a, tangent.b);

  // CHECK: three 35.0 21.0 15.0
  struct Three three = __enzyme_autodiff_three((void *)volume, 3.0f, 5.0f, 7.0f);
  printf("three %.1f %.1f %.1f\n", three.a, three.b, three.c);

  // CHECK: five 2.0 1.0 3.0 5.0 4.0
  struct Five f = __enzyme_autodiff_five((void *)five, 1.0, 2.0, 3.0, 4.0, 5.0);
  printf("five %.1f %.1f %.1f %.1f %.1f\n", f.v[0], f.v[1], f.v[2], f.v[3], f.v[4]);

  // CHECK: mixed 30.0 20.0 k 24.0
  double x[2] = {2.0, 3.0}, bar[2] = {0.0, 0.0};
  short n = 4;
  double k_bar =
      __enzyme_autodiff((void *)scaled, enzyme_dup, x, bar, enzyme_const, n, enzyme_out, 2.5);
  printf("mixed %.1f %.1f k %.1f\n", bar[0], bar[1], k_bar);

  // Shadows are added to.
  // CHECK: again 60.0 40.0
  __enzyme_autodiff_void((void *)scaled, enzyme_dupnoneed, x, bar, enzyme_const, n, enzyme_const,
                         2.5);
  printf("again %.1f %.1f\n", bar[0], bar[1]);

  // The adjoint of a float, received as double.
  // CHECK: float 3.0
  unsigned char two_hundred = 2;
  printf("float %.1f\n", __enzyme_autodiff((void *)halved, enzyme_out, 3.0f, two_hundred));
  return 0;
}
