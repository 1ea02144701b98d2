// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonblocking collectives: several open at a time, completed in different orders on different
// ranks, and with messages between start and completion that other ranks need in order to start.

#include "Harness.h"

#include <algorithm>

using namespace contraflow::test;

namespace {

void *none() { return nullptr; }

void ibcast(Execution &R, double *At, int Root, MPI_Request *Request) {
  CF_CALL(R, Ibcast, ibcast, (At, 4, MPI_DOUBLE, Root, R.Comm, Request), (R.bar(At)));
}

void iallreduce(Execution &R, double *From, double *To, MPI_Request *Request) {
  CF_CALL(R, Iallreduce, iallreduce, (From, To, 4, MPI_DOUBLE, MPI_SUM, R.Comm, Request),
          (R.bar(From), R.bar(To)));
}

void wait(Execution &R, MPI_Request *Request) {
  CF_CALL(R, Wait, wait, (Request, MPI_STATUS_IGNORE), ());
}

TEST(NonblockingCollective, EachAlone) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q;
    for (int Root = 0; Root < R.Size; ++Root) {
      ibcast(R, R.S.D + 4 * Root, Root, &Q);
      wait(R, &Q);
      CF_CALL(R, Ireduce, ireduce,
              (R.S.D + 4 * Root, R.S.D + 20, 4, MPI_DOUBLE, MPI_SUM, Root, R.Comm, &Q),
              (R.bar(R.S.D + 4 * Root), R.bar(R.S.D + 20)));
      wait(R, &Q);
    }
    iallreduce(R, R.S.D + 20, R.S.D + 30, &Q);
    wait(R, &Q);
    CF_CALL(R, Ibarrier, ibarrier, (R.Comm, &Q), ());
    wait(R, &Q);
  });
}

TEST(NonblockingCollective, InPlace) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[2];
    CF_CALL(R, Iallreduce, iallreduce, (MPI_IN_PLACE, R.S.D, 4, MPI_DOUBLE, MPI_SUM, R.Comm, &Q[0]),
            (none(), R.bar(R.S.D)));
    const bool IsRoot = R.Rank == 0;
    CF_CALL(R, Ireduce, ireduce,
            (IsRoot ? MPI_IN_PLACE : static_cast<const void *>(R.S.D + 10),
             IsRoot ? R.S.D + 10 : nullptr, 4, MPI_DOUBLE, MPI_SUM, 0, R.Comm, &Q[1]),
            (R.bar(R.S.D + 10), IsRoot ? R.bar(R.S.D + 10) : nullptr));
    CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
  });
}

/// Waits in another order on every rank: the adjoints must not meet each other's.
TEST(NonblockingCollective, CrossingWaits) {
  expectDerivatives([](Execution &R) {
    for (int Round = 0; Round < 4; ++Round) {
      MPI_Request Q[4];
      for (int I = 0; I < 2; ++I)
        ibcast(R, R.S.D + 4 * I, I % R.Size, &Q[I]);
      for (int I = 2; I < 4; ++I)
        iallreduce(R, R.S.D + 4 * I, R.S.D + 20 + 4 * I, &Q[I]);
      R.addTo(R.S.D + 60, R.S.D + 8, 8); // reads what is being summed
      for (int I = 0; I < 4; ++I)
        wait(R, &Q[R.Rank % 2 == 0 ? I : 3 - I]);
      R.addTo(R.S.D, R.S.D + 28, 8, 0.25);
    }
  });
}

/// Rank 0 starts and then sends; the others start when that has arrived. Awaiting a mirror where
/// the primal was started would never end.
TEST(NonblockingCollective, MessagesBetweenStartAndCompletion) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q;
    if (R.Rank == 0) {
      iallreduce(R, R.S.D, R.S.D + 10, &Q);
      for (int I = 1; I < R.Size; ++I)
        CF_CALL(R, Send, send, (R.S.D + 20, 4, MPI_DOUBLE, I, 0, R.Comm), (R.bar(R.S.D + 20)));
    } else {
      CF_CALL(R, Recv, recv, (R.S.D, 4, MPI_DOUBLE, 0, 0, R.Comm, MPI_STATUS_IGNORE),
              (R.bar(R.S.D)));
      iallreduce(R, R.S.D, R.S.D + 10, &Q);
    }
    wait(R, &Q);
  });
}

/// A collective that blocks, on some ranks between start and completion and on others after both.
TEST(NonblockingCollective, BlockingOnesInBetween) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q;
    iallreduce(R, R.S.D, R.S.D + 10, &Q);
    if (R.Rank % 2 == 0)
      wait(R, &Q);
    CF_CALL(R, Allreduce, allreduce, (R.S.D + 20, R.S.D + 30, 4, MPI_DOUBLE, MPI_SUM, R.Comm),
            (R.bar(R.S.D + 20), R.bar(R.S.D + 30)));
    if (R.Rank % 2 != 0)
      wait(R, &Q);
  });
}

TEST(NonblockingCollective, Many) {
  expectDerivatives([](Execution &R) {
    for (int I = 0; I < 50; ++I) {
      MPI_Request Q[2];
      iallreduce(R, R.S.D, R.S.D + 10, &Q[0]);
      ibcast(R, R.S.D + 20, I % R.Size, &Q[1]);
      CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
      R.scale(R.S.D + 10, 4, 0.25);
      R.addTo(R.S.D, R.S.D + 10, 4, 0.5);
      R.scale(R.S.D, 4, 0.5);
    }
  });
}

TEST(NonblockingCollective, InactiveSides) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[2];
    double Constant[4] = {1, 2, 3, 4};
    const bool IsRoot = R.Rank == 0;
    CF_CALL(R, Ibcast, ibcast, (IsRoot ? Constant : R.S.D, 4, MPI_DOUBLE, 0, R.Comm, &Q[0]),
            (IsRoot ? none() : R.bar(R.S.D)));
    int Number = 1, Sum = 0;
    CF_CALL(R, Iallreduce, iallreduce, (&Number, &Sum, 1, MPI_INT, MPI_MAX, R.Comm, &Q[1]),
            (none(), none()));
    CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
    EXPECT_EQ(Sum, 1);
  });
}

/// Completed by code that is not differentiated.
TEST(NonblockingCollective, CompletedElsewhere) {
  State X = {}, Bar = {};
  Execution R(Mode::Adjoint, X, Bar, MPI_COMM_WORLD);
  std::fill(Bar.D + 10, Bar.D + 14, 1.0);
  MPI_Request Q;
  iallreduce(R, X.D, X.D + 10, &Q);
  PMPI_Wait(&Q, MPI_STATUS_IGNORE);
  R.reverse();
  EXPECT_EQ(Bar.D[0], R.Size);
  EXPECT_EQ(Bar.D[10], 0);
  expectNothingLeft(MPI_COMM_WORLD);
}

} // namespace
