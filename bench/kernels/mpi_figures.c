// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of MPI programs whose gradients are to gain as much from a second rank as the programs: a
// solve by conjugate gradients, transforms of rows with a transposition between them, particles
// that move from rank to rank.
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { Unknowns = 160000, Row = 400, Iterations = 12 };

struct place {
  int rank, size, before, next;
};

static struct place here(void) {
  struct place p;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.size);
  p.before = (p.rank + p.size - 1) % p.size;
  p.next = (p.rank + 1) % p.size;
  return p;
}

static double dot(const double *a, const double *b, int n) {
  double mine = 0, all = 0;
  for (int i = 0; i < n; i++)
    mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// q = A p of five points; p has a row of halo on either side, zero at the ends.
static void apply(const double *k, double *p, double *q, int n, struct place h) {
  const int up = h.rank ? h.rank - 1 : MPI_PROC_NULL;
  const int down = h.rank + 1 < h.size ? h.rank + 1 : MPI_PROC_NULL;
  MPI_Request r[4];
  MPI_Irecv(p - Row, Row, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(p + n, Row, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(p + n - Row, Row, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(p, Row, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  for (int first = 0; first < n; first += Row)
    for (int i = first; i < first + Row; i++) {
      double west = i > first ? p[i - 1] : 0, east = i + 1 < first + Row ? p[i + 1] : 0;
      q[i] = (4 + k[i]) * p[i] - west - east - p[i - Row] - p[i + Row];
    }
}

static double conjugateGradients(const double *k, const double *b, int n, int iterations) {
  const struct place h = here();
  double *x = calloc(n, sizeof(double)), *r = malloc(n * sizeof(double));
  double *q = malloc(n * sizeof(double)), *room = calloc(n + 2 * Row, sizeof(double));
  double *p = room + Row;
  for (int i = 0; i < n; i++)
    r[i] = p[i] = b[i];
  double rr = dot(r, r, n);
  for (int step = 0; step < iterations; step++) {
    apply(k, p, q, n, h);
    const double alpha = rr / dot(p, q, n);
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double after = dot(r, r, n), beta = after / rr;
    for (int i = 0; i < n; i++)
      p[i] = r[i] + beta * p[i];
    rr = after;
  }
  const double energy = dot(x, b, n);
  free(x);
  free(r);
  free(q);
  free(room);
  return energy;
}

enum { Grid = 256, Numbers = 2 * Grid * Grid };

/// A row of complex numbers, in place; decimation in frequency, without the last permutation.
static void transform(double *row, const double *roots) {
  for (int half = Grid / 2; half > 0; half /= 2)
    for (int first = 0; first < Grid; first += 2 * half)
      for (int i = 0; i < half; i++) {
        double *a = row + 2 * (first + i), *b = a + 2 * half;
        const double *w = roots + 2 * i * (Grid / 2 / half);
        const double re = a[0] - b[0], im = a[1] - b[1];
        a[0] += b[0];
        a[1] += b[1];
        b[0] = re * w[0] - im * w[1];
        b[1] = re * w[1] + im * w[0];
      }
}

static void transpose(const double *from, double *to, double *out, double *in, int rows,
                      int ranks) {
  const int block = 2 * rows * rows;
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < rows; i++)
      memcpy(out + r * block + 2 * i * rows, from + 2 * (i * Grid + r * rows),
             2 * rows * sizeof(double));
  MPI_Alltoall(out, block, MPI_DOUBLE, in, block, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++)
        for (int part = 0; part < 2; part++)
          to[2 * (j * Grid + r * rows + i) + part] = in[r * block + 2 * (i * rows + j) + part];
}

static void transforms(double *a, int n, int steps) {
  const struct place h = here();
  const int rows = n / (2 * Grid);
  double roots[Grid];
  for (int i = 0; i < Grid / 2; i++) {
    roots[2 * i] = cos(6.283185307179586 * i / Grid);
    roots[2 * i + 1] = -sin(6.283185307179586 * i / Grid);
  }
  double *b = malloc(n * sizeof(double)), *out = malloc(n * sizeof(double));
  double *in = malloc(n * sizeof(double));
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < rows; i++)
      transform(a + 2 * i * Grid, roots);
    transpose(a, b, out, in, rows, h.size);
    for (int i = 0; i < rows; i++)
      transform(b + 2 * i * Grid, roots);
    for (int i = 0; i < n; i++) // what is done in the space of frequencies
      b[i] = b[i] / (Grid + 0.01 * b[i] * b[i]);
    transpose(b, a, out, in, rows, h.size);
  }
  free(b);
  free(out);
  free(in);
}

enum { Particles = 40000, Moves = 8 };

struct particle {
  double x, v, weight;
};

/// What leaves goes to the neighbours, in as many numbers as it takes.
static int exchange(struct particle *mine, int n, struct place h, double low, double high) {
  struct particle *leave[2] = {malloc((n + 1) * sizeof *mine), malloc((n + 1) * sizeof *mine)};
  int count[2] = {0, 0}, stay = 0;
  for (int i = 0; i < n; i++)
    if (mine[i].x < low)
      leave[0][count[0]++] = mine[i];
    else if (mine[i].x >= high)
      leave[1][count[1]++] = mine[i];
    else
      mine[stay++] = mine[i];
  for (int side = 0; side < 2; side++) {
    const int to = side ? h.next : h.before, from = side ? h.before : h.next;
    MPI_Request sent;
    MPI_Status status;
    int doubles;
    MPI_Isend(leave[side], 3 * count[side], MPI_DOUBLE, to, side, MPI_COMM_WORLD, &sent);
    MPI_Probe(from, side, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &doubles);
    MPI_Recv(mine + stay, doubles, MPI_DOUBLE, from, side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    stay += doubles / 3;
  }
  free(leave[0]);
  free(leave[1]);
  return stay;
}

static double particles(const double *x, const double *v, int n, int steps) {
  const struct place h = here();
  const double low = h.rank / (double)h.size, high = (h.rank + 1) / (double)h.size;
  struct particle *mine = malloc(2 * Particles * sizeof *mine);
  for (int i = 0; i < n; i++) {
    mine[i].x = low + (x[i] - 0.4) / 1.2 * (high - low);
    mine[i].v = 0.2 * (v[i] - 1);
    mine[i].weight = 1 + x[i] * v[i];
  }
  double sum = 0;
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++) {
      const double force = sin(6.283185307179586 * mine[i].x) * mine[i].weight;
      mine[i].v += 0.05 * force;
      mine[i].x += 0.02 * mine[i].v;
      sum += mine[i].weight * mine[i].v * mine[i].v;
    }
    for (int i = 0; i < n; i++) { // around
      mine[i].x -= mine[i].x >= 1;
      mine[i].x += mine[i].x < 0;
    }
    n = exchange(mine, n, h, low, high);
  }
  free(mine);
  double all;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

GRADIENT_CHECK(mpi_cg_solve, Replicated, conjugateGradients, BlockIn(double, Unknowns),
               BlockIn(double, Unknowns), BlockInt(Unknowns), Int(Iterations))
GRADIENT_CHECK(mpi_transforms, Void, transforms, BlockInOut(double, Numbers), BlockInt(Numbers),
               Int(3))
GRADIENT_CHECK(mpi_particles, Replicated, particles, BlockIn(double, Particles),
               BlockIn(double, Particles), BlockInt(Particles), Int(Moves))
