// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivative table: powers, exponentials, logarithms, trigonometric and hyperbolic functions.
// Where there is a choice, a formula reads the result rather than calling a function again.

#include "Row.h"

namespace contraflow {
using namespace formula;
namespace {

void addPowers(std::vector<RuleRow> &Rows) {
  const Formula PowX0 = select(x1 == zero, zero, x1 * pow(x0, x1 - one));
  const Formula PowX1 = select(x0 > zero, r * log(x0), zero);
  const Formula PowiX0 = select(toFloat(x1) == zero, zero, toFloat(x1) * powi(x0, x1 - one));
  const std::vector<RuleRow> Here = {
      {MathFn::Sqrt, {0.5 / r}, {{{0.05, 4}}}, Singular},
      {MathFn::Cbrt, {one / (3.0 * r * r)}, {{{-4, -0.1}, {0.1, 4}}}, Dear | Singular},
      {MathFn::Hypot,
       {select(r > zero, x0 / r, zero), select(r > zero, x1 / r, zero)},
       {{{-3, 3}}, {{-3, -0.1}, {0.1, 3}}},
       Dear},
      {MathFn::Pow, {PowX0, PowX1}, {{{0.1, 4}}, {{-3, 3}}}, Dear | Singular},
      {MathFn::Powi, {PowiX0, zero}, {{{-2, -0.5}, {0.5, 2}}, {{-3, 5}}}, Dear | Singular},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

void addExponentials(std::vector<RuleRow> &Rows) {
  const std::vector<RuleRow> Here = {
      {MathFn::Exp, {r}, {{{-4, 4}}}, Dear},
      {MathFn::Exp2, {ln2 * r}, {{{-4, 4}}}, Dear},
      {MathFn::Exp10, {ln10 * r}, {{{-3, 3}}}, Dear},
      {MathFn::Expm1, {exp(x0)}, {{{-4, 4}}}, Dear},
      {MathFn::Log, {one / x0}, {{{0.1, 10}}}, Dear | Singular},
      {MathFn::Log2, {one / (ln2 * x0)}, {{{0.1, 10}}}, Dear | Singular},
      {MathFn::Log10, {one / (ln10 * x0)}, {{{0.1, 10}}}, Dear | Singular},
      {MathFn::Log1p, {one / (one + x0)}, {{{-0.9, 9}}}, Dear | Singular},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

void addTrigonometric(std::vector<RuleRow> &Rows) {
  const Formula Radius2 = x0 * x0 + x1 * x1;
  const Formula ArcSlope = sqrt((one - x0) * (one + x0));
  const std::vector<std::vector<Interval>> Plane = {{{-3, 3}}, {{-3, -0.5}, {0.5, 3}}};
  const std::vector<RuleRow> Here = {
      {MathFn::Sin, {cos(x0)}, {{{-7, 7}}}, Dear},
      {MathFn::Cos, {-sin(x0)}, {{{-7, 7}}}, Dear},
      {MathFn::Tan, {one + r * r}, {{{-1.4, 1.4}, {1.8, 4.4}}}, Dear},
      {MathFn::Asin, {one / ArcSlope}, {{{-0.95, 0.95}}}, Dear | Singular},
      {MathFn::Acos, {-(one / ArcSlope)}, {{{-0.95, 0.95}}}, Dear | Singular},
      {MathFn::Atan, {one / (one + x0 * x0)}, {{{-9, 9}}}, Dear},
      {MathFn::Atan2, {x1 / Radius2, -(x0 / Radius2)}, Plane, Dear | Singular},
      {MathFn::Carg, {-(x1 / Radius2), x0 / Radius2}, Plane, Dear | Singular},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

void addHyperbolic(std::vector<RuleRow> &Rows) {
  const std::vector<RuleRow> Here = {
      {MathFn::Sinh, {cosh(x0)}, {{{-4, 4}}}, Dear},
      {MathFn::Cosh, {sinh(x0)}, {{{-4, 4}}}, Dear},
      {MathFn::Tanh, {one - r * r}, {{{-4, 4}}}, Dear},
      {MathFn::Asinh, {one / sqrt(x0 * x0 + one)}, {{{-9, 9}}}, Dear},
      {MathFn::Acosh, {one / sqrt((x0 - one) * (x0 + one))}, {{{1.1, 9}}}, Dear | Singular},
      {MathFn::Atanh, {one / ((one - x0) * (one + x0))}, {{{-0.9, 0.9}}}, Dear | Singular},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

} // namespace

void addElementaryRows(std::vector<RuleRow> &Rows) {
  addPowers(Rows);
  addExponentials(Rows);
  addTrigonometric(Rows);
  addHyperbolic(Rows);
}

} // namespace contraflow
