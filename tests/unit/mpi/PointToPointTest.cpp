// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sends and receives: every mode, crossing completions, short messages, wildcards, MPI_PROC_NULL,
// layouts.

#include "Harness.h"

using namespace contraflow::test;

namespace {

/// Values move around the ring: even ranks send first.
TEST(PointToPoint, SendAndReceive) {
  expectDerivatives([](Execution &R) {
    if (R.Size == 1)
      return;
    const auto Send = [&] {
      CF_CALL(R, Send, send, (R.S.D, 8, MPI_DOUBLE, R.next(), 3, R.Comm), (R.bar(R.S.D)));
    };
    const auto Receive = [&] {
      CF_CALL(R, Recv, recv,
              (R.S.D + 10, 8, MPI_DOUBLE, R.previous(), 3, R.Comm, MPI_STATUS_IGNORE),
              (R.bar(R.S.D + 10)));
    };
    if (R.Rank % 2 == 0) {
      Send();
      Receive();
    } else {
      Receive();
      Send();
    }
    R.addTo(R.S.D, R.S.D + 10, 8, 0.5);
  });
}

/// Everybody sends before anybody receives: relies on buffering, as many programs do.
TEST(PointToPoint, SendBeforeReceiveEverywhere) {
  expectDerivatives([](Execution &R) {
    if (R.Size == 1)
      return; // MPICH waits for the receive where a rank sends to itself
    CF_CALL(R, Send, send, (R.S.D, 8, MPI_DOUBLE, R.next(), 3, R.Comm), (R.bar(R.S.D)));
    CF_CALL(R, Recv, recv, (R.S.D + 10, 8, MPI_DOUBLE, R.previous(), 3, R.Comm, MPI_STATUS_IGNORE),
            (R.bar(R.S.D + 10)));
  });
}

TEST(PointToPoint, OtherSendModes) {
  expectDerivatives([](Execution &R) {
    MPI_Request Request;
    const auto Post = [&](double *To, int Tag) {
      CF_CALL(R, Irecv, irecv, (To, 4, MPI_DOUBLE, R.previous(), Tag, R.Comm, &Request),
              (R.bar(To)));
    };
    const auto Finish = [&] { CF_CALL(R, Wait, wait, (&Request, MPI_STATUS_IGNORE), ()); };
    Post(R.S.D + 20, 1);
    CF_CALL(R, Ssend, ssend, (R.S.D, 4, MPI_DOUBLE, R.next(), 1, R.Comm), (R.bar(R.S.D)));
    Finish();
    Post(R.S.D + 24, 2);
    PMPI_Barrier(R.Comm); // a ready send needs its receive
    CF_CALL(R, Rsend, rsend, (R.S.D + 4, 4, MPI_DOUBLE, R.next(), 2, R.Comm), (R.bar(R.S.D + 4)));
    Finish();
    char Space[4096];
    void *Old = nullptr;
    int OldSize = 0;
    PMPI_Buffer_attach(Space, sizeof(Space));
    Post(R.S.D + 28, 3);
    CF_CALL(R, Bsend, bsend, (R.S.D + 8, 4, MPI_DOUBLE, R.next(), 3, R.Comm), (R.bar(R.S.D + 8)));
    Finish();
    PMPI_Buffer_detach(&Old, &OldSize);
  });
}

TEST(PointToPoint, NonblockingSendModes) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[6];
    for (int I = 0; I < 3; ++I)
      CF_CALL(R, Irecv, irecv, (R.S.D + 20 + 4 * I, 4, MPI_DOUBLE, R.previous(), I, R.Comm, &Q[I]),
              (R.bar(R.S.D + 20 + 4 * I)));
    PMPI_Barrier(R.Comm);
    char Space[4096];
    void *Old = nullptr;
    int OldSize = 0;
    PMPI_Buffer_attach(Space, sizeof(Space));
    CF_CALL(R, Issend, issend, (R.S.D, 4, MPI_DOUBLE, R.next(), 0, R.Comm, &Q[3]), (R.bar(R.S.D)));
    CF_CALL(R, Irsend, irsend, (R.S.D + 4, 4, MPI_DOUBLE, R.next(), 1, R.Comm, &Q[4]),
            (R.bar(R.S.D + 4)));
    CF_CALL(R, Ibsend, ibsend, (R.S.D + 8, 4, MPI_DOUBLE, R.next(), 2, R.Comm, &Q[5]),
            (R.bar(R.S.D + 8)));
    CF_CALL(R, Waitall, waitall, (6, Q, MPI_STATUSES_IGNORE), ());
    PMPI_Buffer_detach(&Old, &OldSize);
  });
}

/// Two halos, the interior in between; the send buffer is read while it is on the way.
TEST(PointToPoint, HaloExchange) {
  expectDerivatives([](Execution &R) {
    double *D = R.S.D;
    for (int Step = 0; Step < 5; ++Step) {
      MPI_Request Q[4];
      CF_CALL(R, Irecv, irecv, (D, 6, MPI_DOUBLE, R.previous(), 1, R.Comm, &Q[0]), (R.bar(D)));
      CF_CALL(R, Irecv, irecv, (D + 42, 6, MPI_DOUBLE, R.next(), 2, R.Comm, &Q[1]),
              (R.bar(D + 42)));
      CF_CALL(R, Isend, isend, (D + 6, 6, MPI_DOUBLE, R.previous(), 2, R.Comm, &Q[2]),
              (R.bar(D + 6)));
      CF_CALL(R, Isend, isend, (D + 36, 6, MPI_DOUBLE, R.next(), 1, R.Comm, &Q[3]),
              (R.bar(D + 36)));
      R.addTo(D + 60, D + 6, 30, 0.25); // reads what is being sent
      CF_CALL(R, Waitall, waitall, (4, Q, MPI_STATUSES_IGNORE), ());
      R.addTo(D + 12, D, 6, 0.5);
      R.addTo(D + 30, D + 42, 6, -0.5);
      R.addTo(D + 6, D + 60, 30, 0.125);
      R.scale(D + 60, 30, 0.5);
    }
  });
}

/// Same peer and tag, completed in another order than started, and differently on both sides.
TEST(PointToPoint, CrossingWaits) {
  expectDerivatives([](Execution &R) {
    MPI_Request In[3], Out[3];
    for (int I = 0; I < 3; ++I)
      CF_CALL(R, Irecv, irecv, (R.S.D + 20 + I, 1, MPI_DOUBLE, R.previous(), 7, R.Comm, &In[I]),
              (R.bar(R.S.D + 20 + I)));
    for (int I = 0; I < 3; ++I)
      CF_CALL(R, Isend, isend, (R.S.D + I, 1, MPI_DOUBLE, R.next(), 7, R.Comm, &Out[I]),
              (R.bar(R.S.D + I)));
    for (int I : {1, 2, 0})
      CF_CALL(R, Wait, wait, (&In[I], MPI_STATUS_IGNORE), ());
    for (int I : {2, 0, 1})
      CF_CALL(R, Wait, wait, (&Out[I], MPI_STATUS_IGNORE), ());
  });
}

/// Messages of one channel sent from the same place overlap.
TEST(PointToPoint, OverlappingSendBuffers) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[4];
    for (int I = 0; I < 2; ++I) {
      CF_CALL(R, Irecv, irecv, (R.S.D + 20 + 8 * I, 6, MPI_DOUBLE, R.previous(), 7, R.Comm, &Q[I]),
              (R.bar(R.S.D + 20 + 8 * I)));
      CF_CALL(R, Isend, isend, (R.S.D + 2 * I, 6, MPI_DOUBLE, R.next(), 7, R.Comm, &Q[2 + I]),
              (R.bar(R.S.D + 2 * I)));
    }
    CF_CALL(R, Waitall, waitall, (4, Q, MPI_STATUSES_IGNORE), ());
  });
}

/// What was not received keeps its adjoint.
TEST(PointToPoint, ShortMessages) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[2];
    CF_CALL(R, Irecv, irecv, (R.S.D + 20, 12, MPI_DOUBLE, R.previous(), 1, R.Comm, &Q[0]),
            (R.bar(R.S.D + 20)));
    CF_CALL(R, Isend, isend, (R.S.D, 5, MPI_DOUBLE, R.next(), 1, R.Comm, &Q[1]), (R.bar(R.S.D)));
    CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
    CF_CALL(R, Irecv, irecv, (R.S.D + 40, 12, MPI_DOUBLE, R.previous(), 1, R.Comm, &Q[0]),
            (R.bar(R.S.D + 40)));
    CF_CALL(R, Send, send, (R.S.D, 0, MPI_DOUBLE, R.next(), 1, R.Comm), (R.bar(R.S.D)));
    CF_CALL(R, Wait, wait, (&Q[0], MPI_STATUS_IGNORE), ());
  });
}

TEST(PointToPoint, ProcNull) {
  expectDerivatives([](Execution &R) {
    const int Left = R.Rank > 0 ? R.Rank - 1 : MPI_PROC_NULL;
    const int Right = R.Rank + 1 < R.Size ? R.Rank + 1 : MPI_PROC_NULL;
    MPI_Request Q[4];
    CF_CALL(R, Irecv, irecv, (R.S.D, 4, MPI_DOUBLE, Left, 1, R.Comm, &Q[0]), (R.bar(R.S.D)));
    CF_CALL(R, Irecv, irecv, (R.S.D + 4, 4, MPI_DOUBLE, Right, 2, R.Comm, &Q[1]),
            (R.bar(R.S.D + 4)));
    CF_CALL(R, Isend, isend, (R.S.D + 8, 4, MPI_DOUBLE, Left, 2, R.Comm, &Q[2]),
            (R.bar(R.S.D + 8)));
    CF_CALL(R, Isend, isend, (R.S.D + 12, 4, MPI_DOUBLE, Right, 1, R.Comm, &Q[3]),
            (R.bar(R.S.D + 12)));
    CF_CALL(R, Waitall, waitall, (4, Q, MPI_STATUSES_IGNORE), ());
    MPI_Status Status;
    CF_CALL(R, Sendrecv, sendrecv,
            (R.S.D, 4, MPI_DOUBLE, Right, 5, R.S.D + 30, 4, MPI_DOUBLE, Left, 5, R.Comm, &Status),
            (R.bar(R.S.D), R.bar(R.S.D + 30)));
    EXPECT_EQ(Status.MPI_SOURCE, Left);
    CF_CALL(R, Recv, recv, (R.S.D + 40, 4, MPI_DOUBLE, MPI_PROC_NULL, 5, R.Comm, &Status),
            (R.bar(R.S.D + 40)));
    EXPECT_EQ(Status.MPI_SOURCE, MPI_PROC_NULL);
    CF_CALL(R, Send, send, (R.S.D + 40, 4, MPI_DOUBLE, MPI_PROC_NULL, 5, R.Comm),
            (R.bar(R.S.D + 40)));
  });
}

TEST(PointToPoint, SendrecvAndReplace) {
  expectDerivatives([](Execution &R) {
    MPI_Status Status;
    CF_CALL(R, Sendrecv, sendrecv,
            (R.S.D, 6, MPI_DOUBLE, R.next(), 5, R.S.D + 10, 8, MPI_DOUBLE, R.previous(), 5, R.Comm,
             &Status),
            (R.bar(R.S.D), R.bar(R.S.D + 10)));
    EXPECT_EQ(Status.MPI_SOURCE, R.previous());
    CF_CALL(R, Sendrecv_replace, sendrecv_replace,
            (R.S.D + 10, 8, MPI_DOUBLE, R.previous(), 6, R.next(), 6, R.Comm, MPI_STATUS_IGNORE),
            (R.bar(R.S.D + 10)));
    R.addTo(R.S.D, R.S.D + 10, 6, 2);
  });
}

/// Rank 0 collects from whoever comes; the reverse must go back to who it was.
TEST(PointToPoint, Wildcards) {
  expectDerivatives([](Execution &R) {
    if (R.Rank != 0) {
      CF_CALL(R, Send, send, (R.S.D, 4, MPI_DOUBLE, 0, R.Rank, R.Comm), (R.bar(R.S.D)));
      CF_CALL(R, Send, send, (R.S.D + 4, 4, MPI_DOUBLE, 0, 20, R.Comm), (R.bar(R.S.D + 4)));
      return;
    }
    MPI_Status Status;
    for (int I = 1; I < R.Size; ++I) { // the place depends on the sender, so that runs agree
      PMPI_Probe(I, I, R.Comm, &Status);
      double *To = R.S.D + 8 * I;
      CF_CALL(R, Recv, recv, (To, 8, MPI_DOUBLE, I, MPI_ANY_TAG, R.Comm, &Status), (R.bar(To)));
      EXPECT_EQ(Status.MPI_TAG, I);
    }
    for (int I = 1; I < R.Size; ++I) {
      PMPI_Probe(MPI_ANY_SOURCE, 20, R.Comm, &Status);
      double *To = R.S.D + 40 + 8 * Status.MPI_SOURCE;
      CF_CALL(R, Recv, recv, (To, 8, MPI_DOUBLE, Status.MPI_SOURCE, MPI_ANY_TAG, R.Comm, &Status),
              (R.bar(To)));
    }
  });
}

/// Receives that name the sender wait for the number of an earlier one that does not.
TEST(PointToPoint, NamedReceivesBehindWildcards) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[4];
    CF_CALL(R, Irecv, irecv, (R.S.D + 20, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 9, R.Comm, &Q[0]),
            (R.bar(R.S.D + 20)));
    CF_CALL(R, Irecv, irecv, (R.S.D + 24, 4, MPI_DOUBLE, R.previous(), 9, R.Comm, &Q[1]),
            (R.bar(R.S.D + 24)));
    CF_CALL(R, Isend, isend, (R.S.D, 4, MPI_DOUBLE, R.next(), 9, R.Comm, &Q[2]), (R.bar(R.S.D)));
    CF_CALL(R, Isend, isend, (R.S.D + 4, 4, MPI_DOUBLE, R.next(), 9, R.Comm, &Q[3]),
            (R.bar(R.S.D + 4)));
    CF_CALL(R, Waitall, waitall, (4, Q, MPI_STATUSES_IGNORE), ());
  });
}

/// The wildcard completes last; it has its message nevertheless.
TEST(PointToPoint, WildcardCompletedLast) {
  expectDerivatives([](Execution &R) {
    MPI_Request Q[4];
    CF_CALL(R, Irecv, irecv, (R.S.D + 20, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 9, R.Comm, &Q[0]),
            (R.bar(R.S.D + 20)));
    CF_CALL(R, Irecv, irecv, (R.S.D + 24, 4, MPI_DOUBLE, R.previous(), 9, R.Comm, &Q[1]),
            (R.bar(R.S.D + 24)));
    for (int I = 0; I < 2; ++I)
      CF_CALL(R, Isend, isend, (R.S.D + 4 * I, 4, MPI_DOUBLE, R.next(), 9, R.Comm, &Q[2 + I]),
              (R.bar(R.S.D + 4 * I)));
    for (int I : {1, 0, 3, 2})
      CF_CALL(R, Wait, wait, (&Q[I], MPI_STATUS_IGNORE), ());
  });
}

TEST(PointToPoint, FloatLongDoubleAndComplex) {
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Sendrecv, sendrecv,
                (R.S.F, 7, MPI_FLOAT, R.next(), 5, R.S.F + 10, 7, MPI_FLOAT, R.previous(), 5,
                 R.Comm, MPI_STATUS_IGNORE),
                (R.bar(R.S.F), R.bar(R.S.F + 10)));
        CF_CALL(R, Sendrecv, sendrecv,
                (R.S.L, 3, MPI_LONG_DOUBLE, R.next(), 5, R.S.L + 4, 3, MPI_LONG_DOUBLE,
                 R.previous(), 5, R.Comm, MPI_STATUS_IGNORE),
                (R.bar(R.S.L), R.bar(R.S.L + 4)));
        CF_CALL(R, Sendrecv, sendrecv,
                (R.S.D, 3, MPI_C_DOUBLE_COMPLEX, R.next(), 5, R.S.D + 10, 4, MPI_CXX_DOUBLE_COMPLEX,
                 R.previous(), 5, R.Comm, MPI_STATUS_IGNORE),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
      },
      inFloats());
}

/// Integers travel, but not in derivatives; both sides may use different layouts of one signature.
TEST(PointToPoint, DerivedDatatypes) {
  MPI_Datatype Packed, Element, Column;
  const int Lengths[] = {1, 1, 2, 1};
  const MPI_Aint Places[] = {offsetof(Mixed, A), offsetof(Mixed, K), offsetof(Mixed, B),
                             offsetof(Mixed, C)};
  const MPI_Datatype Types[] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
  PMPI_Type_create_struct(4, Lengths, Places, Types, &Packed);
  PMPI_Type_create_resized(Packed, 0, sizeof(Mixed), &Element);
  PMPI_Type_commit(&Element);
  PMPI_Type_vector(4, 2, 5, MPI_DOUBLE, &Column);
  PMPI_Type_commit(&Column);
  expectDerivatives(
      [&](Execution &R) {
        MPI_Request Q[4];
        CF_CALL(R, Irecv, irecv, (R.S.M + 4, 4, Element, R.previous(), 1, R.Comm, &Q[0]),
                (R.bar(R.S.M + 4)));
        CF_CALL(R, Irecv, irecv, (R.S.D + 40, 16, MPI_DOUBLE, R.previous(), 2, R.Comm, &Q[1]),
                (R.bar(R.S.D + 40)));
        CF_CALL(R, Isend, isend, (R.S.M, 3, Element, R.next(), 1, R.Comm, &Q[2]), (R.bar(R.S.M)));
        CF_CALL(R, Isend, isend, (R.S.D, 1, Column, R.next(), 2, R.Comm, &Q[3]), (R.bar(R.S.D)));
        CF_CALL(R, Waitall, waitall, (4, Q, MPI_STATUSES_IGNORE), ());
        CF_CALL(R, Sendrecv, sendrecv,
                (R.S.D + 40, 8, MPI_DOUBLE, R.next(), 3, R.S.D + 60, 1, Column, R.previous(), 3,
                 R.Comm, MPI_STATUS_IGNORE),
                (R.bar(R.S.D + 40), R.bar(R.S.D + 60)));
      },
      inFloats());
  PMPI_Type_free(&Packed);
  PMPI_Type_free(&Element);
  PMPI_Type_free(&Column);
}

/// One side has no shadow: it sends zeros and drops what comes.
TEST(PointToPoint, InactiveSides) {
  expectDerivatives([](Execution &R) {
    double Constant[4] = {1, 2, 3, 4}, Dropped[4];
    CF_CALL(R, Sendrecv, sendrecv,
            (Constant, 4, MPI_DOUBLE, R.next(), 1, R.S.D, 4, MPI_DOUBLE, R.previous(), 1, R.Comm,
             MPI_STATUS_IGNORE),
            (static_cast<void *>(nullptr), R.bar(R.S.D)));
    CF_CALL(R, Sendrecv, sendrecv,
            (R.S.D + 8, 4, MPI_DOUBLE, R.next(), 1, Dropped, 4, MPI_DOUBLE, R.previous(), 1, R.Comm,
             MPI_STATUS_IGNORE),
            (R.bar(R.S.D + 8), static_cast<void *>(nullptr)));
    int Number = R.Rank, Received = -1;
    CF_CALL(R, Sendrecv, sendrecv,
            (&Number, 1, MPI_INT, R.next(), 1, &Received, 1, MPI_INT, R.previous(), 1, R.Comm,
             MPI_STATUS_IGNORE),
            (static_cast<void *>(nullptr), static_cast<void *>(nullptr)));
    EXPECT_EQ(Received, R.previous());
  });
}

/// Derivative messages find their way when there are thousands of one channel, and with large tags.
TEST(PointToPoint, ManyMessages) {
  expectDerivatives([](Execution &R) {
    for (int I = 0; I < 9000; ++I) {
      const int Tag = I % 3 == 0 ? 1 : I % 3 == 1 ? 65535 : 1000000;
      CF_CALL(R, Sendrecv, sendrecv,
              (R.S.D + I % 8, 2, MPI_DOUBLE, R.next(), Tag, R.S.D + 20 + I % 8, 2, MPI_DOUBLE,
               R.previous(), Tag, R.Comm, MPI_STATUS_IGNORE),
              (R.bar(R.S.D + I % 8), R.bar(R.S.D + 20 + I % 8)));
    }
  });
}

/// Larger than any buffering between ranks.
TEST(PointToPoint, LargeMessages) {
  constexpr int Count = 1 << 17;
  std::vector<double> Data(2 * Count, 1.0), Bar(2 * Count);
  for (int I = 0; I < Count; ++I)
    Bar[static_cast<std::size_t>(Count + I)] = I;
  State X = {}, Unused = {};
  Execution R(Mode::Adjoint, X, Unused, MPI_COMM_WORLD);
  MPI_Request Q[2];
  CF_CALL(R, Irecv, irecv, (&Data[Count], Count, MPI_DOUBLE, R.previous(), 0, R.Comm, &Q[0]),
          (&Bar[Count]));
  CF_CALL(R, Isend, isend, (Data.data(), Count, MPI_DOUBLE, R.next(), 0, R.Comm, &Q[1]),
          (Bar.data()));
  CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
  R.reverse();
  for (int I = 0; I < Count; ++I)
    ASSERT_EQ(Bar[static_cast<std::size_t>(I)], I);
  expectNothingLeft(MPI_COMM_WORLD);
}

/// Other communicators: ranks in another order, and one that is freed before the reverse sweep.
TEST(PointToPoint, Communicators) {
  MPI_Comm Backwards;
  int Rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -Rank, &Backwards);
  Expectation E;
  E.Comm = Backwards;
  expectDerivatives(
      [](Execution &R) {
        MPI_Comm Mine;
        MPI_Comm_dup(R.Comm, &Mine);
        MPI_Request Q[2];
        CF_CALL(R, Irecv, irecv, (R.S.D + 20, 4, MPI_DOUBLE, R.previous(), 1, Mine, &Q[0]),
                (R.bar(R.S.D + 20)));
        CF_CALL(R, Isend, isend, (R.S.D, 4, MPI_DOUBLE, R.next(), 1, Mine, &Q[1]), (R.bar(R.S.D)));
        CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
        MPI_Comm_free(&Mine);
      },
      E);
  MPI_Comm_free(&Backwards);
}

/// A communicator we did not see being made: derivatives travel beside the user's messages.
TEST(PointToPoint, UnknownCommunicator) {
  MPI_Comm Unknown;
  PMPI_Comm_dup(MPI_COMM_WORLD, &Unknown);
  Expectation E;
  E.Comm = Unknown;
  expectDerivatives(
      [](Execution &R) {
        CF_CALL(R, Sendrecv, sendrecv,
                (R.S.D, 6, MPI_DOUBLE, R.next(), 5, R.S.D + 10, 6, MPI_DOUBLE, R.previous(), 5,
                 R.Comm, MPI_STATUS_IGNORE),
                (R.bar(R.S.D), R.bar(R.S.D + 10)));
      },
      E);
  PMPI_Comm_free(&Unknown);
}

} // namespace
