// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a function by its name, its type, and whether the module defines it.

#include "contraflow/core/Callee.h"
#include "core/lib/callee/Math.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace contraflow::test {
namespace {

class CalleeTest : public testing::Test {
protected:
  /// The function `Name` of a module that consists of Text.
  Function *parse(StringRef Text, StringRef Name) {
    SMDiagnostic Error;
    M = parseAssemblyString(Text, Error, Context);
    EXPECT_NE(M, nullptr) << Error.getMessage().str();
    return M->getFunction(Name);
  }

  CalleeInfo declared(StringRef Name, StringRef Result = "void", StringRef Args = "ptr") {
    return lookupCallee(*parse(("declare " + Result + " @" + Name + "(" + Args + ")").str(), Name));
  }

  std::optional<MathFn> math(StringRef Name, StringRef Result, StringRef Args) {
    return mathFunction(*parse(("declare " + Result + " @" + Name + "(" + Args + ")").str(), Name));
  }

  LLVMContext Context;
  std::unique_ptr<Module> M;
};

TEST_F(CalleeTest, KnowsEverySpellingOfAMathFunction) {
  EXPECT_EQ(math("sin", "double", "double"), MathFn::Sin);
  EXPECT_EQ(math("sinf", "float", "float"), MathFn::Sin);
  EXPECT_EQ(math("sinl", "x86_fp80", "x86_fp80"), MathFn::Sin);
  EXPECT_EQ(math("sinf64", "double", "double"), MathFn::Sin);
  EXPECT_EQ(math("__pow_finite", "double", "double, double"), MathFn::Pow);
  EXPECT_EQ(math("__powf_finite", "float", "float, float"), MathFn::Pow);
  EXPECT_EQ(math("jn", "double", "i32, double"), MathFn::Jn);
  EXPECT_EQ(math("scalbln", "double", "double, i64"), MathFn::Scalbln);
  EXPECT_EQ(math("nexttowardf", "float", "float, x86_fp80"), MathFn::Nexttoward);
  EXPECT_EQ(math("drem", "double", "double, double"), MathFn::Remainder);
}

/// A function of the right name and the wrong type is somebody else's: no rule, and not silence.
TEST_F(CalleeTest, WantsTheTypeOfAMathFunction) {
  EXPECT_EQ(math("sin", "double", "float"), std::nullopt);
  EXPECT_EQ(math("sin", "double", "double, double"), std::nullopt);
  EXPECT_EQ(math("y1", "void", "ptr"), std::nullopt);
  EXPECT_EQ(declared("y1").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("cabsf", "float", "<2 x float>").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("cargf", "float", "<2 x float>").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("cabs", "double", "double, double").Kind, CalleeKind::Math);
}

TEST_F(CalleeTest, LeavesFunctionsOfTheUserAlone) {
  const char *Text = "define double @y1(double %x) { ret double %x }\n"
                     "define internal void @time(ptr %x) { ret void }\n"
                     "define internal ptr @malloc(i64 %n) { ret ptr null }";
  Function *Own = parse(Text, "y1");
  EXPECT_EQ(lookupCallee(*Own).Kind, CalleeKind::Unknown);
  EXPECT_EQ(mathFunction(*Own), std::nullopt);
  EXPECT_EQ(lookupCallee(*M->getFunction("time")).Kind, CalleeKind::Unknown);
  EXPECT_EQ(lookupCallee(*M->getFunction("malloc")).Kind, CalleeKind::Unknown);
}

TEST_F(CalleeTest, KnowsWhereTheSizeIs) {
  const CalleeInfo Malloc = declared("malloc", "ptr", "i64");
  EXPECT_EQ(Malloc.Kind, CalleeKind::Allocate);
  EXPECT_EQ(Malloc.SizeArg, 0);
  EXPECT_EQ(Malloc.CountArg, -1);
  EXPECT_FALSE(Malloc.Zeroed);
  const CalleeInfo Calloc = declared("calloc", "ptr", "i64, i64");
  EXPECT_EQ(Calloc.SizeArg, 1);
  EXPECT_EQ(Calloc.CountArg, 0);
  EXPECT_TRUE(Calloc.Zeroed);
  EXPECT_EQ(declared("aligned_alloc", "ptr", "i64, i64").SizeArg, 1);
  EXPECT_EQ(declared("_ZnamSt11align_val_t", "ptr", "i64, i64").SizeArg, 0);
  EXPECT_EQ(declared("realloc", "ptr", "ptr, i64").Kind, CalleeKind::Reallocate);
}

TEST_F(CalleeTest, PairsFreesWithAllocations) {
  EXPECT_EQ(declared("free").FreeKind, 0);
  EXPECT_EQ(declared("free").Kind, CalleeKind::Free);
  EXPECT_EQ(declared("_ZdlPvm", "void", "ptr, i64").FreeKind, 1);
  EXPECT_EQ(declared("_ZdaPv").FreeKind, 2);
}

/// A wait with a predicate runs the program's own code.
TEST_F(CalleeTest, KnowsLocksButNotWaits) {
  for (const char *Name : {"pthread_mutex_lock", "pthread_spin_unlock", "pthread_rwlock_rdlock",
                           "_ZNSt3__15mutex4lockEv", "_ZNSt3__115recursive_mutex8try_lockEv"}) {
    EXPECT_EQ(declared(Name).Kind, CalleeKind::Inactive) << Name;
    EXPECT_TRUE(declared(Name).OwnObjects) << Name;
  }
  EXPECT_EQ(declared("_ZNSt18condition_variable10notify_oneEv").Kind, CalleeKind::Inactive);
  EXPECT_EQ(declared("_ZNSt18condition_variable4waitIZ3runvEUlvE_EEvRSt11unique_lockISt5mutexET_",
                     "void", "ptr, ptr")
                .Kind,
            CalleeKind::Unknown);
}

TEST_F(CalleeTest, KnowsInactiveFunctions) {
  EXPECT_EQ(declared("puts", "i32", "ptr").Kind, CalleeKind::Inactive);
  EXPECT_TRUE(declared("strlen", "i64", "ptr").ReadOnly);
  EXPECT_EQ(declared("sprintf", "i32", "ptr, ptr, ...").Kind, CalleeKind::Inactive);
  EXPECT_FALSE(declared("fread", "i64", "ptr, i64, i64, ptr").ReadOnly);
  EXPECT_EQ(declared("gettimeofday", "i32", "ptr, ptr").Kind, CalleeKind::Inactive);
  EXPECT_EQ(declared("exit", "i32", "...").Kind, CalleeKind::NoReturn); // int exit();
  for (const char *Name :
       {"omp_get_wtime", "__ubsan_handle_pointer_overflow", "__cxa_guard_acquire", "_ZNSolsEd",
        "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", "_ZNSt8ios_base4InitC1Ev",
        "_ZNSt6chrono3_V212steady_clock3nowEv"}) {
    EXPECT_EQ(declared(Name).Kind, CalleeKind::Inactive) << Name;
    EXPECT_TRUE(declared(Name).ReadOnly) << Name;
  }
  for (const char *Name : {"_ZNSirsERd", "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_"
                                         "createERmm"}) {
    EXPECT_EQ(declared(Name).Kind, CalleeKind::Inactive) << Name;
    EXPECT_FALSE(declared(Name).ReadOnly) << Name;
  }
}

/// A function that has the library's name and another type is the program's own.
TEST_F(CalleeTest, KnowsTheLibraryByItsTypes) {
  EXPECT_EQ(declared("puts", "double", "ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("read", "void", "ptr, ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("exit", "void", "ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("backtrace", "double", "double, double").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("div", "void", "ptr, ptr, i32").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("drand48", "double", "ptr, ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("clock_gettime", "void", "ptr, ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("time", "void", "ptr, ptr, i32").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("random", "void", "ptr, ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("free", "void", "ptr, ptr").Kind, CalleeKind::Unknown);
  EXPECT_EQ(declared("malloc", "void", "ptr, ptr").Kind, CalleeKind::Unknown);
}

/// Declarations by hand are less exact than those of the library.
TEST_F(CalleeTest, AcceptsTypesThatAreNearlyTheLibrarys) {
  EXPECT_EQ(declared("malloc", "ptr", "i32").Kind, CalleeKind::Allocate);
  EXPECT_EQ(declared("sleep", "void", "i64").Kind, CalleeKind::Inactive);
  EXPECT_EQ(declared("srand48", "i32", "i32").Kind, CalleeKind::Inactive);
  EXPECT_EQ(declared("clock_gettime", "i32", "...").Kind, CalleeKind::Inactive);
  EXPECT_EQ(declared("openat", "i32", "i32, ptr, i32, i32").Kind, CalleeKind::Inactive);
}

/// The interfaces in front of what formats are inlined; a user's own namespace is another one.
TEST_F(CalleeTest, KnowsWhatMakesText) {
  const StringRef Body = "_ZN3fmt2v97vformatB5cxx11ENS0_17basic_string_viewIcEENS0_17basic_format_"
                         "argsINS0_20basic_format_contextINS0_8appenderEcEEEE";
  const StringRef Front = "_ZN3fmt2v96formatIJRdEEEvv";
  for (StringRef Name : {Body, Front, StringRef("_ZSt8to_charsPcS_d")}) {
    EXPECT_EQ(declared(Name).Kind, CalleeKind::Inactive) << Name.str();
    EXPECT_TRUE(declared(Name).OwnObjects) << Name.str();
  }
  EXPECT_TRUE(keepsBody(*parse(("declare void @" + Body + "()").str(), Body)));
  EXPECT_FALSE(keepsBody(*parse(("declare void @" + Front + "()").str(), Front)));
  EXPECT_EQ(declared("_ZN3fmt5scaleEPd").Kind, CalleeKind::Unknown);
}

TEST_F(CalleeTest, KnowsWhatDoesNotReturn) {
  EXPECT_EQ(declared("abort", "void", "").Kind, CalleeKind::NoReturn);
  EXPECT_EQ(declared("exit", "void", "i32").Kind, CalleeKind::NoReturn);
  for (const char *Name :
       {"__assert_fail", "__cxa_throw", "_ZSt9terminatev", "_ZSt20__throw_length_errorPKc",
        "_ZSt17__throw_bad_allocv", "_ZSt24__throw_out_of_range_fmtPKcz"})
    EXPECT_EQ(declared(Name).Kind, CalleeKind::NoReturn) << Name;
}

/// Names that begin like a known one, complex arithmetic among them, have derivatives.
TEST_F(CalleeTest, DoesNotTakeStrangersIn) {
  for (const char *Name :
       {"solve", "sine", "printfoo", "_ZStplIdESt7complexIT_ERKS2_S4_", "_ZStlsIdEvv",
        "_ZN4mesh4timeEPd", "_Z3sinPd", "_ZNSt6vectorIdSaIdEE9push_backERKd", "_Z", "_ZNS"})
    EXPECT_EQ(declared(Name).Kind, CalleeKind::Unknown) << Name;
}

TEST_F(CalleeTest, SeesThatACallWritesNothing) {
  Function *F = parse("declare i64 @time(ptr)\n"
                      "define i64 @f(ptr %p) {\n"
                      "  %a = call i64 @time(ptr null)\n"
                      "  %b = call i64 @time(ptr %p)\n"
                      "  ret i64 %b\n}",
                      "f");
  auto Call = F->getEntryBlock().begin();
  EXPECT_TRUE(lookupCallee(cast<CallBase>(*Call)).ReadOnly);
  EXPECT_FALSE(lookupCallee(cast<CallBase>(*std::next(Call))).ReadOnly);
}

/// The look-up by prefix relies on it.
TEST(CalleeTable, HasNoPrefixOfAPrefix) {
  const StringRef Prefixes[] = {
#define CF_READ_ONLY_PREFIX(Prefix) Prefix,
#define CF_INACTIVE_PREFIX(Prefix) Prefix,
#define CF_CLASS_PREFIX(Prefix) Prefix,
#define CF_TEXT_PREFIX(Prefix) Prefix,
#define CF_NO_RETURN_PREFIX(Prefix) Prefix,
#include "core/lib/callee/Inactive.def"
  };
  for (const StringRef &A : Prefixes)
    for (const StringRef &B : Prefixes)
      EXPECT_TRUE(&A == &B || !B.starts_with(A)) << A.str() << " begins " << B.str();
}

TEST(MathNames, GoBothWays) {
  LLVMContext Context;
  EXPECT_EQ(mathSpelling(MathFn::Tgamma, Type::getFloatTy(Context)), "tgammaf");
  EXPECT_EQ(mathSpelling(MathFn::Tgamma, Type::getX86_FP80Ty(Context)), "tgammal");
  EXPECT_EQ(mathSpelling(MathFn::Powi, Type::getDoubleTy(Context)), "");
  for (unsigned I = 0; I < NumMathFns; ++I) {
    const auto Fn = static_cast<MathFn>(I);
    if (intrinsicFor(Fn) != Intrinsic::not_intrinsic) {
      EXPECT_EQ(mathIntrinsic(intrinsicFor(Fn)), Fn) << mathName(Fn).str();
    }
  }
}

} // namespace
} // namespace contraflow::test
