// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursive functions that return structs, pointers, floats by pointer, and nothing; the function
// that is differentiated calls itself.
#include "GradientCheck.h"

#include <math.h>
#include <stdlib.h>

struct pair {
  double value, slope;
  int depth;
};

static struct pair horner(const double *c, double x, int n) {
  if (n == 0)
    return (struct pair){0, 0, 0};
  struct pair rest = horner(c + 1, x, n - 1);
  return (struct pair){c[0] + x * rest.value, rest.value + x * rest.slope, rest.depth + 1};
}
static double polynomial(const double *c, double x, int n) {
  struct pair p = horner(c, x, n);
  return p.value * p.slope * p.depth;
}

static double *largest(double *x, int n) {
  if (n == 1)
    return x;
  double *rest = largest(x + 1, n - 1);
  *rest *= 1.5;
  return *rest > *x ? rest : x;
}
static double scale_largest(double *x, int n) {
  double *m = largest(x, n);
  *m = *m * *m;
  return *m * x[0];
}

static void fold(double *x, double *out, int n) {
  if (n == 1) {
    *out += x[0] * x[0];
    return;
  }
  double low = 0, high = 1;
  fold(x, &low, n / 2);
  fold(x + n / 2, &high, n - n / 2);
  x[0] = low * x[0];
  *out += low * high;
}

static double self(double *x, int n, double weight) {
  if (n <= 0)
    return weight;
  x[0] = 0.5 * x[0] * weight + x[n - 1];
  return x[0] * self(x + 1, n - 1, weight * x[0]) + self(x + 1, n - 2, 0.5 * weight);
}

// A member that may be one of two things comes back as the bits of an integer.
struct either {
  long count;
  union {
    double value;
    long bits;
  } of;
};

__attribute__((noinline)) static struct either repeated(const double *x, int n) {
  struct either e = {3, {x[0]}};
  if (n == 0)
    return e;
  e = repeated(x, n - 1);
  e.of.value = e.of.value * x[n % 3] + sin(e.of.value);
  e.count++;
  return e;
}

static double eitherReturned(const double *x) {
  struct either e = repeated(x, 4);
  return e.of.value * e.count;
}

GRADIENT_CHECK(recursion_struct, Double, polynomial, In(double, 5), Scalar(double), Int(5))
GRADIENT_CHECK(recursion_pointer, Double, scale_largest, InOut(double, 5), Int(5))
GRADIENT_CHECK(recursion_void, Void, fold, InOut(double, 6), InOut(double, 1), Int(6))
GRADIENT_CHECK(recursion_self, Double, self, InOut(double, 5), Int(5), Scalar(double))

// A pointer and something else; the callee takes part of what it was given, or allocates.
struct span {
  double *first;
  long count;
};
static struct span steeper_half(struct span s, int depth) {
  if (s.count <= 1 || depth == 0)
    return s;
  struct span low = {s.first, s.count / 2}, high = {s.first + s.count / 2, s.count - s.count / 2};
  low = steeper_half(low, depth - 1);
  high = steeper_half(high, depth - 1);
  low.first[0] *= 1.25;
  return low.first[0] > high.first[0] ? low : high;
}
static double sum_steeper(double *x, int n) {
  struct span s = steeper_half((struct span){x, n}, 2);
  double sum = 0;
  for (long i = 0; i < s.count; ++i)
    sum += s.first[i] * s.first[i];
  return sum;
}
GRADIENT_CHECK(recursion_span, Double, sum_steeper, InOut(double, 8), Int(8))

struct branch {
  double value;
  struct branch *left, *right;
};
struct grown {
  struct branch *top;
  double sum;
};
static struct grown grow(double x, int depth) {
  struct grown g = {(struct branch *)malloc(sizeof(struct branch)), x};
  *g.top = (struct branch){x * depth, NULL, NULL};
  if (depth > 0) {
    struct grown a = grow(0.5 * x, depth - 1), b = grow(x * x, depth - 1);
    g.top->left = a.top;
    g.top->right = b.top;
    g.sum += a.sum * b.sum;
  }
  return g;
}
static double cut(struct branch *b) {
  if (!b)
    return 0;
  double sum = b->value * b->value + 0.5 * cut(b->left) + cut(b->right);
  free(b);
  return sum;
}
static double grow_and_cut(double x) {
  struct grown g = grow(x, 3);
  return g.sum * cut(g.top);
}
GRADIENT_CHECK(recursion_grown, Double, grow_and_cut, Scalar(double))
GRADIENT_CHECK(either_returned, Double, eitherReturned, In(double, 3))

// What is passed by value and changed is the caller's own again afterwards.
struct recursion_state {
  double at[6];
};
static double advance(struct recursion_state s, const double *x, int depth) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) {
    s.at[i] = 0.5 * s.at[i] * s.at[(i + 1) % 6] + sin(s.at[(i + 5) % 6]);
    sum += s.at[i] * x[i % 3];
  }
  if (depth <= 0)
    return sum;
  sum = advance(s, x, depth - 1);
  for (int i = 0; i < 6; ++i)
    sum += s.at[i] * s.at[i] * x[0];
  return sum + 0.3 * advance(s, x, depth - 2);
}
static double advanced(const double *x) {
  struct recursion_state s;
  for (int i = 0; i < 6; ++i)
    s.at[i] = x[i];
  double sum = advance(s, x, 3);
  for (int i = 0; i < 6; ++i)
    sum += s.at[i] * s.at[i];
  return sum;
}
GRADIENT_CHECK(recursion_by_value, Double, advanced, In(double, 6))
