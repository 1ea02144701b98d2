// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/Fail.h"

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace contraflow;

TEST(FailDeathTest, PrintsAndAborts) {
  EXPECT_EXIT(cf_v1_fail("the river runs dry"), testing::KilledBySignal(SIGABRT),
              "^contraflow: error: the river runs dry \\(thread 0\\)\n$");
}

TEST(FailDeathTest, NumberedSentenceWithDetailsPlaceAndAdvice) {
  EXPECT_EXIT(fail(ErrorId::TapeBudget, "512.0 MiB", "640.0 MiB"), testing::KilledBySignal(SIGABRT),
              "^contraflow: error: \\[CF301\\] tape budget of 512.0 MiB exceeded: 640.0 MiB needed "
              "\\(thread 0\\); raise CONTRAFLOW_TAPE_BUDGET .*\n$");
}

TEST(FailDeathTest, TeamsOfSeveralThreads) {
  cf_v1_team_of_one(0);
  cf_v1_team_of_one(1);
  EXPECT_EXIT(cf_v1_team_of_one(3), testing::KilledBySignal(SIGABRT),
              "\\[CF333\\] a kernel makes teams of 3 threads");
}

TEST(FailDeathTest, NamesRankAndThread) {
  const auto Die = [] {
    cf_set_rank_hook([] { return 3; });
    setThreadNumberHook([] { return 7; });
    fail(ErrorId::Internal, "100% of %2");
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT),
              "internal fault: 100% of %2 \\(rank 3, thread 7\\); please");
}

TEST(FailDeathTest, NegativeRankIsNoRank) {
  const auto Die = [] {
    cf_set_rank_hook([] { return -1; });
    cf_v1_fail("x");
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "x \\(thread 0\\)");
}

TEST(FailDeathTest, HookEndsTheProgramWithTheStatus) {
  const auto Die = [] {
    cf_set_abort_hook([](int Status) { std::_Exit(Status - 100); });
    cf_v1_fail("x");
  };
  EXPECT_EXIT(Die(), testing::ExitedWithCode(34), "x \\(thread 0\\)");
}

TEST(FailDeathTest, HookThatReturnsStillAborts) {
  const auto Die = [] {
    cf_set_abort_hook([](int) {});
    cf_v1_fail("x");
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "x \\(thread 0\\)");
}

TEST(FailDeathTest, HookThatFailsAborts) {
  const auto Die = [] {
    cf_set_abort_hook([](int) { cf_v1_fail("again"); });
    cf_v1_fail("x");
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "^contraflow: error: x \\(thread 0\\)\n$");
}

TEST(FailDeathTest, ManyThreadsPrintOneMessage) {
  const auto Die = [] {
    std::vector<std::jthread> Threads;
    for (int T = 0; T < 8; ++T)
      Threads.emplace_back([] { cf_v1_fail("together"); });
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT),
              "^contraflow: error: together \\(thread 0\\)\n$");
}
