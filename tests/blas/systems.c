// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems that LAPACK factors and solves in one call: of three and of more diagonals, symmetric and
// not, with row interchanges, in both layouts and as Fortran calls them.
// Supports: `gtsv`, `ptsv`, `gbsv`, `pbsv`, `sysv`
#include "GradientCheck.h"

#include <lapacke.h>

static double squares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * x[i] * x[i];
  return s;
}

static double three(double *lower, double *diagonal, double *upper, double *b, int n) {
  for (int i = 0; i < n; ++i)
    diagonal[i] += i % 2 ? 3 : 0.1; // some rows are interchanged
  LAPACKE_dgtsv(LAPACK_COL_MAJOR, n, 2, lower, diagonal, upper, b, n);
  for (int i = 0; i < n; ++i)
    diagonal[i] = upper[i < n - 1 ? i : 0] = lower[i < n - 1 ? i : 0] = 0;
  return squares(b, 2 * n);
}
static double three_symmetric(double *diagonal, double *side, double *b, int n) {
  for (int i = 0; i < n; ++i)
    diagonal[i] += 4;
  int columns = 1, info = 0;
  dptsv_(&n, &columns, diagonal, side, b, &n, &info);
  for (int i = 0; i < n; ++i)
    diagonal[i] = side[i < n - 1 ? i : 0] = 0;
  return squares(b, n);
}
GRADIENT_CHECK(lapack_gtsv, Double, three, InOut(double, 5), InOut(double, 6), InOut(double, 5),
               InOut(double, 12), Int(6))
GRADIENT_CHECK(lapack_gtsv_small, Double, three, InOut(double, 1), InOut(double, 2),
               InOut(double, 1), InOut(double, 4), Int(2))
GRADIENT_CHECK(lapack_ptsv, Double, three_symmetric, InOut(double, 6), InOut(double, 5),
               InOut(double, 6), Int(6))

enum { below = 2, above = 1, band = 2 * below + above + 1 };
static double bands(double *x, double *b, int n, int rows) {
  double a[band * 7] = {0};
  int pivots[7], layout = rows ? LAPACK_ROW_MAJOR : LAPACK_COL_MAJOR;
  for (int j = 0; j < n; ++j)
    for (int i = j - above < 0 ? 0 : j - above; i <= j + below && i < n; ++i)
      a[rows ? (below + above + i - j) * n + j : below + above + i - j + band * j] =
          x[(i * 3 + j) % 20] + (i == j + 1) * 2;
  LAPACKE_dgbsv(layout, n, below, above, 2, a, rows ? n : band, pivots, b, rows ? 2 : n);
  return squares(b, 2 * n);
}
static double bands_symmetric(double *x, double *b, int n, char triangle) {
  double a[3 * 7] = {0};
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= 2; ++d)
      a[(triangle == 'U' ? 2 - d : d) + 3 * j] = x[(d * 5 + j) % 20] + (d == 0) * 6;
  LAPACKE_dpbsv(LAPACK_COL_MAJOR, triangle, n, 2, 1, a, 3, b, n);
  return squares(b, n);
}
GRADIENT_CHECK(lapack_gbsv, Double, bands, InOut(double, 20), InOut(double, 14), Int(7), Int(0))
GRADIENT_CHECK(lapack_gbsv_rows, Double, bands, InOut(double, 20), InOut(double, 14), Int(7),
               Int(1))
GRADIENT_CHECK(lapack_pbsv_lower, Double, bands_symmetric, InOut(double, 20), InOut(double, 7),
               Int(7), Int('L'))
GRADIENT_CHECK(lapack_pbsv_upper, Double, bands_symmetric, InOut(double, 20), InOut(double, 7),
               Int(7), Int('U'))

static double indefinite(double *a, double *b, int n, char triangle, int rows) {
  int pivots[5];
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += i % 2 ? -2 : 0.2;
  LAPACKE_dsysv(rows ? LAPACK_ROW_MAJOR : LAPACK_COL_MAJOR, triangle, n, 2, a, n, pivots, b,
                rows ? 2 : n);
  for (int i = 0; i < n * n; ++i)
    a[i] = 0;
  return squares(b, 2 * n);
}
GRADIENT_CHECK(lapack_sysv_lower, Double, indefinite, InOut(double, 16), InOut(double, 8), Int(4),
               Int('L'), Int(0))
GRADIENT_CHECK(lapack_sysv_upper, Double, indefinite, InOut(double, 16), InOut(double, 8), Int(4),
               Int('U'), Int(1))

/// The triangle that is not read stays, with its derivative.
static double other_triangle(double *a, double *b, int n, char triangle) {
  int pivots[5];
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += i % 2 ? -2 : 0.2;
  LAPACKE_dsysv(LAPACK_COL_MAJOR, triangle, n, 2, a, n, pivots, b, n);
  double s = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (triangle == 'U' ? i > j : i < j)
        s += a[i + n * j] * a[i + n * j] * b[i];
      else
        a[i + n * j] = 0;
  return s;
}
GRADIENT_CHECK(lapack_sysv_beside_upper, Double, other_triangle, InOut(double, 16),
               InOut(double, 8), Int(4), Int('U'))
GRADIENT_CHECK(lapack_sysv_beside_lower, Double, other_triangle, InOut(double, 16),
               InOut(double, 8), Int(4), Int('L'))
