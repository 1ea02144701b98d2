// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GoogleTest under mpirun. Rank 0 reports; the other ranks speak only of failures.

#include <cstdio>
#include <gtest/gtest.h>
#include <mpi.h>

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult &Result) override {
    if (Result.failed())
      std::fprintf(stderr, "%s:%d: %s\n", Result.file_name() ? Result.file_name() : "?",
                   Result.line_number(), Result.message());
  }
};

} // namespace

int main(int Count, char **Words) {
  int Provided = 0, Rank = 0;
  MPI_Init_thread(&Count, &Words, MPI_THREAD_MULTIPLE, &Provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  testing::InitGoogleTest(&Count, Words);
  if (Rank != 0) {
    auto &Listeners = testing::UnitTest::GetInstance()->listeners();
    delete Listeners.Release(Listeners.default_result_printer());
    Listeners.Append(new FailuresOnly);
  }
  int Failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &Failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return Failed;
}
