// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

namespace {

// A forked copy of a process with OpenMP threads has none of them: start the program anew.
class TeamDeathTest : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

} // namespace

/// In place of libomptarget's: device 7 holds everything.
extern "C" int omp_target_is_present(const void *, int Device) { return Device == 7; }

TEST_F(TeamDeathTest, ReverseTeamOfAnotherSize) {
  const auto Die = [] {
    cf_team *Team = cf_v1_omp_team_begin(cf_v1_tape_begin());
#pragma omp parallel num_threads(3)
    cf_v1_omp_team_store(Team, nullptr);
#pragma omp parallel num_threads(2)
    cf_v1_omp_team_check(Team);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT),
              "CF305. the reverse of a parallel region got a team of 2, its forward sweep had 3 "
              ".thread [01].; do not change the number of threads");
}

TEST_F(TeamDeathTest, AnEventThatIsFulfilledTooLate) {
  const auto Die = [] {
    const int64_t First = cf_v1_omp_event_make(), Second = cf_v1_omp_event_make();
    cf_v1_omp_event_fulfil(Second);
    cf_v1_omp_event_fulfil(First);
    cf_v1_omp_event_wait(); // none is open
    cf_v1_omp_event_make();
    cf_v1_omp_event_wait();
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF350");
}

TEST_F(TeamDeathTest, MemoryThatADeviceHolds) {
  const int Value = 0;
  cf_v1_omp_target_check(&Value, omp_get_initial_device());
  cf_v1_omp_target_check(&Value, 8);
  cf_v1_omp_target_check(nullptr, 7);
  EXPECT_EXIT(cf_v1_omp_target_check(&Value, 7), testing::KilledBySignal(SIGABRT), "CF331");
}

TEST_F(TeamDeathTest, MemoryOfUnknownSize) {
  void *Given = omp_alloc(24, omp_default_mem_alloc);
  EXPECT_EQ(cf_v1_omp_block_bytes(Given), 24);
  EXPECT_EQ(cf_v1_omp_block_bytes(nullptr), 0);
  omp_free(Given, omp_default_mem_alloc);
  const double Own[16] = {};
  EXPECT_EXIT(cf_v1_omp_block_bytes(Own + 8), testing::KilledBySignal(SIGABRT), "CF399");
}

TEST_F(TeamDeathTest, PromisesAreChecked) {
  const auto Check = [](std::vector<int32_t> Order, int64_t Trip, int64_t Other) {
    const auto Base = reinterpret_cast<int64_t>(Order.data());
    const cf_promise Promise{{Base, 8, 8}, -4, 24, 1000, 1024};
    const cf_footprint Group{Other, 8, 8};
    cf_v1_omp_check_promise(&Promise, &Group, 1, Trip);
  };
  const std::vector<int32_t> Order{3, -1, 5, 0, 3, 7};
  Check(Order, 2, 2000);
  EXPECT_EXIT(Check(Order, 3, 2000), testing::KilledBySignal(SIGABRT),
              "CF351.* holds 3 twice, 16 bytes apart");
  Check(Order, 2, 960);
  EXPECT_EXIT(Check(Order, 2, 1136), testing::KilledBySignal(SIGABRT), "CF352");
}

TEST_F(TeamDeathTest, MessagesNameTheThread) {
  const auto Die = [] {
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 2)
      cf_v1_fail("here");
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "error: here .thread 2.");
}

TEST_F(TeamDeathTest, FramesLeftOnATeamsArena) {
  const auto Die = [] {
    cf_tape *Tape = cf_v1_tape_begin();
    cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 1)
        cf_v1_tape_reserve(cf_v1_omp_team_tape(Team), 4096);
    }
    cf_v1_omp_team_end(Team);
    cf_v1_tape_end(Tape);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF901.*left 4.0 KiB on its tape");
}

TEST_F(TeamDeathTest, BudgetCountsAllThreads) {
  const auto Die = [] {
    cf_tape_set_budget(INT64_C(64) << 20);
    cf_team *Team = cf_v1_omp_team_begin(cf_v1_tape_begin());
#pragma omp parallel num_threads(4)
    cf_v1_tape_reserve(cf_v1_omp_team_tape(Team), 20 << 20);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF301. tape budget of 64.0 MiB exceeded");
}
