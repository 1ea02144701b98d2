// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of the derivative table, and the table. A row names an operation, gives one formula per
// operand, and says where its generated test samples each operand:
//
//   {MathFn::Tanh, {one - r * r}, {{{-4, 4}}}, Dear}
//   {Instruction::FMul, {x1, x0}, {{{-3, 3}}, {{-3, 3}}}}
//
// The domain is a list of intervals per operand. Intervals keep a little distance from points
// where the derivative jumps; what holds at such points is written in docs/design/rules.md.

#pragma once

#include "Formula.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instruction.h"
#include <optional>
#include <string>
#include <vector>

namespace contraflow {

/// What a row is about: a mathematical function or an instruction.
class RowKey {
public:
  RowKey(MathFn Fn) : Fn(Fn) {}
  RowKey(llvm::Instruction::BinaryOps Opcode) : Opcode(Opcode) {}
  RowKey(llvm::Instruction::UnaryOps Opcode) : Opcode(Opcode) {}
  RowKey(llvm::Instruction::CastOps Opcode) : Opcode(Opcode) {}
  RowKey(llvm::Instruction::OtherOps Opcode) : Opcode(Opcode) {}

  std::optional<MathFn> function() const { return Fn; }
  /// The opcode of an instruction row; 0 for a function.
  unsigned opcode() const { return Opcode; }
  /// "Tanh", "fmul".
  std::string name() const;

private:
  std::optional<MathFn> Fn;
  unsigned Opcode = 0;
};

struct Interval {
  double Low, High;
};

enum RowFlag : uint8_t {
  Plain = 0,
  Dear = 1,     ///< a library call: dear to repeat (or, with a pointer argument, wrong to)
  Singular = 2, ///< a partial derivative may be infinite: a zero seed gives zero all the same
};

class RuleRow {
public:
  RuleRow(RowKey Key, std::vector<Formula> Partials, std::vector<std::vector<Interval>> Domain,
          int Flags = Plain)
      : Key(Key), Partials(std::move(Partials)), Domain(std::move(Domain)), Flags(Flags) {}

  const RowKey &key() const { return Key; }
  unsigned operands() const { return Partials.size(); }
  const FormulaNode *partial(unsigned I) const { return Partials[I].node(); }
  llvm::ArrayRef<Interval> domain(unsigned I) const { return Domain[I]; }
  bool isDear() const { return Flags & Dear; }
  bool isSingular() const { return Flags & Singular; }

private:
  RowKey Key;
  std::vector<Formula> Partials;
  std::vector<std::vector<Interval>> Domain;
  int Flags;
};

/// All rows, in the order in which they are written.
llvm::ArrayRef<RuleRow> ruleRows();
/// The row of a function or an opcode; null if there is none.
const RuleRow *findRow(MathFn Fn);
const RuleRow *findRow(unsigned Opcode);

/// The table, by subject.
void addArithmeticRows(std::vector<RuleRow> &Rows);
void addElementaryRows(std::vector<RuleRow> &Rows);
void addSpecialRows(std::vector<RuleRow> &Rows);

} // namespace contraflow
