// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version for one thread is a copy in which every question about other threads has its answer:
//
//   omp_is_alone(), omp_range_apart(...)          1
//   omp_share_open(..., &share)                   share = one phase
//   if (in window) ... else omp_window_add(p, v)  *p += v
//   omp_window_cover(...)                         0
//   atomicrmw fadd p, v                           *p += v
//
// Adjoints belong to the derivative call, so the thread must be without a team. Numbers of the
// program may be shared with whatever threads it has: their atomic operations become plain ones
// only if the process has never had a second thread (omp_is_only).

#include "OneThread.h"
#include "ForwardSweep.h"
#include "support/Assignments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {
namespace {

/// What a call of the runtime has to do with other threads.
enum class Question {
  None,
  Whether,   ///< there are any, or they come near
  Covered,   ///< a window is worth while
  Noted,     ///< addresses for them
  ShareOpen, ///< phases
  SharePhase,
  WindowAdd,
  Courtesy ///< nothing where there are none
};

constexpr std::pair<StringLiteral, Question> Questions[] = {
    {"omp_is_alone", Question::Whether},          {"omp_range_apart", Question::Whether},
    {"omp_pieces_apart", Question::Whether},      {"omp_window_cover", Question::Covered},
    {"omp_reach_note", Question::Courtesy},       {"omp_range_note", Question::Noted},
    {"omp_share_open", Question::ShareOpen},      {"omp_share_phase", Question::SharePhase},
    {"omp_share_close", Question::Courtesy},      {"omp_share_enter", Question::Courtesy},
    {"omp_share_leave", Question::Courtesy},      {"omp_window_add_f64", Question::WindowAdd},
    {"omp_window_add_f32", Question::WindowAdd},  {"omp_window_take_f64", Question::Courtesy},
    {"omp_window_take_f32", Question::Courtesy},  {"omp_window_close_f64", Question::Courtesy},
    {"omp_window_close_f32", Question::Courtesy},
};

Question questionOf(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  StringRef Name = Callee ? Callee->getName() : StringRef();
  if (!Name.consume_front(RuntimePrefix))
    return Question::None;
  const auto *Known = find_if(Questions, [&](const auto &Each) { return Each.first == Name; });
  return Known == std::end(Questions) ? Question::None : Known->second;
}

bool isAddition(const Instruction &I) {
  auto *Update = dyn_cast<AtomicRMWInst>(&I);
  return Update && !Update->isVolatile() &&
         (Update->getOperation() == AtomicRMWInst::FAdd ||
          Update->getOperation() == AtomicRMWInst::FSub) &&
         !Update->getType()->isVectorTy();
}

/// True if something is done for the sake of other threads in a loop, which is where addresses are
/// noted.
bool isWorthIt(Function &F, unsigned MostInstructions) {
  if (F.getInstructionCount() > MostInstructions || F.callsFunctionThatReturnsTwice())
    return false;
  SmallVector<const Instruction *, 16> Found;
  for (const Instruction &I : instructions(F))
    if (questionOf(I) == Question::Noted)
      return true;
    else if (isAddition(I) || questionOf(I) == Question::WindowAdd)
      Found.push_back(&I);
  if (Found.empty())
    return false;
  const DominatorTree DT(F);
  const LoopInfo LI(DT);
  return any_of(Found, [&](auto *I) { return LI.getLoopFor(I->getParent()); });
}

void copyFacts(Instruction &To, const Instruction &From) {
  To.copyMetadata(From, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                         LLVMContext::MD_dbg});
}

void addPlainly(Instruction &At, Value *Where, Value *Bar, Align Alignment, bool Subtract) {
  IRBuilder<> B(&At);
  LoadInst *Old = B.CreateAlignedLoad(Bar->getType(), Where, Alignment);
  copyFacts(*Old, At);
  Value *New = Subtract ? B.CreateFSub(Old, Bar) : B.CreateFAdd(Old, Bar);
  copyFacts(*B.CreateAlignedStore(New, Where, Alignment), At);
  if (!At.use_empty())
    At.replaceAllUsesWith(Old);
}

class Answers {
public:
  explicit Answers(Function &F, OneThreadPart Part) : F(F), Part(Part) {}
  void run();

private:
  bool answer(Instruction &I);
  bool answerAccess(Instruction &I);
  void openShare(CallInst &Open);
  void forgetPhase(const CallInst &Call);
  void addOutside(CallInst &Add);

  Function &F;
  OneThreadPart Part;
};

/// As omp_share_open says it to one thread.
void Answers::openShare(CallInst &Open) {
  IRBuilder<> B(&Open);
  Value *Share = Open.getArgOperand(Open.arg_size() - 1);
  B.CreateStore(B.getInt32(1), Share);
  B.CreateStore(B.getInt32(0), B.CreateConstGEP1_64(B.getInt32Ty(), Share, 1));
  B.CreateStore(B.getInt64(0), B.CreateConstGEP1_64(B.getInt64Ty(), Share, 1));
}

/// The only phase is the first one.
void Answers::forgetPhase(const CallInst &Call) {
  auto *Phase = dyn_cast<LoadInst>(Call.getArgOperand(1));
  if (!Phase)
    return;
  for (User *U : Phase->getPointerOperand()->users())
    if (auto *Load = dyn_cast<LoadInst>(U))
      Load->replaceAllUsesWith(ConstantInt::get(Load->getType(), 0));
}

/// Everything is outside of the window.
void Answers::addOutside(CallInst &Add) {
  BasicBlock *Outside = Add.getParent();
  if (BasicBlock *Before = Outside->getSinglePredecessor())
    if (auto *Branch = dyn_cast<BranchInst>(Before->getTerminator());
        Branch && Branch->isConditional())
      Branch->setCondition(
          ConstantInt::getBool(F.getContext(), Branch->getSuccessor(0) == Outside));
  Value *Bar = Add.getArgOperand(2);
  addPlainly(Add, Add.getArgOperand(1), Bar, Align(Bar->getType()->isDoubleTy() ? 8 : 4), false);
}

/// True if the instruction has become unnecessary.
bool Answers::answer(Instruction &I) {
  switch (questionOf(I)) {
  case Question::Whether:
    I.replaceAllUsesWith(ConstantInt::get(I.getType(), 1));
    return true;
  case Question::Covered:
    I.replaceAllUsesWith(ConstantInt::get(I.getType(), 0));
    return true;
  case Question::Noted: // if somebody asks after all: everywhere
    I.setOperand(2, ConstantInt::get(I.getOperand(2)->getType(), 0));
    I.setOperand(3, ConstantInt::get(I.getOperand(3)->getType(), INT64_MAX));
    return false;
  case Question::ShareOpen:
    openShare(cast<CallInst>(I));
    return true;
  case Question::SharePhase:
    forgetPhase(cast<CallInst>(I));
    return true;
  case Question::WindowAdd:
    addOutside(cast<CallInst>(I));
    return true;
  case Question::Courtesy:
    return true;
  case Question::None:
    return answerAccess(I);
  }
  llvm_unreachable("a question");
}

bool Answers::answerAccess(Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (Load && Part == OneThreadPart::Reverse && Load->getType()->isFloatingPointTy() &&
      Load->getOrdering() == AtomicOrdering::Monotonic)
    Load->setAtomic(AtomicOrdering::NotAtomic);
  if (!isAddition(I))
    return false;
  auto &Update = cast<AtomicRMWInst>(I);
  addPlainly(I, Update.getPointerOperand(), Update.getValOperand(), Update.getAlign(),
             Update.getOperation() == AtomicRMWInst::FSub);
  return true;
}

void Answers::run() {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (answer(I))
      I.eraseFromParent();
}

/// F goes on in its version for one thread if the runtime says so.
void choose(Function &F, Function &One, StringRef Question) {
  BasicBlock &Entry = F.getEntryBlock();
  const auto Top = Entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &I : make_early_inc_range(make_range(Top, Entry.end())))
    if (auto *Memory = dyn_cast<AllocaInst>(&I); Memory && isa<Constant>(Memory->getArraySize()))
      Memory->moveBefore(Entry, Top);
  BasicBlock *Team = Entry.splitBasicBlock(Top, "team");
  BasicBlock *Alone = BasicBlock::Create(F.getContext(), "alone", &F, Team);
  IRBuilder<> B(Alone);
  if (DISubprogram *Of = F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), Of->getLine(), 0, Of));
  SmallVector<Value *, 16> Args;
  for (Argument &A : F.args())
    Args.push_back(&A);
  CallInst *Call = B.CreateCall(&One, Args);
  Call->setCallingConv(One.getCallingConv());
  if (F.getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  Entry.getTerminator()->eraseFromParent();
  B.SetInsertPoint(&Entry);
  Value *Answer = SweepBuilder::callRuntime(B, *F.getParent(), Question, B.getInt32Ty(), {});
  B.CreateCondBr(B.CreateICmpNE(Answer, B.getInt32(0)), Alone, Team);
}

/// What is left belongs to a team.
void forgetAlone(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (questionOf(I) == Question::Whether && cast<CallInst>(I).arg_empty()) {
      I.replaceAllUsesWith(ConstantInt::get(I.getType(), 0));
      I.eraseFromParent();
    }
}

} // namespace

Function *addOneThreadVersion(Function &F, OneThreadPart Part, unsigned MostInstructions) {
  if (!isWorthIt(F, MostInstructions))
    return nullptr;
  ValueToValueMapTy Map;
  Function *One = CloneFunction(&F, Map);
  One->setName(F.getName() + ".alone");
  One->addFnAttr(Attribute::NoInline); // registers are for one of the two
  ownAssignments(*One);
  Answers(*One, Part).run();
  const bool Reverse = Part == OneThreadPart::Reverse;
  if (Reverse)
    forgetAlone(F);
  choose(F, *One, Reverse ? "omp_is_alone" : "omp_is_only");
  return One;
}

} // namespace contraflow
