// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that can fork teams, linked with the runtime for programs without OpenMP.

#include "contraflow/abi.h"

#include <gtest/gtest.h>

/// In place of libomp's.
extern "C" void __kmpc_fork_call() {}

TEST(AbsentDeathTest, ATeamBegins) {
  EXPECT_EXIT(cf_v1_omp_team_begin(cf_v1_tape_begin()), testing::KilledBySignal(SIGABRT),
              "CF398. the program forks teams of OpenMP");
}

TEST(AbsentDeathTest, AThreadAsksForItsTape) {
  cf_tape *Tape = cf_v1_tape_begin();
  EXPECT_EXIT(cf_v1_omp_team_tape(cf_v1_omp_team_sized(Tape, 1)), testing::KilledBySignal(SIGABRT),
              "CF398");
}
