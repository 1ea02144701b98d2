// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tape through its C interface: frames are disjoint, aligned, keep their contents, and go in
// the reverse of the order in which they came.

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include "tape/Arena.h"
#include "tape/Chunk.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

extern "C" int64_t highWaterOfOneFrameInC(int64_t bytes);

namespace {

constexpr int64_t KiB = 1024;
constexpr int64_t MiB = 1024 * KiB;

using Statistics = struct cf_tape_statistics;

Statistics statistics() {
  Statistics Result;
  cf_tape_statistics(&Result);
  return Result;
}

class Tape : public testing::Test {
protected:
  void SetUp() override {
    cf_tape_statistics_reset();
    T = cf_v1_tape_begin();
    Bottom = cf_v1_tape_reserve(T, 0);
  }
  void TearDown() override {
    cf_v1_tape_release(T, Bottom);
    cf_v1_tape_end(T);
    cf_tape_set_budget(0);
  }
  char *reserve(int64_t Bytes) { return static_cast<char *>(cf_v1_tape_reserve(T, Bytes)); }

  cf_tape *T = nullptr;
  void *Bottom = nullptr;
};

// A frame filled with a pattern of its own.
struct Frame {
  char *Data;
  int64_t Bytes;
  unsigned char Mark;

  void fill() const { std::memset(Data, Mark, static_cast<size_t>(Bytes)); }
  bool intact() const {
    return std::all_of(Data, Data + Bytes,
                       [this](char C) { return static_cast<unsigned char>(C) == Mark; });
  }
};

int64_t randomBytes(std::mt19937 &Random) {
  const int64_t Most[] = {64, 2000, 100 * KiB, 3 * MiB};
  const auto Size = Most[std::discrete_distribution<size_t>{60, 30, 9, 1}(Random)];
  return std::uniform_int_distribution<int64_t>(0, Size)(Random);
}

} // namespace

TEST_F(Tape, FramesAreAlignedAndAdjacent) {
  char *A = reserve(1);
  char *B = reserve(17);
  char *C = reserve(0);
  char *D = reserve(16);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(A) % 16, 0U);
  EXPECT_EQ(B - A, 16);
  EXPECT_EQ(C - B, 32);
  EXPECT_EQ(D, C);
  EXPECT_EQ(T->top, D + 16);
}

TEST_F(Tape, ReleaseDropsAllThatIsYounger) {
  char *A = reserve(100);
  char *B = reserve(100);
  reserve(10 * MiB);
  reserve(100);
  cf_v1_tape_release(T, B);
  EXPECT_EQ(reserve(100), B);
  cf_v1_tape_release(T, A);
  EXPECT_EQ(reserve(100), A);
}

TEST_F(Tape, CompiledCodeMayReserveInline) {
  char *A = reserve(32);
  ASSERT_GE(T->limit - T->top, 48);
  char *Inline = T->top;
  T->top += 48;
  EXPECT_EQ(Inline, A + 32);
  EXPECT_EQ(reserve(16), Inline + 48);
  cf_v1_tape_release(T, Inline);
  EXPECT_EQ(T->top, Inline);
  EXPECT_EQ(statistics().high_water_bytes, 96);
}

TEST_F(Tape, LargeFramesAreWritableToTheirEnds) {
  for (const int64_t Bytes : {64 * KiB - 64, 64 * KiB, 2 * MiB, 64 * MiB, 65 * MiB + 5}) {
    char *F = reserve(Bytes);
    F[0] = 1;
    F[Bytes - 1] = 2;
    EXPECT_LE(F + Bytes, T->limit);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(F) % 16, 0U);
  }
}

TEST_F(Tape, ChunksGrowSoThatTheyStayFew) {
  const int64_t Before = statistics().chunks;
  for (int I = 0; I < 200 * 1024; ++I)
    reserve(KiB);
  // 64 KiB to 32 MiB, then 64 MiB each.
  EXPECT_LE(statistics().chunks - Before, 14);
  EXPECT_LE(statistics().reserved_bytes, 300 * MiB);
}

TEST_F(Tape, RandomFramesKeepTheirContents) {
  const unsigned Seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  std::vector<Frame> Frames;
  int64_t Used = 0;
  int64_t Most = 0;
  const auto Bytes = [](const Frame &F) { return (F.Bytes + 15) / 16 * 16; };
  for (int Step = 0; Step < 20000; ++Step) {
    if (Frames.empty() || Random() % 100 < 55) {
      const int64_t Size = randomBytes(Random);
      Frames.push_back({reserve(Size), Size, static_cast<unsigned char>(Random())});
      Frames.back().fill();
      Used += Bytes(Frames.back());
      Most = std::max(Most, Used);
      continue;
    }
    const size_t Keep = Frames.size() - 1 - Random() % std::min<size_t>(Frames.size(), 20);
    for (size_t I = Keep; I < Frames.size(); ++I) {
      ASSERT_TRUE(Frames[I].intact()) << "step " << Step;
      Used -= Bytes(Frames[I]);
    }
    cf_v1_tape_release(T, Frames[Keep].Data);
    Frames.resize(Keep);
  }
  for (const Frame &F : Frames)
    ASSERT_TRUE(F.intact());
  EXPECT_EQ(statistics().high_water_bytes, Most);
}

TEST_F(Tape, HighWaterOutlivesRelease) {
  reserve(1000 * KiB);
  reserve(500 * KiB);
  cf_v1_tape_release(T, Bottom);
  reserve(200 * KiB);
  EXPECT_EQ(statistics().high_water_bytes, 1500 * KiB);
  cf_tape_statistics_reset();
  EXPECT_EQ(statistics().high_water_bytes, 200 * KiB);
}

TEST_F(Tape, FramesAreCounted) {
  const int64_t Before = statistics().frames;
  for (int I = 0; I < 1000; ++I)
    reserve(1000);
  EXPECT_EQ(statistics().frames - Before, 1000);
}

TEST_F(Tape, TheChunkReleasedLastStaysAtHand) {
  const auto HeldNow = [] {
    cf_tape_statistics_reset();
    return statistics().reserved_bytes;
  };
  const int64_t First = HeldNow();
  reserve(MiB);
  cf_v1_tape_release(T, Bottom);
  EXPECT_GE(HeldNow(), First + MiB);
  // Until another one takes its place, or the call ends.
  reserve(64 * KiB);
  cf_v1_tape_release(T, Bottom);
  EXPECT_LT(HeldNow(), First + MiB);
  reserve(MiB);
  cf_v1_tape_release(T, Bottom);
  cf_v1_tape_end(T);
  EXPECT_EQ(HeldNow(), First);
  cf_v1_tape_begin();
}

TEST_F(Tape, TheSameFramesTakeTheSameChunksAgain) {
  const auto Sweep = [&] {
    cf_tape_statistics_reset();
    for (int I = 0; I < 50; ++I)
      std::memset(reserve(I * 37 * KiB), I, static_cast<size_t>(I * 37 * KiB));
    cf_v1_tape_release(T, Bottom);
    return statistics();
  };
  const Statistics First = Sweep();
  const Statistics Second = Sweep();
  EXPECT_EQ(First.chunks, Second.chunks);
  // The second sweep may find the last chunk of the first one at hand while it takes its first.
  EXPECT_LE(std::abs(First.reserved_bytes - Second.reserved_bytes), 64 * MiB);
}

TEST_F(Tape, CallsNestOnOneArena) {
  char *Outer = reserve(64);
  cf_tape *Inner = cf_v1_tape_begin();
  EXPECT_EQ(Inner, T);
  void *F = cf_v1_tape_reserve(Inner, 64);
  cf_v1_tape_release(Inner, F);
  cf_v1_tape_end(Inner); // Outer is still on the tape: only the outermost end checks
  EXPECT_EQ(reserve(64), Outer + 64);
}

TEST_F(Tape, EveryThreadHasItsOwn) {
  std::vector<cf_tape *> Tapes(8);
  std::vector<std::jthread> Threads;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([&Tapes, I] {
      cf_tape *Mine = cf_v1_tape_begin();
      Tapes[static_cast<size_t>(I)] = Mine;
      void *Start = cf_v1_tape_reserve(Mine, 0);
      for (int N = 0; N < 200; ++N) {
        const Frame F{static_cast<char *>(cf_v1_tape_reserve(Mine, 3000)), 3000,
                      static_cast<unsigned char>(I)};
        F.fill();
        ASSERT_TRUE(F.intact());
      }
      cf_v1_tape_release(Mine, Start);
      cf_v1_tape_end(Mine);
    });
  Threads.clear();
  // What the threads have used is known after they have ended.
  EXPECT_EQ(statistics().high_water_bytes, 8 * 200 * 3008);
}

TEST_F(Tape, BudgetIsReported) {
  cf_tape_set_budget(7 * MiB);
  EXPECT_EQ(statistics().budget_bytes, 7 * MiB);
  cf_tape_set_budget(0);
  EXPECT_GT(statistics().budget_bytes, 64 * MiB);
}

TEST_F(Tape, ReleasedChunksDoNotCountAgainstTheBudget) {
  cf_tape_set_budget(40 * MiB);
  for (int Round = 0; Round < 5; ++Round) {
    // 20 MiB at a time, as one frame and as many.
    reserve(20 * MiB);
    cf_v1_tape_release(T, Bottom);
    for (int I = 0; I < 20; ++I)
      reserve(MiB);
    cf_v1_tape_release(T, Bottom);
  }
  // Another thread may have what this one has given back.
  std::jthread([] {
    cf_tape *Mine = cf_v1_tape_begin();
    cf_v1_tape_release(Mine, cf_v1_tape_reserve(Mine, 20 * MiB));
    cf_v1_tape_end(Mine);
  }).join();
}

TEST(TapeInC, OneFrame) { EXPECT_EQ(highWaterOfOneFrameInC(100), 112); }

/// Of this process, what the system may take at any time; negative if it does not say.
int64_t lazilyFreedKiB() {
  std::ifstream File("/proc/self/smaps_rollup");
  for (std::string Word; File >> Word;)
    if (Word == "LazyFree:") {
      int64_t Number = -1;
      File >> Number;
      return Number;
    }
  return -1;
}

/// Fills so many chunks of 2 MiB, and gives them back.
void useChunks(contraflow::ChunkPool &Pool, int Count) {
  std::vector<contraflow::Chunk *> Chunks;
  for (int I = 0; I < Count; ++I) {
    Chunks.push_back(Pool.take(2 * MiB));
    std::memset(Chunks.back()->begin(), 1, static_cast<size_t>(2 * MiB - 64));
  }
  for (contraflow::Chunk *C : Chunks)
    Pool.give(C);
}

TEST(TapeChunks, TheSystemIsToldOfLargeIdleMemoryOnly) {
  const int64_t Before = lazilyFreedKiB();
  if (Before < 0)
    GTEST_SKIP() << "the system does not count what it may take";
  contraflow::ChunkPool Pool;
  for (int Round = 0; Round < 3; ++Round)
    useChunks(Pool, 9);
  EXPECT_LE(lazilyFreedKiB(), Before);
  useChunks(Pool, 30);
  EXPECT_GT(lazilyFreedKiB(), Before);
  for (int Round = 0; Round < 3; ++Round)
    useChunks(Pool, 30);
}

TEST(TapeArena, WhatIsKeptComesBack) {
  contraflow::Arena A;
  std::vector<Frame> Frames;
  for (int64_t Bytes : {100, 40 * 1024, 3, 300 * 1024, 200 * 1024, 64}) {
    Frames.push_back({static_cast<char *>(A.reserve(Bytes)), Bytes,
                      static_cast<unsigned char>(17 * Frames.size() + 1)});
    Frames.back().fill();
  }
  const int64_t Used = A.used();
  for (int Run = 0; Run < 2; ++Run) {
    const auto Kept = A.keep();
    for (auto F = Frames.rbegin(); F != Frames.rend(); ++F) {
      std::memset(F->Data, 0xFF, static_cast<size_t>(F->Bytes));
      A.release(F->Data);
      std::memset(A.reserve(100 * 1024), 0xFF, 100 * 1024);
    }
    A.restore(*Kept);
    EXPECT_EQ(A.used(), Used);
    for (const Frame &F : Frames)
      EXPECT_TRUE(F.intact());
  }
  A.release(Frames.front().Data);
  EXPECT_EQ(A.used(), 0);
}

TEST(TapeArena, ChildrenAreMadeOnceByNumber) {
  contraflow::Arena Parent;
  contraflow::Arena &Zero = Parent.child(0);
  std::vector<contraflow::Arena *> Children;
  for (int N = 0; N < 200; ++N)
    Children.push_back(&Parent.child(N));
  EXPECT_EQ(Children.front(), &Zero);
  for (int N = 0; N < 200; ++N) {
    EXPECT_EQ(Children[static_cast<size_t>(N)], &Parent.child(N));
    EXPECT_EQ(&Parent.child(N).root(), &Parent);
  }
  std::sort(Children.begin(), Children.end());
  EXPECT_EQ(std::unique(Children.begin(), Children.end()), Children.end());
  Parent.child(7).child(3).reserve(160);
  EXPECT_EQ(&Parent.child(7).child(3).root(), &Parent);
  EXPECT_EQ(Parent.usedWithChildren(), 160);
}

TEST(TapeArena, ChildrenAreMadeByTheirThreads) {
  // Two threads that arrive at the same moment at a place for children that does not exist yet.
  constexpr int Rounds = 1000;
  std::vector<contraflow::Arena> Parents(Rounds);
  std::vector<std::array<contraflow::Arena *, 2>> Children(Rounds);
  std::atomic<int> Arrived = 0;
  const auto Run = [&](size_t T) {
    for (int R = 0; R < Rounds; ++R) {
      ++Arrived;
      while (Arrived < 2 * (R + 1))
        std::this_thread::yield();
      Children[static_cast<size_t>(R)][T] =
          &Parents[static_cast<size_t>(R)].child(static_cast<int>(T) + 1);
    }
  };
  std::jthread Other(Run, 1);
  Run(0);
  Other.join();
  for (size_t R = 0; R < Rounds; ++R)
    for (size_t T = 0; T < 2; ++T)
      ASSERT_EQ(Children[R][T], &Parents[R].child(static_cast<int>(T) + 1)) << "round " << R;
}

TEST(TapeDeathTest, BudgetNamesBudgetAndNeed) {
  const auto Die = [](int64_t Frame) {
    cf_tape_set_budget(512 * MiB);
    cf_v1_tape_reserve(cf_v1_tape_begin(), Frame);
  };
  EXPECT_EXIT(
      Die(640 * MiB - 64 * KiB), testing::KilledBySignal(SIGABRT),
      "CF301. tape budget of 512.0 MiB exceeded: 640.1 MiB needed .*CONTRAFLOW_TAPE_BUDGET");
  EXPECT_EXIT(Die(INT64_MAX), testing::KilledBySignal(SIGABRT), "CF301.*exceeded: 8.0 EiB needed");
  EXPECT_EXIT(Die(INT64_MAX - 100), testing::KilledBySignal(SIGABRT),
              "CF301.*exceeded: 8.0 EiB needed");
}

TEST(TapeDeathTest, BudgetIsForTheWholeProcess) {
  const auto Die = [] {
    cf_tape_set_budget(100 * MiB);
    cf_v1_tape_reserve(cf_v1_tape_begin(), 60 * MiB);
    std::jthread([] { cf_v1_tape_reserve(cf_v1_tape_begin(), 60 * MiB); }).join();
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "budget of 100.0 MiB exceeded: 124.1 MiB");
}

TEST(TapeDeathTest, BudgetFromTheEnvironment) {
  const auto Die = [](const char *Text) {
    setenv("CONTRAFLOW_TAPE_BUDGET", Text, 1);
    cf_v1_tape_reserve(cf_v1_tape_begin(), 40 * MiB);
    std::exit(0);
  };
  EXPECT_EXIT(Die("32MiB"), testing::KilledBySignal(SIGABRT), "budget of 32.0 MiB exceeded");
  EXPECT_EXIT(Die("48M"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(Die("plenty"), testing::KilledBySignal(SIGABRT),
              "CF304. CONTRAFLOW_TAPE_BUDGET='plenty' is not a number of bytes");
  EXPECT_EXIT(Die("0"), testing::KilledBySignal(SIGABRT), "CF304");
}

TEST(TapeDeathTest, NegativeFrame) {
  EXPECT_EXIT(cf_v1_tape_reserve(cf_v1_tape_begin(), -8 * MiB), testing::KilledBySignal(SIGABRT),
              "CF303. a tape frame of -8388608 bytes");
  EXPECT_EXIT(cf_v1_tape_reserve(cf_v1_tape_begin(), -1), testing::KilledBySignal(SIGABRT),
              "CF303. a tape frame of -1 bytes");
}

TEST(TapeDeathTest, FramesLeftAtTheEnd) {
  const auto Die = [] {
    cf_tape *T = cf_v1_tape_begin();
    cf_v1_tape_reserve(T, 2048);
    cf_v1_tape_end(T);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF901.*left 2.0 KiB on its tape");
}

TEST(TapeDeathTest, FrameOfSomebodyElse) {
  const auto Die = [] {
    int Local = 0;
    cf_v1_tape_release(cf_v1_tape_begin(), &Local);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF901.*not on this thread's tape");
}

TEST(TapeDeathTest, EndWithoutBegin) {
  const auto Die = [] {
    cf_tape *T = cf_v1_tape_begin();
    cf_v1_tape_end(T);
    cf_v1_tape_end(T);
  };
  EXPECT_EXIT(Die(), testing::KilledBySignal(SIGABRT), "CF901.*did not begin");
}
