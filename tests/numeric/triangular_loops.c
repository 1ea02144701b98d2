// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nests whose inner loops follow the counters of outer ones, over arrays that are overwritten
// later. What all iterations read is copied once, and only that: some inner loops run nowhere, some
// in a few iterations of the outer one, and beside them others read the same array.
// Supports: loops: nested, triangular, `while`, `do`, `break`, `continue`, zero trips, counters of any width
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double mixed(const double *x, int n) {
  double energy = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double d = x[i] - 2 * x[j];
      for (int k = i; k <= j; k += 2)
        energy += exp(-d * d) * x[k];
    }
  return energy;
}

GRADIENT_CHECK(triangular_loops, Double, mixed, In(double, 7), Int(7))

// The array, in a block of its own that ends where it does.
static double *own(const double *x, int n) {
  double *copy = malloc((size_t)n * sizeof *copy);
  memcpy(copy, x, (size_t)n * sizeof *copy);
  return copy;
}

static void overwrite(double *x, int n) {
  for (int i = 0; i < n; i++)
    x[i] = sin(x[i]);
}

static double pairs(const double *x0, int n) {
  double *x = own(x0, n), sum = 0;
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        const double far = x[i] - x[j];
        if (far * far < 0.5)
          sum += far * far * x[j];
      }
    overwrite(x, n);
  }
  free(x);
  return sum;
}

GRADIENT_CHECK(triangles_pairs, Double, pairs, In(double, 12), Int(12))
GRADIENT_CHECK(triangles_one, Double, pairs, In(double, 1), Int(1))

static double down(const double *x0, int n) {
  double *x = own(x0, n), sum = 0;
  for (int step = 0; step < 3; step++) {
    for (int i = n - 1; i >= 0; i--)
      for (int j = i; j > 0; j -= 2)
        sum += x[j] * x[j - 1] * x[j] * (i + 1);
    overwrite(x, n);
  }
  free(x);
  return sum;
}

GRADIENT_CHECK(triangles_down, Double, down, In(double, 9), Int(9))
GRADIENT_CHECK(triangles_down_one, Double, down, In(double, 1), Int(1))

// The inner loop runs for a few i only: what the others would read is behind the array.
static double few(const double *x0, int n, int first, int wide) {
  double *x = own(x0, n), sum = 0;
  for (int step = 0; step < 3; step++) {
    for (long i = 0; i < 2 * n; i++)
      for (long j = first + 2 * i; j < i + wide; j++)
        sum += x[j] * x[j] * x[j];
    overwrite(x, n);
  }
  free(x);
  return sum;
}

GRADIENT_CHECK(triangles_few, Double, few, In(double, 9), Int(9), Int(0), Int(5))
GRADIENT_CHECK(triangles_none, Double, few, In(double, 9), Int(9), Int(7), Int(5))

static double ends(const double *x0, int n, int first, int last) {
  double *x = own(x0, n), sum = 0;
  for (int step = 0; step < 3; step++) {
    for (long i = first; i < 2 * n; i++)
      for (long j = 3 * i; j < last; j++)
        sum += x[j] * x[j] * x[j] + x[j] * x[j > 0 ? j - 1 : 0];
    overwrite(x, n);
  }
  free(x);
  return sum;
}

GRADIENT_CHECK(triangles_ends, Double, ends, In(double, 9), Int(9), Int(0), Int(9))
GRADIENT_CHECK(triangles_ends_nowhere, Double, ends, In(double, 9), Int(9), Int(3), Int(9))
GRADIENT_CHECK(triangles_ends_empty, Double, ends, In(double, 9), Int(9), Int(0), Int(0))

// Beside a loop that may not run: what is read without it is recorded all the same.
static double beside(double *x, int rows, int columns) {
  const long n = rows, m = columns;
  double sum = 0;
  for (long step = 0; step < 4; step++) {
    for (long i = 0; i < n; i++) {
      const double product = x[i] * x[i + 1] * x[i + 2];
      sum += product * product;
      for (long j = 0; j < m; j++)
        sum += x[i + j] * x[i + j + 1] * x[i + j];
    }
    for (long i = 0; i < n + 4; i++)
      x[i] = sin(x[i]);
  }
  return sum;
}

GRADIENT_CHECK(triangles_beside_none, Double, beside, InOut(double, 14), Int(10), Int(0))
GRADIENT_CHECK(triangles_beside_one, Double, beside, InOut(double, 14), Int(10), Int(1))
GRADIENT_CHECK(triangles_beside_some, Double, beside, InOut(double, 14), Int(10), Int(3))

// A loop that no flag lets run would read far behind the array.
static double flagged(const double *x0, int n, int length, const double *flags, int rows) {
  double *x = own(x0, n), sum = 0;
  if (length > 0)
    for (long step = 0; step < 3; step++) {
      for (long i = 0; i < rows; i++)
        if (flags[i] > 2)
          for (long j = 0; j < length; j++)
            sum += x[j] * x[j + 1] * x[j + 2];
      sum += x[0] * x[1];
      overwrite(x, n);
    }
  free(x);
  return sum;
}

GRADIENT_CHECK(triangles_flagged, Double, flagged, In(double, 8), Int(8), Int(3000000),
               In(double, 3), Int(3))

typedef struct {
  double place[3], force[3], mass;
  int kind;
} Body;

// Places and forces take turns in memory; forces are set to zero by bytes.
static double bodies(const double *x, int n, const double *strength) {
  Body *body = malloc((size_t)n * sizeof *body);
  double energy = 0;
  for (int i = 0; i < n; i++)
    body[i] = (Body){
        {x[4 * i] + i, x[4 * i + 1], x[4 * i + 2]}, {0}, 1 + x[4 * i + 3] * x[4 * i + 3], i % 2};
  for (int step = 0; step < 4; step++) {
    for (int i = 0; i < n; i++)
      memset(body[i].force, 0, sizeof body[i].force);
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++) {
        double far[3], square = 0.1;
        for (int k = 0; k < 3; k++) {
          far[k] = body[i].place[k] - body[j].place[k];
          square += far[k] * far[k];
        }
        if (square > 9)
          continue;
        const double each = strength[body[i].kind + 2 * body[j].kind] / square;
        energy += each;
        for (int k = 0; k < 3; k++) {
          body[i].force[k] += each * far[k];
          body[j].force[k] -= each * far[k];
        }
      }
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++)
        body[i].place[k] += 0.1 * body[i].force[k] / body[i].mass;
  }
  free(body);
  return energy;
}

GRADIENT_CHECK(triangles_bodies, Double, bodies, In(double, 28), Int(7), In(double, 4))
