// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI kernels, measured on one and on two ranks.
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>

enum { Cells = 240000, Width = 400, Steps = 20 };

// u and v hold a row of halo above and below their rows.
static void exchange(double *u, int nx, int ny) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  MPI_Request r[4];
  MPI_Irecv(u, nx, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(u + (ny - 1) * nx, nx, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(u + (ny - 2) * nx, nx, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(u + nx, nx, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void haloStencil(double *u, double *v, int nx, int cells, int steps) {
  int ny = cells / nx;
  for (int s = 0; s < steps; s++) {
    exchange(u, nx, ny);
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++) {
        int c = j * nx + i;
        v[c] = 0.5 * u[c] + 0.125 * (u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx]);
      }
    double *t = u;
    u = v;
    v = t;
  }
}

static double allreduceLoop(double *x, int n, int steps) {
  double total = 0;
  for (int s = 0; s < steps; s++) {
    double mine = 0, all = 0;
    for (int i = 0; i < n; i++)
      mine += x[i] * x[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double scale = 1 / sqrt(all / Cells);
    for (int i = 0; i < n; i++)
      x[i] = x[i] * (0.9 + 0.1 * scale);
    total += all;
  }
  return total;
}

GRADIENT_CHECK(mpi_halo_stencil, Void, haloStencil, BlockInOut(double, Cells),
               BlockInOut(double, Cells), Int(Width), BlockInt(Cells), Int(Steps))
GRADIENT_CHECK(mpi_allreduce_loop, Replicated, allreduceLoop, BlockInOut(double, Cells),
               BlockInt(Cells), Int(Steps))
