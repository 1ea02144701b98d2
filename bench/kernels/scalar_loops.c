// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The set of serial loops whose gradient must cost at most 2.5 times the primal, in the geometric
// mean. All pointers are plain: what is needed about aliasing, the plugin has to find out.
#include "GradientCheck.h"
#include <math.h>

enum { Long = 1000000, Steps = 20, Side = 400, Rows = 1000, Degree = 6 };

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

// A chain of updates, each of which reads what the one before wrote.
static void axpyChain(const double *a, const double *x, double *y, int n, int steps) {
  for (int s = 0; s < steps; s++)
    for (int i = 0; i < n; i++)
      y[i] += a[s] * x[i];
}

static double logsumexp(const double *x, int n) {
  double largest = x[0];
  for (int i = 1; i < n; i++)
    largest = x[i] > largest ? x[i] : largest;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += exp(x[i] - largest);
  return largest + log(sum);
}

static void stencil(double *u, double *v, int nx, int ny, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        int c = j * nx + i;
        v[c] = 0.5 * u[c] + 0.125 * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
      }
    double *t = u;
    u = v;
    v = t;
  }
}

static void matrixVector(const double *a, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}

static double polynomial(const double *c, const double *x, int n, int degree) {
  double total = 0;
  for (int i = 0; i < n; i++) {
    double s = sin(x[i]), e = exp(-x[i]), p = c[degree];
    for (int k = degree - 1; k >= 0; k--)
      p = p * s + c[k] * e;
    total += p;
  }
  return total;
}

GRADIENT_CHECK(dot, Double, dot, In(double, Long), In(double, Long), Int(Long))
GRADIENT_CHECK(axpy_chain, Void, axpyChain, In(double, Steps), In(double, Long / 20),
               InOut(double, Long / 20), Int(Long / 20), Int(Steps))
GRADIENT_CHECK(logsumexp, Double, logsumexp, In(double, Long), Int(Long))
GRADIENT_CHECK(stencil, Void, stencil, InOut(double, Side *Side), InOut(double, Side *Side),
               Int(Side), Int(Side), Int(Steps))
GRADIENT_CHECK(matrix_vector, Void, matrixVector, In(double, Rows *Rows), In(double, Rows),
               Out(double, Rows), Int(Rows))
GRADIENT_CHECK(polynomial, Double, polynomial, In(double, Degree + 1), In(double, Long / 10),
               Int(Long / 10), Int(Degree))
