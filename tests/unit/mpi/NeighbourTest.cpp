// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbourhood collectives: several edges between two ranks, edges of different sizes, grid ends.

#include "Harness.h"

using namespace contraflow::test;

namespace {

TEST(Neighbour, PeriodicLine) {
  const int Periodic = 1;
  int Size = 0;
  MPI_Comm Ring;
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &Size, &Periodic, 0, &Ring);
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Neighbor_alltoall, neighbor_alltoall,
                (R.S.D, 3, MPI_DOUBLE, R.S.D + 10, 3, MPI_DOUBLE, R.Comm),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
        CF_CALL(R, Neighbor_allgather, neighbor_allgather,
                (R.S.D + 10, 3, MPI_DOUBLE, R.S.D + 20, 3, MPI_DOUBLE, R.Comm),
                (R.bar(R.S.D + 10), R.bar(R.S.D + 20)));
      },
      {.Comm = Ring});
  MPI_Comm_free(&Ring);
}

TEST(Neighbour, OpenLineNonblocking) {
  const int Periodic = 0;
  int Size = 0;
  MPI_Comm Line;
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &Size, &Periodic, 0, &Line);
  expectDerivatives(
      [](Execution &R) {
        MPI_Request Q[2];
        CF_CALL(R, Ineighbor_alltoall, ineighbor_alltoall,
                (R.S.D, 3, MPI_DOUBLE, R.S.D + 10, 3, MPI_DOUBLE, R.Comm, &Q[0]),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
        CF_CALL(R, Ineighbor_allgather, ineighbor_allgather,
                (R.S.D, 3, MPI_DOUBLE, R.S.D + 20, 3, MPI_DOUBLE, R.Comm, &Q[1]),
                (R.bar(R.S.D), R.bar(R.S.D + 20)));
        for (int I = 0; I < 2; ++I)
          CF_CALL(R, Wait, wait, (&Q[R.Rank % 2 ? I : 1 - I], MPI_STATUS_IGNORE), ());
      },
      {.Comm = Line});
  MPI_Comm_free(&Line);
}

} // namespace
