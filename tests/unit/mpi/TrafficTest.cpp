// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a call sends as many messages and bytes as the call, or fewer bytes where values
// are left on a shelf. The linker brings the calls that move data here, those of the runtime as
// well.

#include "Harness.h"

#include "mpi/Shelf.h"

#include <numeric>

namespace {

/// What this rank has handed to MPI.
struct Traffic {
  long Calls = 0, Bytes = 0;
};
Traffic Sent;

void count(long Values, MPI_Datatype Type) {
  int Size = 0;
  PMPI_Type_size(Type, &Size);
  ++Sent.Calls;
  Sent.Bytes += Values * Size;
}

int ranks(MPI_Comm Comm) {
  int Size = 0;
  PMPI_Comm_size(Comm, &Size);
  return Size;
}

} // namespace

#define CF_COUNTED(Function, Params, Args, Values, Type)                                           \
  extern "C" int __real_PMPI_##Function Params;                                                    \
  extern "C" int __wrap_PMPI_##Function Params {                                                   \
    count(Values, Type);                                                                           \
    return __real_PMPI_##Function Args;                                                            \
  }                                                                                                \
  static_assert(true)

CF_COUNTED(Isend,
           (const void *Data, int Count, MPI_Datatype Type, int Peer, int Tag, MPI_Comm Comm,
            MPI_Request *Request),
           (Data, Count, Type, Peer, Tag, Comm, Request), Count, Type);
CF_COUNTED(Bcast, (void *Data, int Count, MPI_Datatype Type, int Root, MPI_Comm Comm),
           (Data, Count, Type, Root, Comm), Count, Type);
CF_COUNTED(Reduce,
           (const void *In, void *Out, int Count, MPI_Datatype Type, MPI_Op Op, int Root,
            MPI_Comm Comm),
           (In, Out, Count, Type, Op, Root, Comm), Count, Type);
CF_COUNTED(Allreduce,
           (const void *In, void *Out, int Count, MPI_Datatype Type, MPI_Op Op, MPI_Comm Comm),
           (In, Out, Count, Type, Op, Comm), Count, Type);
CF_COUNTED(Alltoallv,
           (const void *Out, const int *Counts, const int *Starts, MPI_Datatype Type, void *In,
            const int *InCounts, const int *InStarts, MPI_Datatype InType, MPI_Comm Comm),
           (Out, Counts, Starts, Type, In, InCounts, InStarts, InType, Comm),
           std::accumulate(Counts, Counts + ranks(Comm), 0L), Type);

namespace {

constexpr int Length = 60; // shorter than what goes to a shelf

class TrafficTest : public testing::Test {
protected:
  TrafficTest() {
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
    Size = ranks(MPI_COMM_WORLD);
    Tape = cf_v1_tape_begin();
    Bottom = cf_v1_tape_reserve(Tape, 0);
  }
  ~TrafficTest() override {
    cf_v1_tape_release(Tape, Bottom);
    cf_v1_tape_end(Tape);
  }

  /// What all ranks send while Do runs.
  template <class Action> static Traffic during(Action Do) {
    Sent = {};
    Do();
    long Found[] = {Sent.Calls, Sent.Bytes};
    __real_PMPI_Allreduce(MPI_IN_PLACE, Found, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return {Found[0], Found[1]};
  }
  template <class Forward, class Reverse> static void expectSame(Forward There, Reverse Back) {
    const Traffic F = during(There), R = during(Back);
    EXPECT_GT(F.Bytes, 0);
    EXPECT_EQ(R.Calls, F.Calls);
    EXPECT_EQ(R.Bytes, F.Bytes);
  }

  int Rank = 0, Size = 1;
  std::vector<double> X = std::vector<double>(Length), XBar = X, Y = X, YBar = X;
  cf_tape *Tape;
  void *Bottom;
  cf_mpi_record *Records[3] = {};
};

TEST_F(TrafficTest, Messages) {
  const int Next = (Rank + 1) % Size, Previous = (Rank + Size - 1) % Size;
  MPI_Request Open[2];
  expectSame(
      [&] {
        cf_v1_mpi_irecv_augment(Y.data(), Length, MPI_DOUBLE, Previous, 1, MPI_COMM_WORLD, &Open[0],
                                YBar.data(), Tape, &Records[0]);
        cf_v1_mpi_isend_augment(X.data(), Length, MPI_DOUBLE, Next, 1, MPI_COMM_WORLD, &Open[1],
                                XBar.data(), Tape, &Records[1]);
        cf_v1_mpi_waitall_augment(2, Open, MPI_STATUSES_IGNORE, Tape, &Records[2]);
      },
      [&] {
        cf_v1_mpi_waitall_adjoint(Records[2]);
        cf_v1_mpi_isend_adjoint(Records[1]);
        cf_v1_mpi_irecv_adjoint(Records[0]);
      });
}

/// Many at a time, of several sizes, twice: what has been taken is used again.
TEST_F(TrafficTest, ShelvesOfAMachine) {
  constexpr int Open = 24, Most = 1 << 14;
  const int Next = (Rank + 1) % Size, Previous = (Rank + Size - 1) % Size;
  std::vector<double> Out(Most), OutBar(Open * Most), In(Open * Most), InBar(Open * Most);
  cf_mpi_record *All[2 * Open + 1] = {};
  const auto lengthOf = [](int I) { return 100 + I * I * (Most - 100) / (Open * Open); };
  for (int Turn = 0; Turn < 2; ++Turn) {
    std::fill(OutBar.begin(), OutBar.end(), 0.5);
    std::iota(InBar.begin(), InBar.end(), 1000000.0 * Rank);
    MPI_Request Requests[2 * Open];
    const Traffic There = during([&] {
      for (int I = 0; I < Open; ++I) {
        cf_v1_mpi_irecv_augment(&In[I * Most], lengthOf(I), MPI_DOUBLE, Previous, I, MPI_COMM_WORLD,
                                &Requests[2 * I], &InBar[I * Most], Tape, &All[2 * I]);
        cf_v1_mpi_isend_augment(Out.data(), lengthOf(I), MPI_DOUBLE, Next, I, MPI_COMM_WORLD,
                                &Requests[2 * I + 1], &OutBar[I * Most], Tape, &All[2 * I + 1]);
      }
      cf_v1_mpi_waitall_augment(2 * Open, Requests, MPI_STATUSES_IGNORE, Tape, &All[2 * Open]);
    });
    const Traffic Back = during([&] {
      cf_v1_mpi_waitall_adjoint(All[2 * Open]);
      for (int I = Open - 1; I >= 0; --I) {
        cf_v1_mpi_isend_adjoint(All[2 * I + 1]);
        cf_v1_mpi_irecv_adjoint(All[2 * I]);
      }
    });
    EXPECT_EQ(Back.Calls, There.Calls);
    if (contraflow::mpi::Shelf::least() <= 100 * static_cast<std::int64_t>(sizeof(double)))
      EXPECT_EQ(Back.Bytes, Back.Calls * static_cast<long>(sizeof(contraflow::mpi::Shelf::Note)));
    for (int I = 0; I < Open * Most; ++I) {
      const bool Moved = I % Most < lengthOf(I / Most);
      ASSERT_EQ(OutBar[I], Moved ? 0.5 + 1000000.0 * Next + I : 0.5);
      ASSERT_EQ(InBar[I], Moved ? 0 : 1000000.0 * Rank + I);
    }
  }
}

TEST_F(TrafficTest, ColumnsOfAMatrix) {
  MPI_Datatype Column;
  MPI_Type_vector(Length / 10, 1, 10, MPI_DOUBLE, &Column);
  MPI_Type_commit(&Column);
  expectSame(
      [&] {
        cf_v1_mpi_sendrecv_augment(X.data(), 1, Column, (Rank + 1) % Size, 2, Y.data(), 1, Column,
                                   (Rank + Size - 1) % Size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE,
                                   XBar.data(), YBar.data(), Tape, &Records[0]);
      },
      [&] { cf_v1_mpi_sendrecv_adjoint(Records[0]); });
  MPI_Type_free(&Column);
}

TEST_F(TrafficTest, Bcast) {
  expectSame(
      [&] {
        cf_v1_mpi_bcast_augment(X.data(), Length, MPI_DOUBLE, 0, MPI_COMM_WORLD, XBar.data(), Tape,
                                &Records[0]);
      },
      [&] { cf_v1_mpi_bcast_adjoint(Records[0]); });
}

TEST_F(TrafficTest, Allreduce) {
  expectSame(
      [&] {
        cf_v1_mpi_allreduce_augment(X.data(), Y.data(), Length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                    XBar.data(), YBar.data(), Tape, &Records[0]);
      },
      [&] { cf_v1_mpi_allreduce_adjoint(Records[0]); });
}

TEST_F(TrafficTest, Alltoallv) {
  std::vector<int> Counts(Size, Length / Size), Starts(Size);
  for (int I = 0; I < Size; ++I)
    Starts[I] = I * (Length / Size);
  expectSame(
      [&] {
        cf_v1_mpi_alltoallv_augment(X.data(), Counts.data(), Starts.data(), MPI_DOUBLE, Y.data(),
                                    Counts.data(), Starts.data(), MPI_DOUBLE, MPI_COMM_WORLD,
                                    XBar.data(), YBar.data(), Tape, &Records[0]);
      },
      [&] { cf_v1_mpi_alltoallv_adjoint(Records[0]); });
}

} // namespace
