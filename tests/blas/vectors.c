// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAS, level 1: names of C and of Fortran, increments of both signs, active and constant scalars,
// arrays that are overwritten later, empty vectors.
// Supports: level 1 (CBLAS and Fortran names)
#include "GradientCheck.h"
#include <cblas.h>

double dnrm2_(const int *n, const double *x, const int *incx);
float sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
void daxpy_(const int *n, const double *a, const double *x, const int *incx, double *y,
            const int *incy);
void dscal_(const int *n, const double *a, double *x, const int *incx);
void drotg_(double *a, double *b, double *c, double *s);
void drot_(const int *n, double *x, const int *incx, double *y, const int *incy, const double *c,
           const double *s);

static double vectors(const double *x, double *y, double *z, double a, double b, int n) {
  double s = cblas_ddot(n, x, 1, y, -1) + cblas_dnrm2(n, x, 1) * cblas_dasum(n / 2, y, 2);
  cblas_daxpy(n, a, x, 1, y, 1);
  cblas_dscal(n / 2, b, y, 2);
  cblas_dcopy(n / 2, y, 2, z, -1);
  cblas_drot(n / 2, y, 2, z, 1, a, b);
  s += cblas_ddot(n, y, 1, y, 1);
  cblas_dswap(n / 2, y, 1, z + n / 2, -1);
  for (int i = 0; i < n; ++i)
    z[i] = z[i] * y[i] * s;
  return s * cblas_idamax(n, x, 1) + cblas_ddot(0, x, 1, y, 1);
}

GRADIENT_CHECK(blas_vectors, Double, vectors, In(double, 8), InOut(double, 8), InOut(double, 8),
               Scalar(double), Scalar(double), Int(8))

// Scalars by address, some of them elements of active arrays; what a loop overwrites is kept.
static double fortran_vectors(const double *x, double *y, double *scalars, int n) {
  int one = 1, two = 2, half = n / 2;
  double three = 3, s = 0;
  for (int i = 0; i < 3; ++i) {
    daxpy_(&n, &scalars[i], x, &one, y, &one);
    dscal_(&half, &scalars[3], y, &two);
    scalars[i] = s;
    s += dnrm2_(&n, y, &one);
  }
  drot_(&half, y, &two, y + 1, &two, &scalars[2], &three);
  return s + y[3] * y[4];
}

GRADIENT_CHECK(blas_fortran_vectors, Double, fortran_vectors, In(double, 8), InOut(double, 8),
               InOut(double, 4), Int(8))

static float single_vectors(const float *x, float *y, float a, int n) {
  int one = 1;
  cblas_saxpy(n, a, x, 1, y, 1);
  cblas_sscal(n, a, y, 1);
  return sdot_(&n, x, &one, y, &one) + cblas_snrm2(n, y, 1) * cblas_sasum(n, x, 1);
}

GRADIENT_CHECK(blas_single_vectors, Float, single_vectors, In(float, 5), InOut(float, 5),
               Scalar(float), Int(5))

// Operands that are constant, and one array as both operands.
static double constant_vectors(double *x, double *fixed, int n) {
  double own[4] = {1, 2, 3, 4};
  cblas_daxpy(n, 2, fixed, 1, x, 1);
  cblas_daxpy(n, 0.5, x, 1, x, 1);
  cblas_dscal(4, 3, own, 1);
  return cblas_ddot(n, x, 1, fixed, 1) + cblas_ddot(n, x, 1, x, 1) * cblas_dnrm2(4, own, 1);
}

GRADIENT_CHECK(blas_constant_vectors, Double, constant_vectors, InOut(double, 6), Const(double, 6),
               Int(6))

// Givens rotations, found and applied; the pair that was turned holds both numbers of the rotation.
static double rotations(double *x, double *y, double *param, int n) {
  double c, s, a = x[0], b = y[0], d = y[1], e = x[1] * x[1] + 3, sum = 0;
  cblas_drotg(&a, &b, &c, &s);
  cblas_drot(n, x, 1, y, 1, c, s);
  sum += a * b;
  cblas_drotg(&d, &e, &c, &s);
  sum += c * s * d + e;
  double zero = 0, none = 0;
  drotg_(&zero, &none, &c, &s);
  for (int flag = -2; flag <= 1; ++flag) {
    param[0] = flag;
    cblas_drotm(n / 2, x, 1, y, -2, param);
  }
  return sum + c * x[1] + y[2] * zero;
}

GRADIENT_CHECK(blas_rotations, Double, rotations, InOut(double, 6), InOut(double, 6),
               InOut(double, 5), Int(6))

// Sums in double precision of products of floats.
double dsdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
float sdsdot_(const int *n, const float *b, const float *x, const int *incx, const float *y,
              const int *incy);
static float mixed_dots(const float *x, float *y, float b, int n) {
  const int half = n / 2, back = -2, one = 1;
  double s = cblas_dsdot(n, x, 1, y, -1) * cblas_sdsdot(half, b, x, 2, y, 1);
  y[0] = dsdot_(&half, y, &back, x, &one) + cblas_dsdot(0, x, 1, y, 1);
  return s + sdsdot_(&half, y, x, &one, y, &back);
}

GRADIENT_CHECK(blas_mixed_dots, Float, mixed_dots, In(float, 6), InOut(float, 6), Scalar(float),
               Int(6))
