// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a C program from the derivative table: for every function of the C library that has a row,
// in double and in float, on every interval of its domain, a primal that calls the function and a
// line that has both of its derivatives checked:
//
//   double tanh(double);
//   static double Tanh_0_double_call(double w, double x0) { ... return w * tanh(x0); }
//   GRADIENT_CHECK(Tanh_0_double, Double, Tanh_0_double_call,
//                  Scalar(double), ScalarRange(double, -4, 4))
//
// usage: rules_program > rules.c        (tests/numeric/rules compiles it with the plugin)

#include "core/lib/rules/Row.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace contraflow {
namespace {

StringRef typeName(const Type *Ty) {
  if (Ty->isPointerTy())
    return "int *"; // to a further result
  if (Ty->isIntegerTy())
    return Ty->isIntegerTy(32) ? "int" : "long";
  return Ty->isFloatTy() ? "float" : Ty->isDoubleTy() ? "double" : "long double";
}

class ProgramWriter {
public:
  ProgramWriter(raw_ostream &Out, const RuleRow &Row, Type *Ty)
      : Out(Out), Row(Row), Name(mathSpelling(*Row.key().function(), Ty)),
        Prototype(mathType(*Row.key().function(), Ty)), Floating(typeName(Ty)),
        Result(Ty->isFloatTy() ? "Float" : "Double") {}

  void write() {
    writePrototype();
    size_t Intervals = 1;
    for (unsigned I = 0; I < Row.operands(); ++I)
      Intervals = std::max(Intervals, Row.domain(I).size());
    for (unsigned Case = 0; Case < Intervals; ++Case)
      writeCheck(Case);
  }

private:
  void writePrototype() {
    Out << typeName(Prototype->getReturnType()) << ' ' << Name << '(';
    for (unsigned I = 0; I < Prototype->getNumParams(); ++I)
      Out << (I ? ", " : "") << typeName(Prototype->getParamType(I));
    Out << ");\n";
  }

  void writeCheck(unsigned Case) {
    const std::string Check = formatv("{0}_{1}_{2}", Row.key().name(), Case, Floating);
    Out << formatv("static {0} {1}_call({0} w", Floating, Check);
    for (unsigned I = 0; I < Row.operands(); ++I)
      Out << formatv(", {0} x{1}", parameter(I), I);
    Out << formatv(") {{ int further; (void)further; return w * {0}(", Name);
    for (unsigned I = 0; I < Prototype->getNumParams(); ++I)
      Out << (I ? ", " : "") << (I < Row.operands() ? "x" + std::to_string(I) : "&further");
    Out << formatv("); }\nGRADIENT_CHECK({0}, {1}, {0}_call, Scalar({2})", Check, Result, Floating);
    for (unsigned I = 0; I < Row.operands(); ++I)
      Out << ", " << descriptor(I, Row.domain(I)[Case % Row.domain(I).size()]);
    Out << ")\n";
  }

  /// The checker passes float, double and int.
  StringRef parameter(unsigned I) const {
    return Prototype->getParamType(I)->isIntegerTy() ? "int" : Floating;
  }

  std::string descriptor(unsigned I, Interval In) const {
    if (Prototype->getParamType(I)->isIntegerTy())
      return formatv("Int({0})", static_cast<int>(In.High));
    return formatv("ScalarRange({0}, {1}, {2})", Floating, In.Low, In.High);
  }

  raw_ostream &Out;
  const RuleRow &Row;
  std::string Name;
  FunctionType *Prototype;
  StringRef Floating, Result;
};

} // namespace
} // namespace contraflow

int main() {
  LLVMContext Context;
  outs() << "// Written by rules_program from the derivative table.\n"
            "#include \"GradientCheck.h\"\n";
  for (const contraflow::RuleRow &Row : contraflow::ruleRows()) {
    const std::optional<contraflow::MathFn> Fn = Row.key().function();
    for (Type *Ty : {Type::getDoubleTy(Context), Type::getFloatTy(Context)})
      if (Fn && !contraflow::mathSpelling(*Fn, Ty).empty())
        contraflow::ProgramWriter(outs(), Row, Ty).write();
  }
  return 0;
}
