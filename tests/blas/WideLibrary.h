// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A few routines of a BLAS and LAPACK whose integers have 64 bits, with the names such libraries
// use.

#ifndef CONTRAFLOW_TEST_WIDELIBRARY_H
#define CONTRAFLOW_TEST_WIDELIBRARY_H

#include <stdint.h>

double cblas_ddot64_(int64_t n, const double *x, int64_t incx, const double *y, int64_t incy);
void daxpy_64_(const int64_t *n, const double *a, const double *x, const int64_t *incx, double *y,
               const int64_t *incy);
void dgetrf_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *pivots,
                int64_t *info);
int64_t LAPACKE_dgetri_64(int layout, int64_t n, double *a, int64_t lda, const int64_t *pivots);

#endif
