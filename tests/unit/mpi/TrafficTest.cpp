// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a call sends as many messages and bytes as the call. The linker brings the calls
// that move data here, those of the runtime as well.

#include "Harness.h"

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

constexpr int Length = 1000;

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
