// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Markers and requests beside the plain ones, markers that the program defines itself, functions
// that reach the call through a parameter, and structures of numbers and integers.
//
// RUN: %cf_clang -O0 %s -o %t0 -lm && %t0 | FileCheck %s
// RUN: %cf_clang -O2 %s -o %t2 -lm && %t2 | FileCheck %s
// RUN: not %cf_clang -O1 -DAGAIN -gline-tables-only -c %s -o %t 2>&1 | FileCheck %s --check-prefix=AGAIN
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern int enzyme_dup, enzyme_out, enzyme_runtime_activity, enzyme_byref, enzyme_interleave,
    enzyme_nofree, enzyme_width, enzyme_buffer, enzyme_strong_zero;
static int enzyme_const;

struct Mixed {
  double x;
  float y;
  int n;
};
struct Triple {
  double x, y, z;
};
struct Pair {
  double a, b;
};
struct Law {
  double (*of)(double);
  double k;
};

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double *__enzyme_fwddiff_pointer(void *, ...);
struct Mixed __enzyme_fwddiff_mixed(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_reverse(void *, ...);
void *__enzyme_virtualreverse(void *);
void __enzyme_double(void *, unsigned long);
struct Pair __enzyme_batch(void *, ...);
double __enzyme_call_inactive(void *, ...);

static double product(double a, double *x, int n) {
  __enzyme_double(x, n * sizeof *x);
  double p = 1;
  for (int i = 0; i < n; ++i)
    p *= x[i] *= a;
  return p;
}
static double volume(struct Triple t, double k) { return t.x * t.y * t.z * k; }
static struct Mixed counted(double a, int n) { return (struct Mixed){a * a, a * a * a, n}; }
static double square(double x) { return x * x; }
static double applied(struct Law *l, double x) { return l->k * l->of(x); }
static double *second(double *x) { return x + 1; }
static double slope(double (*f)(double), double x) { return __enzyme_autodiff((void *)f, x); }
static double weighted(const double *x, double k) { return k * x[0] * x[1]; }
static double limited(double x) { return x * fmin(1.0, __enzyme_call_inactive((void *)square, x)); }
static double unscaled(double x, double k) { return k * sqrt(x); }
static double heap(double a, int n) {
  double *p = malloc(sizeof *p), sum = 0;
  for (int i = 0; i < n; ++i) {
    p = realloc(p, (i + 1) * sizeof *p);
    p[i] = a * i;
  }
  for (int i = 0; i < n; ++i)
    sum += p[i] * p[n - 1 - i];
  free(p);
  return sum;
}
static double read(double a, int n) {
  double x[3] = {a, a * a, a};
  char text[8];
  snprintf(text, sizeof text, "%d", n);
  sscanf(text, "%lf", x);
#ifdef AGAIN
  scanf("%lf", &x[2]);
#endif
  return x[0] * x[1] * x[2];
}

int main(void) {
  // CHECK: activity 12 2 1
  double x[2] = {1, 2}, b[2] = {0, 0};
  printf("activity %g", __enzyme_autodiff((void *)product, enzyme_runtime_activity, enzyme_out, 3.0,
                                          enzyme_dup, x, b, enzyme_const, 2));
  printf(" %g %g\n", b[0] / 9, b[1] / 9);

  // CHECK: interleave 12 2 1, 22
  double y[2] = {1, 2}, c[2] = {0, 0};
  struct Triple t = {1, 2, 3}, dt = {1, 1, 1};
  printf("interleave %g", __enzyme_autodiff((void *)product, enzyme_out, 3.0, enzyme_dup, y,
                                            enzyme_const, 2, enzyme_interleave, c));
  printf(" %g %g", c[0] / 9, c[1] / 9);
  printf(", %g\n", __enzyme_fwddiff((void *)volume, enzyme_dup, t, enzyme_dup, 2.0,
                                    enzyme_interleave, dt, 0.0));

  // CHECK: byref 22
  double k = 2, dk = 0;
  printf("byref %g\n", __enzyme_fwddiff((void *)volume, enzyme_byref, sizeof t, enzyme_dup, &t, &dt,
                                        enzyme_byref, sizeof k, enzyme_dup, &k, &dk));

  // CHECK: nofree 12, 12, 24
  double z[2] = {1, 2}, d[2] = {0, 0};
  void *tape =
      __enzyme_augmentfwd((void *)product, enzyme_out, 3.0, enzyme_dup, z, d, enzyme_const, 2);
  for (int i = 0; i < 2; ++i) {
    d[0] = d[1] = 0;
    printf(i ? ", %g" : "nofree %g",
           __enzyme_reverse((void *)product, enzyme_nofree, enzyme_out, 3.0, enzyme_dup, z, d,
                            enzyme_const, 2, 1.0, tape));
  }
  d[0] = d[1] = 0;
  printf(", %g\n", __enzyme_reverse((void *)product, enzyme_out, 3.0, enzyme_dup, z, d,
                                    enzyme_const, 2, 2.0, tape));

  // CHECK: moved 24, 48
  tape = __enzyme_augmentfwd((void *)heap, enzyme_out, 3.0, 4);
  printf("moved %g", __enzyme_reverse((void *)heap, enzyme_nofree, enzyme_out, 3.0, 4, 1.0, tape));
  printf(", %g\n", __enzyme_reverse((void *)heap, enzyme_out, 3.0, 4, 2.0, tape));

  // CHECK: read 54, 108
  tape = __enzyme_augmentfwd((void *)read, enzyme_out, 3.0, 2);
  printf("read %g", __enzyme_reverse((void *)read, enzyme_nofree, enzyme_out, 3.0, 2, 1.0, tape));
  printf(", %g\n", __enzyme_reverse((void *)read, enzyme_out, 3.0, 2, 2.0, tape));

  // CHECK: function 12 4
  struct Law l = {square, 3}, l_bar = {(double (*)(double))__enzyme_virtualreverse(square), 0};
  printf("function %g", __enzyme_autodiff((void *)applied, enzyme_dup, &l, &l_bar, 2.0));
  printf(" %g\n", l_bar.k);

  // CHECK: mixed 4 12 0, 16
  const struct Mixed m = __enzyme_fwddiff_mixed((void *)counted, 2.0, 1.0, 3);
  printf("mixed %g %g %d, %g\n", m.x, m.y, m.n, __enzyme_autodiff((void *)counted, 2.0, 3));

  // CHECK: pointer 2
  printf("pointer %g\n", *__enzyme_fwddiff_pointer((void *)second, x, y) / 3);

  // CHECK: parameter 6
  printf("parameter %g\n", slope(square, 3));

  // CHECK: zero 0
  printf("zero %g\n", __enzyme_autodiff((void *)unscaled, enzyme_strong_zero, enzyme_out, 0.0,
                                        enzyme_const, 0.0));

  // CHECK: buffer 6 36
  double rows[4] = {1, 2, 3, 4};
  const struct Pair both =
      __enzyme_batch((void *)weighted, enzyme_width, 2, enzyme_buffer, 2 * sizeof *rows, rows, 3.0);
  printf("buffer %g %g\n", both.a, both.b);

  // CHECK: inactive 0.25 0.25, 4
  printf("inactive %g %g, %g\n", __enzyme_autodiff((void *)limited, 0.5),
         __enzyme_fwddiff((void *)limited, 0.5, 1.0), __enzyme_call_inactive((void *)square, 2.0));

#ifdef AGAIN
  // AGAIN: markers.c:[[#@LINE+3]]:{{.*}}[CF209] {{.*}}'enzyme_nofree': the reverse sweep of
  // 'read' {{.*}}runs once
  tape = __enzyme_augmentfwd((void *)read, enzyme_out, 3.0, 2);
  __enzyme_reverse((void *)read, enzyme_nofree, enzyme_out, 3.0, 2, 1.0, tape);
#endif
  return 0;
}
