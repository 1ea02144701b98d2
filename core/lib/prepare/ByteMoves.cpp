// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A byte alone says nothing of the number that it is part of, and its adjoint cannot be added to
// that of another one. A loop that copies bytes is memmove, unless it reads bytes that it has
// written: upwards to a place a little behind the first one, they are repeated, which only bytes of
// no number may be. One that exchanges them is three copies, unless the places overlap. Bounds and
// addresses that the loop reads again for every byte are read in front of it, unless bytes land
// there. A position in memory that goes on with every byte (`p[i] = bytes[at++]`, `*p++ = *next++`
// of members) is stored behind it, unless it lies where bytes land or addresses are read. All that
// is asked for in front of the loop; the program ends if it is so.

#include "ByteMoves.h"
#include "Indirect.h"
#include "contraflow/core/Construct.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral RepeatMark = "cf.repeats-bytes"; ///< of calls

/// What is exchanged at once at most: a multiple of the size of most records, so that it is known
/// what lies where.
constexpr uint64_t MostExchanged = 40320; // 2^7 * 3^2 * 5 * 7

bool goesDown(const SCEVAddRecExpr &Walk, ScalarEvolution &SE) {
  return cast<SCEVConstant>(Walk.getStepRecurrence(SE))->getAPInt().isAllOnes();
}

/// A loop of one block that copies the bytes at From to To, or exchanges them.
struct ByteLoop {
  const SCEVAddRecExpr *To = nullptr, *From = nullptr;
  StoreInst *Store = nullptr;
  bool Exchanges = false;
};

/// A position in memory that is stored for every byte.
struct Position {
  StoreInst *Store = nullptr;
  Value *Address = nullptr, *Last = nullptr; ///< in front of the loop; what is stored in the end
  LoadInst *Load = nullptr;                  ///< if the loop reads it, and what stands for it
  PHINode *Phi = nullptr;
};

class ByteMover {
public:
  ByteMover(Loop &L, ScalarEvolution &SE)
      : L(L), SE(SE), Body(*L.getHeader()), Expander(SE, "cf.bytes") {}

  bool run();

private:
  bool findAccesses();
  bool findLoop();
  Value *inFront(Value *V);
  LoadInst *readInFront(LoadInst &Load);
  bool hoist(LoadInst &Load);
  bool isPosition(StoreInst &Store) const;
  bool promote(LoadInst &Load);
  bool sink(StoreInst &Store);
  bool areAmbiguous() const;
  void putReloadsBack();
  Value *isWritten(IRBuilder<> &B, Value *Address, Type *Of, const Position *Own) const;
  void addReloadsHit(IRBuilder<> &B, SmallVectorImpl<Value *> &Out) const;
  Value *readsWritten(IRBuilder<> &B) const;
  void refuse(IRBuilder<> &B);
  bool repeats() const;
  bool isKnownInFront();
  bool matches(unsigned Store, unsigned Load) const;
  bool findResults();
  void expand(IRBuilder<> &B);
  void copy(IRBuilder<> &B);
  void exchange(IRBuilder<> &B);
  void replaceBy(BasicBlock &End);

  Loop &L;
  ScalarEvolution &SE;
  BasicBlock &Body;
  SCEVExpander Expander;
  SmallVector<LoadInst *, 2> Loads;
  SmallVector<StoreInst *, 2> Stores;
  SmallVector<std::pair<LoadInst *, LoadInst *>, 4> Reloads; ///< and what stands for them in front
  SmallVector<Position, 1> Positions;
  SmallVector<Instruction *, 4> InFront; ///< all that was put there for these
  SmallVector<std::pair<Instruction *, const SCEV *>, 4> Results; ///< that others use
  ByteLoop Found;
  bool Down = false;
  Value *Count = nullptr, *To = nullptr, *From = nullptr; ///< as they are from the lowest byte on
};

/// V as it is in front of the loop; null: it is not.
Value *ByteMover::inFront(Value *V) {
  if (L.isLoopInvariant(V))
    return V;
  auto *Step = dyn_cast<GetElementPtrInst>(V);
  if (!Step)
    return nullptr;
  SmallVector<Value *, 4> Operands;
  for (Value *Operand : Step->operands())
    Operands.push_back(inFront(Operand));
  if (is_contained(Operands, nullptr))
    return nullptr;
  Instruction *Copy = Step->clone();
  for (auto [Index, Operand] : enumerate(Operands))
    Copy->setOperand(Index, Operand);
  Copy->insertBefore(L.getLoopPreheader()->getTerminator()->getIterator());
  InFront.push_back(Copy);
  return Copy;
}

/// A bound or an address that is read again and again, as it is in front; null: it is not.
LoadInst *ByteMover::readInFront(LoadInst &Load) {
  Value *Address = inFront(Load.getPointerOperand());
  if (!Address)
    return nullptr;
  auto *Before = cast<LoadInst>(Load.clone());
  Before->setOperand(0, Address);
  Before->insertBefore(L.getLoopPreheader()->getTerminator()->getIterator());
  InFront.push_back(Before);
  return Before;
}

/// True for one that the loop does not change.
bool ByteMover::hoist(LoadInst &Load) {
  LoadInst *Before = readInFront(Load);
  if (!Before)
    return false;
  Load.replaceAllUsesWith(Before);
  Reloads.push_back({&Load, Before});
  SE.forgetLoop(&L);
  return true;
}

/// True for a place that the loop stores something else to than bytes, and knows what.
bool ByteMover::isPosition(StoreInst &Store) const {
  Type *Of = Store.getValueOperand()->getType();
  const auto *Stored = dyn_cast<Instruction>(Store.getValueOperand());
  return Store.isSimple() && (Of->isPointerTy() || (Of->isIntegerTy() && !Of->isIntegerTy(8))) &&
         Stored && Stored->getParent() == &Body;
}

/// The store behind Load, in its block, that makes it a position: of the next one.
StoreInst *storeOfNext(LoadInst &Load) {
  StoreInst *Found = nullptr;
  for (Instruction &I : *Load.getParent()) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || Store->getPointerOperand() != Load.getPointerOperand())
      continue;
    if (Found || !Load.comesBefore(Store) || Store->getValueOperand()->getType() != Load.getType())
      return nullptr;
    Found = Store;
  }
  return Found;
}

/// True for a position that the loop reads, which is kept in a register now.
bool ByteMover::promote(LoadInst &Load) {
  StoreInst *Store = storeOfNext(Load);
  LoadInst *Before = Store && isPosition(*Store) ? readInFront(Load) : nullptr;
  if (!Before)
    return false;
  auto *Phi = PHINode::Create(Load.getType(), 2, "cf.bytes.at");
  Phi->insertBefore(Body.begin());
  Load.replaceAllUsesWith(Phi);
  Phi->addIncoming(Before, L.getLoopPreheader());
  Phi->addIncoming(Store->getValueOperand(), &Body);
  Positions.push_back({Store, Before->getPointerOperand(), nullptr, &Load, Phi});
  SE.forgetLoop(&L);
  return true;
}

/// True for one that is only stored.
bool ByteMover::sink(StoreInst &Store) {
  if (any_of(Positions, [&](const Position &P) { return P.Store == &Store; }))
    return true;
  Value *Address = isPosition(Store) ? inFront(Store.getPointerOperand()) : nullptr;
  if (!Address)
    return false;
  Positions.push_back({&Store, Address});
  return true;
}

/// The loop is as it was, and what was put in front of it is gone.
void ByteMover::putReloadsBack() {
  for (auto [Load, Before] : llvm::reverse(Reloads))
    Before->replaceUsesWithIf(Load, [&](Use &U) {
      return cast<Instruction>(U.getUser())->getParent() != L.getLoopPreheader();
    });
  SE.forgetLoop(&L);
  for (const Position &P : Positions)
    if (P.Phi) {
      P.Phi->replaceAllUsesWith(P.Load);
      P.Phi->eraseFromParent();
    }
  for (Instruction *I : llvm::reverse(InFront))
    if (I->use_empty())
      I->eraseFromParent();
}

/// True if a position is one for more than one store, or read where it is not seen to go on.
bool ByteMover::areAmbiguous() const {
  const auto At = [](const Position &P) { return P.Store->getPointerOperand(); };
  for (const auto &[I, P] : enumerate(Positions))
    if (any_of(ArrayRef(Positions).drop_front(I + 1),
               [&](const Position &Other) { return At(Other) == At(P); }) ||
        any_of(Reloads, [&](auto &Reload) { return Reload.first->getPointerOperand() == At(P); }))
      return true;
  return false;
}

bool ByteMover::findAccesses() {
  for (Instruction &I : Body) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Load->isSimple()) {
      if (!promote(*Load) && !hoist(*Load))
        Loads.push_back(Load);
    } else if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple()) {
      if (!sink(*Store))
        Stores.push_back(Store);
    } else if (I.mayReadOrWriteMemory() || I.mayThrow())
      return false;
    if (Loads.size() > 2 || Stores.size() > 2)
      return false;
  }
  return Loads.size() == Stores.size() && !Loads.empty() && !areAmbiguous() &&
         all_of(Loads, [](LoadInst *Load) {
           return Load->getType()->isIntegerTy(8) && Load->hasOneUse();
         });
}

/// True if that byte is stored, after all were loaded.
bool ByteMover::matches(unsigned Store, unsigned Load) const {
  return Stores[Store]->getValueOperand() == Loads[Load] &&
         Loads.back()->comesBefore(Stores[Store]);
}

bool ByteMover::findLoop() {
  if (!findAccesses())
    return false;
  const bool Twice = Stores.size() == 2;
  const SCEVAddRecExpr *At[2] = {}, *Of[2] = {};
  for (unsigned I = 0; I < Stores.size(); ++I) {
    const unsigned Load = Twice && Stores[0]->getValueOperand() == Loads[1] ? 1 - I : I;
    At[I] = byteWalk(Stores[I]->getPointerOperand(), L, SE);
    Of[I] = byteWalk(Loads[Load]->getPointerOperand(), L, SE);
    if (!matches(I, Load) || !At[I] || !Of[I])
      return false;
  }
  Down = goesDown(*At[0], SE);
  if (goesDown(*Of[0], SE) != Down || (Twice && (At[0] != Of[1] || At[1] != Of[0])))
    return false;
  Found = {At[0], Of[0], Stores[0], Twice};
  return true;
}

/// What is used behind the loop must be known in front of it, and so must where a position ends.
bool ByteMover::findResults() {
  for (Instruction &I : Body) {
    const bool Ends =
        any_of(Positions, [&](const Position &P) { return P.Store->getValueOperand() == &I; });
    if (!Ends &&
        none_of(I.users(), [&](User *U) { return cast<Instruction>(U)->getParent() != &Body; }))
      continue;
    const SCEV *Last = SE.isSCEVable(I.getType())
                           ? SE.getSCEVAtScope(SE.getSCEV(&I), L.getParentLoop())
                           : SE.getCouldNotCompute();
    if (isa<SCEVCouldNotCompute>(Last) || !SE.isLoopInvariant(Last, &L))
      return false;
    Results.push_back({&I, Last});
  }
  return true;
}

void ByteMover::expand(IRBuilder<> &B) {
  Instruction *At = L.getLoopPreheader()->getTerminator();
  const SCEV *Last = SE.getBackedgeTakenCount(&L);
  Value *Steps = Expander.expandCodeFor(Last, Last->getType(), At);
  To = Expander.expandCodeFor(Found.To->getStart(), nullptr, At);
  From = Expander.expandCodeFor(Found.From->getStart(), nullptr, At);
  for (auto &[I, Known] : Results) {
    Value *Value = Expander.expandCodeFor(Known, I->getType(), At);
    I->replaceUsesOutsideBlock(Value, &Body);
    for (Position &P : Positions)
      if (P.Store->getValueOperand() == I)
        P.Last = Value;
  }
  Steps = B.CreateZExtOrTrunc(Steps, B.getInt64Ty());
  Count = B.CreateAdd(Steps, B.getInt64(1));
  if (Down) {
    To = B.CreatePtrAdd(To, B.CreateNeg(Steps));
    From = B.CreatePtrAdd(From, B.CreateNeg(Steps));
  }
}

/// How far Behind is behind Front; a huge number if it is in front of it.
Value *distance(IRBuilder<> &B, Value *Behind, Value *Front) {
  return B.CreateSub(B.CreatePtrToInt(Behind, B.getInt64Ty()),
                     B.CreatePtrToInt(Front, B.getInt64Ty()));
}

/// True if the loop writes some of the bytes at Address, in another way than for Own.
Value *ByteMover::isWritten(IRBuilder<> &B, Value *Address, Type *Of, const Position *Own) const {
  const auto SizeOf = [&](Type *T) { return B.getInt64(Body.getDataLayout().getTypeStoreSize(T)); };
  SmallVector<std::pair<Value *, Value *>, 3> Written{{To, Count}};
  if (Found.Exchanges)
    Written.push_back({From, Count});
  for (const Position &P : Positions)
    if (&P != Own)
      Written.push_back({P.Address, SizeOf(P.Store->getValueOperand()->getType())});
  Value *Any = B.getFalse();
  for (auto [Place, Bytes] : Written)
    Any = B.CreateOr(Any, B.CreateOr(B.CreateICmpULT(distance(B, Address, Place), Bytes),
                                     B.CreateICmpULT(distance(B, Place, Address), SizeOf(Of))));
  return Any;
}

/// What was read in front of the loop is not what it reads, or bytes are read where it stores a
/// position.
void ByteMover::addReloadsHit(IRBuilder<> &B, SmallVectorImpl<Value *> &Out) const {
  for (auto [Load, Before] : Reloads)
    Out.push_back(isWritten(B, Before->getPointerOperand(), Before->getType(), nullptr));
  for (const Position &P : Positions) {
    Type *Of = P.Store->getValueOperand()->getType();
    Value *Size = B.getInt64(Body.getDataLayout().getTypeStoreSize(Of));
    Out.push_back(isWritten(B, P.Address, Of, &P));
    Out.push_back(B.CreateOr(B.CreateICmpULT(distance(B, P.Address, From), Count),
                             B.CreateICmpULT(distance(B, From, P.Address), Size)));
  }
}

/// True at run time if bytes are read after they were written; not where both places are the same.
Value *ByteMover::readsWritten(IRBuilder<> &B) const {
  const auto Within = [&](Value *Behind, Value *Front) {
    Value *Between = B.CreateSub(distance(B, Behind, Front), B.getInt64(1));
    return B.CreateICmpULT(Between, B.CreateSub(Count, B.getInt64(1)));
  };
  Value *First = Down ? Within(From, To) : Within(To, From);
  return Found.Exchanges ? B.CreateOr(First, Down ? Within(To, From) : Within(From, To)) : First;
}

void ByteMover::refuse(IRBuilder<> &B) {
  SmallVector<Value *, 4> Reasons;
  if (Found.Exchanges)
    Reasons.push_back(readsWritten(B));
  addReloadsHit(B, Reasons);
  if (Reasons.empty())
    return;
  Instruction *Rest = B.GetInsertBlock()->getTerminator();
  Instruction *End = SplitBlockAndInsertIfThen(B.CreateOr(Reasons), Rest, /*Unreachable=*/true);
  IRBuilder<> There(End);
  There.SetCurrentDebugLocation(Found.Store->getDebugLoc());
  emitFailure(There, *Found.Store, "overwritten_bytes");
  B.SetInsertPoint(Rest);
}

/// Bytes that are repeated are text, or the program ends (ForwardSweep).
void ByteMover::copy(IRBuilder<> &B) {
  Instruction *Repeats = nullptr, *Moves = nullptr;
  Instruction *Rest = B.GetInsertBlock()->getTerminator();
  SplitBlockAndInsertIfThenElse(readsWritten(B), Rest->getIterator(), &Repeats, &Moves);
  B.SetInsertPoint(Repeats);
  CallInst *Call = SweepBuilder::callRuntime(B, *Body.getModule(), "repeat_bytes", B.getVoidTy(),
                                             {To, From, Count, B.getInt64(Down)});
  Call->setMemoryEffects(MemoryEffects::argMemOnly());
  Call->addFnAttr(Attribute::Cold);
  Call->addFnAttr(Attribute::get(Call->getContext(), RepeatMark));
  B.SetInsertPoint(Moves);
  B.CreateMemMove(To, MaybeAlign(), From, MaybeAlign(), Count);
  B.SetInsertPoint(Rest);
}

/// Through a buffer, one piece after the other.
void ByteMover::exchange(IRBuilder<> &B) {
  const MaybeAlign None;
  Value *Most = B.getInt64(MostExchanged);
  Value *Stack = B.CreateStackSave();
  AllocaInst *Buffer = B.CreateAlloca(
      B.getInt8Ty(), B.CreateBinaryIntrinsic(Intrinsic::umin, Count, Most), "cf.bytes.buffer");
  Buffer->setAlignment(Align(16));
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *Rest = SplitBlock(Entry, B.GetInsertPoint());
  BasicBlock *Piece = BasicBlock::Create(B.getContext(), "cf.bytes.piece", Body.getParent(), Rest);
  Entry->getTerminator()->setSuccessor(0, Piece);
  B.SetInsertPoint(Piece);
  PHINode *Number = B.CreatePHI(B.getInt64Ty(), 2);
  Value *Done = B.CreateMul(Number, Most), *Next = B.CreateAdd(Number, B.getInt64(1));
  Value *Size = B.CreateBinaryIntrinsic(Intrinsic::umin, Most, B.CreateSub(Count, Done));
  Value *One = B.CreatePtrAdd(To, Done), *Other = B.CreatePtrAdd(From, Done);
  B.CreateMemCpy(Buffer, None, One, None, Size);
  B.CreateMemMove(One, None, Other, None, Size); // which may be the same place
  B.CreateMemCpy(Other, None, Buffer, None, Size);
  Number->addIncoming(B.getInt64(0), Entry);
  Number->addIncoming(Next, Piece);
  B.CreateCondBr(B.CreateICmpULT(B.CreateMul(Next, Most), Count), Piece, Rest);
  B.SetInsertPoint(Rest->getTerminator());
  B.CreateStackRestore(Stack);
}

/// End, the end of what stands in front of the loop, leads to what comes behind it.
void ByteMover::replaceBy(BasicBlock &End) {
  BasicBlock *Exit = L.getExitBlock();
  Exit->replacePhiUsesWith(&Body, &End);
  End.getTerminator()->replaceSuccessorWith(&Body, Exit);
  SE.forgetLoop(&L);
  Body.dropAllReferences();
  Body.eraseFromParent();
}

/// True if the loop is known to repeat bytes.
bool ByteMover::repeats() const {
  const auto *Apart =
      dyn_cast<SCEVConstant>(SE.getMinusSCEV(Found.To->getStart(), Found.From->getStart()));
  const uint64_t Count = SE.getSmallConstantTripCount(&L);
  const int64_t Way = Apart ? Apart->getAPInt().getSExtValue() : 0;
  const int64_t Behind = Down ? -Way : Way;
  return !Found.Exchanges && Behind > 0 && uint64_t(Behind) < Count;
}

bool ByteMover::isKnownInFront() {
  const SCEV *Last = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Last) || SE.getTypeSizeInBits(Last->getType()) > 64)
    return false;
  SmallVector<const SCEV *, 8> All{Last, Found.To->getStart(), Found.From->getStart()};
  append_range(All, make_second_range(Results));
  return all_of(All, [&](const SCEV *S) {
    return Expander.isSafeToExpandAt(S, L.getLoopPreheader()->getTerminator());
  });
}

bool ByteMover::run() {
  if (L.getNumBlocks() != 1 || !L.getLoopPreheader() || !L.getExitBlock() ||
      L.getExitingBlock() != &Body)
    return false;
  if (!findLoop() || !findResults() || repeats() || !isKnownInFront()) {
    putReloadsBack();
    return false;
  }
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  B.SetCurrentDebugLocation(Found.Store->getDebugLoc());
  expand(B);
  refuse(B);
  Found.Exchanges ? exchange(B) : copy(B);
  for (const Position &P : Positions) {
    auto *Last = cast<StoreInst>(P.Store->clone());
    Last->setOperand(0, P.Last);
    Last->setOperand(1, P.Address);
    B.Insert(Last);
  }
  replaceBy(*B.GetInsertBlock());
  return true;
}

/// True if a loop was replaced: what is known of the others is void then.
bool joinOne(Function &F, FunctionAnalysisManager &FAM) {
  LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  return any_of(LI.getLoopsInPreorder(),
                [&](Loop *L) { return L->isInnermost() && ByteMover(*L, SE).run(); });
}

} // namespace

const SCEVAddRecExpr *byteWalk(const Value *Pointer, const Loop &L, ScalarEvolution &SE) {
  auto *Walk = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(Pointer)));
  if (!Walk || Walk->getLoop() != &L || !Walk->isAffine())
    return nullptr;
  const auto *Step = dyn_cast<SCEVConstant>(Walk->getStepRecurrence(SE));
  return Step && (Step->getAPInt().isOne() || Step->getAPInt().isAllOnes()) ? Walk : nullptr;
}

bool keepsPosition(const Loop &L) {
  return any_of(*L.getHeader(), [&](const Instruction &I) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && !Store->getValueOperand()->getType()->isIntegerTy(8) &&
           Store->getValueOperand()->getType()->isIntOrPtrTy() &&
           L.isLoopInvariant(Store->getPointerOperand());
  });
}

bool repeatsBytes(const CallBase &Call) { return Call.hasFnAttr(RepeatMark); }

bool joinByteMoves(Function &F, FunctionAnalysisManager &FAM) {
  const auto IsByte = [](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isa<LoadInst>(Store->getValueOperand()) &&
           Store->getValueOperand()->getType()->isIntegerTy(8);
  };
  if (none_of(F, [&](const BasicBlock &B) { return any_of(B, IsByte); }))
    return false;
  FunctionPassManager FPM;
  FPM.addPass(LoopSimplifyPass());
  bool Changed = false;
  do {
    FAM.invalidate(F, PreservedAnalyses::none());
    FPM.run(F, FAM);
  } while (joinOne(F, FAM) && (Changed = true));
  FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}

} // namespace contraflow
