// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense and sparse linear algebra written out: factorisations, eigenvalues, Krylov methods,
// formats.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };
static void spd(const double *x, double a[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = 0.2 * x[i] * x[j] + (i == j ? 2 + x[i] : 0);
}

static double householder(const double *x, int n) {
  double a[5][3], s = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 3; j++)
      a[i][j] = x[(i * 3 + j) % n] + (i == j) * 2;
  for (int k = 0; k < 3; k++) {
    double norm = 0, v[5] = {0}, vv = 0;
    for (int i = k; i < 5; i++)
      norm += a[i][k] * a[i][k];
    norm = sqrt(norm);
    for (int i = k; i < 5; i++)
      v[i] = a[i][k];
    v[k] += v[k] > 0 ? norm : -norm;
    for (int i = k; i < 5; i++)
      vv += v[i] * v[i];
    for (int j = k; j < 3; j++) {
      double dot = 0;
      for (int i = k; i < 5; i++)
        dot += v[i] * a[i][j];
      for (int i = k; i < 5; i++)
        a[i][j] -= 2 * dot / vv * v[i];
    }
  }
  for (int k = 0; k < 3; k++)
    s += log(fabs(a[k][k])) + a[0][k] * a[0][2];
  return s;
}

static double gramSchmidt(const double *x) {
  double a[N][N], s = 0;
  spd(x, a);
  for (int j = 0; j < N; j++) {
    for (int k = 0; k < j; k++) {
      double dot = 0;
      for (int i = 0; i < N; i++)
        dot += a[i][k] * a[i][j];
      for (int i = 0; i < N; i++)
        a[i][j] -= dot * a[i][k];
    }
    double norm = 0;
    for (int i = 0; i < N; i++)
      norm += a[i][j] * a[i][j];
    norm = sqrt(norm);
    for (int i = 0; i < N; i++)
      a[i][j] /= norm;
    s += norm * (j + 1);
  }
  return s + a[1][2];
}

static double jacobiEigenvalues(const double *x) {
  double a[N][N], s = 0;
  spd(x, a);
  for (int sweep = 0; sweep < 4; sweep++)
    for (int p = 0; p < N; p++)
      for (int q = p + 1; q < N; q++) {
        if (fabs(a[p][q]) < 1e-14)
          continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (theta > 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), w = t * c;
        for (int k = 0; k < N; k++) {
          double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - w * kq;
          a[k][q] = w * kp + c * kq;
        }
        for (int k = 0; k < N; k++) {
          double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - w * qk;
          a[q][k] = w * pk + c * qk;
        }
      }
  for (int i = 0; i < N; i++)
    s += a[i][i] * a[i][i] * a[i][i];
  return s;
}

static double conjugateGradient(const double *x, const double *b) {
  double a[N][N], u[N] = {0}, r[N], p[N], rr = 0, s = 0;
  spd(x, a);
  memcpy(r, b, sizeof r);
  memcpy(p, b, sizeof p);
  for (int i = 0; i < N; i++)
    rr += r[i] * r[i];
  for (int it = 0; it < 3; it++) {
    double ap[N] = {0}, pap = 0, next = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        ap[i] += a[i][j] * p[j];
    for (int i = 0; i < N; i++)
      pap += p[i] * ap[i];
    for (int i = 0; i < N; i++) {
      u[i] += rr / pap * p[i];
      r[i] -= rr / pap * ap[i];
      next += r[i] * r[i];
    }
    for (int i = 0; i < N; i++)
      p[i] = r[i] + next / rr * p[i];
    rr = next;
  }
  for (int i = 0; i < N; i++)
    s += u[i] * u[i] * (i + 1);
  return s;
}

static double gaussJordan(const double *x, double *inverse) {
  double a[N][2 * N] = {{0}}, s = 0;
  double m[N][N];
  spd(x, m);
  for (int i = 0; i < N; i++) {
    memcpy(a[i], m[i], sizeof m[i]);
    a[i][N + i] = 1;
  }
  for (int k = 0; k < N; k++) {
    double pivot = a[k][k];
    for (int j = 0; j < 2 * N; j++)
      a[k][j] /= pivot;
    for (int i = 0; i < N; i++) {
      if (i == k)
        continue;
      double factor = a[i][k];
      for (int j = 0; j < 2 * N; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += (inverse[i * N + j] = a[i][N + j]) * m[j][(i + 1) % N];
  return s;
}

struct Sparse {
  int rows, *start, *column;
  double *value;
};
static struct Sparse assemble(const double *k, int elements) {
  struct Sparse m = {elements + 1, malloc(sizeof(int) * (size_t)(elements + 2)),
                     malloc(sizeof(int) * (size_t)(3 * elements + 3)),
                     calloc((size_t)(3 * elements + 3), sizeof(double))};
  int count = 0;
  for (int i = 0; i < m.rows; i++) {
    m.start[i] = count;
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < m.rows)
        m.column[count++] = j;
  }
  m.start[m.rows] = count;
  for (int e = 0; e < elements; e++)
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++)
        for (int at = m.start[e + a]; at < m.start[e + a + 1]; at++)
          if (m.column[at] == e + b)
            m.value[at] += a == b ? k[e] : -k[e] * 0.5;
  return m;
}
static double finiteElements(const double *k, const double *load, int elements) {
  struct Sparse m = assemble(k, elements);
  double *u = calloc((size_t)m.rows, sizeof *u), s = 0;
  for (int sweep = 0; sweep < 8; sweep++)
    for (int i = 0; i < m.rows; i++) {
      double sum = load[i], diagonal = 1;
      for (int at = m.start[i]; at < m.start[i + 1]; at++)
        if (m.column[at] == i)
          diagonal = m.value[at];
        else
          sum -= m.value[at] * u[m.column[at]];
      u[i] = sum / diagonal;
    }
  for (int i = 0; i < m.rows; i++)
    s += load[i] * u[i];
  free(u);
  free(m.start);
  free(m.column);
  free(m.value);
  return s;
}

struct Triplet {
  int row, column;
  double value;
};
static double coordinates(const double *x, int n) {
  struct Triplet *t = malloc(sizeof *t * (size_t)(3 * n));
  int count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j += 2)
      if ((i + j) % 3)
        t[count++] = (struct Triplet){i, j, x[i] * x[j]};
  double y[8] = {0}, s = 0;
  for (int k = 0; k < count; k++)
    y[t[k].row] += t[k].value * x[t[k].column];
  for (int i = 0; i < n; i++)
    s += y[i] * y[i];
  free(t);
  return s;
}

static double gmresStep(const double *x, const double *b) {
  double a[N][N], v[3][N], h[3][2] = {{0}}, norm = 0;
  spd(x, a);
  for (int i = 0; i < N; i++)
    norm += b[i] * b[i];
  norm = sqrt(norm);
  for (int i = 0; i < N; i++)
    v[0][i] = b[i] / norm;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < N; i++) {
      v[k + 1][i] = 0;
      for (int j = 0; j < N; j++)
        v[k + 1][i] += a[i][j] * v[k][j];
    }
    for (int l = 0; l <= k; l++) {
      for (int i = 0; i < N; i++)
        h[l][k] += v[l][i] * v[k + 1][i];
      for (int i = 0; i < N; i++)
        v[k + 1][i] -= h[l][k] * v[l][i];
    }
    double size = 0;
    for (int i = 0; i < N; i++)
      size += v[k + 1][i] * v[k + 1][i];
    h[k + 1][k] = sqrt(size);
    for (int i = 0; i < N; i++)
      v[k + 1][i] /= h[k + 1][k];
  }
  return h[0][0] * h[1][1] - h[0][1] * h[1][0] + h[2][1];
}

static void strassen(const double *a, const double *b, double *c, int n, int stride) {
  if (n == 1) {
    *c = *a * *b;
    return;
  }
  int h = n / 2;
  double t[4];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      for (int e = 0; e < h * h; e++)
        c[(i * h + e / h) * stride + j * h + e % h] = 0;
      for (int k = 0; k < 2; k++) {
        double *part = h == 1 ? t : calloc((size_t)(stride * h), sizeof *part);
        strassen(a + i * h * stride + k * h, b + k * h * stride + j * h, part, h, stride);
        for (int e = 0; e < h * h; e++)
          c[(i * h + e / h) * stride + j * h + e % h] += part[(e / h) * stride + e % h];
        if (h > 1)
          free(part);
      }
    }
}
static double blocked(const double *a, const double *b, double *c) {
  double s = 0;
  strassen(a, b, c, 4, 4);
  for (int i = 0; i < 16; i++)
    s += c[i] * c[15 - i];
  return s;
}

static double packedCholesky(const double *x) {
  double a[N][N], l[N * (N + 1) / 2], s = 0;
  spd(x, a);
  for (int i = 0, at = 0; i < N; i++)
    for (int j = 0; j <= i; j++, at++) {
      double sum = a[i][j];
      for (int k = 0; k < j; k++)
        sum -= l[i * (i + 1) / 2 + k] * l[j * (j + 1) / 2 + k];
      l[at] = i == j ? sqrt(sum) : sum / l[j * (j + 1) / 2 + j];
    }
  for (int at = 0; at < N * (N + 1) / 2; at++)
    s += l[at] * (at + 1);
  return s;
}

GRADIENT_CHECK(algebra_householder, Double, householder, In(double, 9), Int(9))
GRADIENT_CHECK(algebra_gram_schmidt, Double, gramSchmidt, In(double, 4))
GRADIENT_CHECK(algebra_jacobi, Double, jacobiEigenvalues, In(double, 4))
GRADIENT_CHECK(algebra_conjugate_gradient, Double, conjugateGradient, In(double, 4), In(double, 4))
GRADIENT_CHECK(algebra_gauss_jordan, Double, gaussJordan, In(double, 4), Out(double, 16))
GRADIENT_CHECK(algebra_finite_elements, Double, finiteElements, In(double, 5), In(double, 6),
               Int(5))
GRADIENT_CHECK(algebra_coordinates, Double, coordinates, In(double, 6), Int(6))
GRADIENT_CHECK(algebra_gmres, Double, gmresStep, In(double, 4), In(double, 4))
GRADIENT_CHECK(algebra_blocked, Double, blocked, In(double, 16), In(double, 16), Out(double, 16))
GRADIENT_CHECK(algebra_packed, Double, packedCholesky, In(double, 4))
