// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that a probe has matched, fetched in another order than they were matched in.

#include "Harness.h"

using namespace contraflow::test;

namespace {

TEST(Matched, TwoOfOneChannel) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[2], Late;
    MPI_Message First, Second;
    for (int I = 0; I < 2; ++I)
      CF_CALL(R, Isend, isend, (R.S.D + 4 * I, 4, MPI_DOUBLE, R.next(), 1, R.Comm, &Q[I]),
              (R.bar(R.S.D + 4 * I)));
    CF_CALL(R, Mprobe, mprobe, (R.previous(), 1, R.Comm, &First, MPI_STATUS_IGNORE), ());
    CF_CALL(R, Mprobe, mprobe, (MPI_ANY_SOURCE, 1, R.Comm, &Second, MPI_STATUS_IGNORE), ());
    CF_CALL(R, Imrecv, imrecv, (R.S.D + 20, 4, MPI_DOUBLE, &Second, &Late), (R.bar(R.S.D + 20)));
    CF_CALL(R, Mrecv, mrecv, (R.S.D + 30, 4, MPI_DOUBLE, &First, MPI_STATUS_IGNORE),
            (R.bar(R.S.D + 30)));
    CF_CALL(R, Wait, wait, (&Late, MPI_STATUS_IGNORE), ());
    CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
    R.addTo(R.S.D, R.S.D + 20, 4, 0.5);
  });
}

TEST(Matched, FromNobody) {
  expectDerivatives([](Execution &R) {
    MPI_Message Message;
    CF_CALL(R, Mprobe, mprobe, (MPI_PROC_NULL, 1, R.Comm, &Message, MPI_STATUS_IGNORE), ());
    CF_CALL(R, Mrecv, mrecv, (R.S.D, 4, MPI_DOUBLE, &Message, MPI_STATUS_IGNORE), (R.bar(R.S.D)));
  });
}

} // namespace
