// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures passed and returned by value: in several registers, in one together with an integer,
// in memory; complex numbers; the adjoint of a structure returned as one.
// Supports: structures passed and returned by value
#include "GradientCheck.h"

#include <complex.h>
#include <math.h>

extern int enzyme_nofree, enzyme_interleave;

struct pair {
  double a, b;
};
struct triple {
  double x, y, z;
};
struct view {
  double *p;
  long n;
};
struct bars {
  struct pair p;
  struct triple t;
  double k;
};
struct bars __enzyme_autodiff_bars(void *, ...);
struct pair __enzyme_autodiff_pair(void *, ...);
struct pair __enzyme_fwddiff_pair(void *, ...);
struct triple __enzyme_fwddiff_triple(void *, ...);
double complex __enzyme_autodiff_complex(void *, ...);
double __enzyme_fwddiff_value(void *, ...);
double __enzyme_autodiff_value(void *, ...);
void *__enzyme_augmentfwd_value(void *, ...);
struct pair __enzyme_reverse_pair(void *, ...);

/// One structure in two registers, one in memory.
static double mixture(struct pair p, int n, struct triple t, double k) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sin(p.a * t.x + i) * p.b + t.y * t.z * k;
  return sum;
}
static struct pair pair_of(const double *v) { return (struct pair){v[0], v[1]}; }
static struct triple triple_of(const double *v) { return (struct triple){v[0], v[1], v[2]}; }
static double mixture_primal(void *const *v) {
  const double *x = (const double *)v[0];
  return mixture(pair_of(x), 3, triple_of(x + 2), x[5]);
}
static double mixture_tangent(void *const *v, void *const *d) {
  const double *x = (const double *)v[0], *dx = (const double *)d[0];
  return __enzyme_fwddiff_value((void *)mixture, enzyme_dup, pair_of(x), pair_of(dx), enzyme_const,
                                3, enzyme_dup, triple_of(x + 2), triple_of(dx + 2), enzyme_dup,
                                x[5], dx[5]);
}
static void mixture_adjoint(void *const *v, void *const *d) {
  const double *x = (const double *)v[0];
  double *x_bar = (double *)d[0];
  const struct bars g =
      __enzyme_autodiff_bars((void *)mixture, enzyme_out, pair_of(x), enzyme_const, 3, enzyme_out,
                             triple_of(x + 2), enzyme_out, x[5]);
  x_bar[0] += g.p.a;
  x_bar[1] += g.p.b;
  x_bar[2] += g.t.x;
  x_bar[3] += g.t.y;
  x_bar[4] += g.t.z;
  x_bar[5] += g.k;
}
GRADIENT_CHECK_CUSTOM(by_value_numbers, Double, mixture_primal, mixture_tangent, mixture_adjoint,
                      In(double, 6))

/// Addresses in a structure; all shadows behind all primals.
static double product(struct view v, struct pair p) {
  for (long i = 1; i < v.n; ++i)
    v.p[i] *= p.a * v.p[i - 1] + p.b;
  return v.p[v.n - 1];
}
static double product_primal(void *const *v) {
  return product((struct view){(double *)v[0], 4}, pair_of((const double *)v[1]));
}
static double product_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_value((void *)product, enzyme_dup, (struct view){(double *)v[0], 4},
                                enzyme_dup, pair_of((const double *)v[1]), enzyme_interleave,
                                (struct view){(double *)d[0], 4}, pair_of((const double *)d[1]));
}
static void product_adjoint(void *const *v, void *const *d) {
  const struct pair g = __enzyme_autodiff_pair(
      (void *)product, enzyme_dup, (struct view){(double *)v[0], 4},
      (struct view){(double *)d[0], 4}, enzyme_out, pair_of((const double *)v[1]));
  ((double *)d[1])[0] += g.a;
  ((double *)d[1])[1] += g.b;
}
GRADIENT_CHECK_CUSTOM(by_value_addresses, Double, product_primal, product_tangent, product_adjoint,
                      InOut(double, 4), In(double, 2))

/// Results in memory; every number of them is seeded with one.
static struct triple powers(double a) { return (struct triple){a, a * a, exp(a) * a}; }
static double powers_primal(void *const *v) {
  const struct triple t = powers(*(const double *)v[0]);
  return t.x + t.y + t.z;
}
static double powers_tangent(void *const *v, void *const *d) {
  const struct triple t = __enzyme_fwddiff_triple((void *)powers, enzyme_dup, *(const double *)v[0],
                                                  *(const double *)d[0]);
  return t.x + t.y + t.z;
}
static void powers_adjoint(void *const *v, void *const *d) {
  *(double *)d[0] = __enzyme_autodiff_value((void *)powers, enzyme_out, *(const double *)v[0]);
}
GRADIENT_CHECK_CUSTOM(by_value_results, Double, powers_primal, powers_tangent, powers_adjoint,
                      Scalar(double))

/// A result in registers, by two calls, the second of which is made twice.
static struct pair rotated(struct pair p) { return (struct pair){p.a * cos(p.b), p.a * sin(p.b)}; }
static double rotated_primal(void *const *v) {
  const struct pair r = rotated(pair_of((const double *)v[0]));
  return 3 * r.a + 2 * r.b;
}
static double rotated_tangent(void *const *v, void *const *d) {
  const struct pair r = __enzyme_fwddiff_pair((void *)rotated, pair_of((const double *)v[0]),
                                              pair_of((const double *)d[0]));
  return 3 * r.a + 2 * r.b;
}
static void rotated_adjoint(void *const *v, void *const *d) {
  const struct pair p = pair_of((const double *)v[0]);
  void *tape = __enzyme_augmentfwd_value((void *)rotated, enzyme_out, p);
  double *bar = (double *)d[0];
  for (int last = 0; last < 2; ++last) {
    const struct pair seed = {last ? 3.0 : 0.0, last ? 0.0 : 2.0};
    const struct pair g =
        last ? __enzyme_reverse_pair((void *)rotated, enzyme_out, p, seed, tape)
             : __enzyme_reverse_pair((void *)rotated, enzyme_nofree, enzyme_out, p, seed, tape);
    bar[0] += g.a;
    bar[1] += g.b;
  }
}
GRADIENT_CHECK_CUSTOM(by_value_split, Double, rotated_primal, rotated_tangent, rotated_adjoint,
                      In(double, 2))

static double modulus(double complex z) { return creal(z) * creal(z) * cimag(z) + cabs(z); }
static double complex complex_of(const double *v) { return v[0] + v[1] * I; }
static double modulus_primal(void *const *v) { return modulus(complex_of((const double *)v[0])); }
static double modulus_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_value((void *)modulus, complex_of((const double *)v[0]),
                                complex_of((const double *)d[0]));
}
static void modulus_adjoint(void *const *v, void *const *d) {
  const double complex g =
      __enzyme_autodiff_complex((void *)modulus, complex_of((const double *)v[0]));
  ((double *)d[0])[0] += creal(g);
  ((double *)d[0])[1] += cimag(g);
}
GRADIENT_CHECK_CUSTOM(by_value_complex, Double, modulus_primal, modulus_tangent, modulus_adjoint,
                      In(double, 2))

/// A float and an int share a register between the functions of a program.
struct packed {
  int n;
  float y;
};
__attribute__((noinline)) static struct packed next(struct packed p, float x) {
  if (p.n > 2)
    return (struct packed){1, p.y * p.y};
  return (struct packed){p.n + 1, p.y * x + p.n};
}
static float chain(const float *x, float *out, int n) {
  struct packed p = {0, 0.5F}, kept[8];
  for (int i = 0; i < n; ++i) {
    p = next(p, x[i]);
    kept[i] = p;
  }
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    out[i] = kept[i].y * 0.1F;
    sum += kept[i].y * (float)kept[i].n * 0.05F;
  }
  return sum;
}
GRADIENT_CHECK(by_value_packed, Float, chain, In(float, 6), Out(float, 6), Int(6))
