// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS inside a parallel loop: every thread multiplies with the same matrix, whose adjoint all of
// them add to.
#include "GradientCheck.h"
#include <cblas.h>

static double blocks(const double *a, const double *x, double *y, double alpha, int n, int count) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int b = 0; b < count; ++b) {
    double own[4];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, alpha, a, n, x, 1, 0, own, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, a, n, own, 1);
    cblas_daxpy(n, alpha * b, own, 1, y + n * b, 1);
    cblas_dspmv(CblasRowMajor, CblasUpper, n, alpha, a, own, 1, 1, y + n * b, 1);
    cblas_dtbsv(CblasColMajor, CblasUpper, CblasTrans, CblasUnit, n, 1, a, n, y + n * b, 1);
    s += cblas_ddot(n, own, 1, y + n * b, 1);
  }
  return s;
}

GRADIENT_CHECK_BOUND(1e-11, blas_teams, Double, blocks, In(double, 16), In(double, 4),
                     InOut(double, 24), Scalar(double), Int(4), Int(6))
