// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that have their count in front of them, in the same allocation ("stretchy buffers"): no
// type says so. They are grown, copied as a whole, and handed to functions that take other arrays.
// Supports: arrays with their length in front of them in one allocation (stretchy buffers)
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

#define HEAD(a) ((size_t *)(a) - 2)
#define COUNT(a) HEAD(a)[0]

static void *grown(void *a, size_t width) {
  size_t *old = a ? HEAD(a) : NULL, room = old ? old[1] + old[1] / 2 + 1 : 2;
  size_t *h = realloc(old, 2 * sizeof *h + room * width);
  if (!old)
    h[0] = 0;
  h[1] = room;
  return h + 2;
}
#define PUSH(a, value)                                                                             \
  do {                                                                                             \
    if (!(a) || COUNT(a) == HEAD(a)[1])                                                            \
      (a) = grown(a, sizeof *(a));                                                                 \
    (a)[COUNT(a)++] = (value);                                                                     \
  } while (0)

static double *copied(const double *a) {
  const size_t bytes = (2 + COUNT(a)) * sizeof(double);
  size_t *h = malloc(bytes);
  memcpy(h, HEAD(a), bytes);
  return (double *)(h + 2);
}
__attribute__((noinline)) static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}
static double stretchy(const double *x, double *y, int n) {
  double *squares = NULL;
  for (int i = 0; i < n; ++i)
    PUSH(squares, x[i] * x[i]);
  double *copy = copied(squares);
  memmove(squares + 1, squares, (n - 1) * sizeof(double));
  COUNT(squares) -= 2;
  *y = dot(squares, copy, COUNT(squares)) * dot(copy, x, n);
  free(HEAD(squares));
  free(HEAD(copy));
  return *y * *y;
}

struct entry {
  double value;
  int id;
  float weight;
};
static double entries(const double *x, int n) {
  struct entry *all = NULL;
  for (int i = 0; i < n; ++i) {
    const struct entry e = {x[i] * x[i], i, 2};
    PUSH(all, e);
  }
  double sum = 0;
  for (size_t i = 0; i < COUNT(all); ++i)
    sum += all[i].value * all[i].id * all[i].weight;
  free(HEAD(all));
  return sum;
}

/// References and length are `int`, and the numbers floats.
static float shared(const float *x, float *y, int n) {
  int *head = malloc(2 * sizeof(int) + n * sizeof(float));
  float *v = (float *)(head + 2), sum = 0;
  head[0] = 1;
  head[1] = 0;
  for (int i = 0; i < n; ++i)
    v[head[1]++] = x[i] * x[n - 1 - i];
  head[0] *= 2;
  for (const float *p = v; p != v + head[1]; ++p)
    sum += *p * *p;
  *y = sum + head[0];
  const float result = *y * v[0];
  if (--head[0] == 1)
    free(head);
  return result;
}

/// The first word is bits of a number, which are not lost, and the numbers are in front of v, too.
static double bits(const double *x, int n) {
  long *head = malloc((n + 2) * sizeof(double));
  double *v = (double *)(head + 2), first;
  memcpy(head, &x[n - 1], sizeof *head);
  v[-1] = x[0];
  for (int i = 0; i < n; ++i)
    v[i] = v[i - 1] * x[i];
  const long word = head[0];
  memcpy(&first, &word, sizeof first);
  const double result = first * v[n - 1];
  free(head);
  return result;
}

GRADIENT_CHECK(stretchy, Double, stretchy, In(double, 9), Out(double, 1), Int(9))
GRADIENT_CHECK(entries, Double, entries, In(double, 9), Int(9))
GRADIENT_CHECK(shared, Float, shared, In(float, 8), Out(float, 1), Int(8))
GRADIENT_CHECK(bits, Double, bits, In(double, 5), Int(5))
