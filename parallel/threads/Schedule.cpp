// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a thread may wait for what others do later is looked for in the whole module: functions
// of the library that wait, and loops that ask again and again. A loop asks if what is loaded
// decides whether it goes on:
//
//   while (!ready.load()) ;                          asks
//   do old = n.load(); while (!n.cas(old, old + 1))  does not: nobody disturbs an update
//
// Where a loop waits in the library, it need not be looked at.

#include "parallel/threads/Schedule.h"

#include "parallel/threads/Calls.h"
#include "parallel/threads/Own.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

constexpr StringRef Note = "contraflow.threads";
/// The functions that wait until somebody else has done something, and are called in loops.
constexpr Role Blocking[] = {Role::Condition, Role::ConditionTimed, Role::ConditionLock,
                             Role::ConditionUntil, Role::Future};

bool blocks(const Instruction &I) {
  const ThreadFunction *Row = threadFunction(I);
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return (Row && is_contained(Blocking, Row->What)) || (Call && Call->doesNotReturn()) ||
         (F && F->getName() == WaitFunction);
}

/// True if both are the same address, or loaded from the same place.
bool samePlace(const Value *A, const Value *B) {
  const auto *X = dyn_cast<LoadInst>(A), *Y = dyn_cast<LoadInst>(B);
  return A == B || (X && Y && X->getPointerOperand() == Y->getPointerOperand());
}

using Blocks = SmallPtrSet<const BasicBlock *, 16>;

/// What a local variable holds that is only loaded and stored; what is put there
/// outside Cycle is left out. False: other uses of the
/// variable.
bool appendStored(const AllocaInst &Variable, const Blocks &Cycle,
                  SmallVectorImpl<const Value *> &Values) {
  return all_of(Variable.users(), [&](const User *U) {
    const auto *Store = dyn_cast<StoreInst>(U);
    if (Store && Store->getPointerOperand() == &Variable && Cycle.contains(Store->getParent()))
      Values.push_back(Store->getValueOperand());
    return Store ? Store->getValueOperand() != &Variable
                 : isa<LoadInst, DbgInfoIntrinsic>(U) || U->isDroppable() ||
                       cast<Instruction>(U)->isLifetimeStartOrEnd();
  });
}

/// What a phi takes from blocks in the cycle.
void appendRepeated(const PHINode &Phi, const Blocks &Cycle,
                    SmallVectorImpl<const Value *> &Values) {
  for (const BasicBlock *B : Phi.blocks())
    if (Cycle.contains(B))
      Values.push_back(Phi.getIncomingValueForBlock(B));
}

/// True for an exchange in a cycle that expects what was there before: an update, which nobody
/// disturbs. What it expects the first time says nothing: if that is wrong, it knows the second
/// time.
bool isUpdate(const AtomicCmpXchgInst &Exchange, const Blocks &Cycle) {
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{Exchange.getCompareOperand()};
  while (!Todo.empty()) {
    const Value *V = Todo.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    const auto *Load = dyn_cast<LoadInst>(V);
    const auto *Other = dyn_cast<AtomicCmpXchgInst>(V);
    const Value *Place = Load    ? Load->getPointerOperand()
                         : Other ? Other->getPointerOperand()
                                 : nullptr;
    const auto *Variable = Load ? dyn_cast<AllocaInst>(Place) : nullptr;
    if (auto *Phi = dyn_cast<PHINode>(V))
      appendRepeated(*Phi, Cycle, Todo);
    else if (isa<BitCastInst, ExtractValueInst>(V))
      append_range(Todo, cast<Instruction>(V)->operands());
    else if (!Place || (!cast<Instruction>(V)->isAtomic() && !Variable) ||
             (Variable ? !appendStored(*Variable, Cycle, Todo)
                       : !samePlace(Place, Exchange.getPointerOperand())))
      return false;
  }
  return true;
}

/// The blocks from which control may come to Block without blocking on its way, and without leaving
/// the loop, if there is one.
Blocks leadingTo(const BasicBlock &Block, const Loop *Within) {
  Blocks Found;
  SmallVector<const BasicBlock *, 16> Todo(predecessors(&Block));
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if ((!Within || Within->contains(B)) && none_of(*B, blocks) && Found.insert(B).second)
      append_range(Todo, predecessors(B));
  }
  return Found;
}

/// Those of the blocks leading to Block that control may come to from there.
Blocks repeatedWith(const BasicBlock &Block, const Blocks &Leading) {
  Blocks Found;
  SmallVector<const BasicBlock *, 16> Todo{&Block};
  while (!Todo.empty())
    for (const BasicBlock *Next : successors(Todo.pop_back_val()))
      if (Leading.contains(Next) && Found.insert(Next).second)
        Todo.push_back(Next);
  return Found;
}

/// True if control may leave the function from Block without blocking on its way.
bool mayLeave(const BasicBlock &Block) {
  Blocks Seen;
  SmallVector<const BasicBlock *, 16> Todo{&Block};
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (any_of(*B, blocks) || !Seen.insert(B).second)
      continue;
    if (isa<ReturnInst, ResumeInst>(B->getTerminator()))
      return true;
    append_range(Todo, successors(B));
  }
  return false;
}

/// True for a store to where the other instruction has loaded, as in the update of a count.
bool storesBack(const StoreInst &Store, const Instruction &Load) {
  const Value *Place = getLoadStorePointerOperand(&Load);
  return Place && samePlace(Place, Store.getPointerOperand());
}

/// Numbers are followed through variables, arithmetic and comparisons, but not to where they are
/// put away: what a thread waits for is a flag or a count.
bool isNumber(const Type *T) { return T->isFPOrFPVectorTy(); }

/// Who may read Size bytes at Offset behind Address; a store reads nothing.
void appendReaders(const Value &Address, int64_t Offset, int64_t Size, const DataLayout &Layout,
                   SmallVectorImpl<const Instruction *> &Readers) {
  for (const User *U : Address.users()) {
    APInt Step(Layout.getIndexTypeSizeInBits(Address.getType()), 0);
    const auto *Load = dyn_cast<LoadInst>(U);
    const auto *Store = dyn_cast<StoreInst>(U);
    const auto *Element = dyn_cast<GetElementPtrInst>(U);
    if (Element && Element->accumulateConstantOffset(Layout, Step))
      appendReaders(*Element, Offset - Step.getSExtValue(), Size, Layout, Readers);
    else if (Load
                 ? Offset + Size > 0 &&
                       Offset < int64_t(Layout.getTypeStoreSize(Load->getType()).getKnownMinValue())
                 : !Store || Store->getValueOperand() == &Address)
      Readers.push_back(cast<Instruction>(U));
  }
}

/// Who uses what is stored in a variable.
void appendReaders(const StoreInst &Store, SmallVectorImpl<const Instruction *> &Readers) {
  Type *Stored = Store.getValueOperand()->getType();
  const Value *Place = Store.getPointerOperand();
  const DataLayout &Layout = Store.getModule()->getDataLayout();
  APInt Offset(Layout.getIndexTypeSizeInBits(Place->getType()), 0);
  const Value *Variable = Place->stripAndAccumulateConstantOffsets(Layout, Offset, true);
  if (!isa<AllocaInst>(Variable) || (isNumber(Stored) && Variable != Place))
    return;
  SmallVector<const Instruction *, 16> Found;
  const uint64_t Size = Layout.getTypeStoreSize(Stored).getKnownMinValue();
  appendReaders(*Variable, Offset.getSExtValue(), int64_t(Size), Layout, Found);
  copy_if(Found, std::back_inserter(Readers),
          [&](const Instruction *I) { return !isNumber(Stored) || isa<LoadInst>(I); });
}

/// True if I may carry what it is given to where it is not found.
bool losesSight(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return !isa<AllocaInst>(Store->getPointerOperand()->stripInBoundsConstantOffsets()) &&
           !isNumber(Store->getValueOperand()->getType());
  if (auto *Return = dyn_cast<ReturnInst>(&I))
    return Return->getReturnValue() && !isNumber(Return->getReturnValue()->getType());
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) &&
         none_of(Call->args(), [](const Use &Argument) { return isNumber(Argument->getType()); });
}

/// True if V may decide whether control comes back to where it was (Cycle), or goes on.
bool decides(const Instruction &V, const Blocks &Cycle) {
  constexpr unsigned Most = 64;
  SmallPtrSet<const Instruction *, 16> Seen;
  SmallVector<const Instruction *, 16> Todo{&V};
  while (!Todo.empty()) {
    const Instruction *I = Todo.pop_back_val();
    if (!Seen.insert(I).second)
      continue;
    if (I->isTerminator() && !isa<InvokeInst, ReturnInst>(I)) {
      if (any_of(successors(I),
                 [&](const BasicBlock *B) { return !Cycle.contains(B) && mayLeave(*B); }))
        return true;
      continue;
    }
    const auto *Store = dyn_cast<StoreInst>(I);
    if ((Store && storesBack(*Store, V)) || blocks(*I))
      continue;
    if ((I != &V && losesSight(*I)) || Seen.size() > Most)
      return true;
    if (Store)
      appendReaders(*Store, Todo);
    else
      for (const User *U : I->users())
        Todo.push_back(cast<Instruction>(U));
  }
  return false;
}

/// A look at whether a local variable with static storage is initialised: who finds that it is not
/// does it.
bool isGuard(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *G = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
  return G && Load->getType()->isIntegerTy(8) && G->getValueType()->isIntegerTy(64);
}

/// True if what the instruction gives is what other threads have last said: a load, or the result
/// of a function that loads.
bool asks(const Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    const Function *F = Call->getCalledFunction();
    return F && !I.getType()->isVoidTy() && any_of(instructions(*F), [](const Instruction &Inner) {
             return isa<LoadInst>(Inner) && (Inner.isAtomic() || Inner.isVolatile()) &&
                    !isGuard(Inner);
           });
  }
  return (I.isAtomic() || I.isVolatile()) && !isa<FenceInst, AtomicRMWInst, StoreInst>(I) &&
         !isGuard(I);
}

/// True of a loop that writes and counts nothing, so that it ends by what others do alone.
bool doesNothingElse(const Loop &L) {
  return L.getExitingBlock() && L.getHeader()->phis().empty() &&
         all_of(L.blocks(), [](const BasicBlock *B) {
           return all_of(*B, [](const Instruction &I) {
             return !isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(I) &&
                    (!isa<CallBase>(I) || isa<DbgInfoIntrinsic>(I) || asks(I));
           });
         });
}

} // namespace

bool mayAskAgain(const Instruction &I) {
  if (!asks(I))
    return false;
  const BasicBlock &Block = *I.getParent();
  const Blocks Cycle = leadingTo(Block, nullptr);
  if (!Cycle.contains(&Block))
    return false;
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
      Exchange && isUpdate(*Exchange, repeatedWith(Block, Cycle)))
    return false;
  if (decides(I, Cycle))
    return true;
  const DominatorTree Dominators(const_cast<Function &>(*I.getFunction()));
  const LoopInfo Loops(Dominators);
  const Loop *L = Loops.getLoopFor(&Block); // who leaves it may come round by a loop outside
  return L && doesNothingElse(*L) && decides(I, leadingTo(Block, L));
}

namespace {

/// Why this call lets no schedule of ours be one of the program; empty: it does not.
std::string obstacleAt(const CallBase &Call, const ThreadFunction &Row) {
  if (Row.What == Role::Waits ||
      (Row.What == Role::System && systemCall(Call) == SystemCall::Other))
    return "threads may wait for each other ('" + Row.Name.str() + "')";
  if (Row.What == Role::Names)
    return "another thread is looked at or ended ('" + Row.Name.str() + "')";
  if (Row.What == Role::Exit && !isStartOfThread(*Call.getFunction()))
    return "it is ended from within what its function calls ('" + Row.Name.str() + "')";
  if (Row.What == Role::Create && !isa<Function>(Call.getArgOperand(2)) &&
      calls(*Call.getModule(), Role::Exit))
    return "which function ends it is not known here";
  return "";
}

std::string obstacle(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const ThreadFunction *Row = threadFunction(I);
      if (std::string Why = Row ? obstacleAt(cast<CallBase>(I), *Row) : ""; !Why.empty())
        return Why;
    }
  return "";
}

/// What would never be over if threads ran where they are made; empty: nothing.
std::string waiting(const Module &M) {
  constexpr Role Wait[] = {Role::Address,   Role::Yield,          Role::Self,   Role::System,
                           Role::Semaphore, Role::SemaphoreTimed, Role::Barrier};
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      const ThreadFunction *Row = threadFunction(I);
      if (Row && is_contained(Wait, Row->What))
        return "'" + Row->Name.str() + "'";
      if (mayAskAgain(I))
        return "an atomic or volatile operation in a loop";
    }
  return "";
}

bool mayBlock(const Module &M) {
  return any_of(Blocking, [&](Role R) { return R != Role::Future && calls(M, R); });
}

Schedule scheduleOf(Module &M) {
  Schedule S;
  S.Obstacle = obstacle(M);
  const std::string Wait = waiting(M);
  const bool HasTeams = hasTeams(M);
  // Threads that take turns have their variables, whoever comes to them.
  const auto Own = ownVariables(M);
  const bool Named = all_of(Own, [](GlobalVariable *G) { return isAlwaysNamed(*G); });
  S.TakesTurns = !HasTeams && (!Wait.empty() || mayBlock(M) || !Named);
  if (S.Obstacle.empty() && HasTeams && (!Named || mayBelongToTeams(M, Own)))
    S.Obstacle = "every thread has a variable '" + Own[0]->getName().str() + "' of its own";
  if (S.Obstacle.empty() && !Wait.empty() && HasTeams)
    S.Obstacle = "threads may wait for each other (" + Wait + ") where there are OpenMP teams";
  return S;
}

} // namespace

Schedule notedSchedule(Module &M) {
  NamedMDNode *Noted = M.getOrInsertNamedMetadata(Note);
  LLVMContext &Context = M.getContext();
  if (Noted->getNumOperands() == 0) {
    const Schedule S = scheduleOf(M);
    Noted->addOperand(MDNode::get(Context, {MDString::get(Context, S.Obstacle),
                                            MDString::get(Context, S.TakesTurns ? "turns" : "")}));
    for (GlobalVariable *G : ownVariables(M))
      Noted->addOperand(MDNode::get(Context, {ConstantAsMetadata::get(G)}));
  }
  const MDNode *Found = Noted->getOperand(0);
  auto Text = [&](unsigned I) { return cast<MDString>(Found->getOperand(I))->getString(); };
  return {Text(0).str(), !Text(1).empty()};
}

SmallVector<GlobalVariable *, 4> notedVariables(Module &M) {
  SmallVector<GlobalVariable *, 4> Found;
  for (const MDNode *Node : drop_begin(M.getOrInsertNamedMetadata(Note)->operands()))
    if (auto *G = mdconst::dyn_extract_or_null<GlobalVariable>(Node->getOperand(0)))
      Found.push_back(G);
  return Found;
}

} // namespace contraflow::threads
