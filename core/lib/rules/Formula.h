// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small language in which the derivative table is written. A formula is an expression over the
// operands x0, x1, x2 and the result r of an operation:
//
//   1 - r * r        select(x0 > 0, r * log(x0), 0)        toFloat(x1) * powi(x0, x1 - 1)
//
// Formulas are immutable graphs that are built once, with the table; Emit.cpp turns them into IR.
// An integer operand keeps its type: x1 - 1 above is an integer subtraction.

#pragma once

#include "../callee/Math.h"
#include "llvm/IR/InstrTypes.h"
#include <array>
#include <cstdint>

namespace contraflow {

enum class NodeKind : uint8_t {
  Constant,
  Operand,
  Result,
  ToFloat, ///< an integer as a floating value
  Neg,
  Add,
  Sub,
  Mul,
  Div,
  Call,
  Compare,
  Select,
};

struct FormulaNode {
  NodeKind Kind;
  MathFn Fn{};                                                 ///< Call
  llvm::CmpInst::Predicate Predicate{llvm::CmpInst::FCMP_OEQ}; ///< Compare
  uint8_t Index = 0;                                           ///< Operand: its number
  uint8_t Reads = 0;            ///< bit I: reads operand I; bit ResultBit: reads the result
  double Number = 0;            ///< Constant
  const char *Digits = nullptr; ///< Constant that no double represents
  std::array<const FormulaNode *, 3> Args{};

  static constexpr unsigned ResultBit = 7;
};

class Formula {
public:
  constexpr Formula(const FormulaNode *Node) : Node(Node) {}
  Formula(double Number);
  const FormulaNode *node() const { return Node; }

private:
  const FormulaNode *Node;
};

/// A truth value: the first argument of select.
class Condition {
public:
  explicit Condition(const FormulaNode *Node) : Node(Node) {}
  const FormulaNode *node() const { return Node; }

private:
  const FormulaNode *Node;
};

namespace formula {

constexpr FormulaNode operandNode(uint8_t I) {
  FormulaNode N{NodeKind::Operand};
  N.Index = I;
  N.Reads = static_cast<uint8_t>(1U << I);
  return N;
}

constexpr FormulaNode resultNode() {
  FormulaNode N{NodeKind::Result};
  N.Reads = static_cast<uint8_t>(1U << FormulaNode::ResultBit);
  return N;
}

constexpr FormulaNode constantNode(double Number, const char *Digits = nullptr) {
  FormulaNode N{NodeKind::Constant};
  N.Number = Number;
  N.Digits = Digits;
  return N;
}

inline constexpr FormulaNode Leaves[] = {
    operandNode(0),
    operandNode(1),
    operandNode(2),
    resultNode(),
    constantNode(0),
    constantNode(1.0),
    constantNode(0.693147180559945, "0.693147180559945309417232121458176568"),
    constantNode(2.302585092994046, "2.302585092994045684017991454684364208"),
    constantNode(3.141592653589793, "3.141592653589793238462643383279502884"),
    constantNode(1.128379167095513, "1.128379167095512573896158903121545172")};

inline constexpr Formula x0{&Leaves[0]}, x1{&Leaves[1]}, x2{&Leaves[2]}, r{&Leaves[3]};
inline constexpr Formula zero{&Leaves[4]}, one{&Leaves[5]};
inline constexpr Formula ln2{&Leaves[6]}, ln10{&Leaves[7]}, pi{&Leaves[8]};
inline constexpr Formula twoOverSqrtPi{&Leaves[9]};

Formula operator-(Formula A);
Formula operator+(Formula A, Formula B);
Formula operator-(Formula A, Formula B);
Formula operator*(Formula A, Formula B);
Formula operator/(Formula A, Formula B);

Condition operator>(Formula A, Formula B);
Condition operator<(Formula A, Formula B);
Condition operator==(Formula A, Formula B);
Formula select(Condition C, Formula Then, Formula Else);

Formula toFloat(Formula Integer);
Formula call(MathFn Fn, Formula A);
Formula call(MathFn Fn, Formula A, Formula B);

inline Formula sqrt(Formula A) { return call(MathFn::Sqrt, A); }
inline Formula exp(Formula A) { return call(MathFn::Exp, A); }
inline Formula log(Formula A) { return call(MathFn::Log, A); }
inline Formula sin(Formula A) { return call(MathFn::Sin, A); }
inline Formula cos(Formula A) { return call(MathFn::Cos, A); }
inline Formula tan(Formula A) { return call(MathFn::Tan, A); }
inline Formula sinh(Formula A) { return call(MathFn::Sinh, A); }
inline Formula cosh(Formula A) { return call(MathFn::Cosh, A); }
inline Formula rint(Formula A) { return call(MathFn::Rint, A); }
inline Formula j0(Formula A) { return call(MathFn::J0, A); }
inline Formula j1(Formula A) { return call(MathFn::J1, A); }
inline Formula y0(Formula A) { return call(MathFn::Y0, A); }
inline Formula y1(Formula A) { return call(MathFn::Y1, A); }
inline Formula pow(Formula A, Formula B) { return call(MathFn::Pow, A, B); }
inline Formula powi(Formula A, Formula N) { return call(MathFn::Powi, A, N); }
inline Formula jn(Formula N, Formula A) { return call(MathFn::Jn, N, A); }
inline Formula yn(Formula N, Formula A) { return call(MathFn::Yn, N, A); }
inline Formula copysign(Formula A, Formula B) { return call(MathFn::Copysign, A, B); }

/// -1, 0 or 1; zero where A is zero.
Formula sign(Formula A);
/// The derivative of log(gamma): exact to the last places of a long double, for A of either sign.
Formula digamma(Formula A);

} // namespace formula
} // namespace contraflow
