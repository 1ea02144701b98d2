// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a plane with walls at both ends: no neighbour is MPI_PROC_NULL, halo rows lie in the
// array.
// Supports: `Isend`, `Irecv`, `Wait`, `Waitall`
// Supports: messages of constants, `MPI_PROC_NULL`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { Width = 5 };

static void exchange(double *u, int rows) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Isend(u + Width, Width, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(u + rows * Width, Width, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(u, Width, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(u + (rows + 1) * Width, Width, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double diffuse(const double *field, int cells, int steps) {
  int rows = cells / Width, total = (rows + 2) * Width;
  double *u = calloc(total, sizeof *u), *v = calloc(total, sizeof *v);
  for (int i = 0; i < cells; i++)
    u[Width + i] = field[i];
  for (int s = 0; s < steps; s++) {
    exchange(u, rows);
    for (int j = 1; j <= rows; j++)
      for (int i = 0; i < Width; i++) {
        int c = j * Width + i, left = i > 0 ? c - 1 : c, right = i + 1 < Width ? c + 1 : c;
        v[c] = u[c] + 0.1 * u[left] * (u[left] + u[right] + u[c - Width] + u[c + Width] - 4 * u[c]);
      }
    double *t = u;
    u = v;
    v = t;
  }
  double sum = 0;
  for (int i = 0; i < cells; i++)
    sum += u[Width + i] * u[Width + i];
  free(u);
  free(v);
  return sum;
}

GRADIENT_CHECK(halo_plane, Double, diffuse, BlockIn(double, 60), BlockInt(60), Int(3))
