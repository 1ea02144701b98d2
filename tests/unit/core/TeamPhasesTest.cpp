// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instructions of a team's body run at the same time.

#include "core/lib/analysis/TeamPhases.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace contraflow::test {
namespace {

class TeamPhasesTest : public testing::Test {
protected:
  /// The body of a function whose calls of @meet are barriers.
  void parse(StringRef Body) {
    const std::string Text =
        ("declare void @meet()\ndeclare void @work(i32)\ndefine void @team(i1 %c) {\n" + Body +
         "}\n")
            .str();
    SMDiagnostic Error;
    M = parseAssemblyString(Text, Error, Context);
    ASSERT_NE(M, nullptr) << Error.getMessage().str();
    F = M->getFunction("team");
    Phases.emplace(*F, [](const Instruction &I) { return calls(I, "meet"); });
  }
  static bool calls(const Instruction &I, StringRef Name) {
    auto *Call = dyn_cast<CallInst>(&I);
    return Call && Call->getCalledFunction()->getName() == Name;
  }
  /// The call work(Number).
  const Instruction &work(unsigned Number) const {
    for (const Instruction &I : instructions(*F))
      if (calls(I, "work") &&
          cast<ConstantInt>(cast<CallInst>(I).getArgOperand(0))->getZExtValue() == Number)
        return I;
    llvm_unreachable("no such call");
  }
  bool together(unsigned A, unsigned B) const {
    return Phases->phaseOf(work(A)) == Phases->phaseOf(work(B));
  }
  bool reaches(unsigned From, unsigned To) const {
    return Phases->reaches(work(From), *work(To).getParent());
  }

  LLVMContext Context;
  std::unique_ptr<Module> M;
  Function *F = nullptr;
  std::optional<TeamPhases> Phases;
};

TEST_F(TeamPhasesTest, BarriersDivideABlock) {
  parse("call void @work(i32 1)\n call void @work(i32 2)\n call void @meet()\n"
        "call void @work(i32 3)\n call void @meet()\n call void @work(i32 4)\n ret void\n");
  EXPECT_TRUE(together(1, 2));
  EXPECT_FALSE(together(2, 3));
  EXPECT_FALSE(together(3, 4));
  EXPECT_FALSE(together(1, 4));
  ASSERT_EQ(Phases->barriers().size(), 2U);
  EXPECT_EQ(Phases->phaseOf(*Phases->barriers()[0]), Phases->phaseOf(work(1)));
  EXPECT_EQ(Phases->phaseOf(*Phases->barriers()[1]), Phases->phaseOf(work(3)));
}

// What is behind the last barrier of one iteration runs beside what is in front of the first one of
// the next.
TEST_F(TeamPhasesTest, LoopsComeRound) {
  parse("br label %loop\nloop:\n call void @work(i32 1)\n call void @meet()\n"
        "call void @work(i32 2)\n call void @meet()\n call void @work(i32 3)\n"
        "br i1 %c, label %loop, label %out\nout:\n call void @work(i32 4)\n ret void\n");
  EXPECT_FALSE(together(1, 2));
  EXPECT_TRUE(together(1, 3));
  EXPECT_TRUE(together(3, 4));
  EXPECT_TRUE(reaches(3, 1));
  EXPECT_FALSE(reaches(1, 4));
  EXPECT_FALSE(reaches(2, 1));
  const DominatorTree DT(*F);
  const LoopInfo LI(DT);
  EXPECT_TRUE(Phases->divides(*LI.getLoopsInPreorder().front()));
}

TEST_F(TeamPhasesTest, BranchesMeetAgain) {
  parse("br i1 %c, label %a, label %b\na:\n call void @work(i32 1)\n call void @meet()\n"
        "call void @work(i32 2)\n br label %out\nb:\n call void @work(i32 3)\n call void @meet()\n"
        "call void @work(i32 4)\n br label %out\nout:\n call void @work(i32 5)\n ret void\n");
  EXPECT_TRUE(together(1, 3));
  EXPECT_TRUE(together(2, 4)); // both are in front of what is the same for both
  EXPECT_TRUE(together(2, 5));
  EXPECT_FALSE(together(1, 2));
  EXPECT_TRUE(reaches(2, 5));
  EXPECT_FALSE(reaches(1, 5));
  EXPECT_FALSE(reaches(1, 3));
}

// One block in a circle: it is reached from itself, unless a barrier lies on the way.
TEST_F(TeamPhasesTest, ReachesItsOwnBlock) {
  parse("br label %loop\nloop:\n call void @work(i32 1)\n br i1 %c, label %loop, label %out\nout:\n"
        "call void @meet()\n br label %second\nsecond:\n call void @work(i32 2)\n"
        "call void @meet()\n br i1 %c, label %second, label %end\nend:\n ret void\n");
  EXPECT_TRUE(reaches(1, 1));
  EXPECT_FALSE(reaches(2, 2));
  EXPECT_FALSE(reaches(1, 2));
  const DominatorTree DT(*F);
  const LoopInfo LI(DT);
  EXPECT_FALSE(Phases->divides(*LI.getLoopFor(work(1).getParent())));
  EXPECT_TRUE(Phases->divides(*LI.getLoopFor(work(2).getParent())));
}

} // namespace
} // namespace contraflow::test
