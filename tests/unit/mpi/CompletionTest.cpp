// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests completed one by one, in any order, by polling, or not at all; and the table behind
// them.

#include "Harness.h"

#include "mpi/Asking.h"
#include "mpi/Message.h"
#include "mpi/RequestTable.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

using namespace contraflow::test;
using contraflow::mpi::RequestTable;

namespace {

constexpr int Messages = 5;

/// Starts `Messages` messages around the ring; null requests among the active ones.
struct Ring {
  MPI_Request Requests[2 * Messages + 2];
  static constexpr int Count = 2 * Messages + 2;

  explicit Ring(Execution &R) {
    std::fill(std::begin(Requests), std::end(Requests), MPI_REQUEST_NULL);
    for (int I = 0; I < Messages; ++I) {
      double *From = R.S.D + 4 * I, *To = R.S.D + 40 + 4 * I;
      CF_CALL(R, Irecv, irecv, (To, 4, MPI_DOUBLE, R.previous(), I % 2, R.Comm, &Requests[1 + I]),
              (R.bar(To)));
      CF_CALL(R, Isend, isend,
              (From, 4, MPI_DOUBLE, R.next(), I % 2, R.Comm, &Requests[2 + Messages + I]),
              (R.bar(From)));
    }
  }
};

void finish(Execution &R) { R.addTo(R.S.D, R.S.D + 40, 20, 0.5); }

TEST(Completion, WaitallWithNullRequests) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    MPI_Status Statuses[Ring::Count];
    CF_CALL(R, Waitall, waitall, (Ring::Count, G.Requests, Statuses), ());
    for (int I = 1; I <= Messages; ++I)
      EXPECT_EQ(Statuses[I].MPI_SOURCE, R.previous());
    CF_CALL(R, Waitall, waitall, (Ring::Count, G.Requests, MPI_STATUSES_IGNORE), ());
    finish(R);
  });
}

TEST(Completion, Waitany) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    for (int Index = 0, Done = 0; Index != MPI_UNDEFINED; ++Done) {
      MPI_Status Status;
      CF_CALL(R, Waitany, waitany, (Ring::Count, G.Requests, &Index, &Status), ());
      EXPECT_EQ(Index == MPI_UNDEFINED, Done == 2 * Messages);
    }
    finish(R);
  });
}

TEST(Completion, Waitsome) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    int Total = 0;
    for (int Done = 0; Done != MPI_UNDEFINED;) {
      int Indices[Ring::Count];
      CF_CALL(R, Waitsome, waitsome, (Ring::Count, G.Requests, &Done, Indices, MPI_STATUSES_IGNORE),
              ());
      Total += Done == MPI_UNDEFINED ? 0 : Done;
    }
    EXPECT_EQ(Total, 2 * Messages);
    finish(R);
  });
}

TEST(Completion, TestEachUntilDone) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    for (bool All = false; !All;) {
      All = true;
      for (MPI_Request &Request : G.Requests) {
        int Flag = 0;
        CF_CALL(R, Test, test, (&Request, &Flag, MPI_STATUS_IGNORE), ());
        All = All && Flag;
      }
    }
    finish(R);
  });
}

TEST(Completion, Testall) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    for (int Flag = 0; !Flag;)
      CF_CALL(R, Testall, testall, (Ring::Count, G.Requests, &Flag, MPI_STATUSES_IGNORE), ());
    finish(R);
  });
}

TEST(Completion, Testany) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    for (int Index = 0, Flag = 0; !Flag || Index != MPI_UNDEFINED;)
      CF_CALL(R, Testany, testany, (Ring::Count, G.Requests, &Index, &Flag, MPI_STATUS_IGNORE), ());
    finish(R);
  });
}

/// Questions that find nothing leave something on the tape, so the calls ask many for the program.
TEST(Completion, PollingIsPatient) {
  using Clock = std::chrono::steady_clock;
  int Calls = 0, Questions = 0;
  const auto Ask = [&] {
    ++Questions;
    return MPI_SUCCESS;
  };
  const auto Start = Clock::now();
  for (; Clock::now() - Start < std::chrono::milliseconds(100); ++Calls)
    contraflow::mpi::askPatiently(Ask, [] { return false; });
  EXPECT_LT(Calls, 20000); // a million otherwise
  EXPECT_GT(Questions, 2 * Calls);
  Calls = 0;
  for (bool Found = false; !Found; ++Calls)
    contraflow::mpi::askPatiently(Ask, [&] { return Found = true; });
  EXPECT_EQ(Calls, 1);
}

TEST(Completion, Testsome) {
  expectDerivatives([](Execution &R) {
    Ring G(R);
    for (int Done = 0; Done != MPI_UNDEFINED;) {
      int Indices[Ring::Count];
      CF_CALL(R, Testsome, testsome, (Ring::Count, G.Requests, &Done, Indices, MPI_STATUSES_IGNORE),
              ());
    }
    finish(R);
  });
}

/// A send that is freed while it is on the way.
TEST(Completion, RequestFree) {
  expectDerivatives([](Execution &R) {
    MPI_Request In, Out;
    CF_CALL(R, Irecv, irecv, (R.S.D + 40, 4, MPI_DOUBLE, R.previous(), 0, R.Comm, &In),
            (R.bar(R.S.D + 40)));
    CF_CALL(R, Isend, isend, (R.S.D, 4, MPI_DOUBLE, R.next(), 0, R.Comm, &Out), (R.bar(R.S.D)));
    CF_CALL(R, Request_free, request_free, (&Out), ());
    CF_CALL(R, Wait, wait, (&In, MPI_STATUS_IGNORE), ());
  });
}

/// A send whose request is completed by code that is not differentiated.
TEST(Completion, SendCompletedElsewhere) {
  expectDerivatives([](Execution &R) {
    MPI_Request In, Out;
    CF_CALL(R, Irecv, irecv, (R.S.D + 40, 4, MPI_DOUBLE, R.previous(), 0, R.Comm, &In),
            (R.bar(R.S.D + 40)));
    CF_CALL(R, Isend, isend, (R.S.D, 4, MPI_DOUBLE, R.next(), 0, R.Comm, &Out), (R.bar(R.S.D)));
    CF_CALL(R, Wait, wait, (&In, MPI_STATUS_IGNORE), ());
    PMPI_Wait(&Out, MPI_STATUS_IGNORE);
  });
}

/// A request of code that is not differentiated, completed by code that is.
TEST(Completion, UnknownRequest) {
  expectDerivatives([](Execution &R) {
    MPI_Request In, Out;
    int Given = R.Rank, Got = -1;
    PMPI_Irecv(&Got, 1, MPI_INT, R.previous(), 4, R.Comm, &In);
    PMPI_Isend(&Given, 1, MPI_INT, R.next(), 4, R.Comm, &Out);
    CF_CALL(R, Wait, wait, (&In, MPI_STATUS_IGNORE), ());
    CF_CALL(R, Wait, wait, (&Out, MPI_STATUS_IGNORE), ());
    EXPECT_EQ(Got, R.previous());
  });
}

/// Any order of entering and taking out; several records for one handle.
TEST(Completion, RequestTable) {
  RequestTable Table;
  std::mt19937 Random(7);
  std::vector<cf_mpi_record> Records(400);
  std::vector<MPI_Request> Handles(Records.size() / 2);
  for (MPI_Request &Handle : Handles)
    PMPI_Irecv(nullptr, 0, MPI_INT, 0, 999, MPI_COMM_SELF, &Handle);
  std::vector<std::pair<MPI_Request, cf_mpi_record *>> Entries;
  for (std::size_t I = 0; I < Records.size(); ++I)
    Entries.emplace_back(Handles[I / 2], &Records[I]);
  for (int Round = 0; Round < 20; ++Round) {
    std::shuffle(Entries.begin(), Entries.end(), Random);
    for (const auto &[Handle, Record] : Entries)
      Table.put(Handle, Record);
    EXPECT_EQ(Table.size(), Entries.size());
    const cf_mpi_record *Forgotten = Entries[Random() % Entries.size()].second;
    Table.forget(Forgotten);
    std::shuffle(Entries.begin(), Entries.end(), Random);
    std::set<const cf_mpi_record *> Taken = {Forgotten, nullptr};
    for (const auto &[Handle, Record] : Entries)
      if (const cf_mpi_record *Found = Table.take(Handle)) {
        EXPECT_EQ(Handle, Handles[static_cast<std::size_t>(Found - Records.data()) / 2]);
        EXPECT_TRUE(Taken.insert(Found).second);
      }
    EXPECT_EQ(Taken.size(), Entries.size() + 1);
    EXPECT_EQ(Table.size(), 0U);
  }
  EXPECT_EQ(Table.take(MPI_REQUEST_NULL), nullptr);
  for (MPI_Request &Handle : Handles) {
    PMPI_Cancel(&Handle);
    PMPI_Wait(&Handle, MPI_STATUS_IGNORE);
  }
}

/// While the reverse of what lies between start and completion runs, messages are on their way:
/// here they arrive before anybody has come to the reverse of a start.
TEST(Completion, ReverseOverlaps) {
  constexpr int Large = 200000; // not sent at once by any library
  std::vector<double> Out(Large, 1), In(Large), OutBar(Large, 0), InBar(Large, 3);
  int Rank = 0, Size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  cf_tape *Tape = cf_v1_tape_begin();
  void *Frame = cf_v1_tape_reserve(Tape, 0);
  MPI_Request Open[2];
  cf_mpi_record *Sent = nullptr, *Received = nullptr, *Completed = nullptr;
  cf_v1_mpi_irecv_augment(In.data(), Large, MPI_DOUBLE, (Rank + Size - 1) % Size, 0, MPI_COMM_WORLD,
                          &Open[0], InBar.data(), Tape, &Received);
  cf_v1_mpi_isend_augment(Out.data(), Large, MPI_DOUBLE, (Rank + 1) % Size, 0, MPI_COMM_WORLD,
                          &Open[1], OutBar.data(), Tape, &Sent);
  cf_v1_mpi_waitall_augment(2, Open, MPI_STATUSES_IGNORE, Tape, &Completed);
  cf_v1_mpi_waitall_adjoint(Completed);
  const double Start = MPI_Wtime();
  int Arrived = 0;
  while (!Arrived && MPI_Wtime() - Start < 20)
    PMPI_Request_get_status(static_cast<contraflow::mpi::Message *>(Sent)->Request, &Arrived,
                            MPI_STATUS_IGNORE);
  EXPECT_TRUE(Arrived);
  int All = 0; // nobody goes on before all have seen it
  MPI_Allreduce(&Arrived, &All, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  EXPECT_TRUE(All);
  cf_v1_mpi_isend_adjoint(Sent);
  cf_v1_mpi_irecv_adjoint(Received);
  EXPECT_EQ(OutBar[Large - 1], 3);
  EXPECT_EQ(InBar[0], 0);
  cf_v1_tape_release(Tape, Frame);
  cf_v1_tape_end(Tape);
}

} // namespace
