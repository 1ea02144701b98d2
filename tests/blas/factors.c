// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK: factorisations and solutions by them, with the names of Fortran and with those of LAPACKE
// in rows and in columns.
// Supports: `getrf`, `getrs`, `gesv`, `potrf`, `potrs`, `posv`, `geqrf`, `ormqr`, `orgqr`, `syev`
// Supports: `getri`, `potri`, `trtri`, `trtrs`, `lacpy`, `lascl`, `laset`, `lange`
// Supports: `getrf2`, `potrf2`, `laswp`
#include "GradientCheck.h"
#include <lapacke.h>

static void dominate(double *a, int n, int lda) {
  for (int i = 0; i < n; ++i)
    a[i * lda + (i + 1) % n] += 4 + i;
}

static double lu(double *a, double *b, double *c, int n, int nrhs) {
  int pivots[4], info;
  dominate(a, n, n + 1);
  LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, a, n + 1, pivots);
  LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'T', n, nrhs, a, n + 1, pivots, b, nrhs);
  LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'N', n, nrhs, a, n + 1, pivots, b, nrhs);
  dominate(c, n, n);
  LAPACK_dgetrf(&n, &n, c, &n, pivots, &info);
  LAPACK_dgetrs("N", &n, &nrhs, c, &n, pivots, b, &n, &info);
  LAPACK_dgetrs("T", &n, &nrhs, c, &n, pivots, b, &n, &info);
  return a[2] * a[7] + b[0] + c[0] * c[5];
}

GRADIENT_CHECK(lapack_lu, Double, lu, InOut(double, 20), InOut(double, 8), InOut(double, 16),
               Int(4), Int(2))

// The factors by recursion; pivots that are not neighbours, from the last one to the first.
static double interchanged(double *a, double *s, double *b, double *c, int n) {
  int pivots[4], info, sparse[7] = {3, 0, 4, 0, 3, 0, 4}, first = 1, last = 3, step = -2;
  dominate(a, n, n);
  for (int i = 0; i < n; ++i)
    s[i * (n + 1)] += 5;
  LAPACK_dgetrf2(&n, &n, a, &n, pivots, &info);
  LAPACKE_dlaswp(LAPACK_COL_MAJOR, 2, b, n, 1, n, pivots, 1);
  LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'U', n, 2, a, n, b, n);
  LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', n, 2, a, n, b, n);
  LAPACKE_dpotrf2(LAPACK_ROW_MAJOR, 'L', n, s, n);
  LAPACKE_dlaswp(LAPACK_ROW_MAJOR, 3, c, 3, 1, 3, sparse, 2);
  double r = c[0] * c[10] + c[4];
  LAPACK_dlaswp(&last, c, &n, &first, &last, sparse, &step);
  return r + b[0] * b[5] + b[7] + s[4] * s[5] + c[1] * c[2] + 3 * c[7] * c[5];
}

GRADIENT_CHECK(lapack_interchanged, Double, interchanged, InOut(double, 16), InOut(double, 16),
               InOut(double, 8), InOut(double, 12), Int(4))

static double rectangular_lu(double *a, double *b) {
  int pivots[3];
  LAPACKE_dgetrf(LAPACK_ROW_MAJOR, 5, 3, a, 3, pivots);
  LAPACKE_dgetrf(LAPACK_COL_MAJOR, 3, 5, b, 3, pivots);
  return a[14] * a[1] + b[14] * b[5];
}

GRADIENT_CHECK(lapack_rectangular_lu, Double, rectangular_lu, InOut(double, 15), InOut(double, 15))

static double solutions(double *a, double *b, double *s, double *c, int n) {
  int pivots[3];
  dominate(a, n, n);
  for (int i = 0; i < n; ++i)
    s[i * (n + 1)] += 5;
  LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 2, a, n, pivots, b, n);
  LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, 1, s, n, c, 1);
  LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'U', n, 1, s, n, b, 1);
  return b[1] * b[4] + c[0] + a[3] + s[1];
}

GRADIENT_CHECK(lapack_solutions, Double, solutions, InOut(double, 9), InOut(double, 6),
               InOut(double, 9), InOut(double, 3), Int(3))

static double cholesky(double *s, double *t, double *b, int n) {
  for (int i = 0; i < n; ++i) {
    s[i * (n + 1)] += 5;
    t[i * (n + 1)] += 6;
  }
  LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, s, n);
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 2, s, n, b, n);
  LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, t, n);
  return s[5] * t[4] + b[3] + s[4];
}

GRADIENT_CHECK(lapack_cholesky, Double, cholesky, InOut(double, 16), InOut(double, 16),
               InOut(double, 8), Int(4))

// A least-squares problem, and Q by itself.
static double orthogonal(double *a, double *b, double *c, int m, int n) {
  double tau[3];
  LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, m, n, a, n, tau);
  LAPACKE_dormqr(LAPACK_ROW_MAJOR, 'L', 'T', m, 2, n, a, n, tau, b, 2);
  LAPACKE_dormqr(LAPACK_COL_MAJOR, 'R', 'N', 2, m, n, a, m, tau, b, 2);
  double r = a[0] * a[1] + tau[1];
  LAPACKE_dorgqr(LAPACK_ROW_MAJOR, m, n, n, a, n, tau);
  LAPACKE_dgeqrf(LAPACK_COL_MAJOR, 3, 4, c, 3, tau);
  return r + a[4] * a[8] + b[3] + c[11] * c[3] + tau[0];
}

GRADIENT_CHECK(lapack_orthogonal, Double, orthogonal, InOut(double, 15), InOut(double, 10),
               InOut(double, 12), Int(5), Int(3))

static double eigen(double *a, double *b, double *w, int n) {
  for (int i = 0; i < n; ++i) {
    a[i * (n + 1)] += 3 * i;
    b[i * (n + 1)] += 2 * i;
  }
  LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, a, n, w);
  double s = w[0] * w[2] + a[1] * a[6];
  LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, b, n, w);
  for (int i = 0; i < n * n; ++i)
    b[i] = 0;
  return s + w[1] * w[3];
}

GRADIENT_CHECK(lapack_eigen, Double, eigen, InOut(double, 16), InOut(double, 16), Out(double, 4),
               Int(4))

static float single_factors(float *a, float *b, int n) {
  int pivots[3];
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += 4;
  LAPACKE_sgesv(LAPACK_ROW_MAJOR, n, 1, a, n, pivots, b, 1);
  LAPACKE_spotrs(LAPACK_COL_MAJOR, 'L', n, 1, a, n, b, n);
  return b[0] * b[2];
}

GRADIENT_CHECK(lapack_single, Float, single_factors, InOut(float, 9), InOut(float, 3), Int(3))

static double inverses(double *a, double *s, double *t, double *u, int n) {
  int pivots[3], info, size = 9;
  double work[9];
  dominate(a, n, n);
  for (int i = 0; i < n; ++i) {
    s[i * (n + 1)] += 5;
    t[i * (n + 1)] += 3;
    u[i * (n + 1)] += 3;
  }
  LAPACK_dgetrf(&n, &n, a, &n, pivots, &info);
  LAPACK_dgetri(&n, a, &n, pivots, work, &size, &info);
  double r = a[0] * a[5] + a[7];
  LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, a, n, pivots);
  LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, a, n, pivots);
  LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, s, n);
  LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, s, n);
  LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, t, n);
  LAPACKE_dpotri(LAPACK_COL_MAJOR, 'U', n, u, n);
  r += s[3] * s[4] + t[0] * t[5] + u[3] * u[4];
  for (int i = 0; i < n; ++i)
    t[i * (n + 1)] += 2;
  LAPACKE_dtrtri(LAPACK_ROW_MAJOR, 'U', 'N', n, t, n);
  LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'U', n, u, n);
  return r + a[2] * a[4] + t[1] * t[8] + u[2] * u[0] + u[6];
}

GRADIENT_CHECK(lapack_inverses, Double, inverses, InOut(double, 9), InOut(double, 9),
               InOut(double, 9), InOut(double, 9), Int(3))

static double triangles(double *a, double *b, double *c, int n) {
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += 3;
  LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'U', 'T', 'N', n, 2, a, n, b, 2);
  LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'U', n, 2, a, n, b, n);
  LAPACKE_dlacpy(LAPACK_COL_MAJOR, 'U', n, 2, b, n, c, 4);
  LAPACKE_dlacpy(LAPACK_COL_MAJOR, 'L', n, 2, b, n, c + 1, 4);
  LAPACKE_dlacpy(LAPACK_ROW_MAJOR, 'A', 2, 2, b, 2, a, n);
  return b[0] * b[5] + c[1] * c[3] + c[4] + a[1] * a[0] * a[4];
}

GRADIENT_CHECK(lapack_triangles, Double, triangles, InOut(double, 9), InOut(double, 6),
               InOut(double, 12), Int(3))

// LAPACKE checks parts of a matrix only that LAPACK looks at; bands are those of Fortran.
static double scaled(double *a, double *b, double *c, double from, double to, int n) {
  const int below = 1, above = 2, rows = 5, none = 0, three = 3, four = 4;
  int info;
  LAPACKE_dlascl(LAPACK_COL_MAJOR, 'G', 0, 0, from, to, n, 2, a, n);
  LAPACKE_dlascl(LAPACK_COL_MAJOR, 'L', 0, 0, to, 3, n, n, a, n);
  LAPACK_dlascl("U", &none, &none, &from, &to, &three, &four, b, &three, &info);
  LAPACK_dlascl("H", &none, &none, &to, &from, &four, &three, b, &four, &info);
  LAPACK_dlascl("B", &below, &below, &to, &from, &four, &four, c, &rows, &info);
  LAPACK_dlascl("Q", &above, &above, &from, &to, &four, &four, c, &rows, &info);
  LAPACK_dlascl("Z", &below, &above, &from, &to, &three, &four, c, &rows, &info);
  double s =
      LAPACK_dlange("F", &n, &n, a, &n, 0) * LAPACKE_dlange(LAPACK_COL_MAJOR, '1', 3, 4, b, 3);
  for (int i = 0; i < 12; ++i)
    s += (i + 1) * b[i] * b[i];
  for (int i = 0; i < 20; ++i)
    s += (i % 7) * c[i] * c[i];
  double work[4];
  s += LAPACK_dlange("I", &three, &four, b, &three, work) * LAPACK_dlange("M", &n, &n, a, &n, 0);
  LAPACKE_dlaset(LAPACK_COL_MAJOR, 'L', n, 2, from * to, to, a, n);
  LAPACK_dlaset("U", &three, &three, &from, &a[0], b, &four);
  return s + a[0] * a[1] + a[5] * a[3] + b[0] * b[4] * b[5] + b[1];
}

GRADIENT_CHECK(lapack_scaled, Double, scaled, InOut(double, 16), InOut(double, 12),
               InOut(double, 20), Scalar(double), Scalar(double), Int(4))
