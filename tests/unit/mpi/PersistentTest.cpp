// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Persistent requests: made once, started many times, freed before the reverse sweep.

#include "Harness.h"

using namespace contraflow::test;

namespace {

void freeAll(Execution &R, MPI_Request *Requests, int Count) {
  for (int I = 0; I < Count; ++I)
    CF_CALL(R, Request_free, request_free, (&Requests[I]), ());
}

TEST(Persistent, HaloExchange) {
  expectDerivatives([](Execution &R) {
    double *D = R.S.D;
    MPI_Request Q[4];
    CF_CALL(R, Recv_init, recv_init, (D, 6, MPI_DOUBLE, R.previous(), 1, R.Comm, &Q[0]),
            (R.bar(D)));
    CF_CALL(R, Recv_init, recv_init, (D + 42, 6, MPI_DOUBLE, R.next(), 2, R.Comm, &Q[1]),
            (R.bar(D + 42)));
    CF_CALL(R, Send_init, send_init, (D + 6, 6, MPI_DOUBLE, R.previous(), 2, R.Comm, &Q[2]),
            (R.bar(D + 6)));
    CF_CALL(R, Send_init, send_init, (D + 36, 6, MPI_DOUBLE, R.next(), 1, R.Comm, &Q[3]),
            (R.bar(D + 36)));
    for (int Step = 0; Step < 5; ++Step) {
      CF_CALL(R, Startall, startall, (4, Q), ());
      R.addTo(D + 60, D + 6, 30, 0.25);
      CF_CALL(R, Waitall, waitall, (4, Q, MPI_STATUSES_IGNORE), ());
      R.addTo(D + 12, D, 6, 0.5);
      R.addTo(D + 30, D + 42, 6, -0.5);
      R.addTo(D + 6, D + 60, 30, 0.125);
      R.scale(D + 60, 30, 0.5);
    }
    freeAll(R, Q, 4);
  });
}

/// All modes, started one by one, one with MPI_PROC_NULL, one with any source.
TEST(Persistent, Modes) {
  expectDerivatives([](Execution &R) {
    double *D = R.S.D;
    MPI_Request Q[6];
    char Space[4096];
    void *Old = nullptr;
    int OldSize = 0;
    PMPI_Buffer_attach(Space, sizeof(Space));
    CF_CALL(R, Ssend_init, ssend_init, (D, 4, MPI_DOUBLE, R.next(), 0, R.Comm, &Q[0]), (R.bar(D)));
    CF_CALL(R, Rsend_init, rsend_init, (D + 4, 4, MPI_DOUBLE, R.next(), 1, R.Comm, &Q[1]),
            (R.bar(D + 4)));
    CF_CALL(R, Bsend_init, bsend_init, (D + 8, 4, MPI_DOUBLE, R.next(), 2, R.Comm, &Q[2]),
            (R.bar(D + 8)));
    for (int I = 0; I < 3; ++I)
      CF_CALL(R, Recv_init, recv_init,
              (D + 20 + 4 * I, 4, MPI_DOUBLE, I == 2 ? MPI_ANY_SOURCE : R.previous(), I, R.Comm,
               &Q[3 + I]),
              (R.bar(D + 20 + 4 * I)));
    for (int Round = 0; Round < 3; ++Round) {
      for (int I : {3, 4, 5})
        CF_CALL(R, Start, start, (&Q[I]), ());
      PMPI_Barrier(R.Comm);
      for (int I : {0, 1, 2})
        CF_CALL(R, Start, start, (&Q[I]), ());
      for (int I : {5, 4, 3, 2, 1, 0})
        CF_CALL(R, Wait, wait, (&Q[I], MPI_STATUS_IGNORE), ());
      R.addTo(D, D + 20, 12, 0.5);
      PMPI_Barrier(R.Comm);
    }
    freeAll(R, Q, 6);
    PMPI_Buffer_detach(&Old, &OldSize);
  });
}

TEST(Persistent, ProcNull) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[2];
    CF_CALL(R, Recv_init, recv_init, (R.S.D, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, R.Comm, &Q[0]),
            (R.bar(R.S.D)));
    CF_CALL(R, Send_init, send_init, (R.S.D, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, R.Comm, &Q[1]),
            (R.bar(R.S.D)));
    CF_CALL(R, Startall, startall, (2, Q), ());
    CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
    freeAll(R, Q, 2);
  });
}

} // namespace
