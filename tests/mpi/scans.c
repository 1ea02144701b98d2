// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix reductions with every operator that has a derivative.
// Supports: `Scan`, `Exscan` with `SUM`, `PROD`, `MIN`, `MAX`
#include "GradientCheck.h"
#include <mpi.h>

static double scans(const double *x, double *y, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double a[4], b[4], c[4], d[4], e[4] = {1, 2, 3, 4}, f[4] = {1, 1, 1, 1};
  MPI_Scan(x, a, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    b[i] = x[i] * a[i];
  MPI_Scan(b, c, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  MPI_Scan(x, d, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Exscan(d, e, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(x, f, n, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  MPI_Scan(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    y[i] = a[i] * b[i] + c[i] * d[i] + e[i] * f[i];
  return y[0] * y[n - 1];
}

GRADIENT_CHECK(scans, Double, scans, In(double, 4), Out(double, 4), Int(4))
