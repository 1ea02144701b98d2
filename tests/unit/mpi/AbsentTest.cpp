// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without MPI: it has the symbols, and says what is missing when it gets to one.

#include "contraflow/abi.h"

#include <gtest/gtest.h>

namespace {

TEST(MpiAbsentDeathTest, SaysWhatIsMissing) {
  cf_mpi_record *Record = nullptr;
  EXPECT_DEATH(cf_v1_mpi_barrier_augment(nullptr, nullptr, &Record),
               "\\[CF310\\] mpi_barrier_augment was called.*without MPI");
  EXPECT_DEATH(cf_v1_mpi_waitall_adjoint(nullptr), "\\[CF310\\] mpi_waitall_adjoint");
}

} // namespace
