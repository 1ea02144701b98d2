// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that are chains: prefix products and extrema, local steps, nonblocking forms.

#include "Harness.h"

using namespace contraflow::test;

namespace {

void wait(Execution &R, MPI_Request *Request) {
  CF_CALL(R, Wait, wait, (Request, MPI_STATUS_IGNORE), ());
}

TEST(Chain, PrefixProducts) {
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Scan, scan, (R.S.D, R.S.D + 10, 4, MPI_DOUBLE, MPI_PROD, R.Comm),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
        CF_CALL(R, Exscan, exscan, (R.S.D + 4, R.S.D + 20, 4, MPI_DOUBLE, MPI_PROD, R.Comm),
                (R.bar(R.S.D + 4), R.bar(R.S.D + 20)));
      },
      nonlinear());
}

TEST(Chain, PrefixExtremaInPlace) {
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Scan, scan, (MPI_IN_PLACE, R.S.D, 6, MPI_DOUBLE, MPI_MAX, R.Comm),
                (static_cast<void *>(nullptr), R.bar(R.S.D)));
        CF_CALL(R, Exscan, exscan, (R.S.D + 10, R.S.D + 20, 6, MPI_DOUBLE, MPI_MIN, R.Comm),
                (R.bar(R.S.D + 10), R.bar(R.S.D + 20)));
      },
      nonlinear());
}

TEST(Chain, ComplexProduct) {
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Allreduce, allreduce,
                (R.S.D, R.S.D + 10, 3, MPI_C_DOUBLE_COMPLEX, MPI_PROD, R.Comm),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
      },
      nonlinear());
}

TEST(Chain, Nonblocking) {
  expectDerivatives(
      [](Execution &R) {
        MPI_Request Q[3];
        CF_CALL(R, Iallreduce, iallreduce,
                (R.S.D, R.S.D + 10, 4, MPI_DOUBLE, MPI_MAX, R.Comm, &Q[0]),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
        CF_CALL(R, Ireduce, ireduce,
                (R.S.D + 20, R.S.D + 30, 4, MPI_DOUBLE, MPI_PROD, R.Size - 1, R.Comm, &Q[1]),
                (R.bar(R.S.D + 20), R.bar(R.S.D + 30)));
        CF_CALL(R, Iscan, iscan, (R.S.D + 40, R.S.D + 50, 4, MPI_DOUBLE, MPI_SUM, R.Comm, &Q[2]),
                (R.bar(R.S.D + 40), R.bar(R.S.D + 50)));
        for (int I = 0; I < 3; ++I)
          wait(R, &Q[R.Rank % 2 ? I : 2 - I]);
      },
      nonlinear());
}

TEST(Chain, LocalStep) {
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Reduce_local, reduce_local, (R.S.D, R.S.D + 10, 4, MPI_DOUBLE, MPI_PROD),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
        CF_CALL(R, Reduce_local, reduce_local, (R.S.D + 10, R.S.D + 20, 4, MPI_DOUBLE, MPI_SUM),
                (R.bar(R.S.D + 10), R.bar(R.S.D + 20)));
      },
      nonlinear());
}

} // namespace
