// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WideLibrary.h"
#include <cblas.h>
#include <lapacke.h>

enum { MostPivots = 16 };

static int narrow(int64_t number) { return (int)number; }

double cblas_ddot64_(int64_t n, const double *x, int64_t incx, const double *y, int64_t incy) {
  return cblas_ddot(narrow(n), x, narrow(incx), y, narrow(incy));
}

void daxpy_64_(const int64_t *n, const double *a, const double *x, const int64_t *incx, double *y,
               const int64_t *incy) {
  cblas_daxpy(narrow(*n), *a, x, narrow(*incx), y, narrow(*incy));
}

void dgetrf_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *pivots,
                int64_t *info) {
  int found[MostPivots] = {0};
  *info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, narrow(*m), narrow(*n), a, narrow(*lda), found);
  for (int i = 0; i < *m && i < *n; ++i)
    pivots[i] = found[i];
}

int64_t LAPACKE_dgetri_64(int layout, int64_t n, double *a, int64_t lda, const int64_t *pivots) {
  int narrowed[MostPivots] = {0};
  for (int64_t i = 0; i < n; ++i)
    narrowed[i] = narrow(pivots[i]);
  return LAPACKE_dgetri(layout, narrow(n), a, narrow(lda), narrowed);
}
