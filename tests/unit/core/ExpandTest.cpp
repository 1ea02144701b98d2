// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expansions give the values of what they replace, to the bit, and leave only operations that have
// rules. Each function of the module below stores its results; it is run as it is and expanded.

#include "core/lib/rules/Expand.h"
#include "contraflow/core/Rule.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

using namespace llvm;

namespace contraflow::test {
namespace {

const char *const Text = R"(
declare void @sincos(double, ptr, ptr)
declare double @modf(double, ptr)
declare {double, double} @llvm.sincos.f64(double)
declare {double, double} @llvm.modf.f64(double)
declare {double, i32} @llvm.frexp.f64.i32(double)
declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)
declare double @llvm.vector.reduce.fmul.v4f64(double, <4 x double>)
declare double @llvm.vector.reduce.fmax.v4f64(<4 x double>)
declare double @llvm.vector.reduce.fmin.v4f64(<4 x double>)

define void @sincos_call(ptr %in, ptr %out) {
  %x = load double, ptr %in
  %c = getelementptr double, ptr %out, i64 1
  call void @sincos(double %x, ptr %out, ptr %c)
  ret void
}
define void @modf_call(ptr %in, ptr %out) {
  %x = load double, ptr %in
  %w = getelementptr double, ptr %out, i64 1
  %f = call double @modf(double %x, ptr %w)
  store double %f, ptr %out
  ret void
}
define void @sincos_pair(ptr %in, ptr %out) {
  %x = load double, ptr %in
  %p = call {double, double} @llvm.sincos.f64(double %x)
  %s = extractvalue {double, double} %p, 0
  %c = extractvalue {double, double} %p, 1
  %q = getelementptr double, ptr %out, i64 1
  store double %s, ptr %out
  store double %c, ptr %q
  ret void
}
define void @modf_pair(ptr %in, ptr %out) {
  %x = load double, ptr %in
  %p = call {double, double} @llvm.modf.f64(double %x)
  store {double, double} %p, ptr %out
  ret void
}
define void @frexp_pair(ptr %in, ptr %out) {
  %x = load double, ptr %in
  %p = call {double, i32} @llvm.frexp.f64.i32(double %x)
  %m = extractvalue {double, i32} %p, 0
  store double %m, ptr %out
  ret void
}
define void @reductions(ptr %in, ptr %out) {
  %v = load <4 x double>, ptr %in, align 8
  %a = call double @llvm.vector.reduce.fadd.v4f64(double 0.5, <4 x double> %v)
  %b = call double @llvm.vector.reduce.fmul.v4f64(double 0.5, <4 x double> %v)
  %c = call double @llvm.vector.reduce.fmax.v4f64(<4 x double> %v)
  %d = call double @llvm.vector.reduce.fmin.v4f64(<4 x double> %v)
  %q1 = getelementptr double, ptr %out, i64 1
  %q2 = getelementptr double, ptr %out, i64 2
  %q3 = getelementptr double, ptr %out, i64 3
  store double %a, ptr %out
  store double %b, ptr %q1
  store double %c, ptr %q2
  store double %d, ptr %q3
  ret void
}
)";

enum class Treatment { AsWritten, Expanded };

std::unique_ptr<Module> parse(LLVMContext &Context, Treatment T) {
  SMDiagnostic Error;
  std::unique_ptr<Module> M = parseAssemblyString(Text, Error, Context);
  EXPECT_NE(M, nullptr) << Error.getMessage().str();
  for (Function &F : *M)
    if (T == Treatment::Expanded && !F.isDeclaration()) {
      EXPECT_TRUE(expandCompounds(F)) << F.getName().str();
      EXPECT_FALSE(expandCompounds(F)) << F.getName().str() << ", the second time";
    }
  EXPECT_FALSE(verifyModule(*M, &errs()));
  return M;
}

std::unique_ptr<orc::LLJIT> compile(Treatment T) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto Context = std::make_unique<LLVMContext>();
  auto M = parse(*Context, T);
  auto Jit = cantFail(orc::LLJITBuilder().create());
  M->setDataLayout(Jit->getDataLayout());
  cantFail(Jit->addIRModule(orc::ThreadSafeModule(std::move(M), std::move(Context))));
  return Jit;
}

using Values = std::array<double, 4>;

std::array<uint64_t, 4> run(orc::LLJIT &Jit, const char *Name, const Values &In) {
  Values Out{};
  cantFail(Jit.lookup(Name)).toPtr<void (*)(const double *, double *)>()(In.data(), Out.data());
  return std::bit_cast<std::array<uint64_t, 4>>(Out);
}

TEST(Expand, KeepsEveryValue) {
  const auto Plain = compile(Treatment::AsWritten), Expanded = compile(Treatment::Expanded);
  const double Infinity = std::numeric_limits<double>::infinity();
  for (const char *Name :
       {"sincos_call", "modf_call", "sincos_pair", "modf_pair", "frexp_pair", "reductions"})
    for (double X :
         {0.0, -0.0, 0.3, -0.3, 1.0, -1.0, 2.75, -2.75, 1e10, 0x1p-1060, Infinity, -Infinity}) {
      if (std::string_view(Name).starts_with("sincos") && X * 0 != 0)
        continue; // a NaN, of either sign
      const Values In = {X, 1.5, -0.25, 3};
      EXPECT_EQ(run(*Plain, Name, In), run(*Expanded, Name, In)) << Name << " at " << X;
    }
}

/// What still has no rule is no operation on floating values.
TEST(Expand, LeavesOperationsThatHaveRules) {
  LLVMContext Context;
  const auto M = parse(Context, Treatment::Expanded);
  for (Function &F : *M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I)) {
        const bool Exponent = Call->getIntrinsicID() == Intrinsic::frexp;
        EXPECT_TRUE(Exponent || findRule(*Call)) << Call->getCalledFunction()->getName().str();
      }
}

} // namespace
} // namespace contraflow::test
