// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A datatype that leads from one array to another one.

#pragma once

#include <mpi.h>

static inline MPI_Datatype pair(const double *a, const double *b, int n, int m) {
  int lengths[2] = {n, m};
  MPI_Aint places[2];
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE}, type;
  MPI_Get_address(a, &places[0]);
  MPI_Get_address(b, &places[1]);
  places[1] = MPI_Aint_diff(places[1], places[0]);
  places[0] = 0;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  return type;
}
