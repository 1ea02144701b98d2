// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows as compiled code uses them, on real teams. Integers as values make the sums exact;
// ThreadSanitizer runs this, too.

#include "contraflow/abi.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <omp.h>
#include <vector>

namespace {

template <typename T> struct Calls;
template <> struct Calls<double> {
  static constexpr auto Add = cf_v1_omp_window_add_f64;
  static constexpr auto Take = cf_v1_omp_window_take_f64;
  static constexpr auto Close = cf_v1_omp_window_close_f64;
};
template <> struct Calls<float> {
  static constexpr auto Add = cf_v1_omp_window_add_f32;
  static constexpr auto Take = cf_v1_omp_window_take_f32;
  static constexpr auto Close = cf_v1_omp_window_close_f32;
};

// What the compiler emits for *Where += Value.
template <typename T> void add(cf_window &W, T *Where, T Value) {
  const auto Away = reinterpret_cast<uint64_t>(Where) - static_cast<uint64_t>(W.base);
  if (Away < static_cast<uint64_t>(W.bytes))
    *reinterpret_cast<T *>(reinterpret_cast<uint64_t>(W.memory) + Away) += Value;
  else
    Calls<T>::Add(&W, Where, Value);
}

template <typename T> class WindowTest : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(WindowTest, Types);

/// Each of N additions of 1 to the place that Next says.
template <typename T, typename Chosen> void check(int Threads, size_t Size, int N, Chosen Next) {
  std::vector<T> Bars(Size), Sums(Size);
  for (int Thread = 0; Thread < Threads; ++Thread)
    for (int I = 0; I < N; ++I)
      Sums[Next(Thread, I)] += 1;
#pragma omp parallel num_threads(Threads)
  {
    cf_window W{};
    for (int I = 0; I < N; ++I)
      add<T>(W, &Bars[Next(omp_get_thread_num(), I)], 1);
    EXPECT_TRUE(Threads == 1 || W.bytes <= 4096 + 32 * N);
    Calls<T>::Close(&W);
    EXPECT_TRUE(!W.memory && !W.bytes);
  }
  EXPECT_EQ(Bars, Sums);
}

TYPED_TEST(WindowTest, AddsEverythingOnce) {
  for (const int Threads : {1, 2, 4}) {
    check<TypeParam>(Threads, 5000, 9000, [](int, int I) { return I * 31 % 5000; });
    check<TypeParam>(Threads, 9000, 8000, [](int Thread, int I) { return I + Thread; });
    check<TypeParam>(Threads, 9000, 8000, [](int, int I) { return 8999 - I; });
    check<TypeParam>(Threads, 300000, 4000,
                     [](int, int I) { return I % 3 ? I % 100 : 299999 - I % 50; });
    check<TypeParam>(Threads, 3, 20, [](int, int I) { return I % 3; });
  }
}

TYPED_TEST(WindowTest, GivesWhatIsTaken) {
  std::vector<TypeParam> Bars(2000);
#pragma omp parallel num_threads(2)
  {
    cf_window W{};
    const int First = 1000 * omp_get_thread_num();
    for (int I = 0; I < 20000; ++I) {
      TypeParam *Where = &Bars[static_cast<size_t>(First + I * 7 % 1000)];
      add<TypeParam>(W, Where, 3);
      Calls<TypeParam>::Take(&W, Where, sizeof *Where);
      EXPECT_EQ(*Where, 3);
      *Where = 0;
    }
    for (int I = 0; I < 1000; ++I)
      add<TypeParam>(W, &Bars[static_cast<size_t>(First + I)], 5);
    Calls<TypeParam>::Take(&W, &Bars[static_cast<size_t>(First)], 1000 * sizeof(TypeParam));
    for (int I = 0; I < 1000; ++I)
      EXPECT_EQ(Bars[static_cast<size_t>(First + I)], 5);
    Calls<TypeParam>::Close(&W);
  }
  EXPECT_EQ(Bars, std::vector<TypeParam>(2000, 5));
}

/// As above, with what the forward sweep notes; the slot before is that of another phase.
template <typename T, typename Chosen>
void checkCover(int Threads, int Only, size_t Size, int N, Chosen Next) {
  std::vector<T> Bars(Size), Sums(Size);
  cf_tape *Tape = cf_v1_tape_begin();
  cf_team *Team = cf_v1_omp_team_begin(Tape);
#pragma omp parallel num_threads(Threads)
  {
    cf_tape *Own = cf_v1_omp_team_tape(Team);
    cf_reach At{INT64_MAX, INT64_MIN, N, 1};
    for (int I = 0; I < N; ++I) {
      const auto Place = reinterpret_cast<int64_t>(&Bars[Next(omp_get_thread_num(), I)]);
      At.low = std::min(At.low, Place);
      At.high = std::max(At.high, Place + int64_t{sizeof(T)});
    }
    const cf_reach All{0, INT64_MAX, 1, 1};
    cf_v1_omp_reach_note(Own, 0, 1, &All);
    cf_v1_omp_reach_note(Own, 1, 0, &At);
    cf_v1_omp_team_store(Team, nullptr);
  }
  for (int Thread = 0; Thread < Threads; ++Thread)
    for (int I = 0; I < N; ++I)
      Sums[Next(Thread, I)] += 1;
  cf_v1_omp_team_reverse(Team);
#pragma omp parallel
  {
    cf_v1_omp_team_check(Team);
    cf_window W{};
    const bool Covers = cf_v1_omp_window_cover(&W, cf_v1_omp_team_tape(Team), 1, Only) != 0;
    EXPECT_TRUE(Covers || !W.memory);
    for (int I = 0; I < N; ++I) {
      T *Where = &Bars[Next(omp_get_thread_num(), I)];
      EXPECT_TRUE(!Covers || reinterpret_cast<uint64_t>(Where) - static_cast<uint64_t>(W.base) <
                                 static_cast<uint64_t>(W.bytes));
      add<T>(W, Where, 1);
    }
    EXPECT_TRUE(Threads == 1 || Covers || W.bytes <= 4096 + 32 * N);
    Calls<T>::Close(&W);
    EXPECT_TRUE(!W.memory && !W.bytes);
  }
  cf_v1_omp_team_end(Team);
  cf_v1_tape_end(Tape);
  EXPECT_EQ(Bars, Sums);
}

TYPED_TEST(WindowTest, CoversWhatWasNoted) {
  for (const int Threads : {1, 2, 4})
    for (const int Only : {0, 1}) {
      checkCover<TypeParam>(Threads, Only, 5000, 9000, [](int, int I) { return I * 31 % 5000; });
      checkCover<TypeParam>(Threads, Only, 9000, 2000,
                            [](int Thread, int I) { return 2000 * Thread + I; });
      checkCover<TypeParam>(Threads, Only, 9000, 2000,
                            [](int Thread, int I) { return 1993 * Thread + I + Thread % 2; });
      checkCover<TypeParam>(Threads, Only, 400, 0, [](int, int I) { return I; });
      checkCover<TypeParam>(Threads, Only, 200000, 50, [](int Thread, int I) {
        return (Thread % 3 ? I * 3900 : 7 * I + 1000) + Thread % 2;
      });
      checkCover<TypeParam>(Threads, Only, 4000, 30,
                            [](int Thread, int I) { return (Thread & 1) * I + 1000 * Thread; });
    }
}

} // namespace
