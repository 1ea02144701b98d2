// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   union { double number; const double *at; } a, b;
//   b.number = a.number;
//
//   %v = load double, ptr %a ; store double %v, ptr %b
//   ->  %w = load i64, ptr %a ; store i64 %w, ptr %b
//
// where both places hold an address at another time: then this may be one. A double has no shadow
// that could lead anywhere; a word has. Where a double may come from and go to is followed through
// phis, selects, vectors and memory that holds doubles only (a volatile variable). What is on the
// way from one address to another gets a twin made of words, and stores take the twin; arithmetic
// stays with the double. In calls and structures in registers a double stays one, and is checked:
// an address there is an error at run time (CF391).
//
// The other way round, where such places are moved as addresses (one use of a place that is split
// into registers says of what type it is), what may be a double moves as a word, too: an address
// has no derivative.
//
// A word that holds floats at one time and an address at another is no value of one type. Where it
// is loaded only to be stored, it is copied as memory, which has a shadow as a whole:
//
//   %w = load i64, ptr %a ; store i64 %w, ptr %b
//   ->  memcpy(%room, %a, 8) ; memcpy(%b, %room, 8)

#include "WordCopies.h"

#include "analysis/BitSources.h"
#include "analysis/MemoryGraph.h"
#include "contraflow/core/Diag.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr int64_t WordBytes = 8;

/// What is moved, and what may be at its place.
struct Kind {
  bool Address;
  unsigned Other;
  bool is(const Type *T) const {
    T = T->getScalarType();
    return Address ? T->isPointerTy() && !T->getPointerAddressSpace() : T->isDoubleTy();
  }
  bool mayCarry(const Type *T) const { return is(T) || T->isAggregateType(); }
  bool isFromWord(const Instruction &I) const {
    return (Address ? isa<IntToPtrInst>(I) : isa<BitCastInst>(I)) &&
           I.getOperand(0)->getType()->isIntegerTy(64);
  }
  bool isToWord(const Instruction &I) const {
    return (Address ? isa<PtrToIntInst>(I) : isa<BitCastInst>(I)) && I.getType()->isIntegerTy(64) &&
           is(I.getOperand(0)->getType());
  }
};

unsigned lanesOf(const Type *T) {
  auto *V = dyn_cast<FixedVectorType>(T);
  return V ? V->getNumElements() : 1;
}

/// A value, or the cells of a place.
struct Spot {
  Spot(const Value *V) : V(V) {}
  Spot(SmallVector<unsigned, 2> Cells) : Cells(std::move(Cells)) {}
  const Value *V = nullptr;
  SmallVector<unsigned, 2> Cells;
};

/// True if a place is known to be such a number and an address.
bool holdsBoth(const MemoryGraph &Graph, unsigned Numbers) {
  for (unsigned C = 0; C < Graph.cellCount(); ++C)
    if ((Graph.kindsOfCell(C) & Numbers) && (Graph.kindsOfCell(C) & SK_Pointer))
      return true;
  return false;
}

/// Which values and cells lie on a way from one place that holds addresses to another.
class Ways {
public:
  Ways(ArrayRef<Function *> Closure, const MemoryGraph &Graph, Kind K);
  bool contains(const Value *V) const { return Before.V.contains(V) && After.V.contains(V); }
  Kind kind() const { return K; }
  /// What is stored by I may be an address from then on.
  bool isEnd(const StoreInst &I) const;

private:
  struct Set {
    DenseSet<const Value *> V;
    DenseSet<unsigned> Cells;
    bool contains(const Spot &S) const {
      return V.contains(S.V) || any_of(S.Cells, [&](unsigned C) { return Cells.contains(C); });
    }
    bool insert(const Spot &S) {
      bool News = S.V && V.insert(S.V).second;
      for (unsigned C : S.Cells)
        News |= Cells.insert(C).second;
      return News;
    }
  };
  Spot place(const Value *Pointer, const Type *T) const;
  void collect(Instruction &I);
  void collectCall(CallBase &Call);
  void move(Spot From, Spot To) { Moves.push_back({std::move(From), std::move(To)}); }
  bool isAddress(const Instruction &I) const;
  void seed(Set &Into, const Instruction &I, const Type *T);

  const MemoryGraph &Graph;
  const Kind K;
  DenseMap<const Function *, SmallVector<const Value *, 1>> Returned;
  std::vector<std::pair<Spot, Spot>> Moves;
  Set Before, After; ///< an address may come here; it may go from here to an address
};

Spot Ways::place(const Value *Pointer, const Type *T) const {
  SmallVector<unsigned, 2> Cells;
  const auto Bytes = Graph.layout().getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
  Graph.overlapping(Graph.find(Pointer), Bytes, [&](unsigned C) { Cells.push_back(C); });
  return Cells;
}

/// True if I says by the program's type that it moves an address.
bool Ways::isAddress(const Instruction &I) const { return typeAccessed(I) && !accessesFloat(I); }

void Ways::seed(Set &Into, const Instruction &I, const Type *T) {
  if (K.Address && isAddress(I))
    return;
  for (unsigned C : place(getLoadStorePointerOperand(&I), T).Cells)
    if (Graph.kindsOfCell(C) & K.Other)
      Into.Cells.insert(C);
}

void Ways::collectCall(CallBase &Call) {
  auto It = Returned.find(Call.getCalledFunction());
  if (It == Returned.end())
    return;
  for (const Argument &A : It->first->args())
    if (A.getArgNo() < Call.arg_size() && K.mayCarry(A.getType()))
      move(Call.getArgOperand(A.getArgNo()), &A);
  if (K.mayCarry(Call.getType()))
    for (const Value *V : It->second)
      move(V, &Call);
}

void Ways::collect(Instruction &I) {
  auto *Store = dyn_cast<StoreInst>(&I);
  if (Store && K.mayCarry(Store->getValueOperand()->getType())) {
    const Value *V = Store->getValueOperand();
    seed(After, I, V->getType());
    return move(V, place(Store->getPointerOperand(), V->getType()));
  }
  if (K.isToWord(I) && (Graph.carried(&I) & K.Other))
    After.V.insert(I.getOperand(0));
  if (!K.mayCarry(I.getType()))
    return;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    seed(Before, I, I.getType());
    return move(place(Load->getPointerOperand(), I.getType()), &I);
  }
  if (K.isFromWord(I) && (Graph.carried(I.getOperand(0)) & K.Other))
    Before.V.insert(&I);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return collectCall(*Call);
  if (isa<PHINode, SelectInst, FreezeInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst,
          ExtractValueInst, InsertValueInst>(I))
    for (const Value *V : I.operands())
      if (K.mayCarry(V->getType()))
        move(V, &I);
}

Ways::Ways(ArrayRef<Function *> Closure, const MemoryGraph &Graph, Kind K) : Graph(Graph), K(K) {
  for (Function *F : Closure) {
    auto &Values = Returned[F];
    for (const BasicBlock &B : *F)
      if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator());
          Return && Return->getReturnValue())
        Values.push_back(Return->getReturnValue());
  }
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F))
      isa<CallBase>(I) ? collectCall(cast<CallBase>(I)) : collect(I);
  if ((Before.V.empty() && Before.Cells.empty()) || (After.V.empty() && After.Cells.empty()))
    return;
  for (bool News = true; News;) {
    News = false;
    for (const auto &[From, To] : Moves) {
      News |= Before.contains(From) && Before.insert(To);
      News |= After.contains(To) && After.insert(From);
    }
  }
}

bool Ways::isEnd(const StoreInst &I) const {
  return After.contains(place(I.getPointerOperand(), I.getValueOperand()->getType()));
}

/// Twins of doubles, made of words.
class Words {
public:
  explicit Words(const Ways &W) : W(W) {}
  /// The words of V; none if it is not on the way, or has no twin.
  SmallVector<Value *, 2> of(Value *V);
  void completePhis();
  void dropLoads();

private:
  using Lanes = SmallVector<Value *, 2>;
  Lanes make(Instruction &I);
  Lanes makeLoad(LoadInst &Load);
  Lanes makeSelect(SelectInst &Select);
  Lanes makeShuffle(ShuffleVectorInst &Shuffle);
  /// The words of any V, at the place of At.
  Lanes bitsOf(Value *V, Instruction *At);

  const Ways &W;
  DenseMap<Value *, Lanes> Made;
  SmallVector<PHINode *, 8> Open;
  SmallVector<LoadInst *, 4> Volatile;
};

Instruction *behind(Instruction &I) {
  return isa<PHINode>(I) ? &*I.getParent()->getFirstInsertionPt() : I.getNextNode();
}

Words::Lanes Words::makeLoad(LoadInst &Load) {
  Lanes Out;
  IRBuilder<> B(&Load);
  for (unsigned K = 0; K < lanesOf(Load.getType()); ++K) {
    const int64_t Offset = K * WordBytes;
    Value *At = Load.getPointerOperand();
    if (Offset)
      At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), At, Offset);
    Out.push_back(B.CreateAlignedLoad(B.getInt64Ty(), At, commonAlignment(Load.getAlign(), Offset),
                                      Load.isVolatile()));
  }
  if (Load.isVolatile())
    Volatile.push_back(&Load);
  return Out;
}

Words::Lanes Words::makeSelect(SelectInst &Select) {
  const Lanes True = bitsOf(Select.getTrueValue(), &Select);
  const Lanes False = bitsOf(Select.getFalseValue(), &Select);
  Lanes Out;
  IRBuilder<> B(&Select);
  for (unsigned K = 0; K < True.size(); ++K) {
    Value *Condition = Select.getCondition();
    if (Condition->getType()->isVectorTy())
      Condition = B.CreateExtractElement(Condition, K);
    Out.push_back(B.CreateSelect(Condition, True[K], False[K]));
  }
  return Out;
}

Words::Lanes Words::makeShuffle(ShuffleVectorInst &Shuffle) {
  Lanes From = bitsOf(Shuffle.getOperand(0), &Shuffle), Out;
  From.append(bitsOf(Shuffle.getOperand(1), &Shuffle));
  for (int K : Shuffle.getShuffleMask())
    Out.push_back(K < 0 ? PoisonValue::get(Type::getInt64Ty(Shuffle.getContext())) : From[K]);
  return Out;
}

/// Empty where I has no twin.
Words::Lanes Words::make(Instruction &I) {
  Type *Word = Type::getInt64Ty(I.getContext());
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && !Load->isAtomic())
    return makeLoad(*Load);
  if (auto *Phi = dyn_cast<PHINode>(&I)) {
    Lanes Out;
    for (unsigned K = 0; K < lanesOf(I.getType()); ++K) {
      auto *Twin = PHINode::Create(Word, Phi->getNumIncomingValues(), "", I.getIterator());
      Twin->setDebugLoc(I.getDebugLoc());
      Out.push_back(Twin);
    }
    Open.push_back(Phi);
    return Out;
  }
  if (auto *Select = dyn_cast<SelectInst>(&I))
    return makeSelect(*Select);
  if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(&I))
    return makeShuffle(*Shuffle);
  if (W.kind().isFromWord(I))
    return {I.getOperand(0)};
  const unsigned At = isa<InsertElementInst>(I) ? 2 : 1;
  auto *Index = isa<InsertElementInst, ExtractElementInst>(I)
                    ? dyn_cast<ConstantInt>(I.getOperand(At))
                    : nullptr;
  Lanes Out;
  if (Index || isa<FreezeInst>(I))
    Out = bitsOf(I.getOperand(0), &I);
  if (Index && Index->getValue().uge(Out.size()))
    return {};
  if (isa<FreezeInst>(I))
    for (Value *&V : Out)
      V = IRBuilder<>(&I).CreateFreeze(V);
  else if (Index && isa<ExtractElementInst>(I))
    return {Out[Index->getZExtValue()]};
  else if (Index)
    Out[Index->getZExtValue()] = bitsOf(I.getOperand(1), &I).front();
  return Out;
}

SmallVector<Value *, 2> Words::of(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !W.contains(V) || !W.kind().is(V->getType()))
    return {};
  if (auto Known = Made.find(V); Known != Made.end())
    return Known->second;
  const Lanes Out = make(*I); // may make others
  return Made[V] = Out;
}

Words::Lanes Words::bitsOf(Value *V, Instruction *At) {
  Lanes Out = of(V);
  if (!Out.empty())
    return Out;
  IRBuilder<> B(At);
  for (unsigned K = 0; K < lanesOf(V->getType()); ++K) {
    Value *Lane = V->getType()->isVectorTy() ? B.CreateExtractElement(V, K) : V;
    Out.push_back(W.kind().Address ? B.CreatePtrToInt(Lane, B.getInt64Ty())
                                   : B.CreateBitCast(Lane, B.getInt64Ty()));
  }
  return Out;
}

void Words::completePhis() {
  while (!Open.empty()) {
    PHINode *Phi = Open.pop_back_val();
    const Lanes Twins = Made[Phi];
    for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
      BasicBlock *From = Phi->getIncomingBlock(I);
      const int Known = cast<PHINode>(Twins[0])->getBasicBlockIndex(From); // a switch leads here
      const Lanes In =
          Known < 0 ? bitsOf(Phi->getIncomingValue(I), From->getTerminator()) : Lanes();
      for (unsigned K = 0; K < Twins.size(); ++K) {
        auto *Twin = cast<PHINode>(Twins[K]);
        Twin->addIncoming(Known < 0 ? In[K] : Twin->getIncomingValue(Known), From);
      }
    }
  }
}

/// A volatile place is read once.
void Words::dropLoads() {
  for (LoadInst *Load : Volatile) {
    IRBuilder<> B(Load->getNextNode());
    const Lanes &Bits = Made[Load];
    Value *Out = PoisonValue::get(Load->getType());
    for (unsigned K = 0; K < Bits.size(); ++K) {
      Type *T = Load->getType()->getScalarType();
      Value *Lane = W.kind().Address ? B.CreateIntToPtr(Bits[K], T) : B.CreateBitCast(Bits[K], T);
      Out = Load->getType()->isVectorTy() ? B.CreateInsertElement(Out, Lane, K) : Lane;
    }
    Load->replaceAllUsesWith(Out);
    Load->eraseFromParent();
  }
}

/// Stores and casts that take words.
class Mover {
public:
  Mover(ArrayRef<Function *> Closure, const MemoryGraph &Graph, Kind K)
      : Closure(Closure), Graph(Graph), W(Closure, Graph, K), Twins(W) {}
  void run();

private:
  bool moveStore(StoreInst &Store);
  bool moveWord(Instruction &Cast);
  bool becomesNumber(const Use &Word) const;
  void check(Value &V, Instruction &At);
  void checkAll(Function &F);

  ArrayRef<Function *> Closure;
  const MemoryGraph &Graph;
  Ways W;
  Words Twins;
};

bool Mover::moveStore(StoreInst &Store) {
  if (Store.isAtomic() || !W.isEnd(Store))
    return false;
  const SmallVector<Value *, 2> Bits = Twins.of(Store.getValueOperand());
  IRBuilder<> B(&Store);
  for (unsigned K = 0; K < Bits.size(); ++K) {
    const int64_t Offset = K * WordBytes;
    Value *At = Store.getPointerOperand();
    if (Offset)
      At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), At, Offset);
    B.CreateAlignedStore(Bits[K], At, commonAlignment(Store.getAlign(), Offset),
                         Store.isVolatile());
  }
  return !Bits.empty();
}

/// True if a number may be made of a word or half of it by this user, or where it brings the word.
bool Mover::becomesNumber(const Use &Word) const {
  SmallVector<const Use *, 8> Open = {&Word};
  SmallPtrSet<const User *, 8> Seen;
  while (!Open.empty()) {
    const Use &Here = *Open.pop_back_val();
    const auto *I = cast<Instruction>(Here.getUser());
    if (isa<BitCastInst>(I) && I->getType()->isFPOrFPVectorTy())
      return true;
    if (const auto *Store = dyn_cast<StoreInst>(I); Store && Here.getOperandNo() == 0) {
      const Location At = Graph.find(Store->getPointerOperand());
      if (At && (Graph.kindsAt(At, WordBytes) & W.kind().Other))
        return true;
    }
    const bool IsHalf = isa<TruncInst>(I) || I->getOpcode() == Instruction::LShr;
    if ((IsHalf || isa<PHINode, SelectInst, FreezeInst>(I)) && Seen.insert(I).second)
      for (const Use &Next : I->uses())
        Open.push_back(&Next);
  }
  return false;
}

/// A word that is compared or subtracted is an address.
bool Mover::moveWord(Instruction &Cast) {
  auto Moves = [&](const Use &Word) { return !W.kind().Address || becomesNumber(Word); };
  if (none_of(Cast.uses(), Moves))
    return false;
  const SmallVector<Value *, 2> Bits = Twins.of(Cast.getOperand(0));
  if (!Bits.empty())
    Cast.replaceUsesWithIf(Bits[0], [&](Use &Word) { return Moves(Word); });
  return !Bits.empty();
}

void Mover::check(Value &V, Instruction &At) {
  if (!V.getType()->isDoubleTy() || !W.contains(&V))
    return;
  IRBuilder<> B(&At);
  Value *Place = B.CreateGlobalString(SourcePlace::of(At).str(), "cf.place");
  SweepBuilder::callRuntime(B, *At.getModule(), "check_number", B.getVoidTy(), {&V, Place});
}

void Mover::checkAll(Function &F) {
  for (Argument &A : F.args())
    check(A, *F.getEntryBlock().getFirstInsertionPt());
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (isa<CallBase, ExtractValueInst>(I) || (isa<LoadInst>(I) && I.isAtomic()))
      check(I, *behind(I));
    else if (isa<InsertValueInst>(I))
      check(*I.getOperand(1), I);
  }
}

void Mover::run() {
  SmallVector<WeakTrackingVH, 16> Old;
  for (Function *F : Closure) {
    if (!W.kind().Address)
      checkAll(*F);
    for (Instruction &I : make_early_inc_range(instructions(*F))) {
      Value *V = nullptr;
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        V = moveStore(*Store) ? Store->getValueOperand() : nullptr;
      } else if (W.kind().isToWord(I)) {
        if (moveWord(I))
          Old.push_back(&I);
        continue;
      }
      if (!V)
        continue;
      I.eraseFromParent();
      Old.push_back(V);
    }
  }
  Twins.completePhis();
  Twins.dropLoads();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
}

/// True if floats and addresses share the place, and no other numbers.
bool isWordOfFloats(const MemoryGraph &Graph, const Value *Pointer) {
  const Location At = Graph.find(Pointer);
  const unsigned Kinds = At ? Graph.kindsAt(At, WordBytes) : 0;
  return (Kinds & SK_AnyFloat) == SK_Float && (Kinds & SK_Pointer);
}

bool isOnlyStored(const LoadInst &Load) {
  return !Load.use_empty() && all_of(Load.uses(), [](const Use &U) {
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    return Store && Store->isSimple() && U.getOperandNo() == 0;
  });
}

void copyAsMemory(LoadInst &Load) {
  BasicBlock &Entry = Load.getFunction()->getEntryBlock();
  auto *Room = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Load.getType(), nullptr, "word");
  IRBuilder<> B(&Load);
  B.CreateMemCpy(Room, Room->getAlign(), Load.getPointerOperand(), Load.getAlign(), WordBytes);
  for (User *U : make_early_inc_range(Load.users())) {
    auto *Store = cast<StoreInst>(U);
    B.SetInsertPoint(Store);
    B.CreateMemCpy(Store->getPointerOperand(), Store->getAlign(), Room, Room->getAlign(),
                   WordBytes);
    Store->eraseFromParent();
  }
  Load.eraseFromParent();
}

} // namespace

void copyWordsOfFloats(ArrayRef<Function *> Closure, const MemoryGraph &Graph) {
  SmallVector<LoadInst *, 8> Found;
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F))
      if (auto *Load = dyn_cast<LoadInst>(&I);
          Load && Load->isSimple() && Load->getType()->isIntegerTy(64) && isOnlyStored(*Load) &&
          isWordOfFloats(Graph, Load->getPointerOperand()))
        Found.push_back(Load);
  for (LoadInst *Load : Found)
    copyAsMemory(*Load);
}

void moveWords(ArrayRef<Function *> Closure, const MemoryGraph &Graph) {
  constexpr unsigned Numbers = SK_Float | SK_Double;
  if (holdsBoth(Graph, SK_Double))
    Mover(Closure, Graph, {false, SK_Pointer}).run();
  if (holdsBoth(Graph, Numbers) && Graph.layout().getPointerSize() == WordBytes)
    Mover(Closure, Graph, {true, Numbers}).run();
}

} // namespace contraflow
