// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivative table: error, gamma and Bessel functions. For Bessel functions the recurrence
// C_n' = (C_n-1 - C_n+1) / 2 is used, which has no division by the argument.

#include "Row.h"

namespace contraflow {
using namespace formula;

void addSpecialRows(std::vector<RuleRow> &Rows) {
  const Formula Bell = twoOverSqrtPi * exp(-(x0 * x0));
  const std::vector<Interval> OffPoles = {{-1.8, -1.2}, {-0.8, -0.2}, {0.2, 5}};
  const std::vector<RuleRow> Here = {
      {MathFn::Erf, {Bell}, {{{-3, 3}}}, Dear},
      {MathFn::Erfc, {-Bell}, {{{-3, 3}}}, Dear},
      {MathFn::Tgamma, {r * digamma(x0)}, {OffPoles}, Dear},
      {MathFn::Lgamma, {digamma(x0)}, {OffPoles}, Dear},
      {MathFn::LgammaR, {digamma(x0)}, {OffPoles}, Dear},
      {MathFn::J0, {-j1(x0)}, {{{-8, 8}}}, Dear},
      {MathFn::J1, {0.5 * (j0(x0) - jn(2.0, x0))}, {{{-8, 8}}}, Dear},
      {MathFn::Jn,
       {zero, 0.5 * (jn(x0 - one, x1) - jn(x0 + one, x1))},
       {{{-3, 4}}, {{-8, 8}}},
       Dear},
      {MathFn::Y0, {-y1(x0)}, {{{0.5, 8}}}, Dear},
      {MathFn::Y1, {0.5 * (y0(x0) - yn(2.0, x0))}, {{{0.5, 8}}}, Dear},
      {MathFn::Yn,
       {zero, 0.5 * (yn(x0 - one, x1) - yn(x0 + one, x1))},
       {{{-3, 4}}, {{0.5, 8}}},
       Dear},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

} // namespace contraflow
