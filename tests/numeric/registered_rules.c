// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives that the user registers: for numbers, for arrays in place, with a tape, with integer
// parameters, called in loops and in branches. The bodies cannot be differentiated: they work on
// bits, or iterate until nothing changes. GradientCheck asks for both modes.
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The inverse square root from the bits of x; exact to rounding after the iterations.
double registered_rsqrt(double x) {
  unsigned long bits;
  memcpy(&bits, &x, 8);
  bits = 0x5fe6eb50c7b537a9ul - (bits >> 1);
  double y;
  memcpy(&y, &bits, 8);
  for (int i = 0; i < 6; ++i)
    y *= 1.5 - 0.5 * x * y * y;
  return y;
}
struct taped_result {
  void *tape;
  double result;
};
struct taped_result registered_rsqrt_augmented(double x) {
  double *tape = (double *)malloc(sizeof *tape);
  *tape = registered_rsqrt(x);
  struct taped_result r = {tape, *tape};
  return r;
}
double registered_rsqrt_reverse(double x, double result_bar, void *tape) {
  double y = *(double *)tape;
  free(tape);
  return -0.5 * y / x * result_bar;
}
struct value_and_tangent {
  double value, tangent;
};
struct value_and_tangent registered_rsqrt_tangent(double x, double x_dot) {
  double y = registered_rsqrt(x);
  struct value_and_tangent r = {y, -0.5 * y / x * x_dot};
  return r;
}
void *__enzyme_register_gradient_rsqrt[] = {
    (void *)registered_rsqrt, (void *)registered_rsqrt_augmented, (void *)registered_rsqrt_reverse};
void *__enzyme_register_derivative_rsqrt[2] = {(void *)registered_rsqrt,
                                               (void *)registered_rsqrt_tangent};

static double numbers(const double *x, double scale, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] > 1.0 ? scale * registered_rsqrt(x[i] * x[i] + 1.0) : registered_rsqrt(x[i]);
  return sum;
}
GRADIENT_CHECK(registered_numbers, Double, numbers, In(double, 7), Scalar(double), Int(7))

// x *= k, in place, with loops that count bits for their bounds.
static void scale_bits(double *x, double k, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned long xb, kb;
    memcpy(&xb, x + i, 8);
    memcpy(&kb, &k, 8);
    double a, b;
    xb ^= 1ul << 63;
    kb ^= 1ul << 63;
    memcpy(&a, &xb, 8);
    memcpy(&b, &kb, 8);
    x[i] = a * b;
  }
}
static void *scale_bits_augmented(double *x, double *x_bar, double k, int n) {
  double *before = (double *)malloc(n * sizeof *before);
  memcpy(before, x, n * sizeof *before);
  (void)x_bar;
  scale_bits(x, k, n);
  return before;
}
static double scale_bits_reverse(double *x, double *x_bar, double k, int n, void *tape) {
  double *before = (double *)tape, k_bar = 0;
  (void)x;
  for (int i = 0; i < n; ++i) {
    k_bar += before[i] * x_bar[i];
    x_bar[i] *= k;
  }
  free(before);
  return k_bar;
}
static void scale_bits_tangent(double *x, double *x_dot, double k, double k_dot, int n) {
  for (int i = 0; i < n; ++i) {
    x_dot[i] = k * x_dot[i] + k_dot * x[i];
    x[i] *= k;
  }
}
__attribute__((used)) static struct {
  void (*primal)(double *, double, int);
  void *(*augmented)(double *, double *, double, int);
  double (*reverse)(double *, double *, double, int, void *);
} __enzyme_register_gradient_scale = {scale_bits, scale_bits_augmented, scale_bits_reverse};
__attribute__((used)) static const void *const __enzyme_register_derivative_scale[] = {
    (void *)scale_bits, (void *)scale_bits_tangent};

static double in_place(double *x, double k, int n) {
  for (int step = 0; step < 3; ++step) {
    scale_bits(x, k * k, n);
    for (int i = 1; i < n; ++i)
      x[i] += 0.25 * x[i - 1] * x[i];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}
GRADIENT_CHECK(registered_in_place, Double, in_place, InOut(double, 6), Scalar(double), Int(6))

// The rule is asked for by the request itself; integers may be doubled.
static float weighted(float a, long n, float b) { return (float)n * a * b * b; }
static float weighted_augmented(float a, long n, long n_again, float b) {
  return weighted(a, (n + n_again) / 2, b);
}
struct two_floats {
  float a, b;
};
static struct two_floats weighted_reverse(float a, long n, long n_again, float b, float bar) {
  struct two_floats r = {bar * (float)n * b * b, bar * (float)n_again * 2 * a * b};
  return r;
}
static float weighted_tangent(float a, float a_dot, long n, long n_again, float b, float b_dot) {
  return (float)n * (a_dot * b * b + (float)n_again / (float)n * 2 * a * b * b_dot);
}
__attribute__((used)) static void *__enzyme_register_gradient_weighted[] = {
    (void *)weighted, (void *)weighted_augmented, (void *)weighted_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_weighted[] = {
    (void *)weighted, (void *)weighted_tangent};
GRADIENT_CHECK(registered_root, Float, weighted, Scalar(float), Size(3), Scalar(float))

// One mode registered: the other differentiates the body.
static double half_known(double x) { return x * sin(x); }
static double half_known_augmented(double x) { return half_known(x); }
static double half_known_reverse(double x, double bar, void *no_tape) {
  return no_tape ? 0 : bar * (sin(x) + x * cos(x));
}
__attribute__((used)) static void *__enzyme_register_gradient_half[] = {
    (void *)half_known, (void *)half_known_augmented, (void *)half_known_reverse};
static void one_mode(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = half_known(x[i]) * x[n - 1 - i];
}
GRADIENT_CHECK(registered_one_mode, Void, one_mode, In(double, 5), Out(double, 5), Int(5))

// Structures by value: the calling convention takes them apart; rules are written with
// whole ones.
struct registered_pair {
  double a, b;
};
static double pair_product(const double *k, struct registered_pair s, int n) {
  return n * k[0] * s.a * s.b * s.b;
}
static double pair_product_tangent(const double *k, const double *k_dot, struct registered_pair s,
                                   struct registered_pair s_dot, int n) {
  return n * (k_dot[0] * s.a * s.b * s.b + k[0] * (s_dot.a * s.b * s.b + 2 * s.a * s.b * s_dot.b));
}
static double pair_product_augmented(const double *k, double *k_bar, struct registered_pair s,
                                     int n) {
  (void)k_bar;
  return pair_product(k, s, n);
}
static struct registered_pair pair_product_reverse(const double *k, double *k_bar,
                                                   struct registered_pair s, int n, double bar) {
  k_bar[0] += bar * n * s.a * s.b * s.b;
  struct registered_pair r = {bar * n * k[0] * s.b * s.b, bar * n * k[0] * 2 * s.a * s.b};
  return r;
}
static struct registered_pair polar(double r, double phi) {
  struct registered_pair p = {r * cos(phi), r * sin(phi)};
  return p;
}
static struct registered_pair polar_tangent(double r, double r_dot, double phi, double phi_dot) {
  struct registered_pair p = {r_dot * cos(phi) - r * sin(phi) * phi_dot,
                              r_dot * sin(phi) + r * cos(phi) * phi_dot};
  return p;
}
static double polar_reverse(double r, double phi, struct registered_pair bar, double *phi_bar) {
  *phi_bar = r * (bar.b * cos(phi) - bar.a * sin(phi));
  return bar.a * cos(phi) + bar.b * sin(phi);
}
static struct registered_pair polar_bars(double r, double phi, struct registered_pair bar) {
  struct registered_pair out;
  out.a = polar_reverse(r, phi, bar, &out.b);
  return out;
}
__attribute__((used)) static void *__enzyme_register_gradient_pair[] = {
    (void *)pair_product, (void *)pair_product_augmented, (void *)pair_product_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_pair[] = {
    (void *)pair_product, (void *)pair_product_tangent};
__attribute__((used)) static void *__enzyme_register_gradient_polar[] = {
    (void *)polar, (void *)polar, (void *)polar_bars};
__attribute__((used)) static void *__enzyme_register_derivative_polar[] = {(void *)polar,
                                                                           (void *)polar_tangent};
static double structures(const double *x, double r) {
  struct registered_pair p = polar(r, x[0] * r);
  return pair_product(x, p, 3) + p.a * x[1];
}
GRADIENT_CHECK(registered_structures, Double, structures, In(double, 2), Scalar(double))

// Vectors.
typedef double registered_lanes __attribute__((vector_size(16)));
static registered_lanes lanes(registered_lanes v, registered_lanes w) { return v * w * w; }
static registered_lanes lanes_tangent(registered_lanes v, registered_lanes v_dot,
                                      registered_lanes w, registered_lanes w_dot) {
  return v_dot * w * w + 2 * v * w * w_dot;
}
struct lanes_bars {
  registered_lanes v, w;
};
static struct lanes_bars lanes_reverse(registered_lanes v, registered_lanes w,
                                       registered_lanes bar) {
  struct lanes_bars r = {bar * w * w, 2 * bar * v * w};
  return r;
}
__attribute__((used)) static void *__enzyme_register_gradient_lanes[] = {
    (void *)lanes, (void *)lanes, (void *)lanes_reverse};
__attribute__((used)) static void *__enzyme_register_derivative_lanes[] = {(void *)lanes,
                                                                           (void *)lanes_tangent};
static double by_lanes(const double *x) {
  registered_lanes v = {x[0], x[1]}, w = {x[2], x[1] * x[1]};
  v = lanes(v, lanes(w, v));
  return v[0] * x[0] + v[1];
}
GRADIENT_CHECK(registered_lanes, Double, by_lanes, In(double, 3))

// A tangent in two parts, with a tape: of a number, which is rounded, and of an array with a count.
static double halley_root(double x) { return rint(registered_rsqrt(x) * x * 0x1p50) * 0x1p-50; }
static struct taped_result halley_root_augmented(double x) {
  return (struct taped_result){registered_rsqrt_augmented(x).tape, halley_root(x)};
}
static double halley_root_second(double x, double x_dot, void *tape) {
  return 0.5 * registered_rsqrt_reverse(x, x_dot, tape) / (-0.5 / x);
}
static double halley_root_reverse(double x, double bar, void *tape) {
  return halley_root_second(x, bar, tape);
}
__attribute__((used)) static void *__enzyme_register_gradient_halley[] = {
    (void *)halley_root, (void *)halley_root_augmented, (void *)halley_root_reverse};
__attribute__((used)) static void *__enzyme_register_splitderivative_halley[] = {
    (void *)halley_root, (void *)halley_root_augmented, (void *)halley_root_second};
static void shift_bits(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = halley_root(x[i] * x[i]) * 3;
}
static void *shift_bits_augmented(double *x, double *x_shadow, int n) {
  shift_bits(x, n);
  return x_shadow;
}
static void shift_bits_second(double *x, double *x_dot, int n, void *tape) {
  for (int i = 0; i < n && x && tape == x_dot; ++i)
    x_dot[i] *= 3;
}
static void shift_bits_reverse(double *x, double *x_bar, int n, void *tape) {
  shift_bits_second(x, x_bar, n, tape);
}
__attribute__((used)) static void *__enzyme_register_splitderivative_shift[] = {
    (void *)shift_bits, (void *)shift_bits_augmented, (void *)shift_bits_second};
__attribute__((used)) static void *__enzyme_register_gradient_shift[] = {
    (void *)shift_bits, (void *)shift_bits_augmented, (void *)shift_bits_reverse};
static double in_two_parts(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = halley_root(x[i]) * x[i];
  shift_bits(y, n);
  return y[1] * halley_root(y[0]);
}
GRADIENT_CHECK(registered_parts, Double, in_two_parts, In(double, 5), Out(double, 5), Int(5))
