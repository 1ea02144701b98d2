// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks and their reverses as compiled derivative code would run them: what is reversed is a
// calculation that does not commute, so any other order than the opposite one shows.

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

namespace {

// libomp's description of what a task depends on.
struct Dependence {
  void *Address;
  size_t Bytes;
  uint8_t Kind;
};

// x = x * factor + 1; a reverse that depends on the order as well.
struct Step {
  double *X, *XBar;
  double Factor;
  int Children; // each of them scales a number of its own
  std::vector<double> *Own;
};

struct Frame {
  Step *S;
  std::vector<cf_task *> *Children;
};

void *childForward(int32_t, void *Number, void *, cf_tape *Tape) {
  *static_cast<double *>(Number) *= 3;
  return cf_v1_tape_reserve(Tape, 16);
}

void childReverse(void *Own, cf_tape *Tape) { cf_v1_tape_release(Tape, Own); }

// The children are not waited for by their maker.
void *forward(int32_t, void *Memory, void *, cf_tape *Tape) {
  auto *S = static_cast<Step *>(Memory);
  auto *F = static_cast<Frame *>(cf_v1_tape_reserve(Tape, sizeof(Frame)));
  *F = {S, new std::vector<cf_task *>};
  *S->X = *S->X * S->Factor + 1;
  for (int I = 0; I < S->Children; ++I) {
    cf_task *T = cf_v1_omp_task_begin(Tape, childForward, childReverse, 1);
    F->Children->push_back(T);
    cf_v1_omp_task_run(T, &(*S->Own)[static_cast<size_t>(I)], nullptr, 0, nullptr);
  }
  return F;
}

void reverse(void *Memory, cf_tape *Tape) {
  auto *F = static_cast<Frame *>(Memory);
  for (size_t I = F->Children->size(); I-- > 0;)
    cf_v1_omp_task_reverse((*F->Children)[I], Tape);
  delete F->Children;
  *F->S->XBar = *F->S->XBar * F->S->Factor + 0.5; // in the wrong order, the result is another
  cf_v1_tape_release(Tape, F);
}

constexpr uint8_t InOut = 3;

TEST(Tasks, AreReversedInTheOppositeOrder) {
  for (int Threads : {1, 2, 4, 8}) {
    constexpr int N = 40;
    std::vector<double> Own(4, 1);
    std::vector<Step> Steps(N);
    double X[2] = {1, 2}, XBar[2] = {1, 1}, Expected[2] = {1, 2}, ExpectedBar[2] = {1, 1};
    for (int I = 0; I < N; ++I)
      Steps[static_cast<size_t>(I)] = {&X[I % 2], &XBar[I % 2], 1 + 0.01 * (I % 7), I == 5 ? 4 : 0,
                                       &Own};
    for (int I = 0; I < N; ++I)
      Expected[I % 2] = Expected[I % 2] * (1 + 0.01 * (I % 7)) + 1;
    for (int I = N; I-- > 0;)
      ExpectedBar[I % 2] = ExpectedBar[I % 2] * (1 + 0.01 * (I % 7)) + 0.5;

    cf_tape *Root = cf_v1_tape_begin();
    cf_team *Team = cf_v1_omp_team_sized(Root, Threads);
    std::vector<cf_task *> Made;
#pragma omp parallel num_threads(Threads)
    {
      cf_tape *Tape = cf_v1_omp_team_tape(Team);
      void *Mark = cf_v1_tape_reserve(Tape, 16);
      if (omp_get_thread_num() == 0)
        for (Step &S : Steps) {
          const Dependence D{S.X, sizeof(double), InOut};
          Made.push_back(cf_v1_omp_task_begin(Tape, forward, reverse, 1));
          cf_v1_omp_task_run(Made.back(), &S, nullptr, 1, &D);
        }
      cf_v1_omp_team_store(Team, Mark);
    }
    cf_v1_omp_team_reverse(Team);
#pragma omp parallel
    {
      cf_v1_omp_team_check(Team);
      void *Mark = cf_v1_omp_team_frame(Team);
      cf_tape *Tape = cf_v1_omp_team_tape(Team);
      if (omp_get_thread_num() == 0)
        for (size_t I = Made.size(); I-- > 0;)
          cf_v1_omp_task_reverse(Made[I], Tape);
      cf_v1_tape_release(Tape, Mark);
    }
    cf_v1_omp_team_end(Team);
    cf_v1_tape_end(Root);
    for (int I : {0, 1}) {
      EXPECT_DOUBLE_EQ(X[I], Expected[I]) << Threads;
      EXPECT_DOUBLE_EQ(XBar[I], ExpectedBar[I]) << Threads;
    }
    EXPECT_EQ(Own, std::vector<double>(4, 3)) << Threads;
  }
}

TEST(Tasks, ALoopHasAsManyAsItAsksFor) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    EXPECT_EQ(cf_v1_omp_task_pieces(100, 1, 1, 7), 14);
    EXPECT_EQ(cf_v1_omp_task_pieces(100, 1, 2, 7), 7);
    EXPECT_EQ(cf_v1_omp_task_pieces(3, 1, 2, 7), 3);
    EXPECT_EQ(cf_v1_omp_task_pieces(3, 1, 1, 7), 1);
    EXPECT_EQ(cf_v1_omp_task_pieces(100, 0, 1, 7), 1);
    EXPECT_EQ(cf_v1_omp_task_pieces(0, 1, 0, 0), 1);
  }
  EXPECT_EQ(cf_v1_omp_task_pieces(100, 1, 1, 7), 1);
}

} // namespace
