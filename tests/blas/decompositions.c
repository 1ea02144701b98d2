// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Singular values and vectors, and eigenvalues and vectors of matrices that are not symmetric: all
// vectors, some, or none; in both layouts and as Fortran calls them.
// Supports: `gesvd`, `gesdd`, `geev`, `syevd`
#include "GradientCheck.h"

#include <lapacke.h>
#include <math.h>

static double weighted(const double *x, int count) {
  double s = 0;
  for (int i = 0; i < count; ++i)
    s += x[i] * x[i] * x[i] * (0.3 + 0.2 * i);
  return s;
}
/// What the routines leave there has no derivative.
static void forget(double *a, int count) {
  for (int i = 0; i < count; ++i)
    a[i] = 0;
}
static void spread(double *a, int m, int n) {
  for (int i = 0; i < m && i < n; ++i)
    a[i * (n + 1)] += 2 * i;
}

/// Functions of vectors that do not depend on their signs, which no routine promises.
static double outer(const double *x, int count, int step, int other, int shift) {
  double s = 0;
  for (int i = 0; i < count; ++i)
    s += x[i * step] * x[(i + 1) % count * step] * other + x[i * step] * x[i * step] * (shift + i);
  return s;
}

static double thin(double *a, int m, int n) {
  double s[4], u[20], vt[20], work[4], sum = 0;
  const int k = m < n ? m : n;
  spread(a, m, n);
  LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', m, n, a, n, s, u, k, vt, n, work);
  for (int j = 0; j < k; ++j)
    sum += outer(u + j, m, k, 1, j) * s[j] + outer(vt + n * j, n, 1, 2, j) +
           u[j] * vt[n * j + 1] * (j + 1);
  forget(a, m * n);
  return sum + weighted(s, k);
}
GRADIENT_CHECK(lapack_gesvd_tall, Double, thin, InOut(double, 20), Int(5), Int(4))
GRADIENT_CHECK(lapack_gesvd_flat, Double, thin, InOut(double, 20), Int(4), Int(5))

static double values_only(double *a, int m, int n) {
  double s[4], work[200];
  int one = 1, size = 200, info;
  spread(a, m, n);
  LAPACK_dgesvd("N", "N", &m, &n, a, &m, s, 0, &one, 0, &one, work, &size, &info);
  forget(a, m * n);
  return weighted(s, m < n ? m : n);
}
GRADIENT_CHECK(lapack_gesvd_values, Double, values_only, InOut(double, 20), Int(5), Int(4))
GRADIENT_CHECK(lapack_gesvd_values_flat, Double, values_only, InOut(double, 20), Int(4), Int(5))

static double one_side(double *a, int m, int n, char left, char right) {
  double s[5], u[25], vt[25], work[5], sum = 0;
  spread(a, n, m);
  LAPACKE_dgesvd(LAPACK_COL_MAJOR, left, right, m, n, a, m, s, u, m, vt, n, work);
  for (int j = 0; j < 3; ++j) {
    if (left == 'O')
      sum += outer(a + m * j, m, 1, 1, j);
    if (right == 'O')
      sum += outer(a + j, n, m, 1, j);
    if (right == 'S')
      sum += outer(vt + j, n, n, 2, j);
  }
  forget(a, m * n);
  return sum + weighted(s, m < n ? m : n);
}
GRADIENT_CHECK(lapack_gesvd_left, Double, one_side, InOut(double, 20), Int(5), Int(4), Int('O'),
               Int('N'))
GRADIENT_CHECK(lapack_gesvd_right, Double, one_side, InOut(double, 20), Int(5), Int(4), Int('N'),
               Int('O'))
GRADIENT_CHECK(lapack_gesvd_both, Double, one_side, InOut(double, 20), Int(5), Int(4), Int('O'),
               Int('S'))

/// A projection to the null space and its complement.
static double full(double *a, int m, int n, char job) {
  double s[5], u[25], vt[25], p[5] = {0}, sum = 0;
  spread(a, n, m);
  LAPACKE_dgesdd(LAPACK_COL_MAJOR, job, m, n, a, m, s, u, m, vt, n);
  for (int j = n; job == 'A' && j < m; ++j)
    for (int i = 0; i < m; ++i)
      p[i] += u[m * j + i] * u[m * j];
  for (int j = m; job == 'A' && j < n; ++j)
    for (int i = 0; i < n; ++i)
      p[i] += vt[n * i + j] * vt[j];
  for (int j = 0; job == 'O' && j < n; ++j)
    sum += outer(a + m * j, m, 1, 1, j) + vt[j] * vt[j + n] * j;
  forget(a, m * n);
  return sum + weighted(p, 5) + weighted(s, m < n ? m : n);
}
GRADIENT_CHECK(lapack_gesdd_tall, Double, full, InOut(double, 20), Int(5), Int(4), Int('A'))
GRADIENT_CHECK(lapack_gesdd_flat, Double, full, InOut(double, 20), Int(4), Int(5), Int('A'))
GRADIENT_CHECK(lapack_gesdd_over, Double, full, InOut(double, 20), Int(5), Int(4), Int('O'))

/// One pair of conjugates and the rest real.
static double turned(double *a, int n, char left, char right) {
  double re[5], im[5], vl[25], vr[25], sum = 0;
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += 3 * i * i;
  a[n + 2] += 9;
  a[2 * n + 1] -= 9;
  LAPACKE_dgeev(LAPACK_ROW_MAJOR, left, right, n, a, n, re, im, vl, n, vr, n);
  for (int j = 0; j < n; ++j) {
    sum += re[j] * re[j] * (j + 1) + im[j] * im[j] * im[j] * (j + 2);
    if (right == 'V')
      sum += outer(vr + j, n, n, 1, j);
    if (left == 'V')
      sum += outer(vl + j, n, n, 2, j);
  }
  forget(a, n * n);
  return sum;
}
GRADIENT_CHECK(lapack_geev_both, Double, turned, InOut(double, 25), Int(5), Int('V'), Int('V'))
GRADIENT_CHECK(lapack_geev_left, Double, turned, InOut(double, 25), Int(5), Int('V'), Int('N'))
GRADIENT_CHECK(lapack_geev_right, Double, turned, InOut(double, 25), Int(5), Int('N'), Int('V'))
GRADIENT_CHECK(lapack_geev_values, Double, turned, InOut(double, 25), Int(5), Int('N'), Int('N'))

static double symmetric(double *a, double *w, int n) {
  double work[200], sum = 0;
  int integers[50], query = -1, size = 200, count = 50, info;
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += 3 * i;
  LAPACK_dsyevd("V", "L", &n, a, &n, w, work, &query, integers, &query, &info);
  LAPACK_dsyevd("V", "L", &n, a, &n, w, work, &size, integers, &count, &info);
  for (int j = 0; j < n; ++j)
    sum += outer(a + n * j, n, 1, 1, j);
  return sum + weighted(w, n);
}
GRADIENT_CHECK(lapack_syevd, Double, symmetric, InOut(double, 16), Out(double, 4), Int(4))

static float single_values(float *a, int n) {
  float s[3], u[9], vt[9], work[3];
  for (int i = 0; i < n; ++i)
    a[i * (n + 1)] += 2.f * (float)i;
  LAPACKE_sgesvd(LAPACK_COL_MAJOR, 'A', 'A', n, n, a, n, s, u, n, vt, n, work);
  for (int i = 0; i < n * n; ++i)
    a[i] = 0;
  return s[0] * s[1] + s[2] * u[1] * u[2] + vt[0] * vt[3];
}
GRADIENT_CHECK(lapack_sgesvd, Float, single_values, InOut(float, 9), Int(3))
