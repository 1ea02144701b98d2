// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Checker.h for what is checked. Comparisons are written so that a NaN fails them.

#include "Checker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace contraflow::test {

namespace {

/// Result and active arrays, or their tangents, in one vector.
using Outputs = std::vector<double>;

std::string text(const char *Format, double A, double B, double C) {
  char Buffer[200];
  std::snprintf(Buffer, sizeof Buffer, Format, A, B, C);
  return Buffer;
}

class Check {
public:
  Check(const Program &P, const Settings &S, const Ranks &R)
      : P(P), S(S), R(R), Single(isSinglePrecision(P)), Base(P, R), Reference(P, R) {
    Base.sample(S.Seed, R);
    Reference = Base;
    ReferenceResult = P.primal(Reference.pointers().data());
  }

  std::vector<Failure> run();

private:
  Outputs evaluate(const Arguments &Direction, double Step) const;
  Outputs tangent(const Arguments &Direction);
  void checkSecond(const Outputs &First, const Outputs &Second);
  Arguments adjoint(const Arguments &Weights);
  void checkDirection(std::uint64_t Seed);
  bool taylorRemainderFalls(const Arguments &V, const Outputs &Tangent) const;
  void checkTaylor(const Arguments &V, const Outputs &Tangent);
  double differenceError(const Arguments &V, const Outputs &Tangent, double Step) const;
  void checkDifferences(const Arguments &V, const Outputs &Tangent);
  void checkDotProduct(const Arguments &V, const Arguments &W, const Outputs &Tangent,
                       const Arguments &Adjoint);
  void checkAccumulation(const Arguments &W, const Arguments &Adjoint);
  void checkConsumption(const Arguments &Adjoint);
  void checkPrimal(const char *After, const Arguments &Values, const Arguments &Shadows);
  void fail(const char *Check, std::string Text) { Failures.push_back({Check, std::move(Text)}); }
  double norm(const Outputs &V) const;

  const Program &P;
  const Settings &S;
  const Ranks &R;
  const bool Single;
  Arguments Base, Reference;
  double ReferenceResult = 0;
  std::vector<Failure> Failures;
};

Outputs outputs(double Result, const Arguments &Arrays) {
  Outputs All = Arrays.activeArrays();
  All.insert(All.begin(), Result);
  return All;
}

Outputs Check::evaluate(const Arguments &Direction, double Step) const {
  Arguments Moved = Base;
  Moved.advance(Step, Direction);
  const double Result = P.primal(Moved.pointers().data());
  return outputs(Result, Moved);
}

Outputs Check::tangent(const Arguments &Direction) {
  Arguments Values = Base, Shadows = Direction, Seconds = Direction;
  Seconds.advance(-3, Direction); // the second direction is minus two times the first
  double SecondDot = 0;
  std::vector<void *> Pointers = Shadows.pointers();
  if (P.directions == 2) {
    const std::vector<void *> More = Seconds.pointers();
    Pointers.insert(Pointers.end(), More.begin(), More.end());
    Pointers.push_back(&SecondDot);
  }
  const double Dot = P.tangent(Values.pointers().data(), Pointers.data());
  checkPrimal("tangent", Values, Shadows);
  if (P.directions == 2 && Seconds.brokenGuard() >= 0)
    fail("memory", "the tangent wrote beyond a shadow of the second direction");
  if (P.directions == 2)
    checkSecond(outputs(Dot, Shadows), outputs(SecondDot, Seconds));
  return outputs(Dot, Shadows);
}

void Check::checkSecond(const Outputs &First, const Outputs &Second) {
  Outputs Sum = Second;
  for (std::size_t I = 0; I < Sum.size(); ++I)
    Sum[I] += 2 * First[I];
  const double Error = norm(Sum), Bound = (Single ? 2e-5 : 1e-11) * (1 + norm(First));
  if (!(Error <= Bound))
    fail("directions",
         text("the second of two directions is off by %.3g, bound %.3g", Error, Bound, 0));
}

Arguments Check::adjoint(const Arguments &Weights) {
  Arguments Values = Base, Shadows = Weights;
  P.adjoint(Values.pointers().data(), Shadows.pointers().data());
  checkPrimal("adjoint", Values, Shadows);
  return Shadows;
}

void Check::checkPrimal(const char *After, const Arguments &Values, const Arguments &Shadows) {
  const std::string Difference = Reference.firstDifference(Values, S.PrimalBound, true);
  if (!Difference.empty())
    fail("primal",
         std::string("after the ") + After + ", expected and found differ: " + Difference);
  if (const int I = Values.brokenGuard(); I >= 0)
    fail("memory", std::string(After) + " wrote beyond argument " + std::to_string(I));
  if (const int I = Shadows.brokenGuard(); I >= 0)
    fail("memory",
         std::string(After) + " wrote beyond the shadow of argument " + std::to_string(I));
}

/// Largest magnitude over all ranks; infinite if there is a NaN.
double Check::norm(const Outputs &V) const {
  double Largest = 0;
  for (const double X : V)
    Largest =
        std::isnan(X) ? std::numeric_limits<double>::infinity() : std::max(Largest, std::fabs(X));
  return R.max(Largest);
}

/// Over three halvings of the step the remainder must fall by 2^(3 * 1.9) somewhere between the
/// largest step and where rounding takes over, and at the smallest step nothing of first order may
/// be left: it is small, or still falls with order two. A remainder that is nothing but rounding
/// from the start belongs to a function linear along V.
bool Check::taylorRemainderFalls(const Arguments &V, const Outputs &Tangent) const {
  constexpr int Steps = 18, Window = 3;
  const Outputs Y = evaluate(V, 0);
  const double Rounding = 1e3 * std::numeric_limits<double>::epsilon() * (norm(Y) + norm(Tangent));
  const double Floor = 20 * Rounding;
  std::array<double, Steps> Size{};
  for (int K = 0; K < Steps; ++K) {
    const double Step = std::ldexp(0.02, -K);
    Outputs Remainder = evaluate(V, Step);
    for (std::size_t I = 0; I < Remainder.size(); ++I)
      Remainder[I] -= Y[I] + Step * Tangent[I];
    Size[K] = norm(Remainder);
  }
  const auto Falls = [&](int K) { return Size[K + Window] <= Size[K] * std::exp2(-1.9 * Window); };
  const double Last = std::ldexp(0.02, 1 - Steps);
  if (!std::isfinite(Size.back()) ||
      !(Size.back() <= 1e-5 * Last * norm(Tangent) + Rounding || Falls(Steps - 1 - Window)))
    return false;
  for (int K = 0; K + Window < Steps && Size[K] > Floor; ++K)
    if (Falls(K))
      return true;
  return std::ranges::count_if(Size, [&](double X) { return X > Floor; }) <= Window;
}

/// A kink of F within the window spoils the order, so a failure has to repeat itself at another
/// point.
void Check::checkTaylor(const Arguments &V, const Outputs &Tangent) {
  if (taylorRemainderFalls(V, Tangent))
    return;
  Settings Elsewhere = S;
  Elsewhere.Seed += 1000003;
  Check Other(P, Elsewhere, R);
  if (!Other.taylorRemainderFalls(V, Other.tangent(V)))
    fail("taylor", "the remainder of the tangent does not fall with order two");
}

/// Largest difference of the tangent from a central difference of order four, each component
/// relative to its own size and, to a hundredth, to the largest.
double Check::differenceError(const Arguments &V, const Outputs &Tangent, double Step) const {
  const Outputs Near = evaluate(V, Step), Far = evaluate(V, 2 * Step);
  const Outputs NearBack = evaluate(V, -Step), FarBack = evaluate(V, -2 * Step);
  const double Common = 0.01 * (norm(Tangent) + norm(Near)) + std::numeric_limits<double>::min();
  double Worst = 0;
  for (std::size_t I = 0; I < Tangent.size(); ++I) {
    const double Quotient = (8 * (Near[I] - NearBack[I]) - (Far[I] - FarBack[I])) / (12 * Step);
    const double Error = std::fabs(Quotient - Tangent[I]) / (std::fabs(Tangent[I]) + Common);
    Worst = std::isnan(Error) ? std::numeric_limits<double>::infinity() : std::max(Worst, Error);
  }
  return R.max(Worst);
}

void Check::checkDifferences(const Arguments &V, const Outputs &Tangent) {
  const double Bound = Single ? 2e-2 : 1e-6;
  double Best = std::numeric_limits<double>::infinity();
  for (const double Step : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    Best = std::min(Best, differenceError(V, Tangent, Single ? 30 * Step : Step));
    if (Best <= Bound)
      return;
  }
  fail("differences",
       text("tangent and central differences differ by %.3g relative, bound %.3g", Best, Bound, 0));
}

void Check::checkDotProduct(const Arguments &V, const Arguments &W, const Outputs &Tangent,
                            const Arguments &Adjoint) {
  const Outputs Weights = outputs(1, W);
  const std::vector<double> XBar = Adjoint.activeValues(), XDot = V.activeValues();
  double Forward = 0, Reverse = 0, Magnitude = 0;
  for (std::size_t I = 0; I < Tangent.size(); ++I) {
    Forward += Weights[I] * Tangent[I];
    Magnitude += std::fabs(Weights[I] * Tangent[I]);
  }
  for (std::size_t I = 0; I < XBar.size(); ++I) {
    Reverse += XBar[I] * XDot[I];
    Magnitude += std::fabs(XBar[I] * XDot[I]);
  }
  Forward = R.sum(Forward);
  Reverse = R.sum(Reverse);
  Magnitude = R.sum(Magnitude);
  const double Stated = P.bound > 0 ? P.bound : S.DotProductBound;
  const double Bound = Single ? std::max(Stated, 2e-5) : Stated;
  if (!(std::fabs(Forward - Reverse) <= Bound * Magnitude))
    fail("dot product", text("<w, J v> = %.17g, <J^T w, v> = %.17g, relative difference %.3g",
                             Forward, Reverse, std::fabs(Forward - Reverse) / Magnitude));
}

/// With W the shadow before and Adjoint the shadow after: the same gradient is found from zero.
void Check::checkAccumulation(const Arguments &W, const Arguments &Adjoint) {
  Arguments FromZero = W;
  for (std::size_t I = 0; I < argumentsOf(P).size(); ++I)
    for (std::size_t E = 0; P.arguments[I].kind == cf_test_in && E < W.count(I); ++E)
      FromZero.set(I, E, 0);
  const Arguments Gradient = adjoint(FromZero);
  const double Largest = 1 + norm(Gradient.activeValues());
  const double Bound = (Single ? 2e-5 : std::max(P.bound, 1e-12)) * Largest;
  for (std::size_t I = 0; I < argumentsOf(P).size(); ++I)
    for (std::size_t E = 0; P.arguments[I].kind == cf_test_in && E < W.count(I); ++E) {
      const double Wanted = W.get(I, E) + Gradient.get(I, E);
      if (std::fabs(Adjoint.get(I, E) - Wanted) <= Bound)
        continue;
      return fail("accumulation", "shadow of argument " + std::to_string(I) + "[" +
                                      std::to_string(E) + "]: " +
                                      text("%.17g before, %.17g after, gradient %.17g", W.get(I, E),
                                           Adjoint.get(I, E), Gradient.get(I, E)));
    }
}

void Check::checkConsumption(const Arguments &Adjoint) {
  for (std::size_t I = 0; I < argumentsOf(P).size(); ++I) {
    const auto Kind = P.arguments[I].kind;
    for (std::size_t E = 0; E < Adjoint.count(I); ++E)
      if ((Kind == cf_test_out || Kind == cf_test_noneed) && !(Adjoint.get(I, E) == 0))
        return fail("consumption", "shadow of output " + std::to_string(I) + "[" +
                                       std::to_string(E) + "] is " +
                                       text("%.17g afterwards", Adjoint.get(I, E), 0, 0));
  }
}

void Check::checkDirection(std::uint64_t Seed) {
  Arguments V(P, R), W(P, R);
  V.direction(2 * Seed, R);
  W.direction(2 * Seed + 1, R);
  const Outputs Tangent = tangent(V);
  checkDifferences(V, Tangent);
  if (!Single)
    checkTaylor(V, Tangent);
  const Arguments Adjoint = adjoint(W);
  checkDotProduct(V, W, Tangent, Adjoint);
  checkAccumulation(W, Adjoint);
  checkConsumption(Adjoint);
}

std::vector<Failure> Check::run() {
  if (!std::isfinite(norm(outputs(ReferenceResult, Reference))))
    fail("primal", "the primal's results are not finite here: choose other ranges");
  for (int I = 0; I < S.Directions; ++I)
    checkDirection(S.Seed + static_cast<std::uint64_t>(I) + 1);
  return std::move(Failures);
}

} // namespace

std::vector<Failure> check(const Program &P, const Settings &S, const Ranks &R) {
  return Check(P, S, R).run();
}

std::vector<double> gradient(const Program &P, const Settings &S, const Ranks &R) {
  Arguments Values(P, R), Shadows(P, R);
  Values.sample(S.Seed, R);
  Shadows.direction(S.Seed + 1, R);
  for (std::size_t I = 0; I < argumentsOf(P).size(); ++I)
    for (std::size_t E = 0; isActive(P.arguments[I]) && E < Shadows.count(I); ++E)
      if (P.arguments[I].place == cf_test_same || P.result == cf_test_Replicated)
        Shadows.set(I, E, 0);
  P.adjoint(Values.pointers().data(), Shadows.pointers().data());
  // A result that every rank holds was seeded on every rank.
  const double Share = P.result == cf_test_Replicated ? 1.0 / R.size() : 1;
  std::vector<double> All;
  for (std::size_t I = 0; I < argumentsOf(P).size(); ++I) {
    const Argument &A = P.arguments[I];
    std::vector<double> Mine;
    for (std::size_t E = 0; isActive(A) && E < Shadows.count(I); ++E)
      Mine.push_back(Share * Shadows.get(I, E));
    if (A.place == cf_test_same)
      for (double &X : Mine)
        X = R.sum(X);
    else
      Mine = R.gather(Mine);
    All.insert(All.end(), Mine.begin(), Mine.end());
  }
  return All;
}

bool isRankInvariant(const Program &P) {
  return std::ranges::none_of(
      argumentsOf(P), [](const Argument &A) { return isActive(A) && A.place == cf_test_local; });
}

std::string compareGradients(const std::vector<double> &A, const std::vector<double> &B,
                             double Bound) {
  if (A.size() != B.size())
    return "they have different lengths";
  double Largest = std::numeric_limits<double>::min();
  for (const double X : A)
    Largest = std::max(Largest, std::fabs(X));
  for (std::size_t I = 0; I < A.size(); ++I)
    if (!(std::fabs(A[I] - B[I]) <= Bound * Largest))
      return "component " + std::to_string(I) + ": " +
             text("%.17g and %.17g, largest component %.3g", A[I], B[I], Largest);
  return "";
}

} // namespace contraflow::test
