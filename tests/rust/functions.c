// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of functions.rs, differentiated where C calls them.
#include "GradientCheck.h"
#include <stddef.h>

double rust_iterators(const double *, size_t);
double rust_bodies(const double *, size_t);
void rust_heat(double *, size_t, size_t, double);
double rust_root(double);
double rust_expression(const double *, size_t);
double rust_tree(const double *, size_t);
double rust_closures(const double *, size_t);
double rust_result(const double *, size_t);
double rust_softmax(const double *, size_t);
double rust_methods(const double *, size_t);

static double iterators(const double *x, int n) { return rust_iterators(x, n); }
GRADIENT_CHECK(rust_iterators, Double, iterators, In(double, 9), Int(9))

static double bodies(const double *x, int n) { return rust_bodies(x, n); }
GRADIENT_CHECK(rust_bodies, Double, bodies, In(double, 12), Int(12))

static void heat(double *u, double k, int n) { rust_heat(u, n, 5, k); }
GRADIENT_CHECK(rust_heat, Void, heat, InOut(double, 16), Scalar(double), Int(16))

static double root(const double *x, int n) { return rust_root(x[1]) * x[n - 1]; }
GRADIENT_CHECK(rust_root, Double, root, In(double, 3), Int(3))

static double expression(const double *x, int n) { return rust_expression(x, n); }
GRADIENT_CHECK(rust_expression, Double, expression, In(double, 6), Int(6))

static double tree(const double *x, int n) { return rust_tree(x, n); }
GRADIENT_CHECK(rust_tree, Double, tree, In(double, 11), Int(11))

static double closures(const double *x, int n) { return rust_closures(x, n); }
GRADIENT_CHECK(rust_closures, Double, closures, In(double, 4), Int(4))

static double result(const double *x, int n) { return rust_result(x, n); }
GRADIENT_CHECK(rust_result, Double, result, In(double, 3), Int(3))

static double softmax(const double *x, int n) { return rust_softmax(x, n); }
GRADIENT_CHECK(rust_softmax, Double, softmax, In(double, 9), Int(9))

static double methods(const double *x, int n) { return rust_methods(x, n); }
GRADIENT_CHECK(rust_methods, Double, methods, In(double, 3), Int(3))
