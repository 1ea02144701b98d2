// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS, level 3, in sizes below and above those where the program's own BLAS does the reverse.
// Supports: level 3 (CBLAS and Fortran names)
#include "GradientCheck.h"
#include <cblas.h>

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);
void strsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b,
            const int *ldb);

static double general(double *a, double *b, double *c, double alpha, double beta, int m) {
  int n = m - 2, k = m + 4;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a, k, b, n, beta, c, n);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, n, m, alpha, a, m, c, m, 0, b, k);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, k, n, 1, c, n, b, n, beta, a, k);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasTrans, m, n, k, 0.1, a, k, b, n, 1, c, m);
  return cblas_ddot(m * n, c, 1, c, 1) * 1e-3;
}

GRADIENT_CHECK(blas_product, Double, general, InOutRange(double, 60, -1, 1),
               InOutRange(double, 40, -1, 1), InOutRange(double, 24, -1, 1), Scalar(double),
               Scalar(double), Int(6))

static double large(const double *a, const double *b, double *c, double *d, int n) {
  double half = 0.5, one = 1;
  dgemm_("N", "T", &n, &n, &n, &half, a, &n, b, &n, &one, c, &n);
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, n, n, 0.25, a, n, d, n);
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasUnit, n, n, 1, a, n, d, n);
  return cblas_ddot(n * n, c, 1, d, 1);
}

GRADIENT_CHECK(blas_large, Double, large, InRange(double, 256, -0.2, 0.2),
               InRange(double, 256, -1, 1), InOutRange(double, 256, -1, 1),
               InOutRange(double, 256, -1, 1), Int(16))

static double symmetric(double *a, double *b, double *c, double alpha, double beta, int m) {
  int n = m - 1;
  cblas_dsymm(CblasRowMajor, CblasLeft, CblasUpper, m, n, alpha, a, 6, b, n, beta, c, n);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, m, alpha, c, m, beta, a, 6);
  cblas_dsymm(CblasColMajor, CblasRight, CblasLower, m, n, beta, a, 6, c, m, 0, b, m);
  cblas_dsyr2k(CblasRowMajor, CblasUpper, CblasNoTrans, m, n, 0.3, b, n, c, n, alpha, a, 6);
  cblas_dsyr2k(CblasColMajor, CblasUpper, CblasTrans, n, m, beta, b, m, c, m, 1, a, 6);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, m, n, 0.2, b, n, 1, a, 6);
  return a[0] + a[8] * b[2] + cblas_dnrm2(12, c, 1);
}

GRADIENT_CHECK(blas_symmetric_product, Double, symmetric, InOutRange(double, 36, -0.5, 0.5),
               InOutRange(double, 12, -0.5, 0.5), InOutRange(double, 12, -0.5, 0.5), Scalar(double),
               Scalar(double), Int(4))

static double triangular(double *a, double *b, double alpha, int m, int n) {
  cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, m, n, alpha, a, 5,
              b, n);
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, alpha, a, 5, b,
              m);
  a[5] += b[0];
  cblas_dtrmm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasUnit, m, n, 2, a, 5, b, m);
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m, n, alpha, a, 5, b,
              n);
  a[6] *= a[0];
  return cblas_ddot(m * n, b, 1, b, 1);
}

GRADIENT_CHECK(blas_triangular_product, Double, triangular, InOut(double, 25), InOut(double, 12),
               Scalar(double), Int(4), Int(3))

static float single(const float *a, float *b, float *c, float alpha, int n) {
  float one = 1;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, alpha, a, n, b, n, 1, c, n);
  strsm_("L", "U", "N", "N", &n, &n, &one, a, &n, c, &n);
  return cblas_snrm2(n * n, c, 1);
}

GRADIENT_CHECK(blas_single_product, Float, single, In(float, 9), InOut(float, 9), InOut(float, 9),
               Scalar(float), Int(3))
