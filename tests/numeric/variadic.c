// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that read their variable arguments: numbers, pointers and structures, a list that is
// copied and one that is passed on.
// Supports: variadic functions (x86-64)
#include "GradientCheck.h"
#include <math.h>
#include <stdarg.h>

struct pair {
  double u, v;
};
struct triple {
  double u, v, w;
};

static double fold(int count, va_list list) {
  double sum = 0;
  while (count-- > 0)
    sum = sum * 0.5 + va_arg(list, double);
  return sum;
}

static double twice(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  double first = fold(count, list), second = fold(count, again);
  va_end(list);
  va_end(again);
  return first * second;
}

static double evaluate(const char *what, ...) {
  va_list list;
  va_start(list, what);
  double s = 1;
  for (; *what; ++what)
    switch (*what) {
    case 'i':
      s += va_arg(list, int);
      break;
    case 'd':
      s *= va_arg(list, double);
      break;
    case 'p': {
      const double *p = va_arg(list, const double *);
      s += p[0] * p[1];
      break;
    }
    case '2': {
      struct pair q = va_arg(list, struct pair);
      s += q.u * q.v;
      break;
    }
    default: {
      struct triple q = va_arg(list, struct triple);
      s += q.u * q.v * q.w;
    }
    }
  va_end(list);
  return s;
}

static double sums(const double *x, double a, int n) {
  return twice(4, x[0], x[1] * a, x[2], a) + twice(n - 2, x[3], x[4] * x[0], x[5], a * a, 1.0) +
         twice(0);
}

static double mixed(const double *x, double a, int n) {
  struct pair p = {x[0], x[1] * a};
  struct triple t = {x[2], x[3], a};
  double many = twice(12, x[0], x[1], x[2], x[3], x[4], x[5], a, x[0], x[1], x[2], x[3], x[4]);
  return many + evaluate("id2p3d", n, x[4], p, x + 2, t, x[5] * a) + evaluate("3d", t, a);
}

GRADIENT_CHECK(variadic_sums, Double, sums, In(double, 6), Scalar(double), Int(6))
GRADIENT_CHECK(variadic_mixed, Double, mixed, In(double, 6), Scalar(double), Int(6))

// Calls that stay calls: recursion, with lists of different types.
static double nested(int depth, double a, ...) {
  va_list list;
  va_start(list, a);
  double b = va_arg(list, double);
  const double *p = va_arg(list, const double *);
  va_end(list);
  if (depth == 0)
    return a * b + p[0];
  if (depth % 2)
    return nested(depth - 1, a * b, p[1] + b, p + 1, depth) + p[0];
  return a * nested(depth - 1, b, a * 0.5, p);
}
static double recursive(const double *x, double a, int n) {
  return nested(n, a, x[0], x) * nested(n - 1, x[1], a, x + 1, n);
}
GRADIENT_CHECK(variadic_recursive, Double, recursive, In(double, 6), Scalar(double), Int(4))

// What is passed is looked at by nobody, and the function calls itself.
static double ignores(int n, double x, ...) {
  return n > 0 ? x * ignores(n - 1, sin(x), n, x) + ignores(n - 2, x * x) : x;
}

static double ignored(const double *x, double a, int n) {
  return ignores(n, x[0] * a, x[1], "text") * ignores(2, x[2], &x[3]);
}

GRADIENT_CHECK(variadic_ignored, Double, ignored, In(double, 6), Scalar(double), Int(4))

// Places that are rounded up, again and again.
static double wide(int n, ...) {
  double sum = 0;
  va_list list;
  va_start(list, n);
  for (int i = 0; i < n; ++i) {
    const double a = va_arg(list, double);
    const long double b = va_arg(list, long double), c = va_arg(list, long double);
    sum += (double)(a * b * c);
  }
  va_end(list);
  return sum;
}
static double rounded(const double *x, double a) {
  return wide(2, x[0], (long double)x[1] * a, (long double)x[2], x[3] * a, (long double)x[4],
              (long double)x[5]);
}
GRADIENT_CHECK(variadic_rounded, Double, rounded, In(double, 6), Scalar(double))

// A list that is handed on, and read a second time from a copy.
static double totals(const char *kinds, va_list list) {
  double sum = 0, count = 0;
  va_list again;
  va_copy(again, list);
  for (; *kinds; ++kinds, ++count)
    if (*kinds == 'd')
      sum += va_arg(list, double);
    else
      sum *= va_arg(list, const double *)[1];
  sum += va_arg(again, double) * count;
  va_end(again);
  return sum;
}
static double handed(const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  const double sum = totals(kinds, list);
  va_end(list);
  return sum;
}
static double listed(const double *x, double a) {
  return handed("ddp", x[0], x[1] * a, x) + handed("dpd", x[2], x + 1, x[3]);
}
GRADIENT_CHECK(variadic_lists, Double, listed, In(double, 4), Scalar(double))
