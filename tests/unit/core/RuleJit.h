// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one operation of the derivative table, and its partial derivatives as the compiler emits
// them, in a JIT. Every value crosses the border as a long double:
//
//   primal:   result = op(x0, x1, ...)            partial I:   result = seed * d op / d x_I
//
// An operation may be written in several forms: llvm.sin, the C function sin, an instruction. The
// operands a rule says it does not read are not given to it.

#pragma once

#include "core/lib/rules/Row.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>
#include <string>
#include <vector>

namespace contraflow::test {

enum class Precision { Float, Double, LongDouble, Vector };
enum class Form { Instruction, Intrinsic, Library };

/// The forms in which a row's operation can be written at this precision.
std::vector<Form> formsOf(const RuleRow &Row, Precision P);
std::string nameOf(Precision P);
std::string nameOf(Form F);

/// One operation in one form at one precision, compiled. A vector has the argument in all lanes.
class CompiledRow {
public:
  CompiledRow(const RuleRow &Row, Form F, Precision P);

  /// Why the operation could not be compiled; empty if it was.
  const std::string &problem() const { return Problem; }
  /// True if operand I is an integer.
  bool isInteger(unsigned I) const { return Integers[I]; }
  /// True if the rule says that the partial derivative of operand I is zero everywhere.
  bool isZero(unsigned I) const { return Zeros[I]; }
  bool resultIsInteger() const { return ResultIsInteger; }

  long double primal(const std::vector<long double> &X) const;
  long double partial(unsigned I, long double Seed, const std::vector<long double> &X) const;

private:
  using Entry = void(const long double *In, const long double *Seed, long double *Out);

  void build(const RuleRow &Row, Form F, Precision P, llvm::Module &M);
  void lookUp(unsigned Operands);

  std::string Problem;
  std::vector<bool> Integers, Zeros;
  bool ResultIsInteger = false;
  std::unique_ptr<llvm::orc::LLJIT> Jit;
  Entry *Primal = nullptr;
  std::vector<Entry *> Partials;
};

} // namespace contraflow::test
