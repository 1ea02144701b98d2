// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Least squares and solutions of least norm, by gels and by its steps; factors L Q, whose
// reflectors are rows; what is left of a residual; in both layouts and as Fortran calls them.
// Supports: `gels`, `gelqf`, `ormlq`, `orglq`
#include "GradientCheck.h"

#include <lapacke.h>

static double solved(double *a, double *b, int m, int n, char trans) {
  const int p = m > n ? m : n;
  LAPACKE_dgels(LAPACK_COL_MAJOR, trans, m, n, 2, a, m, b, p);
  double s = 0;
  for (int i = 0; i < 2 * p; ++i)
    s += (i + 1) * b[i] * b[i];
  return s + a[0] * a[3] + a[1] * a[m + 1];
}
static double rows(double *a, double *b, int m, int n) {
  LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', m, n, 2, a, n, b, 2);
  return b[0] * b[3] + b[2] * b[2];
}
/// The squares of what is left belong to the residual.
static double residual(double *a, double *b, int m, int n) {
  char trans = 'N';
  int columns = 1, size = -1, info = 0;
  double wanted = 0, work[400];
  dgels_(&trans, &m, &n, &columns, a, &m, b, &m, &wanted, &size, &info, 1);
  size = 400;
  dgels_(&trans, &m, &n, &columns, a, &m, b, &m, work, &size, &info, 1);
  double s = 0;
  for (int i = n; i < m; ++i)
    s += b[i] * b[i];
  return s * b[0];
}

GRADIENT_CHECK(gels_tall, Double, solved, InOut(double, 15), InOut(double, 10), Int(5), Int(3),
               Int('N'))
GRADIENT_CHECK(gels_tall_transposed, Double, solved, InOut(double, 15), InOut(double, 10), Int(5),
               Int(3), Int('T'))
GRADIENT_CHECK(gels_wide, Double, solved, InOut(double, 15), InOut(double, 10), Int(3), Int(5),
               Int('N'))
GRADIENT_CHECK(gels_wide_transposed, Double, solved, InOut(double, 15), InOut(double, 10), Int(3),
               Int(5), Int('T'))
GRADIENT_CHECK(gels_square, Double, solved, InOut(double, 9), InOut(double, 6), Int(3), Int(3),
               Int('N'))
GRADIENT_CHECK(gels_rows, Double, rows, InOut(double, 12), InOut(double, 8), Int(4), Int(3))
GRADIENT_CHECK(gels_rows_wide, Double, rows, InOut(double, 12), InOut(double, 8), Int(3), Int(4))
GRADIENT_CHECK(gels_residual, Double, residual, InOut(double, 12), InOut(double, 4), Int(4), Int(3))

// L Q, its rows, and products with them from either side.
static double factors(double *a, double *b, double *c, int m, int n) {
  double tau[3];
  LAPACKE_dgelqf(LAPACK_ROW_MAJOR, m, n, a, n, tau);
  LAPACKE_dormlq(LAPACK_ROW_MAJOR, 'L', 'T', n, 2, m, a, n, tau, b, 2);
  LAPACKE_dormlq(LAPACK_COL_MAJOR, 'R', 'N', 2, n, m, a, m, tau, b, 2);
  double r = a[0] * a[n] + tau[1];
  LAPACKE_dorglq(LAPACK_ROW_MAJOR, m, n, m, a, n, tau);
  LAPACKE_dgelqf(LAPACK_COL_MAJOR, 4, 3, c, 4, tau);
  return r + a[4] * a[8] + b[3] + c[11] * c[3] + tau[0];
}

GRADIENT_CHECK(lapack_rows, Double, factors, InOut(double, 15), InOut(double, 10),
               InOut(double, 12), Int(3), Int(5))

/// Without right-hand sides the matrix stays as it is.
static double nothing(double *a, double *b, int columns) {
  LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', 3, 2, columns, a, 3, b, 3);
  double s = 0;
  for (int i = 0; i < 6; ++i)
    s += (i + 1) * a[i] * a[i] * b[i];
  return s;
}
GRADIENT_CHECK(lapack_gels_nothing, Double, nothing, InOut(double, 6), InOut(double, 6), Int(0))
