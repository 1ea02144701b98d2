// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the table says where a derivative does not exist or is infinite (docs/design/rules.md), and
// the shape of what is emitted.

#include "RuleJit.h"
#include "contraflow/core/Rule.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace llvm;

namespace contraflow::test {
namespace {

const long double Nan = std::numeric_limits<long double>::quiet_NaN();

/// The partial derivative of a function with respect to operand I, times Seed, in double.
long double partialOf(MathFn Fn, unsigned I, std::vector<long double> X, long double Seed = 1) {
  const RuleRow &Row = *findRow(Fn);
  const CompiledRow Op(Row, formsOf(Row, Precision::Double).front(), Precision::Double);
  EXPECT_EQ(Op.problem(), "");
  return Op.partial(I, Seed, X);
}

TEST(RuleConventions, AbsoluteValuesAreFlatAtZero) {
  EXPECT_EQ(partialOf(MathFn::Fabs, 0, {0}), 0);
  EXPECT_EQ(partialOf(MathFn::Copysign, 0, {0, -1}), 0);
  EXPECT_EQ(partialOf(MathFn::Hypot, 0, {0, 0}), 0);
  EXPECT_EQ(partialOf(MathFn::Hypot, 1, {0, 0}), 0);
}

TEST(RuleConventions, TheFirstOperandWinsATie) {
  for (MathFn Fn : {MathFn::Fmax, MathFn::Fmin, MathFn::Fmaximum, MathFn::Fminimum}) {
    EXPECT_EQ(partialOf(Fn, 0, {2, 2}), 1) << mathName(Fn).str();
    EXPECT_EQ(partialOf(Fn, 1, {2, 2}), 0) << mathName(Fn).str();
  }
}

TEST(RuleConventions, AMissingOperandHasNoDerivative) {
  EXPECT_EQ(partialOf(MathFn::Fmax, 0, {Nan, 2}), 0);
  EXPECT_EQ(partialOf(MathFn::Fmax, 1, {Nan, 2}), 1);
  EXPECT_EQ(partialOf(MathFn::Fmin, 0, {2, Nan}), 1);
  EXPECT_EQ(partialOf(MathFn::Fmin, 1, {2, Nan}), 0);
}

TEST(RuleConventions, ThePositivePartIsFlatAtZero) {
  EXPECT_EQ(partialOf(MathFn::Fdim, 0, {2, 2}), 0);
  EXPECT_EQ(partialOf(MathFn::Fdim, 1, {2, 2}), 0);
}

/// An infinite slope stays visible, but a zero seed does not become a NaN.
TEST(RuleConventions, AZeroSeedGivesZeroAtASingularity) {
  const std::pair<MathFn, std::vector<long double>> Singular[] = {
      {MathFn::Sqrt, {0}},     {MathFn::Cbrt, {0}},  {MathFn::Asin, {1}},     {MathFn::Acos, {-1}},
      {MathFn::Pow, {0, 0.5}}, {MathFn::Acosh, {1}}, {MathFn::Powi, {0, -1}}, {MathFn::Atanh, {1}}};
  for (const auto &[Fn, X] : Singular) {
    EXPECT_EQ(partialOf(Fn, 0, X, 0), 0) << mathName(Fn).str();
    EXPECT_TRUE(std::isinf(partialOf(Fn, 0, X, 2))) << mathName(Fn).str();
  }
  for (MathFn Fn : {MathFn::Log, MathFn::Log2, MathFn::Log10})
    EXPECT_EQ(partialOf(Fn, 0, {0}, 0), 0) << mathName(Fn).str();
  EXPECT_EQ(partialOf(MathFn::Fmod, 1, {1, 0}, 0), 0);
  EXPECT_EQ(partialOf(MathFn::Atan2, 0, {0, 0}, 0), 0);
  EXPECT_EQ(partialOf(MathFn::Atan2, 1, {0, 0}, 0), 0);
}

/// The optimiser turns  h > 0 ? q / h : 0  into a division that is always done.
TEST(RuleConventions, AnUnusedDivisionByZeroDoesNoHarm) {
  const RuleRow &Row = *findRow(Instruction::FDiv);
  for (Precision P : {Precision::Double, Precision::Vector}) {
    const CompiledRow Op(Row, Form::Instruction, P);
    EXPECT_EQ(Op.partial(0, 0, {1, 0}), 0);
    EXPECT_EQ(Op.partial(1, 0, {1, 0}), 0);
    EXPECT_TRUE(std::isinf(Op.partial(0, 1, {1, 0})));
  }
}

TEST(RuleConventions, PowersAtZeroAndBelow) {
  EXPECT_EQ(partialOf(MathFn::Pow, 0, {0, 0}), 0);
  EXPECT_EQ(partialOf(MathFn::Pow, 0, {0, 1}), 1);
  EXPECT_EQ(partialOf(MathFn::Pow, 0, {0, 2}), 0);
  EXPECT_EQ(partialOf(MathFn::Pow, 0, {-2, 3}), 12);
  EXPECT_EQ(partialOf(MathFn::Pow, 1, {0, 2}), 0);
  EXPECT_EQ(partialOf(MathFn::Pow, 1, {-2, 3}), 0);
  EXPECT_EQ(partialOf(MathFn::Powi, 0, {0, 0}), 0);
  EXPECT_EQ(partialOf(MathFn::Powi, 0, {0, 1}), 1);
}

/// 2^1100 is no double, yet the seed times it is one.
TEST(RuleConventions, ScalingDoesNotOverflowOnTheWay) {
  EXPECT_EQ(partialOf(MathFn::Ldexp, 0, {0x1p-300L, 1100}, 0x1p-200L), 0x1p900L);
}

class RuleShape : public testing::Test {
protected:
  /// Parses the body of "double @f(double %a, double %b, double %s)"; %r is the operation.
  void parse(const std::string &Operation, const std::string &Others = "") {
    const std::string Text = Others + "\ndefine double @f(double %a, double %b, double %s) {\n  " +
                             Operation + "\n  ret double %s\n}";
    SMDiagnostic Error;
    M = parseAssemblyString(Text, Error, Context);
    ASSERT_NE(M, nullptr) << Error.getMessage().str();
    F = M->getFunction("f");
    Op = &*F->getEntryBlock().begin();
    Found = findRule(*Op);
  }

  /// Emits the adjoint of operand I and returns it.
  Value *adjoint(unsigned I) {
    IRBuilder<> B(F->getEntryBlock().getTerminator());
    B.setFastMathFlags(Flags);
    const SmallVector<Value *, 3> X(Op->operand_values());
    return Found.scale(B, I, F->getArg(2), {X, Op});
  }

  /// The opcodes that were emitted, in order.
  std::string emitted() const {
    std::string Names;
    for (const Instruction &I : instructions(*F))
      if (&I != Op && !I.isTerminator())
        Names += (Names.empty() ? "" : " ") + std::string(I.getOpcodeName());
    return Names;
  }

  LLVMContext Context;
  std::unique_ptr<Module> M;
  Function *F = nullptr;
  Instruction *Op = nullptr;
  Rule Found;
  FastMathFlags Flags;
};

TEST_F(RuleShape, ASumEmitsNothing) {
  parse("%r = fadd double %a, %b");
  EXPECT_EQ(adjoint(0), F->getArg(2));
  EXPECT_EQ(adjoint(1), F->getArg(2));
  EXPECT_EQ(emitted(), "");
}

TEST_F(RuleShape, ADifferenceEmitsOneNegation) {
  parse("%r = fsub double %a, %b");
  adjoint(1);
  EXPECT_EQ(emitted(), "fneg");
}

TEST_F(RuleShape, AProductReadsTheOtherFactorOnly) {
  parse("%r = fmul double %a, %b");
  EXPECT_TRUE(Found.readsOperand(0, 1));
  EXPECT_FALSE(Found.readsOperand(0, 0));
  EXPECT_FALSE(Found.readsResult(0));
  EXPECT_TRUE(Found.readsOperand(1, 0));
  adjoint(0);
  EXPECT_EQ(emitted(), "fmul");
}

TEST_F(RuleShape, AQuotientNeedsOneDivisionForTheNumerator) {
  parse("%r = fdiv double %a, %b");
  adjoint(0);
  EXPECT_EQ(emitted(), "fdiv fcmp select");
  EXPECT_FALSE(Found.readsOperand(1, 0));
  EXPECT_TRUE(Found.readsResult(1));
}

TEST_F(RuleShape, AConstantDivisorNeedsNoGuard) {
  parse("%r = fdiv double %a, 3.0");
  adjoint(0);
  EXPECT_EQ(emitted(), "fdiv");
}

TEST_F(RuleShape, AMaximumSelectsTheSeed) {
  parse("%r = call double @llvm.maxnum.f64(double %a, double %b)",
        "declare double @llvm.maxnum.f64(double, double)");
  adjoint(0);
  EXPECT_EQ(emitted(), "fcmp fcmp select select"); // the greater one, unless the other is a NaN
  EXPECT_FALSE(Found.isDear());
}

TEST_F(RuleShape, AConstantExponentLeavesOnePower) {
  parse("%r = call double @pow(double %a, double 3.0)", "declare double @pow(double, double)");
  EXPECT_TRUE(Found.isDear());
  adjoint(0);
  EXPECT_EQ(emitted(), "fmul call fmul");
}

TEST_F(RuleShape, FastMathFlagsAreThoseOfTheBuilder) {
  parse("%r = fmul double %a, %b");
  Flags.setAllowContract();
  auto *Product = cast<Instruction>(adjoint(0));
  EXPECT_TRUE(Product->hasAllowContract());
  EXPECT_FALSE(Product->hasNoNaNs());
}

TEST_F(RuleShape, CallsInFormulasHaveNoSideEffects) {
  parse("%r = call double @j0(double %a)", "declare double @j0(double)");
  adjoint(0);
  const auto Call = llvm::find_if(
      instructions(*F), [&](const Instruction &I) { return isa<CallBase>(I) && &I != Op; });
  ASSERT_NE(Call, inst_end(*F));
  EXPECT_EQ(cast<CallBase>(*Call).getCalledFunction()->getName(), "j1");
  EXPECT_TRUE(cast<CallBase>(*Call).doesNotAccessMemory());
}

/// The tangent of a conversion goes the other way than its adjoint.
TEST_F(RuleShape, ConversionsChangeTheWidthBothWays) {
  parse("%r = fptrunc double %a to float");
  IRBuilder<> B(F->getEntryBlock().getTerminator());
  Value *Double = F->getArg(0), *Float = Op;
  EXPECT_TRUE(Found.scale(B, 0, Float, {})->getType()->isDoubleTy());
  EXPECT_TRUE(Found.scale(B, 0, Double, {})->getType()->isFloatTy());
}

TEST_F(RuleShape, ThereIsNoRuleForOtherThings) {
  parse("%r = call double @sin(double %a)", "define double @sin(double %x) { ret double %x }");
  EXPECT_FALSE(Found) << "the user's own sin";
  parse("%r = call double @solve(double %a)", "declare double @solve(double)");
  EXPECT_FALSE(Found) << "an unknown function";
  parse("%r = call half @llvm.exp.f16(half 1.0)", "declare half @llvm.exp.f16(half)");
  EXPECT_TRUE(Found) << "half has the rules of the other widths";
  parse("%r = freeze i32 1");
  EXPECT_FALSE(Found) << "an integer";
  parse("%r = fcmp olt double %a, %b");
  EXPECT_FALSE(Found) << "a comparison";
}

} // namespace
} // namespace contraflow::test
