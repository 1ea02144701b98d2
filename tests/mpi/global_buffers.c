// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halo exchange as hydrodynamics codes write it: buffers for messages in global variables, which
// every call allocates and frees or grows, fields packed by hand one behind the other, as many as
// flags ask for.
// Supports: message buffers in global variables
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

enum { Left, Right, Fields = 3, Cells = 6, Depth = 2 };

static double *outgoing[2], *incoming[2];

struct chunk {
  double *field[Fields];
  int neighbour[2];
};

static void pack(int side, const double *f, int depth, double *to) {
  for (int d = 0; d < depth; d++)
    to[d] = side == Left ? f[Depth + d] : f[Cells + d];
}

static void unpack(int side, double *f, int depth, const double *from) {
  for (int d = 0; d < depth; d++)
    f[side == Left ? d : Cells + Depth + d] = from[d];
}

static void reflect(int side, double *f, int depth) {
  for (int d = 0; d < depth; d++)
    if (side == Left)
      f[Depth - 1 - d] = f[Depth + d];
    else
      f[Cells + Depth + d] = f[Cells + Depth - 1 - d];
}

static void grow(int doubles) {
  for (int s = 0; s < 2; s++) {
    outgoing[s] = realloc(outgoing[s], doubles * sizeof(double));
    incoming[s] = realloc(incoming[s], doubles * sizeof(double));
  }
}

static void exchange(struct chunk *c, const int *flags, int depth) {
  int offset[Fields], total = 0, open = 0;
  for (int f = 0; f < Fields; f++) {
    offset[f] = total;
    total += flags[f] ? depth : 0;
  }
  grow(total);
  MPI_Request requests[4];
  MPI_Status statuses[4];
  for (int s = 0; s < 2; s++) {
    if (c->neighbour[s] == MPI_PROC_NULL)
      continue;
    for (int f = 0; f < Fields; f++)
      if (flags[f])
        pack(s, c->field[f], depth, outgoing[s] + offset[f]);
    MPI_Isend(outgoing[s], total, MPI_DOUBLE, c->neighbour[s], s + 1, MPI_COMM_WORLD,
              &requests[open++]);
    MPI_Irecv(incoming[s], total, MPI_DOUBLE, c->neighbour[s], 2 - s, MPI_COMM_WORLD,
              &requests[open++]);
  }
  MPI_Waitall(open, requests, statuses);
  for (int s = 0; s < 2; s++)
    for (int f = 0; f < Fields; f++) {
      if (flags[f] && c->neighbour[s] != MPI_PROC_NULL)
        unpack(s, c->field[f], depth, incoming[s] + offset[f]);
      else if (flags[f])
        reflect(s, c->field[f], depth);
    }
}

static void step(struct chunk *c, double dt) {
  const int state[Fields] = {1, 1, 0}, flow[Fields] = {0, 0, 1};
  double *rho = c->field[0] + Depth, *e = c->field[1] + Depth, *u = c->field[2] + Depth;
  exchange(c, state, 2);
  for (int i = 0; i < Cells; i++)
    u[i] += 0.1 * dt * (rho[i - 1] * e[i - 2] - rho[i + 1] * e[i + 2]);
  exchange(c, flow, 1);
  for (int i = 0; i < Cells; i++) {
    rho[i] *= 1 + 0.1 * dt * (u[i - 1] - u[i + 1]);
    e[i] += 0.01 * u[i] * u[i];
  }
}

static double hydro(const double *density, const double *energy, double dt, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct chunk c;
  c.neighbour[Left] = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  c.neighbour[Right] = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int f = 0; f < Fields; f++)
    c.field[f] = calloc(Cells + 2 * Depth, sizeof(double));
  for (int i = 0; i < Cells; i++) {
    c.field[0][Depth + i] = density[i];
    c.field[1][Depth + i] = energy[i];
  }
  for (int s = 0; s < 2; s++) {
    outgoing[s] = malloc(sizeof(double));
    incoming[s] = malloc(sizeof(double));
  }
  for (int s = 0; s < steps; s++)
    step(&c, dt);
  double local = 0, total = 0;
  for (int i = 0; i < Cells; i++)
    local += c.field[0][i + Depth] * c.field[1][i + Depth];
  MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int s = 0; s < 2; s++) {
    free(outgoing[s]);
    free(incoming[s]);
  }
  for (int f = 0; f < Fields; f++)
    free(c.field[f]);
  return total;
}

GRADIENT_CHECK(global_buffers, Replicated, hydro, In(double, Cells), In(double, Cells),
               SameScalar(double), Int(4))

// What MPI says goes to global variables, again and again.
static int low, high, arrived;
static MPI_Status status;
static const double weights[4] = {1.5, 2.5, -0.5, 3.0};

static double shifts(const double *x, double *y) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm torus;
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){size, 1}, (int[]){1, 1}, 0, &torus);
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    MPI_Cart_shift(torus, d & 1, 1, &low, &high);
    double in[2] = {0, 0};
    MPI_Sendrecv(x + d, 1 + (d == 1), MPI_DOUBLE, high, 3, in, 2, MPI_DOUBLE, low, 3, torus,
                 &status);
    MPI_Get_count(&status, MPI_DOUBLE, &arrived);
    for (int k = 0; k < arrived; k++) {
      sum += in[k] * x[k] * x[arrived] * weights[(arrived + low) & 3];
      y[d] += in[k] * in[k] * weights[(low + d) & 3];
    }
  }
  MPI_Comm_free(&torus);
  return sum;
}

GRADIENT_CHECK(shifts, Double, shifts, In(double, 4), InOut(double, 3))
