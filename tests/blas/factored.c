// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of matrices of few diagonals and of symmetric ones, with row interchanges, and systems
// that are solved by them; what the program does with the factors themselves counts as well.
// Supports: `gbtrf`, `gbtrs`, `gttrf`, `gttrs`, `pbtrf`, `pbtrs`, `pttrf`, `pttrs`, `sytrf`, `sytrs`
#include "GradientCheck.h"

#include <lapacke.h>
#include <math.h>

static double squares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * x[i] * x[i];
  return s;
}

enum { below = 2, above = 1, rows = 2 * below + above + 1 };
static double bands(double *x, double *b, int n, int order) {
  double a[rows * 7] = {0}, s = 0;
  int pivots[7], inRows = order == LAPACK_ROW_MAJOR;
  for (int j = 0; j < n; ++j)
    for (int i = j - above < 0 ? 0 : j - above; i <= j + below && i < n; ++i)
      a[inRows ? (below + above + i - j) * n + j : below + above + i - j + rows * j] =
          x[(i * 3 + j) % 20] + (i == j + 1) * 2;
  const int lda = inRows ? n : rows, ldb = inRows ? 2 : n;
  LAPACKE_dgbtrf(order, n, n, below, above, a, lda, pivots);
  LAPACKE_dgbtrs(order, 'N', n, below, above, 2, a, lda, pivots, b, ldb);
  LAPACKE_dgbtrs(order, 'T', n, below, above, 2, a, lda, pivots, b, ldb);
  for (int j = 0; j < n; ++j) // a determinant
    s += log(fabs(a[inRows ? (below + above) * n + j : below + above + rows * j]));
  return squares(b, 2 * n) + s + a[inRows ? (below + above + 1) * n + 1 : below + above + 1 + rows];
}
GRADIENT_CHECK(lapack_gbtrf, Double, bands, InOut(double, 20), InOut(double, 14), Int(7),
               Int(LAPACK_COL_MAJOR))
GRADIENT_CHECK(lapack_gbtrf_rows, Double, bands, InOut(double, 20), InOut(double, 14), Int(7),
               Int(LAPACK_ROW_MAJOR))

static double rectangular_bands(double *x, int m, int n) {
  double a[rows * 7] = {0}, s = 0;
  int pivots[7];
  for (int j = 0; j < n; ++j)
    for (int i = j - above < 0 ? 0 : j - above; i <= j + below && i < m; ++i)
      a[below + above + i - j + rows * j] = x[(i * 3 + j) % 20] + (i == j + 1) * 2;
  LAPACKE_dgbtrf(LAPACK_COL_MAJOR, m, n, below, above, a, rows, pivots);
  for (int j = 0; j < n; ++j)
    for (int i = j - above - below < 0 ? 0 : j - above - below; i <= j + below && i < m; ++i)
      s += a[below + above + i - j + rows * j] * a[below + above + i - j + rows * j] * (i + j);
  return s;
}
GRADIENT_CHECK(lapack_gbtrf_tall, Double, rectangular_bands, InOut(double, 20), Int(7), Int(5))
GRADIENT_CHECK(lapack_gbtrf_flat, Double, rectangular_bands, InOut(double, 20), Int(5), Int(7))

static double three(double *lower, double *diagonal, double *upper, double *b, int n) {
  double second[8];
  int pivots[8], columns = 2, info = 0;
  for (int i = 0; i < n; ++i)
    diagonal[i] += i % 2 ? 3 : 0.1;
  LAPACKE_dgttrf(n, lower, diagonal, upper, second, pivots);
  LAPACKE_dgttrs(LAPACK_ROW_MAJOR, 'N', n, 2, lower, diagonal, upper, second, pivots, b, 2);
  LAPACK_dgttrs("T", &n, &columns, lower, diagonal, upper, second, pivots, b, &n, &info);
  return squares(b, 2 * n) + lower[0] * diagonal[0] + upper[0] + second[0];
}
GRADIENT_CHECK(lapack_gttrf, Double, three, InOut(double, 5), InOut(double, 6), InOut(double, 5),
               InOut(double, 12), Int(6))

static double three_symmetric(double *diagonal, double *side, double *b, int n) {
  int columns = 1, info = 0;
  for (int i = 0; i < n; ++i)
    diagonal[i] += 4;
  LAPACK_dpttrf(&n, diagonal, side, &info);
  LAPACKE_dpttrs(LAPACK_ROW_MAJOR, n, 2, diagonal, side, b, 2);
  LAPACK_dpttrs(&n, &columns, diagonal, side, b, &n, &info);
  return squares(b, 2 * n) + squares(diagonal, n) * squares(side, n - 1);
}
GRADIENT_CHECK(lapack_pttrf, Double, three_symmetric, InOut(double, 6), InOut(double, 5),
               InOut(double, 12), Int(6))

static double bands_symmetric(double *x, double *b, int n, char triangle, int order) {
  double a[3 * 7] = {0};
  const int inRows = order == LAPACK_ROW_MAJOR, lda = inRows ? n : 3;
  for (int j = 0; j < n; ++j)
    for (int d = 0; d <= 2; ++d) {
      const int i = triangle == 'U' ? 2 - d : d;
      a[inRows ? i * n + j : i + 3 * j] = x[(d * 5 + j) % 20] + (d == 0) * 6;
    }
  LAPACKE_dpbtrf(order, triangle, n, 2, a, lda);
  LAPACKE_dpbtrs(order, triangle, n, 2, 1, a, lda, b, inRows ? 1 : n);
  return squares(b, n) + a[inRows ? (triangle == 'U' ? 2 * n : 0) + n - 1
                                  : (triangle == 'U' ? 2 : 0) + 3 * (n - 1)];
}
GRADIENT_CHECK(lapack_pbtrf_lower, Double, bands_symmetric, InOut(double, 20), InOut(double, 7),
               Int(7), Int('L'), Int(LAPACK_COL_MAJOR))
GRADIENT_CHECK(lapack_pbtrf_upper, Double, bands_symmetric, InOut(double, 20), InOut(double, 7),
               Int(7), Int('U'), Int(LAPACK_ROW_MAJOR))

/// Zeros on the diagonal make pivots of two rows.
static double indefinite(double *a, double *b, int n, char triangle, int order) {
  int pivots[6];
  double s = 0;
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] *= i % 3 ? 0.05 : -2;
  LAPACKE_dsytrf(order, triangle, n, a, n, pivots);
  LAPACKE_dsytrs(order, triangle, n, 2, a, n, pivots, b, order == LAPACK_ROW_MAJOR ? 2 : n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      s += a[i * n + j] * a[i * n + j] * (0.1 * i + 0.01 * j);
  return squares(b, 2 * n) + s;
}
GRADIENT_CHECK(lapack_sytrf_lower, Double, indefinite, InOut(double, 36), InOut(double, 12), Int(6),
               Int('L'), Int(LAPACK_COL_MAJOR))
GRADIENT_CHECK(lapack_sytrf_upper, Double, indefinite, InOut(double, 36), InOut(double, 12), Int(6),
               Int('U'), Int(LAPACK_COL_MAJOR))
GRADIENT_CHECK(lapack_sytrf_rows, Double, indefinite, InOut(double, 36), InOut(double, 12), Int(6),
               Int('U'), Int(LAPACK_ROW_MAJOR))

static float single_bands(float *x, float *b, int n) {
  float a[4 * 6] = {0};
  int pivots[6];
  for (int j = 0; j < n; ++j)
    for (int d = -1; d <= 1; ++d)
      a[2 + d + 4 * j] = x[(d + 1) * 6 + j] + (d == 0) * 3;
  LAPACKE_sgbtrf(LAPACK_COL_MAJOR, n, n, 1, 1, a, 4, pivots);
  LAPACKE_sgbtrs(LAPACK_COL_MAJOR, 'N', n, 1, 1, 1, a, 4, pivots, b, n);
  return b[0] * b[1] + b[n - 1];
}
GRADIENT_CHECK(lapack_sgbtrf, Float, single_bands, InOut(float, 18), InOut(float, 6), Int(6))
