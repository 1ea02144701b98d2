// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS, level 2: rows and columns, transposes, increments, leading dimensions, both triangles.
// Supports: level 2 (CBLAS and Fortran names)
#include "GradientCheck.h"
#include <cblas.h>

void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx);
void dsyr2_(const char *uplo, const int *n, const double *alpha, const double *x, const int *incx,
            const double *y, const int *incy, double *a, const int *lda);

static double general(double *a, double *x, double *y, double alpha, double beta, int m) {
  int n = m + 1;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, alpha, a, 5, x, 1, beta, y, 2);
  cblas_dgemv(CblasRowMajor, CblasTrans, m, n, 2, a, 5, y, -2, alpha, x, 1);
  cblas_dgemv(CblasColMajor, CblasTrans, n, m, alpha, a, 5, x, -1, 0, y, 1);
  cblas_dger(CblasRowMajor, m, n, beta, y, 2, x, -1, a, 5);
  cblas_dger(CblasColMajor, n, m, 1, x, 1, y, 1, a, 5);
  return a[3] * a[7] + y[1];
}

GRADIENT_CHECK(blas_general, Double, general, InOut(double, 15), InOut(double, 5), InOut(double, 8),
               Scalar(double), Scalar(double), Int(3))

static double symmetric(double *a, double *x, double *y, double alpha, double beta, int n) {
  cblas_dsymv(CblasRowMajor, CblasUpper, n, alpha, a, 5, x, 1, beta, y, 1);
  cblas_dsyr(CblasColMajor, CblasUpper, n, alpha, y, -1, a, 5);
  cblas_dsymv(CblasColMajor, CblasLower, n, beta, a, 5, y, 1, 1, x, -1);
  cblas_dsyr2(CblasRowMajor, CblasLower, n, beta, x, 1, y, 1, a, 5);
  return a[0] + a[6] * a[7] + x[2];
}

GRADIENT_CHECK(blas_symmetric, Double, symmetric, InOut(double, 20), InOut(double, 4),
               InOut(double, 4), Scalar(double), Scalar(double), Int(4))

static double triangular(const double *a, double *x, double *y, int n) {
  cblas_dtrmv(CblasRowMajor, CblasUpper, CblasTrans, CblasNonUnit, n, a, 5, x, 1);
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, a, 5, x, 1);
  cblas_dtrmv(CblasColMajor, CblasLower, CblasNoTrans, CblasUnit, n, a, 5, y, -1);
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasUnit, n, a, 5, y, 1);
  return cblas_ddot(n, x, 1, y, 1);
}

GRADIENT_CHECK(blas_triangular, Double, triangular, In(double, 20), InOut(double, 4),
               InOut(double, 4), Int(4))

// An explicit step of an ODE whose matrix changes: every step keeps its own.
static double fortran_steps(double *a, double *x, double *y, double *h, int n) {
  int one = 1;
  double zero = 0, s = 0;
  for (int step = 0; step < 4; ++step) {
    dgemv_("N", &n, &n, &h[0], a, &n, x, &one, &zero, y, &one);
    dtrsv_("L", "T", "N", &n, a, &n, y, &one);
    dsyr2_("U", &n, &h[1], x, &one, y, &one, a, &n);
    for (int i = 0; i < n; ++i)
      x[i] += 0.1 * y[i];
    s += a[3] * x[1];
  }
  return s;
}

GRADIENT_CHECK(blas_fortran_steps, Double, fortran_steps, InOut(double, 9), InOut(double, 3),
               InOut(double, 3), In(double, 2), Int(3))
