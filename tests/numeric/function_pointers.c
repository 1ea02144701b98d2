// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function pointers: constant tables, structs of operations, callbacks with a context, recursion
// through a pointer, a library function in a table.
// Supports: function pointers, tables of functions, callbacks
#include "GradientCheck.h"
#include <math.h>

typedef double (*Unary)(double);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double half(double x) { return 0.5 * x; }
static const Unary table[] = {square, cube, half, sin};

struct Operations {
  double (*apply)(const void *self, double x);
  void (*store)(double *to, double v);
};
struct Scale {
  const struct Operations *ops;
  double factor;
};
static double scaled(const void *self, double x) {
  return ((const struct Scale *)self)->factor * x;
}
static double shifted(const void *self, double x) {
  return ((const struct Scale *)self)->factor + x;
}
static void set(double *to, double v) { *to = v; }
static void add(double *to, double v) { *to += v * v; }
static const struct Operations scaling = {scaled, set}, shifting = {shifted, add};

typedef double (*Visit)(double x, int depth, void *self);
static double descend(double x, int depth, void *self) {
  Visit next = *(Visit *)self;
  return depth == 0 ? x : x * next(x * 0.9, depth - 1, self);
}

static double doubled(double v) { return 2 * v * v; }
static double tripled(double v) { return 3 * v * v * v; }

static double run(const double *x, double *y, double a, int n) {
  struct Scale objects[2] = {{&scaling, a}, {&shifting, a * a}};
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += table[i % 4](x[i]);
    const struct Scale *o = &objects[i % 2];
    y[i] = 1;
    o->ops->store(&y[i], o->ops->apply(o, x[i]));
  }
  for (int i = 0; i < n; ++i) { // variables of the function itself, at -O0 memory
    double (*f)(double), (*g)(double) = doubled;
    if (x[i] > 0.5)
      f = tripled;
    else
      f = doubled;
    double (*h)(double) = f;
    if (i == 2)
      h = g;
    s += h(x[i]) * g(s) + f(x[0]);
  }
  Visit visit = descend;
  return s + visit(x[0], 4, &visit);
}

GRADIENT_CHECK(function_pointers, Double, run, In(double, 6), Out(double, 6), Scalar(double),
               Int(6))
