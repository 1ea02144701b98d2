// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Supports: derivatives of derivatives: tangents of adjoints, tangents of tangents
//
// Hessian-vector products through BLAS and LAPACK, both spellings.
#include "Hessian.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

enum { n = 24 };

void dgesv_(const int *order, const int *columns, double *a, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);
void daxpy_(const int *count, const double *alpha, const double *x, const int *xstep, double *y,
            const int *ystep);

static double squares(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += x[i] * x[i] * (0.3 + 0.1 * i);
  return sum;
}

static double hessian_vectors(const double *x) {
  double y[n], z[n];
  int count = 8, two = 2, back = -1;
  memcpy(y, x, sizeof y);
  cblas_dcopy(n, x, 1, z, 1);
  cblas_daxpy(n - 1, x[1], x + 1, 1, y, 1);
  daxpy_(&count, x, y, &two, z, &back);
  cblas_dscal(n / 2, x[2] * x[3], y, 2);
  cblas_dswap(5, y, 1, z + 7, 2);
  cblas_drot(6, y + 1, 2, z, 3, x[4], x[5]);
  const double a = cblas_ddot(n, y, 1, z, 1), b = cblas_dnrm2(n / 2, z, 2),
               c = cblas_dasum(n, y, 1);
  return a * b + c * c + squares(z, n);
}
HESSIAN_FORWARD(hessian_vectors)

static double hessian_matrices(const double *x) {
  double a[16], y[4], z[4];
  for (int i = 0; i < 16; ++i)
    a[i] = x[i] * x[i + 8] + (i % 5 == 0);
  memcpy(y, x, sizeof y);
  memcpy(z, x + 4, sizeof z);
  cblas_dgemv(CblasRowMajor, CblasTrans, 4, 4, x[9], a, 4, z, 1, x[10], y, 1);
  cblas_dger(CblasColMajor, 4, 4, x[0], y, 1, z, 1, a, 4);
  cblas_dsymv(CblasRowMajor, CblasLower, 4, 0.5, a, 4, y, 1, x[3], z, 1);
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, 4, a, 4, y, 1);
  cblas_dtrmv(CblasRowMajor, CblasUpper, CblasTrans, CblasUnit, 4, a, 4, z, 1);
  cblas_dsyr(CblasRowMajor, CblasUpper, 4, x[1], y, 1, a, 4);
  cblas_dsyr2(CblasColMajor, CblasLower, 4, 0.3, y, 1, z, 1, a, 4);
  return squares(y, 4) + squares(z, 4) + 0.01 * squares(a, 16);
}
HESSIAN_FORWARD(hessian_matrices)

static double hessian_stored(const double *x) {
  double a[16], y[4], z[4], c, s, p = x[2], q = x[3] + 2;
  for (int i = 0; i < 16; ++i)
    a[i] = 0.2 * x[i] * x[i + 8] + (i % 4 == 0 ? 1 : 0);
  memcpy(y, x, sizeof y);
  memcpy(z, x + 4, sizeof z);
  cblas_dgbmv(CblasRowMajor, CblasTrans, 4, 4, 1, 2, x[9], a, 4, z, 1, x[10], y, 1);
  cblas_dsbmv(CblasColMajor, CblasLower, 4, 2, x[1], a, 4, y, 1, 0.5, z, 1);
  cblas_dspr2(CblasColMajor, CblasLower, 4, 0.3, y, 1, z, 1, a);
  cblas_dspr(CblasRowMajor, CblasUpper, 4, x[8], y, 1, a);
  cblas_dspmv(CblasRowMajor, CblasLower, 4, 0.5, a, y, 1, x[3], z, 1);
  cblas_dtbmv(CblasRowMajor, CblasUpper, CblasTrans, CblasUnit, 4, 1, a, 4, z, 1);
  cblas_dtbsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, 4, 2, a, 4, y, 1);
  cblas_dtpsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasUnit, 4, a, z, 1);
  cblas_drotg(&p, &q, &c, &s);
  const double h[] = {-1, c, s, p, q};
  cblas_drotm(4, y, 1, z, -1, h);
  return 0.1 * (squares(y, 4) + squares(z, 4)) + 0.01 * squares(a, 16) + c * q;
}
HESSIAN_FORWARD(hessian_stored)

// Sizes below and above those where the program's own BLAS does the work.
static double products(const double *x, int m) {
  double a[12 * 12], b[12 * 12], c[12 * 12];
  for (int i = 0; i < m * m; ++i) {
    a[i] = 0.2 * x[i % n] * x[(3 * i + 1) % n];
    b[i] = 0.3 * x[(5 * i + 2) % n] + (i % (m + 1) == 0 ? 2 : 0);
    c[i] = x[(7 * i) % n];
  }
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, m, x[0], a, m, b, m, x[1], c, m);
  cblas_dsymm(CblasColMajor, CblasRight, CblasLower, m, m, 0.5, a, m, b, m, x[2], c, m);
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasNoTrans, m, m, x[3], c, m, 0.1, a, m);
  cblas_dsyr2k(CblasColMajor, CblasLower, CblasTrans, m, m, 0.1, a, m, c, m, x[4], b, m);
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasUnit, m, m, 0.3, a, m, c, m);
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, m, x[5], b, m, c,
              m);
  return 1e-4 * squares(c, m * m) / (m * m * m);
}
static double hessian_products(const double *x) { return products(x, 4); }
HESSIAN_FORWARD(hessian_products)
static double hessian_large_products(const double *x) { return products(x, 10); }
HESSIAN_FORWARD(hessian_large_products)

static double factors(const double *x, int m) {
  double a[100], b[20], s[100];
  int pivots[10], info, two = 2;
  for (int i = 0; i < m * m; ++i) {
    a[i] = x[i % n] * x[(5 * i + 3) % n] + (i % (m + 1) == 0 ? 3 : 0);
    s[i] = 0.1 * x[(i / m + i % m) % n] + (i % (m + 1) == 0 ? m : 0);
  }
  for (int i = 0; i < 2 * m; ++i)
    b[i] = x[(i + 4) % n];
  dgesv_(&m, &two, a, &m, pivots, b, &m, &info);
  LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'T', m, 2, a, m, pivots, b, m);
  LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', m, s, m);
  LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', m, 1, s, m, b, m);
  return squares(b, 2 * m) + squares(s, m);
}
static double hessian_factors(const double *x) { return factors(x, 3); }
HESSIAN_FORWARD(hessian_factors)
static double hessian_large_factors(const double *x) { return factors(x, 10); }
HESSIAN_FORWARD(hessian_large_factors)

static double hessian_orthogonal(const double *x) {
  double a[15], tau[3], c[10], w[4], s[16];
  for (int i = 0; i < 15; ++i)
    a[i] = x[i] * x[(2 * i + 7) % n] + (i % 6 == 0);
  memcpy(c, x + 9, sizeof c);
  for (int i = 0; i < 16; ++i)
    s[i] = x[(i / 4) * (i % 4)] * 0.2 + (i % 5 == 0 ? i : 0);
  LAPACKE_dgeqrf(LAPACK_COL_MAJOR, 5, 3, a, 5, tau);
  LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', 5, 2, 3, a, 5, tau, c, 5);
  LAPACKE_dorgqr(LAPACK_COL_MAJOR, 5, 3, 3, a, 5, tau);
  LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', 4, s, 4, w);
  return squares(a, 15) * a[3] + squares(c, 10) + squares(w, 4) + s[0] * s[0] * s[5] * s[5];
}
HESSIAN_FORWARD(hessian_orthogonal)

static double hessian_eigenvalues(const double *x) {
  double s[16], w[4];
  for (int i = 0; i < 16; ++i)
    s[i] = x[(i / 4) * (i % 4)] * 0.2 + (i % 5 == 0 ? i : 0);
  LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', 4, s, 4, w);
  return squares(w, 4) * w[0];
}
HESSIAN_FORWARD(hessian_eigenvalues)

static double hessian_least_squares(const double *x) {
  double a[15], b[10], c[15], d[5];
  for (int i = 0; i < 15; ++i) {
    a[i] = x[i] * x[(2 * i + 7) % n] + (i % 6 == 0);
    c[i] = a[i] + x[(i + 3) % n] * (i % 4 == 0 ? 2 : 0.5);
  }
  memcpy(b, x + 9, sizeof b);
  memcpy(d, x + 2, sizeof d);
  LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', 5, 3, 2, a, 5, b, 5);
  LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', 3, 5, 1, c, 3, d, 5);
  return squares(b, 10) + a[0] * a[5] + squares(d, 5) * d[0] + c[0] * c[3];
}
HESSIAN_FORWARD(hessian_least_squares)

static double hessian_factored(const double *x) {
  enum { rows = 4, order = 5 };
  double a[rows * order] = {0}, s[order * order], l[4], d[order], u[4], second[3], e[2 * order];
  double b[order], sum = 0;
  int pivots[order];
  for (int j = 0; j < order; ++j) {
    for (int i = -1; i <= 1; ++i)
      a[2 + i + rows * j] = x[3 * j + i + 1] * x[j] + (i == 1) * 2;
    for (int i = 0; i < order; ++i)
      s[order * j + i] = x[i] * x[j + 3] * (i == j ? 0.05 : 1);
    d[j] = x[j] + (j % 2 ? 3 : 0.1);
    e[2 * j] = x[j] * x[j + 1] + 4;
    e[2 * j + 1] = x[j + 7];
    b[j] = x[j + 9] * x[j];
  }
  memcpy(l, x + 2, sizeof l);
  memcpy(u, x + 11, sizeof u);
  LAPACKE_dgbtrf(LAPACK_COL_MAJOR, order, order, 1, 1, a, rows, pivots);
  LAPACKE_dgbtrs(LAPACK_COL_MAJOR, 'N', order, 1, 1, 1, a, rows, pivots, b, order);
  LAPACKE_dgbtrs(LAPACK_COL_MAJOR, 'T', order, 1, 1, 1, a, rows, pivots, b, order);
  LAPACKE_dgttrf(order, l, d, u, second, pivots);
  LAPACKE_dgttrs(LAPACK_COL_MAJOR, 'N', order, 1, l, d, u, second, pivots, b, order);
  LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', order, 1, e, 2);
  LAPACKE_dpbtrs(LAPACK_COL_MAJOR, 'L', order, 1, 1, e, 2, b, order);
  LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'U', order, s, order, pivots);
  LAPACKE_dsytrs(LAPACK_COL_MAJOR, 'U', order, 1, s, order, pivots, b, order);
  for (int j = 0; j < order; ++j)
    sum += d[j] * e[2 * j];
  return squares(b, order) + 0.01 * sum;
}
HESSIAN_FORWARD(hessian_factored)

static double hessian_decompositions(const double *x) {
  double a[12], b[12], c[9], d[9], s[3], t[3], u[12], vt[9], work[3], re[3], im[3], v[9], sum = 0;
  for (int i = 0; i < 12; ++i) {
    a[i] = x[i] * x[i + 1] + (i % 5 == 0) * i;
    b[i] = x[i + 3] + (i % 5 == 0) * i;
  }
  for (int i = 0; i < 9; ++i)
    c[i] = d[i] = x[i + 2] * x[i] + (i % 4 == 0) * i + (i == 1) * 9 - (i == 3) * 9;
  LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'S', 4, 3, a, 4, s, u, 4, vt, 3, work);
  LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', 4, 3, b, 4, t, 0, 4, 0, 3);
  for (int j = 0; j < 3; ++j)
    sum += u[4 * j] * u[4 * j + 1] * s[j] + vt[j] * u[4 * j + 2] + t[j] * t[j];
  LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', 3, c, 3, re, im, 0, 3, v, 3);
  for (int j = 0; j < 3; ++j)
    sum += re[j] * im[j] * im[j] + v[3 * j] * v[3 * j] * (j + 1);
  LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', 3, d, 3, re, im, 0, 3, 0, 3);
  for (int j = 0; j < 3; ++j)
    sum += re[j] * re[j] * (j + 1);
  return sum;
}
HESSIAN_FORWARD(hessian_decompositions)
