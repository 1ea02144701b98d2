// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker accepts a derivative written by hand and rejects every way in which one goes wrong.
// The primal is y_i = a x_i sin(z_i), z_i <- z_i^2, r = sum_i x_i y_i, with x read only, y written
// only, z read and written, a by value.

#include "Checker.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace contraflow::test;

namespace {

constexpr int N = 5;

enum class Mistake {
  None,
  TangentTooLarge,
  TangentForgetsScalar,
  TangentOfUpdateStale,
  TangentIsNaN,
  AdjointTooLarge,
  AdjointForgetsScalar,
  AdjointOverwritesInputShadow,
  AdjointKeepsOutputShadow,
  AdjointIgnoresOutputSeed,
  AdjointOfUpdateAdded,
  AdjointSpoilsPrimal,
  AdjointSpoilsConstant,
  AdjointWritesBeyondShadow,
  TangentSpoilsPrimal,
  SecondDirectionIsFirst
};

Mistake Made = Mistake::None;
bool made(Mistake M) { return Made == M; }

double *array(void *const *V, int I) { return static_cast<double *>(V[I]); }

double primal(void *const *V) {
  const double *X = array(V, 0), A = *array(V, 3);
  double *Y = array(V, 1), *Z = array(V, 2), R = 0;
  for (int I = 0; I < N; ++I) {
    Y[I] = A * X[I] * std::sin(Z[I]);
    Z[I] = Z[I] * Z[I];
    R += X[I] * Y[I];
  }
  return R;
}

double tangent(void *const *V, void *const *D) {
  const double *X = array(V, 0), *XDot = array(D, 0), A = *array(V, 3);
  double *Z = array(V, 2), *YDot = array(D, 1), *ZDot = array(D, 2), RDot = 0;
  const double ADot = made(Mistake::TangentForgetsScalar) ? 0 : *array(D, 3);
  for (int I = 0; I < N; ++I) {
    const double S = std::sin(Z[I]), Y = A * X[I] * S;
    YDot[I] = ADot * X[I] * S + A * XDot[I] * S + A * X[I] * std::cos(Z[I]) * ZDot[I];
    array(V, 1)[I] = Y;
    if (!made(Mistake::TangentOfUpdateStale))
      ZDot[I] *= 2 * Z[I];
    Z[I] *= Z[I];
    RDot += XDot[I] * Y + X[I] * YDot[I];
  }
  if (made(Mistake::TangentTooLarge))
    RDot *= 1 + 1e-4;
  if (made(Mistake::TangentIsNaN))
    RDot = NAN;
  if (made(Mistake::TangentSpoilsPrimal))
    Z[0] += 1e-9;
  return RDot;
}

/// In two directions, one after the other.
double tangents(void *const *V, void *const *D) {
  constexpr int Count = 5;
  double ZBefore[N];
  std::copy_n(array(V, 2), N, ZBefore);
  *array(D, 2 * Count) = tangent(V, D + Count);
  std::copy_n(ZBefore, N, array(V, 2));
  const double First = tangent(V, D);
  if (made(Mistake::SecondDirectionIsFirst))
    std::copy_n(array(D, 1), N, array(D, Count + 1));
  return First;
}

void adjoint(void *const *V, void *const *D) {
  double ZBefore[N], ABar = 0;
  std::copy_n(array(V, 2), N, ZBefore);
  primal(V);
  const double *X = array(V, 0), *Y = array(V, 1), A = *array(V, 3);
  double *XBar = array(D, 0), *YBar = array(D, 1), *ZBar = array(D, 2);
  for (int I = N - 1; I >= 0; --I) {
    const double Z = ZBefore[I], S = std::sin(Z);
    const double Seed = made(Mistake::AdjointIgnoresOutputSeed) ? X[I] : YBar[I] + X[I];
    XBar[I] = (made(Mistake::AdjointOverwritesInputShadow) ? 0 : XBar[I]) + Y[I] + Seed * A * S;
    ABar += Seed * X[I] * S;
    const double FromY = Seed * A * X[I] * std::cos(Z);
    ZBar[I] = ZBar[I] * 2 * Z + FromY + (made(Mistake::AdjointOfUpdateAdded) ? ZBar[I] : 0);
    if (!made(Mistake::AdjointKeepsOutputShadow))
      YBar[I] = 0;
  }
  *array(D, 3) = made(Mistake::AdjointForgetsScalar) ? 0 : ABar;
  if (made(Mistake::AdjointTooLarge))
    XBar[1] *= 1 + 1e-8;
  if (made(Mistake::AdjointSpoilsPrimal))
    array(V, 1)[2] *= 1 + 1e-15;
  if (made(Mistake::AdjointSpoilsConstant))
    array(V, 4)[0] += 1;
  if (made(Mistake::AdjointWritesBeyondShadow))
    XBar[N] = 1;
}

constexpr cf_test_argument Rows[] = {
    {cf_test_in, cf_test_double, cf_test_local, N, 0.4, 1.6},
    {cf_test_out, cf_test_double, cf_test_local, N, 0.4, 1.6},
    {cf_test_inout, cf_test_double, cf_test_local, N, 0.4, 1.6},
    {cf_test_scalar, cf_test_double, cf_test_local, 1, 0.4, 1.6},
    {cf_test_const, cf_test_double, cf_test_same, 1, 0.4, 1.6},
};
constexpr Program Subject = {"subject", __FILE_NAME__, Rows,    5,       cf_test_Double,
                             0,         primal,        tangent, adjoint, 1};
constexpr Program Wide = {"subject", __FILE_NAME__, Rows,     5,       cf_test_Double,
                          0,         primal,        tangents, adjoint, 2};

std::vector<std::string> failedChecks(Mistake M, std::uint64_t Seed) {
  Made = M;
  Settings S;
  S.Seed = Seed;
  std::vector<std::string> Names;
  const bool Twice = M == Mistake::SecondDirectionIsFirst;
  for (const Failure &F : check(Twice ? Wide : Subject, S, OneRank()))
    Names.push_back(F.Check);
  return Names;
}

TEST(Checker, AcceptsRightDerivatives) {
  for (std::uint64_t Seed = 0; Seed < 200; ++Seed)
    EXPECT_TRUE(failedChecks(Mistake::None, Seed).empty()) << "seed " << Seed;
}

struct Case {
  Mistake M;
  const char *Check;
};

class CheckerRejects : public testing::TestWithParam<Case> {};

TEST_P(CheckerRejects, WithTheCheckThatIsAboutIt) {
  for (std::uint64_t Seed = 0; Seed < 20; ++Seed) {
    const auto Names = failedChecks(GetParam().M, Seed);
    EXPECT_TRUE(std::ranges::find(Names, GetParam().Check) != Names.end())
        << "no failure of '" << GetParam().Check << "' with seed " << Seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Mistakes, CheckerRejects,
                         testing::Values(Case{Mistake::TangentTooLarge, "differences"},
                                         Case{Mistake::TangentTooLarge, "taylor"},
                                         Case{Mistake::TangentForgetsScalar, "differences"},
                                         Case{Mistake::TangentForgetsScalar, "taylor"},
                                         Case{Mistake::TangentOfUpdateStale, "differences"},
                                         Case{Mistake::TangentIsNaN, "differences"},
                                         Case{Mistake::TangentIsNaN, "taylor"},
                                         Case{Mistake::TangentIsNaN, "dot product"},
                                         Case{Mistake::AdjointTooLarge, "dot product"},
                                         Case{Mistake::AdjointForgetsScalar, "dot product"},
                                         Case{Mistake::AdjointOverwritesInputShadow,
                                              "accumulation"},
                                         Case{Mistake::AdjointKeepsOutputShadow, "consumption"},
                                         Case{Mistake::AdjointIgnoresOutputSeed, "dot product"},
                                         Case{Mistake::AdjointOfUpdateAdded, "dot product"},
                                         Case{Mistake::AdjointSpoilsPrimal, "primal"},
                                         Case{Mistake::AdjointSpoilsConstant, "primal"},
                                         Case{Mistake::AdjointWritesBeyondShadow, "memory"},
                                         Case{Mistake::TangentSpoilsPrimal, "primal"},
                                         Case{Mistake::SecondDirectionIsFirst, "directions"}));

TEST(Checker, AcceptsTwoDirections) {
  Made = Mistake::None;
  EXPECT_TRUE(check(Wide, Settings(), OneRank()).empty());
}

TEST(Checker, GradientsAreCompared) {
  EXPECT_EQ(compareGradients({1, 2}, {1, 2 + 1e-13}, 1e-12), "");
  EXPECT_NE(compareGradients({1, 2}, {1, 2 + 1e-11}, 1e-12), "");
  EXPECT_NE(compareGradients({1, 2}, {1}, 1e-12), "");
  EXPECT_NE(compareGradients({1, 2}, {1, NAN}, 1e-12), "");
}

TEST(Checker, SeedsDependOnBaseAndName) {
  Settings A, B;
  A.Seed = 1;
  B.Seed = 2;
  Made = Mistake::None;
  EXPECT_NE(gradient(Subject, A, OneRank()), gradient(Subject, B, OneRank()));
  EXPECT_EQ(gradient(Subject, A, OneRank()), gradient(Subject, A, OneRank()));
}

} // namespace
