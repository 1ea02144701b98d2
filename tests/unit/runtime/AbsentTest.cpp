// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without OpenMP that meets derivative code of parallel regions: a team of one, no
// libomp.

#include "contraflow/abi.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

TEST(Absent, NoOpenMPLibraryIsLinked) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "omp_get_thread_num"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "__kmpc_fork_call"), nullptr);
}

TEST(Absent, TeamOfOne) {
  cf_tape *Tape = cf_v1_tape_begin();
  cf_team *Team = cf_v1_omp_team_begin(Tape);
  cf_tape *Mine = cf_v1_omp_team_tape(Team);
  EXPECT_NE(Mine, Tape);
  auto *Frame = static_cast<double *>(cf_v1_tape_reserve(Mine, 8));
  *Frame = 42;
  cf_v1_omp_team_store(Team, Frame);
  cf_v1_omp_team_reverse(Team);
  cf_v1_omp_team_check(Team);
  EXPECT_EQ(cf_v1_omp_team_tape(Team), Mine);
  EXPECT_EQ(*static_cast<double *>(cf_v1_omp_team_frame(Team)), 42);
  EXPECT_EQ(cf_v1_omp_is_alone(), 1);
  std::thread([] { EXPECT_EQ(cf_v1_omp_is_only(), 0); }).join();
  cf_v1_omp_alone_begin();
  cf_v1_omp_barrier();
  cf_v1_team_meet_again(1);
  cf_v1_omp_alone_end();
  cf_v1_tape_release(Mine, Frame);
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
}

TEST(Absent, TurnsOfOneThread) {
  char Lock = 0;
  for (int Sweep = 0; Sweep < 2; ++Sweep) {
    for (int64_t Ticket = 0; Ticket < 5; ++Ticket)
      EXPECT_EQ(cf_v1_omp_turn_record(&Lock), Ticket);
    for (int64_t Ticket = 4; Ticket >= 0; --Ticket) {
      cf_v1_omp_turn_wait(&Lock, Ticket);
      cf_v1_omp_turn_done(&Lock, Ticket);
    }
  }
}

TEST(Absent, OnePhase) {
  const cf_footprint Shared{0, 8, 0};
  int64_t Overlap = 0;
  const int32_t Phases = cf_v1_omp_phases(&Shared, 1, 0, 100, &Overlap);
  EXPECT_EQ(Phases, 1);
  int64_t First = -1;
  int64_t Last = -1;
  cf_v1_omp_phase_range(0, Phases, Overlap, 100, &First, &Last);
  EXPECT_EQ(First, 0);
  EXPECT_EQ(Last, 99);
}
