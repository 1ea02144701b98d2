// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivative table: arithmetic, conversions, signs, largest and smallest, remainders, rounding.
// Conversions have the formula "one"; the change of width is made where the formula is applied.

#include "Row.h"

using llvm::Instruction;

namespace contraflow {
using namespace formula;
namespace {

void addInstructions(std::vector<RuleRow> &Rows) {
  const std::vector<RuleRow> Here = {
      {Instruction::FAdd, {one, one}, {{{-3, 3}}, {{-3, 3}}}},
      {Instruction::FSub, {one, -one}, {{{-3, 3}}, {{-3, 3}}}},
      {Instruction::FMul, {x1, x0}, {{{-3, 3}}, {{-3, 3}}}},
      {Instruction::FDiv,
       {one / x1, -(one / x1 * r)},
       {{{-3, 3}}, {{-3, -0.5}, {0.5, 3}}},
       Singular},
      {Instruction::FRem,
       {one, -rint((x0 - r) / x1)},
       {{{-7, 7}}, {{-3, -1}, {1, 3}}},
       Dear | Singular},
      {Instruction::FNeg, {-one}, {{{-3, 3}}}},
      {Instruction::FPTrunc, {one}, {{{-3, 3}}}},
      {Instruction::FPExt, {one}, {{{-3, 3}}}},
      {Instruction::Freeze, {one}, {{{-3, 3}}}},
      {Instruction::SIToFP, {zero}, {{{-9, 9}}}},
      {Instruction::UIToFP, {zero}, {{{0, 9}}}},
      {Instruction::FPToSI, {zero}, {{{-2.9, -2.1}, {2.1, 2.9}}}},
      {Instruction::FPToUI, {zero}, {{{2.1, 2.9}}}},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

void addSigns(std::vector<RuleRow> &Rows) {
  const std::vector<RuleRow> Here = {
      {MathFn::Fma, {x1, x0, one}, {{{-3, 3}}, {{-3, 3}}, {{-3, 3}}}},
      {MathFn::Fmuladd, {x1, x0, one}, {{{-3, 3}}, {{-3, 3}}, {{-3, 3}}}},
      {MathFn::Fabs, {sign(x0)}, {{{-3, -0.1}, {0.1, 3}}}},
      {MathFn::Copysign,
       {sign(x0) * copysign(one, x1), zero},
       {{{-3, -0.1}, {0.1, 3}}, {{-3, -0.1}, {0.1, 3}}}},
      {MathFn::Fdim,
       {select(x0 > x1, one, zero), select(x0 > x1, -one, zero)},
       {{{-3, 3}}, {{-2.5, 3.5}}}},
      {MathFn::Canonicalize, {one}, {{{-3, 3}}}},
      {MathFn::ArithmeticFence, {one}, {{{-3, 3}}}},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

/// The result is one of the operands: not the first one if the other is Better, or if the first is
/// a NaN that was passed over. A tie is the first one's. The operands are compared with each other
/// and not with the result: with -ffast-math a value that is computed again in the reverse sweep
/// may differ from the first time in its last bit.
void addExtreme(std::vector<RuleRow> &Rows, MathFn Fn, const Condition &Better) {
  const Formula First = select(Better, zero, select(x0 == x0, one, zero));
  const Formula Second = select(Better, one, select(x0 == x0, zero, one));
  Rows.push_back({Fn, {First, Second}, {{{-3, 3}}, {{-2.5, 3.5}}}});
}

/// By magnitude, of equal ones by value.
void addExtremeMagnitude(std::vector<RuleRow> &Rows, MathFn Fn, const Condition &Better,
                         const Condition &BetterOfEqual) {
  const Condition Equal = call(MathFn::Fabs, x0) == call(MathFn::Fabs, x1);
  auto Choose = [&](const Formula &IfFirst, const Formula &IfSecond) {
    const Formula OfEqual = select(BetterOfEqual, IfSecond, IfFirst);
    const Formula NotBetter = select(x0 == x0, IfFirst, IfSecond);
    return select(Better, IfSecond, select(Equal, OfEqual, NotBetter));
  };
  Rows.push_back({Fn, {Choose(one, zero), Choose(zero, one)}, {{{-3, 3}}, {{-2.5, 3.5}}}});
}

void addExtremes(std::vector<RuleRow> &Rows) {
  for (MathFn Fn : {MathFn::Fmax, MathFn::Fmaximum, MathFn::FmaximumNum})
    addExtreme(Rows, Fn, x1 > x0);
  for (MathFn Fn : {MathFn::Fmin, MathFn::Fminimum, MathFn::FminimumNum})
    addExtreme(Rows, Fn, x1 < x0);
  const Formula Size0 = call(MathFn::Fabs, x0), Size1 = call(MathFn::Fabs, x1);
  for (MathFn Fn : {MathFn::FmaximumMag, MathFn::FmaximumMagNum, MathFn::Fmaxmag})
    addExtremeMagnitude(Rows, Fn, Size1 > Size0, x1 > x0);
  for (MathFn Fn : {MathFn::FminimumMag, MathFn::FminimumMagNum, MathFn::Fminmag})
    addExtremeMagnitude(Rows, Fn, Size1 < Size0, x1 < x0);
}

void addRounding(std::vector<RuleRow> &Rows) {
  for (MathFn Fn : {MathFn::Floor, MathFn::Ceil, MathFn::Trunc, MathFn::Rint, MathFn::Nearbyint,
                    MathFn::Round, MathFn::Roundeven, MathFn::Lround, MathFn::Llround,
                    MathFn::Lrint, MathFn::Llrint, MathFn::FptosiSat})
    Rows.push_back({Fn, {zero}, {{{-2.4, -2.1}, {-0.4, -0.1}, {1.1, 1.4}, {2.6, 2.9}}}});
  Rows.push_back({MathFn::FptouiSat, {zero}, {{{-2.4, -2.1}, {2.6, 2.9}}}});
  Rows.push_back({MathFn::Logb, {zero}, {{{-3.9, -2.1}, {0.6, 0.9}, {2.1, 3.9}}}});
  Rows.push_back({MathFn::Ilogb, {zero}, {{{-3.9, -2.1}, {0.6, 0.9}, {2.1, 3.9}}}});
  Rows.push_back({MathFn::Llogb, {zero}, {{{-3.9, -2.1}, {0.6, 0.9}, {2.1, 3.9}}}});
}

void addRepresentation(std::vector<RuleRow> &Rows) {
  const std::vector<RuleRow> Here = {
      {MathFn::Fmod, {one, -rint((x0 - r) / x1)}, {{{-7, 7}}, {{-3, -1}, {1, 3}}}, Dear | Singular},
      {MathFn::Remainder,
       {one, -rint((x0 - r) / x1)},
       {{{-7, 7}}, {{-3, -1}, {1, 3}}},
       Dear | Singular},
      {MathFn::Remquo,
       {one, -rint((x0 - r) / x1)},
       {{{-7, 7}}, {{-3, -1}, {1, 3}}},
       Dear | Singular},
      {MathFn::Ldexp, {call(MathFn::Ldexp, one, x1), zero}, {{{-3, 3}}, {{-4, 4}}}},
      {MathFn::Scalbn, {call(MathFn::Scalbn, one, x1), zero}, {{{-3, 3}}, {{-4, 4}}}},
      {MathFn::Scalbln, {call(MathFn::Scalbln, one, x1), zero}, {{{-3, 3}}, {{-4, 4}}}},
      {MathFn::Frexp,
       {select(x0 == zero, one, r / x0)},
       {{{-3.9, -2.1}, {0.6, 0.9}, {2.1, 3.9}}},
       Dear},
      {MathFn::Significand,
       {select(x0 == zero, one, r / x0)},
       {{{-3.9, -2.1}, {0.6, 0.9}, {2.1, 3.9}}}},
      {MathFn::Nextafter, {one, zero}, {{{-0.9, 0.9}}, {{5, 6}}}},
      {MathFn::Nexttoward, {one, zero}, {{{-0.9, 0.9}}, {{5, 6}}}},
      {MathFn::Nextup, {one}, {{{-3, 3}}}},
      {MathFn::Nextdown, {one}, {{{-3, 3}}}},
  };
  Rows.insert(Rows.end(), Here.begin(), Here.end());
}

} // namespace

void addArithmeticRows(std::vector<RuleRow> &Rows) {
  addInstructions(Rows);
  addSigns(Rows);
  addExtremes(Rows);
  addRounding(Rows);
  addRepresentation(Rows);
}

} // namespace contraflow
