// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are packed behind an integer into memory that holds arrays of numbers elsewhere, and are
// moved, sent and cleared there: they lie at places where no element of an array would.
// Supports: `Pack`, `Unpack`, `Pack_external`, `Unpack_external`
#include "GradientCheck.h"
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { n = 4, room = 256 };

/// Which datatype it is, only the run knows, as for a library in another file.
static MPI_Datatype of(int numbers) {
  static volatile int ask = 1;
  return ask == numbers ? MPI_DOUBLE : MPI_INT;
}

/// Packed: an integer, and from 4 bytes on the numbers.
static void pack(const double *x, char *pool, int *position) {
  const int count = n;
  MPI_Pack(&count, 1, of(0), pool, room, position, MPI_COMM_WORLD);
  MPI_Pack(x, n, of(1), pool, room, position, MPI_COMM_WORLD);
}

static double unpacked(const char *pool) {
  double taken[n], sum = 0;
  int position = 0, got = 0;
  MPI_Unpack(pool, room, &position, &got, 1, of(0), MPI_COMM_WORLD);
  MPI_Unpack(pool, room, &position, taken, got, of(1), MPI_COMM_WORLD);
  for (int i = 0; i < got; ++i)
    sum += taken[i] * sin(taken[i]);
  return sum;
}

/// Behind what is packed, an array.
static double pools_moved(const double *x) {
  int position = 0;
  char *pool = calloc(2, room), *other = malloc(2 * room);
  double *array = (double *)(pool + room);
  for (int i = 0; i < n; ++i)
    array[i] = x[i] * x[(i + 1) % n];
  pack(array, pool, &position);
  memcpy(other, pool, 2 * room);
  memset(pool, 0, (size_t)position);
  double sum = unpacked(other);
  for (int i = 0; i < n; ++i)
    sum += ((double *)(other + room))[i] * x[i];
  free(other);
  free(pool);
  return sum;
}
GRADIENT_CHECK(pools_moved, Double, pools_moved, In(double, n))

__attribute__((noinline)) static void *memory(size_t bytes) { return calloc(bytes, 1); }

/// One function makes packed memory and arrays. Both neighbours get the same.
static double pools_sent(const double *x) {
  int rank, size, position = 0, got = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char *out = memory(room), *in = memory(room);
  double *array = memory(n * sizeof(double)), *taken = memory(n * sizeof(double));
  for (int i = 0; i < n; ++i)
    array[i] = exp(-x[i] * x[(i + 1) % n]);
  pack(array, out, &position);
  MPI_Sendrecv(out, position, MPI_PACKED, (rank + 1) % size, 3, in, position, MPI_PACKED,
               (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  char *larger = realloc(in, 2 * room);
  position = 0;
  MPI_Unpack(larger, room, &position, &got, 1, of(0), MPI_COMM_WORLD);
  MPI_Unpack(larger, room, &position, taken, got, of(1), MPI_COMM_WORLD);
  double sum = 0;
  for (int i = 0; i < got; ++i)
    sum += taken[i] * taken[i] * array[i] * (rank + 1);
  free(taken);
  free(array);
  free(larger);
  free(out);
  return sum;
}
GRADIENT_CHECK(pools_sent, Double, pools_sent, In(double, n))

/// In bytes: only the run knows.
__attribute__((noinline)) static int place(int number) {
  static volatile int bytes = 1;
  return number * bytes;
}

/// All ranks relay numbers through memory of which they only know that it also holds addresses.
static double pools_of_addresses(const double *x) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  char *pool = calloc(1, room);
  double *mine = malloc(n * sizeof(double)), taken[n], sum = 0;
  for (int i = 0; i < n; ++i)
    mine[i] = x[i] * x[(i + 1) % n];
  *(double **)(pool + place(8)) = mine;
  MPI_Sendrecv(mine, n, MPI_DOUBLE, next, 5, pool + place(16), n * 8, MPI_BYTE, last, 5,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(pool + place(16), n * 8, MPI_BYTE, next, 6, taken, n, MPI_DOUBLE, last, 6,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double *own = *(double **)(pool + place(8));
  for (int i = 0; i < n; ++i)
    sum += taken[i] * sin(taken[i]) * own[i] * (rank + 1);
  free(mine);
  free(pool);
  return sum;
}
GRADIENT_CHECK(pools_of_addresses, Double, pools_of_addresses, In(double, n))
