// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that stand in where a program has no BLAS: there is none in this one. Matrices lie by
// columns, by rows, and with gaps in both directions.

#include "blas/Kernels.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace contraflow::blas;

namespace {

using Layout = std::function<Matrix<double>(double *, int64_t, int64_t)>;

const Layout Layouts[] = {
    [](double *At, int64_t M, int64_t N) { return Matrix<double>{At, M, N, 1, M}; },
    [](double *At, int64_t M, int64_t N) { return Matrix<double>{At, M, N, N + 1, 1}; },
    [](double *At, int64_t M, int64_t N) { return Matrix<double>{At, M, N, 2, 2 * M + 1}; },
    [](double *At, int64_t M, int64_t N) { return Matrix<double>{At + 1 + M * N, M, N, -1, M}; },
};

class Kernels : public testing::TestWithParam<int> {
protected:
  Matrix<double> make(int64_t M, int64_t N, int Which) {
    Memory.emplace_back(400);
    std::uniform_real_distribution<double> Number(-1, 1);
    for (double &X : Memory.back())
      X = Number(Engine);
    return Layouts[static_cast<size_t>(Which) % std::size(Layouts)](Memory.back().data(), M, N);
  }
  Matrix<double> make(int64_t M, int64_t N) { return make(M, N, GetParam()); }

  std::vector<std::vector<double>> Memory;
  std::mt19937 Engine{1};
};

TEST_P(Kernels, Multiply) {
  const auto A = make(10, 9), B = make(9, 8, GetParam() + 1), C = make(10, 8, GetParam() + 2);
  Room<double> Wanted(10, 8);
  for (int64_t I = 0; I < 10; ++I)
    for (int64_t J = 0; J < 8; ++J) {
      Wanted(I, J) = C(I, J);
      for (int64_t K = 0; K < 9; ++K)
        Wanted(I, J) += 0.5 * A(I, K) * B(K, J);
    }
  multiply(0.5, A, B, C);
  for (int64_t I = 0; I < 10; ++I)
    for (int64_t J = 0; J < 8; ++J)
      EXPECT_NEAR(C(I, J), Wanted(I, J), 1e-14);
}

TEST_P(Kernels, SolveUndoesMultiply) {
  for (const Part P : {Part::Lower, Part::Upper})
    for (const bool Unit : {false, true}) {
      const auto A = make(9, 9), B = make(9, 8, GetParam() + 1);
      for (int64_t I = 0; I < 9; ++I)
        A(I, I) += 3;
      Room<double> Full(9, 9), Product(9, 8);
      expand<double>(A, P, Unit ? Shape::UnitTriangular : Shape::Triangular, Full);
      multiply<double>(1, Full, B, Product);
      solve<double>(A, P, Unit, Product);
      for (int64_t I = 0; I < 9; ++I)
        for (int64_t J = 0; J < 8; ++J)
          EXPECT_NEAR(Product(I, J), B(I, J), 1e-9);
    }
}

TEST_P(Kernels, Eigenvectors) {
  const int64_t N = 9;
  const auto A = make(N, N);
  for (int64_t I = 0; I < N; ++I)
    for (int64_t J = 0; J < I; ++J)
      A(I, J) = A(J, I);
  A(3, 4) = A(4, 3) = 0;
  Room<double> Values(N, 1), Vectors(N, N), Left(N, N);
  eigenvectors<double>(A, Values, Vectors);
  multiply<double>(1, A, Vectors, Left);
  for (int64_t J = 0; J < N; ++J) {
    EXPECT_NEAR(inner(Vectors.column(J), Vectors.column(J)), 1, 1e-13);
    if (J > 0) {
      EXPECT_LE(Values(J - 1, 0), Values(J, 0));
    }
    for (int64_t I = 0; I < N; ++I)
      EXPECT_NEAR(Left(I, J), Values(J, 0) * Vectors(I, J), 1e-12);
  }
}

TEST_P(Kernels, InterchangesGoBack) {
  const auto M = make(5, 3);
  const int32_t Pivots[] = {4, 2, 5};
  Room<double> Before(5, 3);
  copy<double>(M, Before);
  interchange(M, Pivots, 3, true);
  EXPECT_EQ(M(0, 1), Before(3, 1));
  interchange(M, Pivots, 3, false);
  for (int64_t I = 0; I < 5; ++I)
    EXPECT_EQ(M(I, 2), Before(I, 2));
}

INSTANTIATE_TEST_SUITE_P(Layouts, Kernels, testing::Range(0, 4));

} // namespace
