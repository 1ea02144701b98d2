// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles move between ranks: counts first, then data, in memory that is allocated every step.
// Supports: `Allgather(v)`, `Alltoall(v, w)`
#include "GradientCheck.h"
#include <mpi.h>
#include <stdlib.h>

typedef struct {
  double place, speed;
  int id;
} Particle;

static double move(const double *x, int n, int steps) {
  int rank, size, count = n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype fields, type;
  const int lengths[] = {2, 1};
  const MPI_Aint places[] = {0, 16};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Particle), &type);
  MPI_Type_commit(&type);
  int *out = malloc(4 * (unsigned)size * sizeof *out), *in = out + size, *outAt = in + size,
      *inAt = outAt + size;
  Particle *mine = malloc((unsigned)n * sizeof *mine);
  for (int i = 0; i < n; i++)
    mine[i] = (Particle){x[i], x[(i + 1) % n], rank * n + i};
  for (int s = 0; s < steps; s++) {
    for (int r = 0; r < size; r++)
      out[r] = 0;
    for (int i = 0; i < count; i++) {
      mine[i].place += 0.1 * mine[i].speed * mine[i].place;
      out[(mine[i].id + s) % size]++;
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (int r = 0, at = 0; r < size; r++) {
      outAt[r] = at;
      at += out[r];
      inAt[r] = total;
      total += in[r];
    }
    Particle *sorted = malloc((unsigned)(count + 1) * sizeof *sorted);
    for (int r = 0, at = 0; r < size; r++)
      for (int i = 0; i < count; i++)
        if ((mine[i].id + s) % size == r)
          sorted[at++] = mine[i];
    free(mine);
    mine = malloc((unsigned)(total + 1) * sizeof *mine);
    MPI_Alltoallv(sorted, out, outAt, type, mine, in, inAt, type, MPI_COMM_WORLD);
    free(sorted);
    count = total;
  }
  double energy = 0, all = 0;
  for (int i = 0; i < count; i++)
    energy += mine[i].place * mine[i].place * mine[i].speed * (1 + mine[i].id % 3);
  MPI_Allreduce(&energy, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  MPI_Type_free(&fields);
  free(mine);
  free(out);
  return all;
}

GRADIENT_CHECK(particle_exchange, Replicated, move, In(double, 6), Int(6), Int(3))
