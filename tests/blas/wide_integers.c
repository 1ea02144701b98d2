// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries whose integers have 64 bits, by names of their own (WideLibrary.c).
// Supports: libraries with integers of 64 bits (`dgemm_64_`, `cblas_dgemm64_`, `LAPACKE_dgesv_64`)
#include "GradientCheck.h"
#include "WideLibrary.h"

static double wide(double *a, double *x, double *y, double alpha, uint64_t size) {
  const int64_t n = (int64_t)size, one = 1, back = -1;
  int64_t pivots[4], info;
  for (int i = 0; i < n; ++i)
    a[i * n + (i + 1) % n] += 5;
  daxpy_64_(&n, &alpha, x, &one, y, &back);
  dgetrf_64_(&n, &n, a, &n, pivots, &info);
  info += LAPACKE_dgetri_64(102, n, a, n, pivots);
  return cblas_ddot64_(n, y, -1, a, 1) + cblas_ddot64_(n, x, 1, a + n, 1) + (double)info;
}

GRADIENT_CHECK(blas_wide, Double, wide, InOut(double, 16), InOut(double, 4), InOut(double, 4),
               Scalar(double), Size(4))
