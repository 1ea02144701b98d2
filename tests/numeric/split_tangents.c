// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tangent in two calls: between them, and while the second one runs, everything that the
// function has read and written holds something else, which must be left alone.
//
// Supports: split tangents (`__enzyme_fwdsplit`), of any width, beside a split adjoint
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern int enzyme_tape, enzyme_allocated, enzyme_nofree, enzyme_width, enzyme_primal_return;

struct tape_and_result {
  void *tape;
  double result;
};
struct two {
  double first, second;
};
void *__enzyme_augmentfwd_tape(void *, ...);
struct tape_and_result __enzyme_augmentfwd_both(void *, ...);
double __enzyme_augmentfwd_result(void *, ...);
unsigned long __enzyme_augmentsize_split(void *, ...);
double __enzyme_fwdsplit_dot(void *, ...);
struct two __enzyme_fwdsplit_two(void *, ...);
void __enzyme_fwdsplit_nothing(void *, ...);
double __enzyme_reverse_number(void *, ...);
void __enzyme_reverse_split(void *, ...);
double __enzyme_autodiff_number(void *, ...);
void __enzyme_autodiff_split(void *, ...);

enum { n = 5 };

/// Puts something else into memory, and sees that it stays there.
struct hidden {
  double *at, old[16];
  int count;
};
static struct hidden hide(double *at, int count) {
  struct hidden h = {at, {0}, count};
  memcpy(h.old, at, count * sizeof *at);
  for (int i = 0; i < count; ++i)
    at[i] = -1000.5 - i;
  return h;
}
static double reveal(const struct hidden *h) {
  double wrong = 0;
  for (int i = 0; i < h->count; ++i)
    if (h->at[i] != -1000.5 - i)
      wrong = NAN;
  memcpy(h->at, h->old, h->count * sizeof *h->at);
  return wrong;
}

static double tower(double x, int k) { return k ? sin(x * tower(x, k - 1)) : x; }
static double gains[n] = {1, 0.5, 0.25, 2, 4};

/// Loops, recursion, heap memory, copies both ways, an array in place, loops that floats end.
static double march(double *x, int steps, double k) {
  double *work = (double *)calloc(n, sizeof *work), local[n], sum = 0;
  memcpy(local, x, sizeof local);
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < n; ++i) {
      work[i] = x[i] * local[(i + 1) % n] * gains[i];
      x[i] = k * tower(x[i], 2) + 0.1 * work[(i + 2) % n] * (step > 0);
    }
  double limit = 0;
  for (int i = 0; limit < 2; i = (i + 1) % n)
    limit += fabs(x[i]) + 0.1;
  for (int i = 0; i < n; ++i)
    sum += x[i] > 0.7 ? exp(-x[i]) * work[i] : work[i];
  memcpy(local, work, sizeof local);
  memcpy(x, local, 2 * sizeof *x);
  free(work);
  return sum * limit;
}
static double march_primal(void *const *v) {
  return march((double *)v[0], 3, *(const double *)v[1]);
}
/// The result at the first call; another tape is opened and closed in between.
static double march_tangent(void *const *v, void *const *d) {
  double *x = (double *)v[0], k = *(double *)v[1], other[n] = {1, 2, 3, 4, 5}, other_dot[n] = {1};
  void *first = __enzyme_augmentfwd_tape((void *)march, enzyme_dup, other, other_dot, enzyme_const,
                                         2, enzyme_dup, k, 1.0);
  struct tape_and_result mine =
      __enzyme_augmentfwd_both((void *)march, x, (double *)d[0], 3, k, 0.0);
  struct hidden h = hide(x, n), g = hide(gains, n);
  double dot = __enzyme_fwdsplit_dot((void *)march, enzyme_dup, other, other_dot, enzyme_const, 2,
                                     enzyme_dup, k, 1.0, first);
  dot = dot == dot ? 0 : NAN;
  dot += __enzyme_fwdsplit_dot((void *)march, x, (double *)d[0], 3, k, *(double *)d[1], mine.tape);
  return dot + reveal(&h) + reveal(&g) + (mine.result == mine.result ? 0 : NAN);
}
static void march_adjoint(void *const *v, void *const *d) {
  *(double *)d[1] = __enzyme_autodiff_number((void *)march, enzyme_dup, (double *)v[0],
                                             (double *)d[0], 3, enzyme_out, *(double *)v[1]);
}
GRADIENT_CHECK_CUSTOM(split_tangent_march, Double, march_primal, march_tangent, march_adjoint,
                      InOut(double, n), Scalar(double))

/// Two directions, several times; memory for the tape from the caller; a structure with pointers.
struct field {
  int count;
  double *cells;
  const double *weights;
};
static double relax(struct field *f, float damping) {
  double sum = 0;
  for (int step = 0; step < 3; ++step)
    for (int i = 1; i + 1 < f->count; ++i) {
      f->cells[i] += damping * (f->cells[i - 1] * f->cells[i + 1] - f->cells[i]) * f->weights[i];
      sum += f->cells[i] * f->cells[i];
    }
  return sqrt(sum);
}
static double relax_primal(void *const *v) {
  struct field f = {n, (double *)v[0], (const double *)v[1]};
  return relax(&f, 0.25f);
}
static double relax_tangent(void *const *v, void *const *d) {
  struct field f = {n, (double *)v[0], (const double *)v[1]};
  struct field a = {n, (double *)d[0], (const double *)d[1]};
  double x[n], w[n], y[n];
  for (int i = 0; i < n; ++i)
    x[i] = 2 * a.cells[i], y[i] = a.cells[i], w[i] = 2 * a.weights[i];
  struct field b = {n, x, w}, c = {n, y, a.weights};
  const unsigned long size = __enzyme_augmentsize_split((void *)relax, enzyme_dup, enzyme_const);
  void *tape = malloc(size);
  const double result =
      __enzyme_augmentfwd_result((void *)relax, enzyme_allocated, size, enzyme_tape, tape,
                                 enzyme_width, 2, enzyme_dup, &f, &a, &b, enzyme_const, 0.25f);
  struct hidden h = hide(f.cells, n), g = hide((double *)f.weights, n);
  f.count = 3;
  const double once =
      __enzyme_fwdsplit_dot((void *)relax, enzyme_allocated, size, enzyme_tape, tape, enzyme_nofree,
                            enzyme_dup, &f, &c, enzyme_const, 0.25f);
  const struct two dots =
      __enzyme_fwdsplit_two((void *)relax, enzyme_allocated, size, enzyme_tape, tape, enzyme_width,
                            2, enzyme_dup, &f, &a, &b, enzyme_const, 0.25f);
  free(tape);
  f.count = n;
  double wrong = reveal(&h) + reveal(&g) + (result >= 0 ? 0 : NAN);
  for (int i = 0; i < n; ++i)
    if (fabs(x[i] - 2 * a.cells[i]) > 1e-12 * (1 + fabs(x[i])) ||
        fabs(y[i] - a.cells[i]) > 1e-12 * (1 + fabs(y[i])))
      wrong = NAN;
  return fabs(dots.second - 2 * once) < 1e-12 * (1 + fabs(once)) ? dots.first + wrong : NAN;
}
static void relax_adjoint(void *const *v, void *const *d) {
  struct field f = {n, (double *)v[0], (const double *)v[1]};
  struct field a = {n, (double *)d[0], (const double *)d[1]};
  __enzyme_autodiff_split((void *)relax, enzyme_dup, &f, &a, enzyme_const, 0.25f);
}
GRADIENT_CHECK_CUSTOM(split_tangent_relax, Double, relax_primal, relax_tangent, relax_adjoint,
                      InOut(double, n), In(double, n))

/// One tape for a tangent and an adjoint; the function returns nothing; what it reads outside
/// decides where it goes; a call without a derivative that would not give the same again.
static int calls;
static __attribute__((noinline)) int counted(int i) { return i + ++calls; }
void *__enzyme_inactivefn[] = {(void *)counted};
static void choose(const double *x, double *y, const int *order) {
  const int base = counted(0);
  for (int i = 0; i < n; ++i) {
    const int from = order[i];
    y[i] = x[from] * (from % 2 ? x[i] : cos(x[i])) + 0.125 * ((counted(i) - base) % 2);
    if (x[from] > 0.6)
      y[i] *= y[i > 0 ? i - 1 : 0];
  }
}
static int order[n] = {3, 1, 4, 0, 2};
static double choose_primal(void *const *v) {
  choose((const double *)v[0], (double *)v[1], order);
  return 0;
}
static double choose_tangent(void *const *v, void *const *d) {
  double *x = (double *)v[0], *y = (double *)v[1], x_bar[n] = {0}, y_bar[n] = {1, 1, 1, 1, 1};
  void *tape = __enzyme_augmentfwd_tape((void *)choose, enzyme_dup, x, x_bar, enzyme_dup, y, y_bar,
                                        enzyme_const, order);
  struct hidden h = hide(x, n), g = hide(y, n);
  int kept[n], before = calls;
  memcpy(kept, order, sizeof kept);
  memset(order, 0, sizeof order);
  __enzyme_fwdsplit_nothing((void *)choose, enzyme_nofree, enzyme_dup, x, (double *)d[0],
                            enzyme_dup, y, (double *)d[1], enzyme_const, order, tape);
  double wrong = calls == before ? 0 : NAN, forwards = 0, backwards = 0, x_dot[n];
  memcpy(x_dot, d[0], sizeof x_dot);
  __enzyme_reverse_split((void *)choose, enzyme_dup, x, x_bar, enzyme_dup, y, y_bar, enzyme_const,
                         order, tape);
  memcpy(order, kept, sizeof kept);
  for (int i = 0; i < n; ++i)
    forwards += ((double *)d[1])[i], backwards += x_bar[i] * x_dot[i];
  wrong += reveal(&h) + reveal(&g);
  ((double *)d[1])[0] += fabs(forwards - backwards) < 1e-12 * (1 + fabs(forwards)) ? wrong : NAN;
  return 0;
}
static void choose_adjoint(void *const *v, void *const *d) {
  __enzyme_autodiff_split((void *)choose, enzyme_dup, (double *)v[0], (double *)d[0], enzyme_dup,
                          (double *)v[1], (double *)d[1], enzyme_const, order);
}
GRADIENT_CHECK_CUSTOM(split_tangent_choose, Void, choose_primal, choose_tangent, choose_adjoint,
                      In(double, n), Out(double, n))
