// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers: products, vectors and norms, in C and in Fortran's spelling.
// Supports: complex BLAS (`zgemm`, `zgemv`, `zgeru`, `zhemm`, `zaxpy`, `zdotc`, ...)
#include "GradientCheck.h"
#include <cblas.h>
#include <complex.h>
#include <string.h>

extern double _Complex zdotc_(const int *, const void *, const int *, const void *, const int *);
extern float _Complex cdotu_(const int *, const void *, const int *, const void *, const int *);
extern void zgemm_(const char *, const char *, const int *, const int *, const int *, const void *,
                   const void *, const int *, const void *, const int *, const void *, void *,
                   const int *);

static double sumOf(const double *c, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += c[i] * c[i] * (1 + i % 3);
  return sum;
}

// Every transpose in both orders: 3 x 2, 2 x 4, with room in the leading dimensions.
static double products(const double *a, const double *b, const double *scalars, double *c) {
  static const enum CBLAS_TRANSPOSE how[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
  double total = 0;
  for (int i = 0; i < 9; i++) {
    const enum CBLAS_ORDER order = i % 2 ? CblasRowMajor : CblasColMajor;
    cblas_zgemm(order, how[i % 3], how[i / 3], 3, 4, 2, scalars, a, 4, b, 5, scalars + 2, c, 6);
    total += sumOf(c, 48);
    for (int k = 0; k < 48; k++)
      c[k] *= 0.1;
  }
  return total;
}

static double fromFortran(const double *a, double *c, double *scalars) {
  const int n = 2, lead = 3;
  zgemm_("C", "N", &n, &n, &n, scalars, a, &lead, a + 12, &lead, scalars + 2, c, &n);
  scalars[0] = 7; // may change before the reverse sweep
  return sumOf(c, 8);
}

static double vectors(const double *a, const double *x, const double *scalars, double *y) {
  cblas_zgemv(CblasColMajor, CblasConjTrans, 2, 3, scalars, a, 3, x, 2, scalars + 2, y, -1);
  cblas_zgemv(CblasRowMajor, CblasNoTrans, 3, 2, scalars, a, 2, x, 1, scalars + 2, y, 1);
  cblas_zaxpy(3, scalars, x, -1, y, 1);
  cblas_zscal(2, scalars + 2, y, 1);
  cblas_zdscal(3, x[1], y, 1);
  return sumOf(y, 6);
}

static double updates(const double *x, const double *y, const double *alpha, double *a) {
  cblas_zgeru(CblasColMajor, 3, 2, alpha, x, 1, y, 2, a, 3);
  cblas_zgerc(CblasRowMajor, 3, 2, alpha, x, -1, y, 1, a, 2);
  return sumOf(a, 12);
}

static double mirrored(const double *a, const double *b, const double *scalars, double *c) {
  cblas_zhemm(CblasColMajor, CblasLeft, CblasLower, 3, 2, scalars, a, 3, b, 3, scalars + 2, c, 3);
  cblas_zhemm(CblasRowMajor, CblasRight, CblasUpper, 2, 3, scalars, a, 3, b, 3, scalars + 2, c, 3);
  cblas_zsymm(CblasColMajor, CblasRight, CblasUpper, 2, 3, scalars, a, 3, b, 2, scalars + 2, c, 2);
  cblas_zhemv(CblasColMajor, CblasUpper, 3, scalars, a, 3, b, 1, scalars + 2, c, 1);
  return sumOf(c, 12);
}

// Both sides, triangles and directions, with and without a diagonal.
static double triangles(const double *a, const double *alpha, double *b) {
  static const enum CBLAS_TRANSPOSE how[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
  double t[18], total = 0;
  memcpy(t, a, sizeof t);
  for (int i = 0; i < 3; i++)
    t[8 * i] += 2;
  for (int i = 0; i < 12; i++) {
    const enum CBLAS_ORDER order = i % 2 ? CblasRowMajor : CblasColMajor;
    const enum CBLAS_SIDE side = i & 4 ? CblasRight : CblasLeft;
    const enum CBLAS_UPLO part = i & 2 ? CblasUpper : CblasLower;
    const enum CBLAS_DIAG ones = i & 1 ? CblasUnit : CblasNonUnit;
    cblas_ztrsm(order, side, part, how[i % 3], ones, 3, 3, alpha, t, 3, b, 3);
    total += sumOf(b, 18);
    cblas_ztrmm(order, side, part, how[(i + 1) % 3], ones, 3, 3, alpha, t, 3, b, 3);
    cblas_ztrsv(order, part, how[i % 3], ones, 3, t, 3, b, 2);
    cblas_ztrmv(order, part, how[i / 4], ones, 3, t, 3, b, -1);
  }
  return total + sumOf(b, 18);
}

static double squares(const double *a, const double *scalars, double *c) {
  cblas_zherk(CblasColMajor, CblasLower, CblasNoTrans, 3, 2, scalars[0], a, 3, scalars[1], c, 3);
  cblas_zherk(CblasRowMajor, CblasUpper, CblasConjTrans, 3, 2, scalars[1], a, 3, scalars[2], c, 3);
  cblas_zsyrk(CblasColMajor, CblasUpper, CblasTrans, 3, 2, scalars, a, 2, scalars + 2, c, 3);
  return sumOf(c, 18);
}

static double dots(const double *x, double *y) {
  const int n = 3, step = 1, two = -2;
  double _Complex u, c;
  cblas_zdotu_sub(3, x, 1, y, 1, &u);
  cblas_zdotc_sub(3, x, -1, y, 2, &c);
  const double _Complex d = zdotc_(&n, x, &two, y, &step);
  cblas_zcopy(2, x, 1, y, 1);
  cblas_zswap(1, y, 1, y + 8, 1);
  return creal(u * c * d) + cimag(u * d) + cblas_dznrm2(3, y, 2) * cblas_dzasum(2, x, 1) +
         sumOf(y, 10);
}

static double singles(const float *x, const float *alpha, float *y) {
  const int n = 2, step = 1;
  cblas_caxpy(2, alpha, x, 1, y, 1);
  const float _Complex d = cdotu_(&n, x, &step, y, &step);
  return crealf(d * d) + cblas_scnrm2(2, y, 1);
}

GRADIENT_CHECK(blas_complex_products, Double, products, In(double, 40), In(double, 60),
               In(double, 4), InOut(double, 48))
GRADIENT_CHECK(blas_complex_fortran, Double, fromFortran, In(double, 24), InOut(double, 8),
               InOut(double, 4))
GRADIENT_CHECK(blas_complex_vectors, Double, vectors, In(double, 18), In(double, 8), In(double, 4),
               InOut(double, 6))
GRADIENT_CHECK(blas_complex_updates, Double, updates, In(double, 6), In(double, 8), In(double, 2),
               InOut(double, 12))
GRADIENT_CHECK(blas_complex_mirrored, Double, mirrored, In(double, 18), In(double, 12),
               In(double, 4), InOut(double, 12))
GRADIENT_CHECK(blas_complex_dots, Double, dots, In(double, 12), InOut(double, 12))
GRADIENT_CHECK(blas_complex_single, Double, singles, In(float, 4), In(float, 2), InOut(float, 4))
GRADIENT_CHECK(blas_complex_triangles, Double, triangles, In(double, 18), In(double, 2),
               InOut(double, 18))
GRADIENT_CHECK(blas_complex_squares, Double, squares, In(double, 12), In(double, 4),
               InOut(double, 18))
