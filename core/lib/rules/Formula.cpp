// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction of formulas. Nodes live as long as the program, in one pool that grows only while
// the table is built (once, guarded by the table's own initialisation). Each node knows what its
// formula reads, so the questions of the planner are answered by a bit.

#include "Formula.h"
#include <deque>
#include <initializer_list>

namespace contraflow {
namespace {

const FormulaNode *keep(const FormulaNode &Node) {
  static std::deque<FormulaNode> Pool;
  return &Pool.emplace_back(Node);
}

const FormulaNode *keep(FormulaNode Node, std::initializer_list<const FormulaNode *> Args) {
  unsigned I = 0;
  for (const FormulaNode *Arg : Args) {
    Node.Args[I++] = Arg;
    Node.Reads |= Arg->Reads;
  }
  return keep(Node);
}

FormulaNode ofKind(NodeKind Kind) { return FormulaNode{Kind}; }

Condition compare(llvm::CmpInst::Predicate Predicate, Formula A, Formula B) {
  FormulaNode Node = ofKind(NodeKind::Compare);
  Node.Predicate = Predicate;
  return Condition(keep(Node, {A.node(), B.node()}));
}

} // namespace

Formula::Formula(double Number) : Node(keep(formula::constantNode(Number))) {}

namespace formula {

Formula operator-(Formula A) { return keep(ofKind(NodeKind::Neg), {A.node()}); }
Formula operator+(Formula A, Formula B) {
  return keep(ofKind(NodeKind::Add), {A.node(), B.node()});
}
Formula operator-(Formula A, Formula B) {
  return keep(ofKind(NodeKind::Sub), {A.node(), B.node()});
}
Formula operator*(Formula A, Formula B) {
  return keep(ofKind(NodeKind::Mul), {A.node(), B.node()});
}
Formula operator/(Formula A, Formula B) {
  return keep(ofKind(NodeKind::Div), {A.node(), B.node()});
}

Condition operator>(Formula A, Formula B) { return compare(llvm::CmpInst::FCMP_OGT, A, B); }
Condition operator<(Formula A, Formula B) { return compare(llvm::CmpInst::FCMP_OLT, A, B); }
Condition operator==(Formula A, Formula B) { return compare(llvm::CmpInst::FCMP_OEQ, A, B); }

Formula select(Condition C, Formula Then, Formula Else) {
  return keep(ofKind(NodeKind::Select), {C.node(), Then.node(), Else.node()});
}

Formula toFloat(Formula Integer) { return keep(ofKind(NodeKind::ToFloat), {Integer.node()}); }

Formula call(MathFn Fn, Formula A) {
  FormulaNode Node = ofKind(NodeKind::Call);
  Node.Fn = Fn;
  return keep(Node, {A.node()});
}

Formula call(MathFn Fn, Formula A, Formula B) {
  FormulaNode Node = ofKind(NodeKind::Call);
  Node.Fn = Fn;
  return keep(Node, {A.node(), B.node()});
}

Formula sign(Formula A) { return select(A > zero, one, select(A < zero, -one, zero)); }

/// For y >= 12.5 the asymptotic series below is exact to 1e-19; smaller arguments are moved up by
/// psi(x) = psi(x + 1) - 1/x, and those left of 1/2 reflected by psi(x) = psi(1-x) - pi/tan(pi x).
Formula digamma(Formula A) {
  const Condition Left = A < 0.5;
  const Formula X = select(Left, one - A, A);
  Formula Shift = one / X;
  for (int K = 1; K < 12; ++K)
    Shift = Shift + one / (X + K);
  const Formula Y = X + 12.0;
  const Formula W = one / (Y * Y);
  // The coefficients are B_2k / 2k for the Bernoulli numbers B_2 .. B_16.
  const std::pair<double, double> Series[] = {{-3617, 8160}, {1, 12},  {-691, 32760}, {1, 132},
                                              {-1, 240},     {1, 252}, {-1, 120},     {1, 12}};
  Formula Sum = zero;
  for (auto [Numerator, Denominator] : Series)
    Sum = (Sum + Formula(Numerator) / Formula(Denominator)) * W;
  const Formula Right = log(Y) - 0.5 / Y - Sum - Shift;
  return select(Left, Right - pi / tan(pi * (A - rint(A))), Right);
}

} // namespace formula
} // namespace contraflow
