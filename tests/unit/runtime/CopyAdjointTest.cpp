// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy is a linear map A of the memory it works on, its reverse is the transpose: <w, A v> = <A'
// w, v> for random v and w. With small integers as values both sides are exact.

#include "contraflow/abi.h"

#include <cstring>
#include <gtest/gtest.h>
#include <latch>
#include <random>
#include <thread>
#include <vector>

namespace {

using Vector = std::vector<double>;

Vector randomVector(std::mt19937 &Random, size_t N) {
  Vector V(N);
  for (double &X : V)
    X = std::uniform_int_distribution<int>(-9, 9)(Random);
  return V;
}

double dot(const Vector &A, const Vector &B) {
  double Sum = 0;
  for (size_t I = 0; I < A.size(); ++I)
    Sum += A[I] * B[I];
  return Sum;
}

class CopyAdjoint : public testing::TestWithParam<int> {
protected:
  std::mt19937 Random{std::random_device{}()};
  int32_t atomic() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(PlainAndAtomic, CopyAdjoint, testing::Values(0, 1));

template <typename T> void expectTranspose(std::mt19937 &Random, size_t N, int32_t Atomic) {
  constexpr size_t Words = 40;
  const size_t Dst = Random() % (Words - N + 1);
  const size_t Src = Random() % (Words - N + 1);
  const Vector V = randomVector(Random, Words);
  const Vector W = randomVector(Random, Words);
  std::vector<T> Primal(V.begin(), V.end());
  std::memmove(Primal.data() + Dst, Primal.data() + Src, N * sizeof(T));
  std::vector<T> Bar(W.begin(), W.end());
  if constexpr (std::is_same_v<T, double>)
    cf_v1_copy_adjoint_f64(Bar.data() + Dst, Bar.data() + Src, static_cast<int64_t>(N), Atomic);
  else
    cf_v1_copy_adjoint_f32(Bar.data() + Dst, Bar.data() + Src, static_cast<int64_t>(N), Atomic);
  EXPECT_EQ(dot(W, Vector(Primal.begin(), Primal.end())), dot(Vector(Bar.begin(), Bar.end()), V))
      << "dst " << Dst << " src " << Src << " n " << N;
}

} // namespace

TEST_P(CopyAdjoint, IsTheTransposeWhateverOverlaps) {
  for (int Round = 0; Round < 3000; ++Round) {
    expectTranspose<double>(Random, Random() % 25, atomic());
    expectTranspose<float>(Random, Random() % 25, atomic());
  }
}

TEST_P(CopyAdjoint, AddsToTheSourceAndClearsTheDestination) {
  Vector Dst{1, 2, 3};
  Vector Src{10, 20, 30};
  cf_v1_copy_adjoint_f64(Dst.data(), Src.data(), 3, atomic());
  EXPECT_EQ(Src, (Vector{11, 22, 33}));
  EXPECT_EQ(Dst, (Vector{0, 0, 0}));
}

TEST_P(CopyAdjoint, NothingWasCopiedOntoItself) {
  Vector Bar{1, 2, 3};
  cf_v1_copy_adjoint_f64(Bar.data(), Bar.data(), 3, atomic());
  EXPECT_EQ(Bar, (Vector{1, 2, 3}));
}

TEST_P(CopyAdjoint, InactiveEnds) {
  Vector Bar{1, 2, 3};
  cf_v1_copy_adjoint_f64(nullptr, Bar.data(), 3, atomic());
  EXPECT_EQ(Bar, (Vector{1, 2, 3}));
  cf_v1_copy_adjoint_f64(Bar.data(), nullptr, 2, atomic());
  EXPECT_EQ(Bar, (Vector{0, 0, 3}));
  cf_v1_copy_adjoint_f64(Bar.data(), Bar.data() + 1, -1, atomic());
  EXPECT_EQ(Bar, (Vector{0, 0, 3}));
}

TEST(CopyAdjointBack, IsTheCopy) {
  Vector Bar{1, 2, 3, 4};
  cf_v1_copy_adjoint_back(Bar.data() + 1, Bar.data(), 3 * sizeof(double));
  EXPECT_EQ(Bar, (Vector{1, 1, 2, 3}));
  cf_v1_copy_adjoint_back(nullptr, Bar.data(), 8);
  cf_v1_copy_adjoint_back(Bar.data(), Bar.data() + 2, -8);
  EXPECT_EQ(Bar, (Vector{1, 1, 2, 3}));
  cf_v1_copy_adjoint_back(Bar.data(), nullptr, 8);
  EXPECT_EQ(Bar, (Vector{0, 1, 2, 3}));
}

namespace {

// Runs Add on several threads at once, often enough that they meet.
constexpr int Adders = 4;
constexpr int Additions = 20000;

template <typename Function> void addTogether(Function Add) {
  std::latch Together(Adders);
  std::vector<std::jthread> Threads;
  for (int T = 0; T < Adders; ++T)
    Threads.emplace_back([&Together, Add] {
      Together.arrive_and_wait();
      for (int I = 0; I < Additions; ++I)
        Add();
    });
}

} // namespace

TEST(CopyAdjointThreads, AtomicAdditionsAreAllThere) {
  double Heavy = 0;
  float Light = 0;
  addTogether([&] {
    double HeavyOne = 1;
    float LightOne = 1;
    cf_v1_copy_adjoint_f64(&HeavyOne, &Heavy, 1, 1);
    cf_v1_copy_adjoint_f32(&LightOne, &Light, 1, 1);
  });
  EXPECT_EQ(Heavy, Adders * Additions);
  EXPECT_EQ(Light, Adders * Additions);
}

namespace {

struct Cell {
  int32_t Kind;
  float Light;
  double Heavy;
#if defined(__x86_64__)
  long double Extended;
#endif
};

const std::vector<cf_field> CellFields = {
    {offsetof(Cell, Light), 0},
    {offsetof(Cell, Heavy), 1},
#if defined(__x86_64__)
    {offsetof(Cell, Extended), 2},
#endif
};

Cell cellOf(double A, double B, double C) {
  Cell Result{};
  Result.Kind = -1;
  Result.Light = static_cast<float>(A);
  Result.Heavy = B;
#if defined(__x86_64__)
  Result.Extended = C;
#else
  static_cast<void>(C);
#endif
  return Result;
}

double dot(const Cell &A, const Cell &B) {
  double Sum = A.Light * B.Light + A.Heavy * B.Heavy;
#if defined(__x86_64__)
  Sum += static_cast<double>(A.Extended * B.Extended);
#endif
  return Sum;
}

double dot(const std::vector<Cell> &A, const std::vector<Cell> &B) {
  double Sum = 0;
  for (size_t I = 0; I < A.size(); ++I)
    Sum += dot(A[I], B[I]);
  return Sum;
}

std::vector<Cell> randomCells(std::mt19937 &Random, size_t N) {
  std::vector<Cell> Cells;
  for (size_t I = 0; I < N; ++I) {
    const Vector V = randomVector(Random, 3);
    Cells.push_back(cellOf(V[0], V[1], V[2]));
  }
  return Cells;
}

void stridedAdjoint(Cell *Dst, Cell *Src, size_t N, int32_t Atomic) {
  const cf_copy_adjoint Copy{Dst,
                             Src,
                             static_cast<int64_t>(N),
                             sizeof(Cell),
                             CellFields.data(),
                             static_cast<int32_t>(CellFields.size()),
                             Atomic};
  cf_v1_copy_adjoint_strided(&Copy);
}

} // namespace

TEST_P(CopyAdjoint, StridedIsTheTransposeWhateverOverlaps) {
  constexpr size_t Cells = 12;
  for (int Round = 0; Round < 1000; ++Round) {
    const size_t N = Random() % 8;
    const size_t Dst = Random() % (Cells - N + 1);
    const size_t Src = Random() % (Cells - N + 1);
    const std::vector<Cell> V = randomCells(Random, Cells);
    const std::vector<Cell> W = randomCells(Random, Cells);
    std::vector<Cell> Primal = V;
    std::memmove(Primal.data() + Dst, Primal.data() + Src, N * sizeof(Cell));
    std::vector<Cell> Bar = W;
    stridedAdjoint(Bar.data() + Dst, Bar.data() + Src, N, atomic());
    EXPECT_EQ(dot(W, Primal), dot(Bar, V)) << "dst " << Dst << " src " << Src << " n " << N;
    for (const Cell &C : Bar)
      ASSERT_EQ(C.Kind, -1); // what is no field is not touched
  }
}

TEST_P(CopyAdjoint, StridedWithInactiveEnds) {
  std::vector<Cell> Bar(2, cellOf(1, 2, 3));
  stridedAdjoint(nullptr, Bar.data(), 2, atomic());
  EXPECT_EQ(dot(Bar[0], cellOf(1, 1, 1)), dot(cellOf(1, 2, 3), cellOf(1, 1, 1)));
  stridedAdjoint(Bar.data(), nullptr, 1, atomic());
  EXPECT_EQ(dot(Bar[0], cellOf(1, 1, 1)), 0);
  EXPECT_EQ(dot(Bar[1], cellOf(1, 1, 1)), dot(cellOf(1, 2, 3), cellOf(1, 1, 1)));
}

TEST(CopyAdjointThreads, StridedAtomicAdditionsAreAllThere) {
  const Cell Ones = cellOf(1, 1, 1);
  Cell Src = cellOf(0, 0, 0);
  addTogether([&] {
    Cell Dst = Ones;
    stridedAdjoint(&Dst, &Src, 1, 1);
  });
  EXPECT_EQ(dot(Src, Ones), Adders * Additions * dot(Ones, Ones));
}

TEST(CopyAdjointDeathTest, UnknownKind) {
  double Bar[2] = {};
  const cf_field Field{0, 17};
  const cf_copy_adjoint Copy{Bar, Bar + 1, 1, 8, &Field, 1, 0};
  EXPECT_EXIT(cf_v1_copy_adjoint_strided(&Copy), testing::KilledBySignal(SIGABRT),
              "CF901.*unknown kind of field 17");
}
