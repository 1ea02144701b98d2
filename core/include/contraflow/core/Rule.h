// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The derivative of a scalar operation, read by both modes from one table. A rule gives, for each
// operand, the partial derivative as a formula over the operands x0, x1, ... and the result r:
//
//   tanh:  d r / d x0 = 1 - r * r        pow:  d r / d x0 = x1 * pow(x0, x1 - 1), ...
//
// The tangent adds scale(i, x-dot_i) over the operands; the adjoint adds scale(i, r-bar) to
// x-bar_i. Both ask the rule which primal values the formula reads.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class Instruction;
class Type;
class Value;
} // namespace llvm

namespace contraflow {

class RuleRow;

/// The primal values that a formula may read; entries nobody needs may be null.
struct RuleValues {
  llvm::ArrayRef<llvm::Value *> Operands;
  llvm::Value *Result = nullptr;
};

/// A derivative rule applied to one instruction. Cheap to copy.
class Rule {
public:
  Rule() = default;
  /// The types differ for conversions only.
  Rule(const RuleRow *Row, llvm::Type *OperandTy, llvm::Type *ResultTy)
      : Row(Row), OperandTy(OperandTy), ResultTy(ResultTy) {}
  explicit operator bool() const { return Row != nullptr; }

  /// Number of operands the table speaks of; further operands (rounding modes) are inactive.
  unsigned operands() const;
  /// True if the partial derivative with respect to operand I is identically zero.
  bool isZero(unsigned I) const;
  /// True if the formula of operand I reads the primal value of operand J.
  bool readsOperand(unsigned I, unsigned J) const;
  /// True if the formula of operand I reads the primal result.
  bool readsResult(unsigned I) const;
  /// True when the operation is dear to repeat (a library call): its result is rather stored.
  bool isDear() const;

  /// Emits Seed * d r / d x_I, simplified (no multiplication by one). For the adjoint, Seed has the
  /// type of the result and the value returned that of operand I; for the tangent it is the other
  /// way round (conversions change width; elsewhere the types are the same).
  llvm::Value *scale(llvm::IRBuilderBase &B, unsigned I, llvm::Value *Seed,
                     const RuleValues &Values) const;

private:
  const RuleRow *Row = nullptr;
  llvm::Type *OperandTy = nullptr;
  llvm::Type *ResultTy = nullptr;
};

/// A quotient that is a factor of a derivative, and nothing the program computes: several with one
/// divisor may become products with its reciprocal.
llvm::Value *divideAsFactor(llvm::IRBuilderBase &B, llvm::Value *Dividend, llvm::Value *Divisor);

/// Finds the rule for an instruction: arithmetic, casts between float widths, an intrinsic, or a
/// call to a function of the C library (any spelling in callee/Math.def). Select, phi, loads and
/// calls to user functions have no rule. An instruction whose result carries no derivative
/// (floor, int-to-float) has a rule whose partials are all zero.
Rule findRule(const llvm::Instruction &I);

} // namespace contraflow
