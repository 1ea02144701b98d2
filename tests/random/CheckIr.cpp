// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the derivatives of @f (generate_ir.py) with differences of it, one input after the
// other: the tangent, two at once, the adjoint, two at once, and the one in two calls. All start
// from the same x and y; what y holds afterwards counts, with weights.
#include <array>
#include <cmath>
#include <cstdio>

constexpr int Count = 8;
constexpr double Bound = 1e-4, Step = 1e-5, Large = 1e5;
using Numbers = std::array<double, Count>;

extern "C" {
double f(double *X, double *Y);
double tangent(double *X, double *XDot, double *Y, double *YDot);
void tangents(double *X, double *XDot, double *XDot2, double *Y, double *YDot, double *YDot2,
              double *Results);
void adjoint(double *X, double *XBar, double *Y, double *YBar);
void split(double *X, double *XBar, double *Y, double *YBar);
void adjoints(double *X, double *XBar, double *XBar2, double *Y, double *YBar, double *YBar2)
    __attribute__((weak));
}

namespace {

struct State {
  Numbers X, Y;
  State() {
    for (int I = 0; I < Count; ++I) {
      X[I] = 0.5 + 0.37 * (I * 5 % Count);
      Y[I] = 0.3 * I + 0.11;
    }
  }
};

Numbers weights() {
  Numbers W;
  for (int I = 0; I < Count; ++I)
    W[I] = 0.3 + 0.1 * I;
  return W;
}

double weighted(double Result, const Numbers &Y) {
  const Numbers W = weights();
  for (int I = 0; I < Count; ++I)
    Result += W[I] * Y[I];
  return Result;
}

double valueAt(int Input, double Change) {
  State S;
  S.X[Input] += Change;
  const double Result = f(S.X.data(), S.Y.data());
  return weighted(Result, S.Y);
}

/// By two steps: where they disagree, the function is too steep there to tell, and where it is
/// large, its digits do not show.
bool difference(int Input, double &D) {
  auto By = [&](double H) { return (valueAt(Input, H) - valueAt(Input, -H)) / (2 * H); };
  const double Wide = By(2 * Step);
  D = By(Step);
  return std::fabs(D - Wide) <= Bound * (1 + std::fabs(D)) && std::fabs(valueAt(Input, 0)) < Large;
}

int Wrong = 0;

void compare(const char *What, int Input, double Got) {
  double D;
  if (!difference(Input, D) || std::fabs(Got - D) <= Bound * (1 + std::fabs(D)))
    return;
  std::printf("%s, input %d: %.10g, by differences %.10g\n", What, Input, Got, D);
  ++Wrong;
}

void checkTangents() {
  for (int I = 0; I < Count; ++I) {
    State S;
    Numbers XDot{}, YDot{};
    XDot[I] = 1;
    const double Result = tangent(S.X.data(), XDot.data(), S.Y.data(), YDot.data());
    compare("tangent", I, weighted(Result, YDot));
  }
  for (int I = 0; I + 1 < Count; I += 2) {
    State S;
    Numbers XDot{}, YDot{}, XDot2{}, YDot2{};
    double Results[2];
    XDot[I] = XDot2[I + 1] = 1;
    tangents(S.X.data(), XDot.data(), XDot2.data(), S.Y.data(), YDot.data(), YDot2.data(), Results);
    compare("first of two tangents", I, weighted(Results[0], YDot));
    compare("second of two tangents", I + 1, weighted(Results[1], YDot2));
  }
}

void checkAdjoint(const char *What, decltype(adjoint) Run) {
  State S;
  Numbers XBar{}, YBar = weights();
  Run(S.X.data(), XBar.data(), S.Y.data(), YBar.data());
  for (int I = 0; I < Count; ++I)
    compare(What, I, XBar[I]);
}

void checkTwoAdjoints() {
  State S;
  Numbers XBar{}, XBar2{}, YBar = weights(), YBar2 = weights();
  adjoints(S.X.data(), XBar.data(), XBar2.data(), S.Y.data(), YBar.data(), YBar2.data());
  for (int I = 0; I < Count; ++I) {
    compare("first of two adjoints", I, XBar[I]);
    compare("second of two adjoints", I, XBar2[I]);
  }
}

} // namespace

int main() {
  checkTangents();
  checkAdjoint("adjoint", adjoint);
  checkAdjoint("adjoint in two calls", split);
  if (adjoints) // not every module has it
    checkTwoAdjoints();
  return Wrong != 0;
}
