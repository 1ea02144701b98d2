// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all rows, built at first use and indexed by function and by opcode, so that a rule
// is found in constant time.

#include "Row.h"

using namespace llvm;

namespace contraflow {
namespace {

class RuleTable {
public:
  static const RuleTable &get() {
    static const RuleTable Table;
    return Table;
  }

  ArrayRef<RuleRow> rows() const { return Rows; }
  const RuleRow *find(MathFn Fn) const { return ByFunction[static_cast<unsigned>(Fn)]; }
  const RuleRow *find(unsigned Opcode) const {
    return Opcode < ByOpcode.size() ? ByOpcode[Opcode] : nullptr;
  }

private:
  RuleTable() {
    addArithmeticRows(Rows);
    addElementaryRows(Rows);
    addSpecialRows(Rows);
    for (const RuleRow &Row : Rows)
      if (std::optional<MathFn> Fn = Row.key().function())
        ByFunction[static_cast<unsigned>(*Fn)] = &Row;
      else
        ByOpcode[Row.key().opcode()] = &Row;
  }

  std::vector<RuleRow> Rows;
  std::array<const RuleRow *, NumMathFns> ByFunction{};
  std::array<const RuleRow *, Instruction::OtherOpsEnd> ByOpcode{};
};

} // namespace

std::string RowKey::name() const {
  return Fn ? mathName(*Fn).str() : Instruction::getOpcodeName(Opcode);
}

ArrayRef<RuleRow> ruleRows() { return RuleTable::get().rows(); }
const RuleRow *findRow(MathFn Fn) { return RuleTable::get().find(Fn); }
const RuleRow *findRow(unsigned Opcode) { return RuleTable::get().find(Opcode); }

} // namespace contraflow
