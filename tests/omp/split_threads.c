// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints in two calls of programs whose threads have variables of their own: the threads clear
// the shadows of these when the reverse call begins, also where two regions share one function; and
// of programs with memory that was there before the first of the two calls, of all threads or one.
#include "GradientCheck.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

extern int enzyme_tape;
void *__enzyme_augmentfwd_tape(void *, ...);
void __enzyme_reverse_tape(void *, ...);
double __enzyme_fwddiff_tape(void *, ...);

enum { n = 7 };

static double own[2];
#pragma omp threadprivate(own)

static double kept(const double *x) {
  double sum = 0, product = 1;
#pragma omp parallel num_threads(3)
  own[0] = own[1] = 0;
#pragma omp parallel for schedule(static) num_threads(3)
  for (int i = 0; i < n; i++)
    own[i % 2] += x[i] * x[i];
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    sum += own[0] * x[1] + own[1];
  }
#pragma omp parallel num_threads(3)
  own[0] = own[1] = 0;
#pragma omp parallel for schedule(static) num_threads(3)
  for (int i = 0; i < n; i++)
    own[i % 2] += x[i] * x[i];
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    product += own[0] * x[1] + own[1];
  }
  return sum * sin(product);
}

static double kept_primal(void *const *v) { return kept((const double *)v[0]); }
static double kept_tangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff_tape((void *)kept, enzyme_dup, (double *)v[0], (double *)d[0]);
}

/// The tape that was made first is reversed first; another one with another seed comes in between.
static void kept_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *bar = (double *)d[0], other[n], unused[n] = {0};
  for (int i = 0; i < n; i++)
    other[i] = 2 * x[i] - 0.5;
  void *first = __enzyme_augmentfwd_tape((void *)kept, enzyme_dup, x, bar);
  void *second = __enzyme_augmentfwd_tape((void *)kept, enzyme_dup, other, unused);
  void *third = __enzyme_augmentfwd_tape((void *)kept, enzyme_dup, x, bar);
  __enzyme_reverse_tape((void *)kept, enzyme_dup, x, bar, 0.25, enzyme_tape, first);
  __enzyme_reverse_tape((void *)kept, enzyme_dup, other, unused, 3.0, enzyme_tape, second);
  __enzyme_reverse_tape((void *)kept, enzyme_dup, x, bar, 0.75, enzyme_tape, third);
}
GRADIENT_CHECK_CUSTOM(split_threads, Double, kept_primal, kept_tangent, kept_adjoint, In(double, n))

static double *heap;

static double heaped(const double *x) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    heap[i] = x[i] * x[0];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += heap[i] * heap[(i + 1) % n];
  return sum;
}

static void allocate(void) {
  free(heap);
  heap = (double *)malloc(n * sizeof *heap);
}

static double heaped_primal(void *const *v) {
  allocate();
  return heaped((const double *)v[0]);
}
static double heaped_tangent(void *const *v, void *const *d) {
  allocate();
  return __enzyme_fwddiff_tape((void *)heaped, enzyme_dup, (double *)v[0], (double *)d[0]);
}
static void heaped_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *bar = (double *)d[0];
  allocate();
  void *first = __enzyme_augmentfwd_tape((void *)heaped, enzyme_dup, x, bar);
  void *second = __enzyme_augmentfwd_tape((void *)heaped, enzyme_dup, x, bar);
  __enzyme_reverse_tape((void *)heaped, enzyme_dup, x, bar, 0.25, enzyme_tape, first);
  __enzyme_reverse_tape((void *)heaped, enzyme_dup, x, bar, 0.75, enzyme_tape, second);
}
GRADIENT_CHECK_CUSTOM(split_heap, Double, heaped_primal, heaped_tangent, heaped_adjoint,
                      In(double, n))

// Heap memory that each thread has kept since before the first call. One call writes its last
// number, and the adjoint that the other has left there must not come to it.
static double *scratch;
#pragma omp threadprivate(scratch)

static void renew(void) {
#pragma omp parallel num_threads(3)
  {
    free(scratch);
    scratch = (double *)malloc((n + 1) * sizeof *scratch);
    scratch[n] = 0.5;
  }
}

static double scratched(const double *x, int writes) {
  double sum = 0;
#pragma omp parallel for schedule(static) num_threads(3)
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < n; j++)
      scratch[j] = x[j] * x[i] * x[i];
    if (writes)
      scratch[n] = x[i] * x[i];
  }
#pragma omp parallel num_threads(3)
  {
    double part = 0;
    for (int j = 0; j < n; j++)
      part += scratch[j] * sin(scratch[n] * x[j]);
#pragma omp critical
    sum += part * part;
  }
  return sum;
}

static double scratched_primal(void *const *v) {
  renew();
  return scratched((const double *)v[0], 0) + 2 * scratched((const double *)v[0], 1);
}
static double scratched_tangent(void *const *v, void *const *d) {
  double *x = (double *)v[0], *dot = (double *)d[0];
  renew();
  const double first = __enzyme_fwddiff_tape((void *)scratched, enzyme_dup, x, dot, 0);
  return first + 2 * __enzyme_fwddiff_tape((void *)scratched, enzyme_dup, x, dot, 1);
}
static void scratched_adjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *bar = (double *)d[0];
  renew();
  void *first = __enzyme_augmentfwd_tape((void *)scratched, enzyme_dup, x, bar, 0);
  void *second = __enzyme_augmentfwd_tape((void *)scratched, enzyme_dup, x, bar, 1);
  __enzyme_reverse_tape((void *)scratched, enzyme_dup, x, bar, 0, 1.0, enzyme_tape, first);
  __enzyme_reverse_tape((void *)scratched, enzyme_dup, x, bar, 1, 2.0, enzyme_tape, second);
}
GRADIENT_CHECK_CUSTOM(split_scratch, Double, scratched_primal, scratched_tangent, scratched_adjoint,
                      In(double, n))
