// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that communicate at the same time, each with its own tape, the same peers and tags of its
// own or the same tag on a communicator of its own.

#include "Harness.h"

#include <thread>

using namespace contraflow::test;

namespace {

constexpr int Threads = 2;
constexpr int Steps = 50;

/// s goes round the ring `Steps` times; the adjoint comes all the way back.
void ring(MPI_Comm Comm, int Tag) {
  State X = {}, Bar = {};
  Execution R(Mode::Adjoint, X, Bar, Comm);
  X.D[0] = 100 * R.Rank + Tag;
  Bar.D[0] = 1000 * R.Rank + Tag;
  for (int I = 0; I < Steps; ++I) {
    MPI_Request Q[2];
    CF_CALL(R, Irecv, irecv, (X.D + 1, 1, MPI_DOUBLE, R.previous(), Tag, Comm, &Q[0]), (Bar.D + 1));
    CF_CALL(R, Isend, isend, (X.D, 1, MPI_DOUBLE, R.next(), Tag, Comm, &Q[1]), (Bar.D));
    CF_CALL(R, Waitall, waitall, (2, Q, MPI_STATUSES_IGNORE), ());
    R.scale(X.D, 1, 0);
    R.addTo(X.D, X.D + 1, 1);
  }
  const int From = ((R.Rank - Steps) % R.Size + R.Size) % R.Size;
  const int To = (R.Rank + Steps) % R.Size;
  EXPECT_EQ(X.D[0], 100 * From + Tag);
  R.reverse();
  EXPECT_EQ(Bar.D[0], 1000 * To + Tag);
}

class ThreadsTest : public testing::Test {
protected:
  void SetUp() override {
    int Provided = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&Provided);
    if (Provided < MPI_THREAD_MULTIPLE)
      GTEST_SKIP() << "this MPI library does not allow several threads";
  }
  void TearDown() override { expectNothingLeft(MPI_COMM_WORLD); }
};

TEST_F(ThreadsTest, TagsOfTheirOwn) {
  std::vector<std::thread> Team;
  for (int T = 0; T < Threads; ++T)
    Team.emplace_back([T] { ring(MPI_COMM_WORLD, T); });
  for (std::thread &T : Team)
    T.join();
}

TEST_F(ThreadsTest, CommunicatorsOfTheirOwn) {
  MPI_Comm Comms[Threads];
  for (MPI_Comm &C : Comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &C);
  std::vector<std::thread> Team;
  for (MPI_Comm C : Comms)
    Team.emplace_back([C] { ring(C, 5); });
  for (std::thread &T : Team)
    T.join();
  for (MPI_Comm &C : Comms)
    MPI_Comm_free(&C);
}

} // namespace
