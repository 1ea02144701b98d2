// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on floats other than x += v, and exchanges of addresses. Their order matters to
// the derivative, and shadows are exchanged with what they belong to; so each becomes a critical
// section of its address, and the reverse goes through them in the opposite order:
//
//   old = load atomic x                      enter(x); old = load x
//   do new = old * v;                  ->    new = old * v
//   while (!cmpxchg(x, old, new))            store new, x; leave(x)
//
//   s = cmpxchg(x, e, new)             ->    enter(x); old = load x; s = old == e
//                                            store s ? new : old, x; leave(x)
//
// Where a function has one of these, its x += v are treated so, too, and where what is written is
// taken back (an adjoint in several directions). Alone, they commute and stay as they are.
//
// Atomic operations on integers are how threads hand work to each other, if somebody looks at them:
// the reverse of what was done before a write has to come after that of what was done by those who
// saw it. So they are critical sections of their address, too, and where they are taken back.

#include "contraflow/core/Repeated.h"
#include "parallel/omp/Flags.h"
#include "parallel/omp/Handlers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Enter = "cf_v1_omp_atomic_enter", Leave = "cf_v1_omp_atomic_leave";
constexpr StringRef Watch = "cf_v1_omp_atomic_watch";
/// Of libatomic: (size, address, result, order); (size, address, expected, desired, order, order).
constexpr StringRef WideLoad = "__atomic_load", WideSwap = "__atomic_compare_exchange";

CallInst *callOf(Instruction &I, StringRef Name, unsigned Operands) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  return F && F->getName() == Name && Call->arg_size() == Operands ? Call : nullptr;
}

/// A look at whether a local variable with static storage is initialised: one byte of eight.
bool isGuard(const LoadInst &Load) {
  auto *Variable = dyn_cast<GlobalVariable>(Load.getPointerOperand());
  return Variable && Load.getType()->isIntegerTy(8) && Variable->getValueType()->isIntegerTy(64);
}

bool isFloat(const Value *V) { return V->getType()->isFloatingPointTy(); }

/// The program's type of what is loaded or stored, by the compiler's notes on aliases.
StringRef tagOf(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  auto *Access = Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Name = Access ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  return Name ? Name->getString() : "";
}

bool isTaggedFloat(const Instruction &I) { return is_contained({"float", "double"}, tagOf(I)); }

/// True if the bits are those of a float.
bool holdsFloat(Value *V) {
  if (auto *Cast = dyn_cast<BitCastInst>(V))
    return isFloat(Cast->getOperand(0));
  auto *Load = dyn_cast<LoadInst>(V);
  if (Load && isTaggedFloat(*Load))
    return true;
  auto *Cell = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  return Cell && Cell->getAllocatedType()->isFloatingPointTy();
}

/// True if the value is a float, or is made of one or taken for one.
bool carriesFloat(Value *V) {
  return isFloat(V) || holdsFloat(V) || any_of(V->users(), [](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return (isa<BitCastInst>(U) && isFloat(U)) || (Store && isTaggedFloat(*Store));
         });
}

/// True for the variable of a function that holds an address.
bool isAddressCell(const Value *Place) {
  auto *Cell = dyn_cast<AllocaInst>(Place);
  return Cell && Cell->getAllocatedType()->isPointerTy();
}

/// True if the bits are those of an address, or are taken for one.
bool carriesAddress(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  if (V->getType()->isPointerTy() || isa<PtrToIntInst>(V) ||
      (Load && (isAddressCell(Load->getPointerOperand()) || tagOf(*Load) == "any pointer" ||
                tagOf(*Load).starts_with("p1 "))))
    return true;
  return !isa<Constant>(V) && any_of(V->users(), [](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return isa<IntToPtrInst>(U) || (Store && isAddressCell(Store->getPointerOperand()));
  });
}

/// True if the value that an operation writes may be a float, or lead to some. Where there are no
/// threads, nobody else sees what an exchange is made of.
bool updatesCarried(AtomicRMWInst &I) {
  Value *V = I.getValOperand();
  if (isFloat(V) || I.getOperation() != AtomicRMWInst::Xchg)
    return isFloat(V);
  return holdsFloat(V) || carriesFloat(&I) || carriesAddress(V) || carriesAddress(&I) ||
         (V->getType()->isIntegerTy() && !hasTeams(*I.getModule()));
}

/// True if an exchange of floats, or of what leads to them, can be written out: all look at parts
/// of its result.
bool swapsCarried(AtomicCmpXchgInst &I) {
  auto IsPart = [](const User *U) { return isa<ExtractValueInst>(U); };
  auto IsCarried = [](Value *V) { return holdsFloat(V) || carriesAddress(V); };
  return (IsCarried(I.getNewValOperand()) || IsCarried(I.getCompareOperand())) &&
         all_of(I.users(), [&](const User *U) {
           return IsPart(U) || (isa<PHINode>(U) && all_of(U->users(), IsPart));
         });
}

/// The exchange of a loop that tries until nobody else was faster.
struct Attempt {
  Instruction *Read = nullptr;  ///< before the loop
  Instruction *Swap = nullptr;  ///< the exchange
  BranchInst *Branch = nullptr; ///< out of the loop, or back
  BasicBlock *Again = nullptr;  ///< where the loop begins
};

/// True if whoever has read comes to the exchange, whatever it finds.
bool alwaysTries(const Attempt &A) {
  SmallVector<const BasicBlock *, 4> Todo = {A.Again};
  SmallPtrSet<const BasicBlock *, 4> Seen = {A.Again};
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (B == A.Swap->getParent())
      continue;
    if (B == A.Read->getParent() || succ_empty(B))
      return false;
    for (const BasicBlock *Next : successors(B))
      if (Seen.insert(Next).second)
        Todo.push_back(Next);
  }
  return true;
}

/// The loop's branch, if Done says that the exchange worked.
bool findBranch(Attempt &A, Value *Done) {
  A.Branch = dyn_cast<BranchInst>(A.Swap->getParent()->getTerminator());
  if (!A.Branch || !A.Branch->isConditional() || A.Branch->getCondition() != Done)
    return false;
  A.Again = A.Branch->getSuccessor(1);
  return A.Read->getParent()->getSingleSuccessor() == A.Again && alwaysTries(A);
}

Value *withoutCasts(Value *V) {
  while (auto *Cast = dyn_cast<BitCastInst>(V))
    V = Cast->getOperand(0);
  return V;
}

/// What the next attempt takes for the old value; where this one has worked, that does not matter.
Value *takenNext(Value *V, const AtomicCmpXchgInst &I) {
  V = withoutCasts(V);
  auto *Choice = dyn_cast<SelectInst>(V);
  auto *Done = Choice ? dyn_cast<ExtractValueInst>(Choice->getCondition()) : nullptr;
  const bool Worked = Done && Done->getAggregateOperand() == &I && Done->getIndices()[0] == 1;
  return Worked ? withoutCasts(Choice->getFalseValue()) : V;
}

std::optional<Attempt> attemptOf(AtomicCmpXchgInst &I) {
  auto *Old = dyn_cast<PHINode>(withoutCasts(I.getCompareOperand()));
  if (!Old || Old->getNumIncomingValues() != 2)
    return std::nullopt;
  Attempt A;
  A.Swap = &I;
  bool Again = false;
  for (Value *Incoming : Old->incoming_values()) {
    Value *V = takenNext(Incoming, I);
    auto *Load = dyn_cast<LoadInst>(V);
    auto *Seen = dyn_cast<ExtractValueInst>(V);
    if (Load && Load->isAtomic() && Load->getPointerOperand() == I.getPointerOperand())
      A.Read = Load;
    Again |= Seen && Seen->getAggregateOperand() == &I && Seen->getIndices()[0] == 0;
  }
  Value *Done = nullptr;
  bool IsFloat = isFloat(Old) || holdsFloat(I.getNewValOperand());
  for (User *U : Old->users())
    IsFloat |= isa<BitCastInst>(U) && isFloat(U);
  for (User *U : I.users()) {
    auto *Part = dyn_cast<ExtractValueInst>(U);
    if (!Part)
      return std::nullopt;
    if (Part->getIndices()[0] == 1)
      Done = Part;
  }
  if (!A.Read || !Again || !IsFloat || !Done || !findBranch(A, Done))
    return std::nullopt;
  return A;
}

std::optional<Attempt> attemptOf(CallInst &Swap) {
  Attempt A;
  A.Swap = &Swap;
  for (Instruction &I : instructions(*Swap.getFunction()))
    if (CallInst *Load = callOf(I, WideLoad, 4))
      if (Load->getArgOperand(1) == Swap.getArgOperand(1) &&
          Load->getArgOperand(2) == Swap.getArgOperand(2))
        A.Read = Load;
  if (!A.Read || !findBranch(A, &Swap))
    return std::nullopt;
  return A;
}

/// True if the two addresses are written in the same way.
bool isSamePlace(const Value *A, const Value *B) {
  auto *Left = dyn_cast<LoadInst>(A), *Right = dyn_cast<LoadInst>(B);
  return A == B || (Left && Right && isa<AllocaInst>(Left->getPointerOperand()) &&
                    Left->getPointerOperand() == Right->getPointerOperand());
}

/// The loads that are not atomic, and whose results the exchange expects to find where they were.
SmallVector<LoadInst *, 2> guessesOf(AtomicCmpXchgInst &I) {
  SmallVector<LoadInst *, 2> Guesses;
  SmallVector<Value *, 4> Todo = {I.getCompareOperand()};
  SmallPtrSet<Value *, 8> Seen;
  while (!Todo.empty()) {
    auto *V = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!V || !Seen.insert(V).second)
      continue;
    auto *Load = dyn_cast<LoadInst>(V);
    if (isa<PHINode, SelectInst, CastInst, FreezeInst>(V))
      Todo.append(V->op_begin(), V->op_end());
    else if (Load && isSamePlace(Load->getPointerOperand(), I.getPointerOperand()))
      Guesses.push_back(Load);
    else if (Load && isa<AllocaInst>(Load->getPointerOperand()))
      for (User *U : Load->getPointerOperand()->users())
        if (auto *Store = dyn_cast<StoreInst>(U))
          Todo.push_back(Store->getValueOperand());
  }
  erase_if(Guesses, [](const LoadInst *Load) { return Load->isAtomic(); });
  return Guesses;
}

class Rewriting {
public:
  explicit Rewriting(Function &F) : F(F), M(*F.getParent()) {}
  void run();
  void order(ArrayRef<Instruction *> Signals);

private:
  void collect();
  void mark(IRBuilder<> &B, StringRef Name, Value *Address);
  void finish(const Attempt &A);
  void rewrite(const Attempt &A, AtomicCmpXchgInst &Swap);
  void rewrite(const Attempt &A, CallInst &Swap);
  void rewrite(AtomicCmpXchgInst &Swap);
  void rewrite(AtomicRMWInst &I);
  void rewriteAccess(Instruction &I);

  Function &F;
  Module &M;
  SmallVector<Attempt, 4> Attempts;
  SmallVector<AtomicCmpXchgInst *, 4> Swaps; ///< others
  SmallPtrSet<Instruction *, 4> Guesses;     ///< in front of those
  SmallVector<AtomicRMWInst *, 8> Updates;
  SmallVector<Instruction *, 8> Accesses;
};

void Rewriting::collect() {
  SmallPtrSet<Instruction *, 8> Read;
  for (Instruction &I : instructions(F)) {
    std::optional<Attempt> A;
    if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
      A = attemptOf(*Swap);
    else if (CallInst *Wide = callOf(I, WideSwap, 6))
      A = attemptOf(*Wide);
    if (A) {
      Attempts.push_back(*A);
      Read.insert(A->Read);
    } else if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I); Swap && swapsCarried(*Swap)) {
      Swaps.push_back(Swap);
      Guesses.insert_range(guessesOf(*Swap));
    }
    auto *Update = dyn_cast<AtomicRMWInst>(&I);
    if (Update && updatesCarried(*Update))
      Updates.push_back(Update);
  }
  for (Instruction &I : instructions(F)) {
    Value *V = isa<LoadInst>(I) ? &I : isa<StoreInst>(I) ? I.getOperand(0) : nullptr;
    bool Wide = callOf(I, WideLoad, 4);
    if (!Read.contains(&I) &&
        (Wide || Guesses.contains(&I) || (I.isAtomic() && V && carriesFloat(V))))
      Accesses.push_back(&I);
  }
}

void Rewriting::mark(IRBuilder<> &B, StringRef Name, Value *Address) {
  FunctionCallee Marked = M.getOrInsertFunction(Name, B.getVoidTy(), B.getPtrTy());
  cast<Function>(Marked.getCallee())->setDoesNotThrow();
  B.CreateCall(Marked, {B.CreateAddrSpaceCast(Address, B.getPtrTy())});
}

/// The loop runs once.
void Rewriting::finish(const Attempt &A) {
  BasicBlock *Block = A.Branch->getParent(), *Out = A.Branch->getSuccessor(0);
  A.Again->removePredecessor(Block, /*KeepOneInputPHIs=*/true);
  BranchInst::Create(Out, A.Branch->getIterator());
  A.Branch->eraseFromParent();
}

void Rewriting::rewrite(const Attempt &A, AtomicCmpXchgInst &Swap) {
  auto *Load = cast<LoadInst>(A.Read);
  Value *Address = Swap.getPointerOperand(), *Old = Swap.getCompareOperand(); // bits
  IRBuilder<> B(Load);
  mark(B, Enter, Address);
  Load->setAtomic(AtomicOrdering::NotAtomic);
  B.SetInsertPoint(&Swap);
  B.CreateAlignedStore(Swap.getNewValOperand(), Address, Swap.getAlign());
  mark(B, Leave, Address);
  for (User *U : make_early_inc_range(Swap.users())) {
    auto *Part = cast<ExtractValueInst>(U);
    Part->replaceAllUsesWith(Part->getIndices()[0] == 0 ? Old : B.getTrue());
    Part->eraseFromParent();
  }
  finish(A);
  Swap.eraseFromParent();
}

void Rewriting::rewrite(const Attempt &A, CallInst &Swap) {
  auto *Load = cast<CallInst>(A.Read);
  Value *Size = Swap.getArgOperand(0), *Address = Swap.getArgOperand(1);
  IRBuilder<> B(Load);
  mark(B, Enter, Address);
  B.CreateMemCpy(Load->getArgOperand(2), MaybeAlign(), Address, MaybeAlign(), Size);
  B.SetInsertPoint(&Swap);
  B.CreateMemCpy(Address, MaybeAlign(), Swap.getArgOperand(3), MaybeAlign(), Size);
  mark(B, Leave, Address);
  finish(A);
  Swap.replaceAllUsesWith(B.getTrue());
  Swap.eraseFromParent();
  Load->eraseFromParent();
}

/// One phi for each part of what was a phi of pairs.
void splitPairs(PHINode &Pairs) {
  SmallVector<PHINode *, 2> Parts;
  for (unsigned Part : {0U, 1U}) {
    auto *Type = cast<StructType>(Pairs.getType())->getElementType(Part);
    PHINode *New = PHINode::Create(Type, Pairs.getNumIncomingValues(), "", Pairs.getIterator());
    for (unsigned I = 0; I < Pairs.getNumIncomingValues(); ++I) {
      IRBuilder<> B(Pairs.getIncomingBlock(I)->getTerminator());
      New->addIncoming(B.CreateExtractValue(Pairs.getIncomingValue(I), Part),
                       Pairs.getIncomingBlock(I));
    }
    Parts.push_back(New);
  }
  for (User *U : make_early_inc_range(Pairs.users())) {
    auto *Part = cast<ExtractValueInst>(U);
    Part->replaceAllUsesWith(Parts[Part->getIndices()[0]]);
    Part->eraseFromParent();
  }
  Pairs.eraseFromParent();
}

/// An exchange that works if the value is the one expected, whatever is done then.
void Rewriting::rewrite(AtomicCmpXchgInst &Swap) {
  Value *Address = Swap.getPointerOperand(), *New = Swap.getNewValOperand();
  SmallVector<PHINode *, 2> Pairs; // one may take the result from several blocks
  for (User *U : Swap.users())
    if (auto *Phi = dyn_cast<PHINode>(U); Phi && !is_contained(Pairs, Phi))
      Pairs.push_back(Phi);
  for (PHINode *Phi : Pairs)
    splitPairs(*Phi);
  IRBuilder<> B(&Swap);
  mark(B, Enter, Address);
  Value *Old = B.CreateAlignedLoad(New->getType(), Address, Swap.getAlign());
  Value *Same = B.CreateICmpEQ(Old, Swap.getCompareOperand());
  B.CreateAlignedStore(B.CreateSelect(Same, New, Old), Address, Swap.getAlign());
  mark(B, Leave, Address);
  for (User *U : make_early_inc_range(Swap.users())) {
    auto *Part = cast<ExtractValueInst>(U);
    Part->replaceAllUsesWith(Part->getIndices()[0] == 0 ? Old : Same);
    Part->eraseFromParent();
  }
  Swap.eraseFromParent();
}

/// False operands of an operation that is not a calculation with floats: none.
Value *updated(IRBuilder<> &B, AtomicRMWInst &I, Value *Old) {
  Value *V = I.getValOperand();
  switch (I.getOperation()) {
  case AtomicRMWInst::FAdd:
    return B.CreateFAdd(Old, V);
  case AtomicRMWInst::FSub:
    return B.CreateFSub(Old, V);
  case AtomicRMWInst::FMax:
    return B.CreateMaxNum(Old, V);
  case AtomicRMWInst::FMin:
    return B.CreateMinNum(Old, V);
  case AtomicRMWInst::Xchg:
    return V;
  default:
    return nullptr;
  }
}

void Rewriting::rewrite(AtomicRMWInst &I) {
  IRBuilder<> B(&I);
  LoadInst *Old = B.CreateAlignedLoad(I.getType(), I.getPointerOperand(), I.getAlign());
  Value *New = updated(B, I, Old);
  if (!New)
    return (void)Old->eraseFromParent();
  B.SetInsertPoint(Old);
  mark(B, Enter, I.getPointerOperand());
  B.SetInsertPoint(&I);
  B.CreateAlignedStore(New, I.getPointerOperand(), I.getAlign());
  mark(B, Leave, I.getPointerOperand());
  I.replaceAllUsesWith(Old);
  I.eraseFromParent();
}

/// An atomic read or write.
void Rewriting::rewriteAccess(Instruction &I) {
  IRBuilder<> B(&I);
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  auto *Wide = dyn_cast<CallInst>(&I);
  Value *Address = Wide ? Wide->getArgOperand(1) : getLoadStorePointerOperand(&I);
  mark(B, Enter, Address);
  if (Load)
    Load->setAtomic(AtomicOrdering::NotAtomic);
  else if (Store)
    Store->setAtomic(AtomicOrdering::NotAtomic);
  else
    B.CreateMemCpy(Wide->getArgOperand(2), MaybeAlign(), Address, MaybeAlign(),
                   Wide->getArgOperand(0));
  B.SetInsertPoint(I.getNextNode());
  mark(B, Leave, Address);
  if (Wide)
    Wide->eraseFromParent();
}

void Rewriting::run() {
  collect();
  for (const Attempt &A : Attempts)
    if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(A.Swap))
      rewrite(A, *Swap);
    else
      rewrite(A, *cast<CallInst>(A.Swap));
  for (AtomicCmpXchgInst *I : Swaps)
    rewrite(*I);
  for (AtomicRMWInst *I : Updates)
    rewrite(*I);
  for (Instruction *I : Accesses)
    rewriteAccess(*I);
}

/// Atomic, or volatile, which older programs use for the same purpose.
bool isSignal(const Instruction &I) {
  if (isa<LoadInst, StoreInst>(I))
    return I.isAtomic() || I.isVolatile();
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(I);
}

/// Where critical sections of addresses are open. In a derivative that is differentiated again,
/// what orders the operations there has been there since the first time.
class OpenSections {
public:
  explicit OpenSections(const Function &F);
  bool contains(const Instruction &I) const;

private:
  SmallPtrSet<const BasicBlock *, 8> Entered; ///< blocks that begin in one
};

/// Whether I opens a section, or closes one.
std::optional<bool> opens(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F || !is_contained({Enter, Watch, Leave}, F->getName()))
    return std::nullopt;
  return F->getName() != Leave;
}

/// Whether what comes last before End, in its block, opens a section, or closes one.
std::optional<bool> opensBefore(BasicBlock::const_iterator End) {
  for (const Instruction &I : llvm::reverse(make_range(End->getParent()->begin(), End)))
    if (const auto Opens = opens(I))
      return Opens;
  return std::nullopt;
}

OpenSections::OpenSections(const Function &F) {
  SmallVector<const BasicBlock *, 8> Todo;
  auto Leave = [&](const BasicBlock &B) {
    for (const BasicBlock *Next : successors(&B))
      if (Entered.insert(Next).second)
        Todo.push_back(Next);
  };
  for (const BasicBlock &B : F) {
    const Instruction &Last = B.back();
    const auto Opens = opens(Last);
    if ((Opens ? Opens : opensBefore(Last.getIterator())).value_or(false))
      Leave(B);
  }
  while (!Todo.empty()) {
    const BasicBlock *B = Todo.pop_back_val();
    if (!opens(B->back()) && !opensBefore(B->back().getIterator()))
      Leave(*B);
  }
}

bool OpenSections::contains(const Instruction &I) const {
  return opensBefore(I.getIterator()).value_or(Entered.contains(I.getParent()));
}

/// The atomic operations on integers.
SmallVector<Instruction *, 4> signalsOf(Function &F) {
  SmallVector<Instruction *, 4> Signals;
  const OpenSections Ordered(F);
  for (Instruction &I : instructions(F)) {
    if (!isSignal(I) || Ordered.contains(I))
      continue;
    auto *Update = dyn_cast<AtomicRMWInst>(&I);
    auto *Load = dyn_cast<LoadInst>(&I);
    const Value *V = Update ? Update->getValOperand() : isa<StoreInst>(I) ? I.getOperand(0) : &I;
    if (!isFloat(V) && !(Load && isGuard(*Load)))
      Signals.push_back(&I);
  }
  return Signals;
}

/// Integers carry no derivatives, but who has seen one knows what was done before it was written.
void Rewriting::order(ArrayRef<Instruction *> Signals) {
  for (Instruction *I : Signals) {
    Value *Address = I->getOperand(isa<StoreInst>(I) ? 1 : 0);
    IRBuilder<> B(I);
    mark(B, isa<LoadInst>(I) ? Watch : Enter, Address);
    B.SetInsertPoint(I->getNextNode());
    mark(B, Leave, Address);
  }
}

/// True if the function has atomic operations on floats that do not commute.
bool ordersAtomics(Function &F) {
  return any_of(instructions(F), [](Instruction &I) {
    if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
      return updatesCarried(*Update) &&
             (!Update->use_empty() || (Update->getOperation() != AtomicRMWInst::FAdd &&
                                       Update->getOperation() != AtomicRMWInst::FSub));
    if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&I))
      return attemptOf(*Swap) || swapsCarried(*Swap);
    return (isa<LoadInst>(I) && I.isAtomic() && carriesFloat(&I)) || callOf(I, WideLoad, 4);
  });
}

/// True if the function looks at integers that other threads write: it may wait for them, or do
/// what the last one has to do.
bool looksAtOthers(Function &F) {
  return any_of(instructions(F), [](Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return isSignal(I) && !isFloat(&I) && !isGuard(*Load);
    if (isa<AtomicCmpXchgInst>(I))
      return true;
    auto *Update = dyn_cast<AtomicRMWInst>(&I);
    return Update && !isFloat(Update->getValOperand()) && !Update->use_empty();
  });
}

/// True if code of other functions runs beside that of F on the same thread: what could not be
/// inlined.
bool hasCompany(Function &F) {
  return any_of(instructions(F), [](Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration();
  });
}

class AtomicsHandler : public Rewriter {
public:
  /// Before empty statements of assembly, which say that a loop waits, are dropped.
  bool unfold(Function &F) const override {
    markFlags(F);
    return false;
  }
  void canonicalise(Function &F) const override {
    Module &M = *F.getParent();
    Looked |= looksAtOthers(F);
    const bool Repeated = M.getNamedMetadata(RepeatedFlag);
    if (Repeated || ordersAtomics(F) || (hasCompany(F) && anyOrders(M)))
      Rewriting(F).run();
    if (!hasTeams(M))
      return;
    markFlags(F);
    const SmallVector<Instruction *, 4> Signals = signalsOf(F);
    if (!Signals.empty() && (Repeated || Looked || any_of(M, looksAtOthers)))
      Rewriting(F).order(Signals);
  }

private:
  void markFlags(Function &F) const {
    if (!hasTeams(*F.getParent()))
      return;
    if (!Waits)
      Waits.emplace(*F.getParent());
    Looked |= Waits->mark(F);
  }

  /// Every function asks, and what is made while requests are served orders nothing that was not
  /// ordered before.
  bool anyOrders(Module &M) const {
    if (!Ordered)
      Ordered = any_of(M, ordersAtomics);
    return *Ordered;
  }

  mutable bool Looked = false;         ///< by what may be written out now
  mutable std::optional<bool> Ordered; ///< a handler serves one module
  mutable std::optional<Flags> Waits;
};

} // namespace

bool hasTeams(const Module &M) {
  return any_of(Forks, [&](StringRef Name) {
    const Function *Fork = M.getFunction(Name);
    return Fork && !Fork->use_empty();
  });
}

void registerAtomics(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<AtomicsHandler>());
}

} // namespace contraflow::omp
