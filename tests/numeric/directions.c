// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several directions in one call. The directions are multiples of the one that is asked for, so
// every tangent is known from the first; a wrong one makes the result not a number.
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_width, enzyme_dupv, enzyme_dupnoneedv, enzyme_primal_return;

struct three {
  double a, b, c;
};
struct one_and_three {
  double primal, dot[3];
};
struct three __enzyme_fwddiff_three(void *, ...);
struct one_and_three __enzyme_fwddiff_four(void *, ...);
void __enzyme_fwddiff_directions(void *, ...);
struct three __enzyme_autodiff_three(void *, ...);
void __enzyme_autodiff_directions(void *, ...);

enum { n = 6 };

static double checked(double a, double b, double c) {
  const double near = 1e-12 * (fabs(a) + 1);
  return fabs(b + 2 * a) < near && fabs(c - 0.5 * a) < near ? a : NAN;
}

static double tower(double x, double y, int k) { return k ? cos(y * tower(y, x, k - 1)) : x; }

/// Loops, recursion, heap memory, copies, an array in place and one that is written.
static double evolve(double *x, double *y, double k, int m) {
  double *work = (double *)malloc(m * sizeof *work), local[n], sum = 0;
  memcpy(local, x, sizeof local);
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < m; ++i) {
      double *p = i % 2 ? work : local;
      work[i] = tower(x[i], k, i % 3) * local[(i + 1) % m];
      x[i] += k * p[i] * 0.25;
    }
  for (int i = 0; i < m; ++i) {
    y[i] = x[i] * work[i];
    sum += y[i] > 0.5 ? y[i] : exp(y[i]);
  }
  memset(work, 0, m * sizeof *work);
  free(work);
  return sum;
}
static double evolve_primal(void *const *v) {
  return evolve((double *)v[0], (double *)v[1], *(double *)v[2], n);
}
/// The shadows of x in one block, those of y one by one.
static double evolve_tangent(void *const *v, void *const *d) {
  double x[3][n], y[3][n], *k = (double *)d[2];
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < 3; ++lane) {
      const double scale = lane == 0 ? 1 : lane == 1 ? -2 : 0.5;
      x[lane][i] = scale * ((double *)d[0])[i];
      y[lane][i] = 0;
    }
  const struct three dot =
      __enzyme_fwddiff_three((void *)evolve, enzyme_width, 3, enzyme_dupv, sizeof x[0],
                             (double *)v[0], x[0], enzyme_dup, (double *)v[1], y[0], y[1], y[2],
                             enzyme_dup, *(double *)v[2], *k, -2 * *k, 0.5 * *k, enzyme_const, n);
  double result = checked(dot.a, dot.b, dot.c);
  for (int i = 0; i < n; ++i) {
    ((double *)d[0])[i] = checked(x[0][i], x[1][i], x[2][i]);
    ((double *)d[1])[i] = checked(y[0][i], y[1][i], y[2][i]);
  }
  return result;
}
struct one_bar {
  double k;
};
struct one_bar __enzyme_autodiff_evolve(void *, ...);
static void evolve_adjoint(void *const *v, void *const *d) {
  *(double *)d[2] = __enzyme_autodiff_evolve((void *)evolve, (double *)v[0], (double *)d[0],
                                             (double *)v[1], (double *)d[1], *(double *)v[2], n)
                        .k;
}
GRADIENT_CHECK_CUSTOM(directions_tangent, Double, evolve_primal, evolve_tangent, evolve_adjoint,
                      InOut(double, n), Out(double, n), Scalar(double))

/// An adjoint in three directions of a function that writes: the same every time, and what is
/// written in the end is what one call writes.
static void evolve_adjoints(void *const *v, void *const *d) {
  double x[3][n], y[3][n], x_once[n], y_once[n], k = *(double *)v[2];
  memcpy(x_once, v[0], sizeof x_once);
  memcpy(y_once, v[1], sizeof y_once);
  evolve(x_once, y_once, k, n);
  for (int lane = 0; lane < 3; ++lane) {
    memcpy(x[lane], d[0], sizeof x[lane]);
    memcpy(y[lane], d[1], sizeof y[lane]);
  }
  const struct three k_bars = __enzyme_autodiff_three(
      (void *)evolve, enzyme_width, 3, enzyme_dupv, sizeof x[0], (double *)v[0], x, enzyme_dupv,
      sizeof y[0], (double *)v[1], y, enzyme_out, k, enzyme_const, n);
  int same = k_bars.a == k_bars.b && k_bars.b == k_bars.c;
  for (int i = 0; i < n; ++i) {
    same &= x[0][i] == x[1][i] && x[1][i] == x[2][i] && y[0][i] == 0 && y[2][i] == 0;
    same &= ((double *)v[0])[i] == x_once[i] && ((double *)v[1])[i] == y_once[i];
  }
  memcpy(d[0], x[1], sizeof x[1]);
  memcpy(d[1], y[1], sizeof y[1]);
  *(double *)d[2] = same ? k_bars.b : NAN;
}
GRADIENT_CHECK_CUSTOM(directions_writes, Double, evolve_primal, evolve_tangent, evolve_adjoints,
                      InOut(double, n), Out(double, n), Scalar(double))

/// Numbers, the value besides; an adjoint with several shadows, each added to.
static double product(const double *x, double k) {
  double p = 1;
  for (int i = 0; i < n; ++i)
    p *= sin(k * x[i]);
  return p;
}
static double product_primal(void *const *v) { return product((double *)v[0], *(double *)v[1]); }
static double product_tangent(void *const *v, void *const *d) {
  double x[3][n], *k = (double *)d[1];
  for (int i = 0; i < n; ++i) {
    x[0][i] = ((double *)d[0])[i];
    x[1][i] = -2 * x[0][i];
    x[2][i] = 0.5 * x[0][i];
  }
  const struct one_and_three r =
      __enzyme_fwddiff_four((void *)product, enzyme_width, 3, enzyme_primal_return, (double *)v[0],
                            x[0], x[1], x[2], enzyme_dup, *(double *)v[1], *k, -2 * *k, 0.5 * *k);
  return r.primal == product_primal(v) ? checked(r.dot[0], r.dot[1], r.dot[2]) : NAN;
}
static void product_adjoint(void *const *v, void *const *d) {
  double x[3][n] = {{0}}, *x_bar = (double *)d[0];
  const struct three k =
      __enzyme_autodiff_three((void *)product, enzyme_width, 3, enzyme_dupv, sizeof x[0],
                              (double *)v[0], x, enzyme_out, *(double *)v[1]);
  for (int i = 0; i < n; ++i)
    x_bar[i] += x[0][i] == x[1][i] && x[1][i] == x[2][i] ? x[1][i] : NAN;
  *(double *)d[1] = k.a == k.b && k.b == k.c ? k.c : NAN;
}
GRADIENT_CHECK_CUSTOM(directions_both, Double, product_primal, product_tangent, product_adjoint,
                      In(double, n), Scalar(double))

/// The adjoint in two directions of a function that turns a list of its caller round, which it must
/// do once.
struct link {
  double value;
  struct link *next;
};
void __enzyme_autodiff_links(void *, ...);
double __enzyme_fwddiff_links(void *, ...);
static double turn(struct link *at) {
  double sum = 0;
  struct link *before = NULL;
  while (at) {
    sum = sum * at->value + sin(at->value);
    at->value = sum;
    struct link *next = at->next;
    at->next = before;
    before = at;
    at = next;
  }
  return sum;
}
static void chain(struct link *links, const double *values, double scale) {
  for (int i = 0; i < n; ++i)
    links[i] = (struct link){scale * values[i], i + 1 < n ? links + i + 1 : NULL};
}
static double turn_primal(void *const *v) {
  struct link links[n];
  chain(links, (const double *)v[0], 1);
  return turn(links);
}
static double turn_tangent(void *const *v, void *const *d) {
  struct link links[n], dots[n];
  chain(links, (const double *)v[0], 1);
  chain(dots, (const double *)d[0], 1);
  return __enzyme_fwddiff_links((void *)turn, enzyme_dup, links, dots);
}
static void turn_adjoint(void *const *v, void *const *d) {
  struct link links[n], a[n], b[n];
  double *x_bar = (double *)d[0], none[n] = {0};
  chain(links, (const double *)v[0], 1);
  chain(a, none, 1);
  chain(b, none, 1);
  __enzyme_autodiff_links((void *)turn, enzyme_width, 2, enzyme_dup, links, a, b);
  for (int i = 0; i < n; ++i)
    x_bar[i] +=
        a[i].value == b[i].value && links[i].next == (i ? links + i - 1 : NULL) ? a[i].value : NAN;
}
GRADIENT_CHECK_CUSTOM(directions_turn, Double, turn_primal, turn_tangent, turn_adjoint,
                      In(double, n))

/// A function that calls itself, with an array of its own that is cleared; it reads that one or the
/// caller's.
static double layers(double *x, int m, int depth) {
  double own[n], sum = 0;
  memset(own, 0, m * sizeof *own);
  const double *read = depth % 2 ? own : x;
  for (int i = 0; i + 1 < m; ++i)
    own[i] = x[i] * x[i + 1];
  for (int i = 0; i < m; ++i)
    sum += read[i] * own[(i + 1) % m] + own[i];
  x[depth] = sum / (1 + sum * sum);
  return depth ? sum + layers(x, m, depth - 1) : sum;
}
double __enzyme_fwddiff_layers(void *, ...);
void __enzyme_autodiff_layers(void *, ...);
static double layers_primal(void *const *v) { return layers((double *)v[0], n, 3); }
static double layers_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_layers((void *)layers, enzyme_dup, v[0], d[0], enzyme_const, n,
                                 enzyme_const, 3);
}
static void layers_adjoint(void *const *v, void *const *d) {
  double other[n], *x_bar = (double *)d[0];
  memcpy(other, x_bar, sizeof other);
  __enzyme_autodiff_layers((void *)layers, enzyme_width, 2, enzyme_dup, v[0], x_bar, other,
                           enzyme_const, n, enzyme_const, 3);
  for (int i = 0; i < n; ++i)
    x_bar[i] = x_bar[i] == other[i] ? x_bar[i] : NAN;
}
GRADIENT_CHECK_CUSTOM(directions_layers, Double, layers_primal, layers_tangent, layers_adjoint,
                      InOut(double, n))

/// Atomic updates where there are no threads, and notes for other tools beside numbers.
struct noted {
  __attribute__((annotate("a note"))) double value;
};
static double updated(const double *x, _Atomic double *total) {
  struct noted last;
  for (int i = 0; i < n; ++i) {
    last.value = x[i] * *total;
    *total += last.value * x[i];
    *total *= 0.5 + x[0];
  }
  return *total * last.value;
}
static double updated_primal(void *const *v) {
  _Atomic double total = 1;
  return updated((const double *)v[0], &total);
}
static double updated_tangent(void *const *v, void *const *d) {
  _Atomic double total = 1, total_dot = 0;
  return __enzyme_fwddiff_links((void *)updated, enzyme_dup, v[0], d[0], enzyme_dup, &total,
                                &total_dot);
}
static void updated_adjoint(void *const *v, void *const *d) {
  _Atomic double total = 1, c = 0, e = 0;
  double a[n] = {0}, b[n] = {0}, *x_bar = (double *)d[0];
  __enzyme_autodiff_directions((void *)updated, enzyme_width, 2, enzyme_dup, v[0], a, b, enzyme_dup,
                               &total, &c, &e);
  for (int i = 0; i < n; ++i)
    x_bar[i] += a[i] == b[i] && c == e ? a[i] : NAN;
}
GRADIENT_CHECK_CUSTOM(directions_updated, Double, updated_primal, updated_tangent, updated_adjoint,
                      In(double, n))
