// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS, level 2 with matrices that are bands or packed triangles: both orders, both triangles,
// transposes, bands that are wider than the matrix, increments, corners of tables left out.
// Supports: level 2, banded and packed matrices
#include "GradientCheck.h"
#include <cblas.h>

void dgbmv_(const char *trans, const int *m, const int *n, const int *kl, const int *ku,
            const double *alpha, const double *a, const int *lda, const double *x, const int *incx,
            const double *beta, double *y, const int *incy);
void dtpsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *ap,
            double *x, const int *incx);

static double bands(double *a, double *x, double *y, double alpha, double beta, int m) {
  int n = m + 1;
  cblas_dgbmv(CblasRowMajor, CblasNoTrans, m, n, 1, 2, alpha, a, 5, x, 1, beta, y, 2);
  cblas_dgbmv(CblasRowMajor, CblasTrans, m, n, 2, 1, 2, a, 5, y, -2, alpha, x, 1);
  cblas_dgbmv(CblasColMajor, CblasTrans, n, m, 0, 3, alpha, a, 4, x, -1, 0, y, 1);
  cblas_dgbmv(CblasColMajor, CblasNoTrans, m, n, 3, 0, beta, a, 5, x, 1, 1, y, 1);
  return y[0] * y[2] + x[1];
}

GRADIENT_CHECK(blas_bands, Double, bands, In(double, 25), InOut(double, 5), InOut(double, 8),
               Scalar(double), Scalar(double), Int(4))

static double symmetric_bands(const double *a, double *x, double *y, double alpha, double beta,
                              int n) {
  cblas_dsbmv(CblasRowMajor, CblasUpper, n, 2, alpha, a, 4, x, 1, beta, y, 1);
  cblas_dsbmv(CblasRowMajor, CblasLower, n, 1, beta, a, 3, y, -1, 1, x, 1);
  cblas_dsbmv(CblasColMajor, CblasUpper, n, 1, alpha, a, 2, x, 1, alpha, y, 1);
  cblas_dsbmv(CblasColMajor, CblasLower, n, 3, 1, a, 4, y, 1, beta, x, -1);
  return x[0] * x[3] + y[1];
}

GRADIENT_CHECK(blas_symmetric_bands, Double, symmetric_bands, In(double, 20), InOut(double, 4),
               InOut(double, 4), Scalar(double), Scalar(double), Int(4))

static double packed(double *a, double *x, double *y, double alpha, double beta, int n) {
  cblas_dspmv(CblasRowMajor, CblasUpper, n, alpha, a, x, 1, beta, y, 1);
  cblas_dspr(CblasRowMajor, CblasUpper, n, beta, y, -1, a);
  cblas_dspmv(CblasColMajor, CblasLower, n, beta, a, y, 1, 1, x, -1);
  cblas_dspr2(CblasColMajor, CblasLower, n, alpha, x, 1, y, -1, a);
  cblas_dspr(CblasColMajor, CblasUpper, n, 0.5, x, 1, a);
  cblas_dspr2(CblasRowMajor, CblasLower, n, 0.3, x, 1, y, 1, a);
  return a[0] + a[4] * a[7] + x[2];
}

GRADIENT_CHECK(blas_packed, Double, packed, InOut(double, 10), InOut(double, 4), InOut(double, 4),
               Scalar(double), Scalar(double), Int(4))

// Diagonals of a lower band come first in a column and last in a row.
static double triangles(double *band, double *ap, double *x, double *y, int n) {
  for (int j = 0; j < n; ++j)
    band[4 * j] += 3, band[4 * j + 2] += 3;
  for (int i = 0; i < 10; ++i)
    ap[i] += i % 2 ? 0.1 : 2.5;
  cblas_dtbmv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, n, 2, band, 4, x, 1);
  cblas_dtbsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, 2, band, 4, x, 1);
  cblas_dtbsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, 2, band, 4, x, -1);
  cblas_dtbmv(CblasColMajor, CblasUpper, CblasNoTrans, CblasUnit, n, 1, band, 4, y, -1);
  cblas_dtbsv(CblasColMajor, CblasUpper, CblasTrans, CblasUnit, n, 2, band, 4, y, 1);
  cblas_dtpmv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, ap, x, 1);
  cblas_dtpmv(CblasRowMajor, CblasLower, CblasNoTrans, CblasUnit, n, ap, y, 1);
  for (int i = 0; i < 10; ++i)
    ap[i] += 4;
  cblas_dtpsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, ap, x, -1);
  cblas_dtpsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, ap, y, 1);
  cblas_dtpsv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, n, ap, y, 1);
  return cblas_ddot(n, x, 1, y, 1);
}

GRADIENT_CHECK(blas_stored_triangles, Double, triangles, InOut(double, 16), InOut(double, 10),
               InOut(double, 4), InOut(double, 4), Int(4))

// A heat equation with a matrix that changes, and a packed factor: every step keeps its own.
static double stored_steps(double *a, double *ap, double *x, double *y, const double *h, int n) {
  int one = 1;
  double zero = 0, s = 0;
  for (int step = 0; step < 3; ++step) {
    dgbmv_("N", &n, &n, &one, &one, &h[0], a, &n, x, &one, &zero, y, &one);
    dtpsv_("L", "T", "U", &n, ap, y, &one);
    for (int i = 0; i < n; ++i) {
      x[i] += 0.1 * y[i];
      a[3 * i + 1] += 0.2 * x[i];
      ap[i] *= 0.9;
    }
    s += h[1] * x[1];
  }
  return s;
}

GRADIENT_CHECK(blas_stored_steps, Double, stored_steps, InOut(double, 9), InOut(double, 6),
               InOut(double, 3), InOut(double, 3), In(double, 2), Int(3))

static float single_bands(const float *a, float *x, float *y, int n) {
  cblas_sgbmv(CblasRowMajor, CblasNoTrans, n, n, 1, 1, 2, a, 3, x, 1, 1, y, 1);
  cblas_sspmv(CblasColMajor, CblasUpper, n, 1, a, y, 1, 1, x, 1);
  return x[0] * x[2];
}

GRADIENT_CHECK(blas_single_bands, Float, single_bands, In(float, 12), InOut(float, 4),
               InOut(float, 4), Int(4))
