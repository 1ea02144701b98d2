// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of several kinds packed into one message, in a buffer of characters.
// Supports: `Pack`, `Unpack`, `Pack_external`, `Unpack_external`
#include "GradientCheck.h"
#include <mpi.h>

static double packed(const double *x, int n) {
  int rank, size, position = 0, count = n, arrived = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  char out[256], in[256];
  double a[4], b[4] = {0}, factor, sum = 0;
  MPI_Datatype every;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[(i + 1) % n];
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &every);
  MPI_Type_commit(&every);
  MPI_Pack(&count, 1, MPI_INT, out, sizeof out, &position, comm);
  MPI_Pack(a, n, MPI_DOUBLE, out, sizeof out, &position, comm);
  MPI_Pack(x, 1, MPI_DOUBLE, out, sizeof out, &position, comm);
  MPI_Pack(a, 1, every, out, sizeof out, &position, comm);
  MPI_Sendrecv(out, position, MPI_PACKED, (rank + 1) % size, 1, in, sizeof in, MPI_PACKED,
               (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(in, sizeof in, &position, &arrived, 1, MPI_INT, comm);
  MPI_Unpack(in, sizeof in, &position, b, arrived, MPI_DOUBLE, comm);
  MPI_Unpack(in, sizeof in, &position, &factor, 1, MPI_DOUBLE, comm);
  MPI_Unpack(in, sizeof in, &position, a, 1, every, comm);
  MPI_Type_free(&every);
  for (int i = 0; i < n; i++)
    sum += b[i] * a[i] * factor * (i + 1);
  return sum;
}

GRADIENT_CHECK(packing, Double, packed, In(double, 4), Int(4))

/// The same in the external format, whose values nobody looks at.
static double external(const double *x, int n) {
  int rank, size;
  MPI_Aint length = 0, bytes = 0, position = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  char out[64], in[64];
  double a[4], b[4] = {0}, c[2] = {0}, sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = x[i] * x[i];
  MPI_Pack_external_size("external32", n, MPI_DOUBLE, &length);
  MPI_Pack_external_size("external32", 2, MPI_DOUBLE, &bytes);
  bytes += length;
  MPI_Pack_external("external32", x, 2, MPI_DOUBLE, out, bytes, &position);
  MPI_Pack_external("external32", a, n, MPI_DOUBLE, out, bytes, &position);
  MPI_Sendrecv(out, (int)bytes, MPI_BYTE, (rank + 1) % size, 1, in, (int)bytes, MPI_BYTE,
               (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack_external("external32", in, bytes, &position, c, 2, MPI_DOUBLE);
  MPI_Unpack_external("external32", in, bytes, &position, b, n, MPI_DOUBLE);
  for (int i = 0; i < n; i++)
    sum += b[i] * c[i % 2] * x[i];
  return sum;
}

GRADIENT_CHECK(packing_external, Double, external, In(double, 4), Int(4))
