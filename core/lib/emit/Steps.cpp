// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table in code: instruction -> reverse step -> values read.

#include "Steps.h"
#include "Frames.h"
#include "analysis/BitSources.h"
#include "analysis/OwnIntegers.h"
#include "analysis/ShortPieces.h"
#include "analysis/Strides.h"
#include "construct/Memory.h"
#include "contraflow/core/Barrier.h"
#include "contraflow/core/Rule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {

ReverseSteps::ReverseSteps(RequestState &S, ForwardSweep &Fwd) : S(S), Fwd(Fwd) {
  for (const CallSite &Site : Fwd.sites())
    Sites[Site.Anchor] = &Site;
}

const CallSite *ReverseSteps::site(const Instruction &I) const { return Sites.lookup(&I); }

/// True of addresses that may be null, which is a number, too: zero, where it is read as one.
static bool mayBeNullWord(const Value *V, const DataLayout &DL) {
  Type *T = V->getType()->getScalarType();
  if (!T->isPointerTy() || DL.getTypeStoreSize(T) != 8)
    return false;
  if (V->getType()->isVectorTy())
    return true;
  SmallSetVector<const Value *, 8> Parts;
  Parts.insert(V);
  for (size_t Next = 0; Next < Parts.size(); ++Next) {
    if (auto *C = dyn_cast<Constant>(Parts[Next]); C && C->isNullValue())
      return true;
    if (auto *U = dyn_cast<User>(Parts[Next]); U && isa<PHINode, SelectInst>(U))
      Parts.insert(U->op_begin() + isa<SelectInst>(U), U->op_end());
  }
  return false;
}

Type *storedFloat(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &Graph = Activity.memory();
  Type *T = I.getValueOperand()->getType();
  const DataLayout &DL = Graph.layout();
  Location At = Graph.find(I.getPointerOperand());
  int64_t Size = DL.getTypeStoreSize(T).getFixedValue();
  if (!At || !Activity.activeAt(At, Size))
    return nullptr;
  if (T->isFloatTy() && isa<Constant>(I.getValueOperand()) && !(Graph.kindsAt(At, Size) & SK_Float))
    return nullptr; // it is never read as an active float
  if (T->isFPOrFPVectorTy() || T->isAggregateType())
    return T;
  unsigned Kinds = Graph.kindsAt(At, Size);
  if (mayBeNullWord(I.getValueOperand(), DL) && (Kinds & SK_Double))
    return T->getWithNewType(Type::getDoubleTy(T->getContext()));
  if (mayBeNullWord(I.getValueOperand(), DL) && (Kinds & SK_Float))
    return FixedVectorType::get(Type::getFloatTy(T->getContext()), Size / sizeof(float));
  if (!T->isIntegerTy(64) && !T->isIntegerTy(32))
    return nullptr;
  if (Size == 8 && (Kinds & SK_Double))
    return Type::getDoubleTy(T->getContext());
  if (Size == 4 && (Kinds & SK_Float))
    return Type::getFloatTy(T->getContext());
  if (Size == 8 && (Kinds & SK_Float)) // two floats moved at once
    return FixedVectorType::get(Type::getFloatTy(T->getContext()), 2);
  return nullptr;
}

bool mayMeetAddress(const MemoryGraph &Graph, const Value *Pointer, const Type *T) {
  if (!T->getScalarType()->isFloatTy())
    return false;
  const int64_t Size = Graph.layout().getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
  return Graph.kindsAt(Graph.find(Pointer), Size) & SK_Pointer;
}

/// True if active floats have become parts of V, a value of integers.
static bool mixesBits(const ActivityResult &Activity, const Value *V) {
  const MemoryGraph &Graph = Activity.memory();
  return any_of(bitSources(V), [&](const Value *From) {
    auto *Load = dyn_cast<LoadInst>(From);
    return Activity.active(From) ||
           (Load &&
            Activity.activeAt(Graph.find(Load->getPointerOperand()),
                              Graph.layout().getTypeStoreSize(Load->getType()).getFixedValue()));
  });
}

/// True if I stores an integer of its own, by the type of the member, or one that says as little of
/// a number that lies there as rounding.
static bool storesInteger(const MemoryGraph &Graph, const StoreInst &I, int64_t Size) {
  return Graph.isIntegerBeside(&I) || isAmongDigits(Graph, Graph.find(I.getPointerOperand()), Size);
}

/// True if I keeps an integer for the reverse of an inner derivative. The mark is lost where two
/// such stores become one.
static bool keepsInteger(const StoreInst &I) {
  return I.getValueOperand()->getType()->isIntegerTy() &&
         (I.hasMetadata(KeptValueKind) || isOnTape(I.getPointerOperand()));
}

bool hidesFloats(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &Graph = Activity.memory();
  const Value *V = I.getValueOperand();
  int64_t Size = Graph.layout().getTypeStoreSize(V->getType()).getFixedValue();
  Location At = Graph.find(I.getPointerOperand());
  if (!V->getType()->isIntOrIntVectorTy() || !At || !Activity.activeAt(At, Size) ||
      storedFloat(Activity, I) || keepsInteger(I))
    return false;
  if (!(Graph.kindsAt(At, Size) & (SK_Int | SK_Pointer)) ||
      (V->getType()->isVectorTy() && mixesBits(Activity, V)))
    return true;
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && Size < 4 && !(typeAccessed(I) && typeAccessed(*Load)) &&
         !Graph.isDeclaredInteger(Load) && !storesInteger(Graph, I, Size) &&
         Activity.activeAt(Graph.find(Load->getPointerOperand()), Size);
}

void findOwnStores(RequestState &S) {
  std::optional<OwnIntegers> Integers;
  std::optional<ShortPieces> Pieces;
  for (Function *F : S.Closure.Functions)
    for (const Instruction &I : instructions(*F))
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && hidesFloats(S.Activity, *Store)) {
        if (!Integers)
          Integers.emplace(S.Closure.Functions, S.Graph);
        if (!Pieces)
          Pieces.emplace(S.Closure.Functions, S.Graph);
        if (Integers->isOwn(Store->getValueOperand()) || Pieces->moves(*Store))
          S.OwnStores.insert(Store);
      }
}

/// True if the address walks by so many bytes, from one time to the next.
static bool walksBy(const MemoryGraph &G, const Value *Pointer, int64_t Bytes) {
  while (auto *Step = dyn_cast<GEPOperator>(Pointer)) {
    const unsigned Width = G.layout().getIndexTypeSizeInBits(Step->getType());
    SmallMapVector<Value *, APInt, 4> Indices;
    APInt Constant(Width, 0);
    if (!Step->collectOffset(G.layout(), Width, Indices, Constant))
      return false;
    for (const auto &[Index, Scale] : Indices)
      if (std::abs(Scale.getSExtValue()) * int64_t(strideOf(Index).Multiple) == Bytes)
        return true;
    Pointer = Step->getPointerOperand();
  }
  const auto *Phi = dyn_cast<PHINode>(Pointer);
  return Phi && any_of(Phi->incoming_values(), [&](const Use &Next) {
           APInt Step(G.layout().getIndexTypeSizeInBits(Phi->getType()), 0);
           const Value *Base =
               Next->stripAndAccumulateConstantOffsets(G.layout(), Step, /*AllowNonInbounds=*/true);
           return Base == Phi && std::abs(Step.getSExtValue()) == Bytes;
         });
}

/// True if what is accessed may be the rear of such a word: behind the beginning of a field for
/// which IsWord says yes. Bytes that walk by a part of a word come from its front to its rear; an
/// integer that lies there at other times is aligned.
static bool isInsideWord(const MemoryGraph &G, const Instruction &Access,
                         function_ref<bool(unsigned Cell)> IsWord) {
  constexpr int64_t Width = sizeof(void *);
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  const int64_t Size = G.layout().getTypeStoreSize(getLoadStoreType(&Access)).getFixedValue();
  const Location At = G.find(Pointer);
  if (!At)
    return false;
  const int64_t Period = G.period(At.Node);
  const bool Walks = Period && Period < Width && Period % Size == 0 &&
                     int64_t(getLoadStoreAlignment(&Access).value()) < Size &&
                     walksBy(G, Pointer, Size);
  return any_of(G.fields(At.Node), [&](const auto &Field) {
    int64_t Distance = At.Offset - Field.first;
    if (Period)
      Distance = (Distance % Period + Period) % Period;
    return (Walks || (Distance > 0 && Distance < Width)) && IsWord(Field.second);
  });
}

/// The loads of what is moved as such a type that I stores, however one is chosen.
static SmallVector<const LoadInst *, 2> copiedFrom(const StoreInst &I,
                                                   function_ref<bool(const Type *)> IsMoved) {
  SmallVector<const LoadInst *, 2> Out;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{I.getValueOperand()};
  while (!Todo.empty()) {
    const auto *Next = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!Next || !IsMoved(Next->getType()) || !Seen.insert(Next).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(Next))
      Out.push_back(Load);
    else if (isa<PHINode, SelectInst, FreezeInst, ShuffleVectorInst, InsertElementInst>(Next))
      append_range(Todo, Next->operand_values());
  }
  return Out;
}

static SmallVector<const LoadInst *, 2> copiedParts(const StoreInst &I) {
  return copiedFrom(I, [](const Type *T) { return T->isIntegerTy(); });
}

bool copiesHalves(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &G = Activity.memory();
  auto IsDouble = [&](const Value *Pointer, const Type *T) {
    const Location At = G.find(Pointer);
    const int64_t Size = G.layout().getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
    return At && Activity.activeAt(At, Size) && (G.kindsAt(At, Size) & SK_Double);
  };
  auto IsFloats = [](const Type *T) {
    return isa<FixedVectorType>(T) && T->getScalarType()->isFloatTy();
  };
  return IsFloats(I.getValueOperand()->getType()) && !typeAccessed(I) &&
         IsDouble(I.getPointerOperand(), I.getValueOperand()->getType()) &&
         any_of(copiedFrom(I, IsFloats), [&](const LoadInst *From) {
           return !typeAccessed(*From) && IsDouble(From->getPointerOperand(), From->getType());
         });
}

bool copiesPartOfFloat(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &G = Activity.memory();
  const int64_t Size = G.layout().getTypeStoreSize(I.getValueOperand()->getType());
  auto IsActiveRear = [&](const Instruction &Access) {
    const Location At = G.find(getLoadStorePointerOperand(&Access));
    return At && Activity.activeAt(At, Size) &&
           isInsideWord(G, Access, [&](unsigned Cell) { return G.kindsOfCell(Cell) & SK_Double; });
  };
  return !typeAccessed(I) && !storesInteger(G, I, Size) && IsActiveRear(I) &&
         any_of(copiedParts(I), [&](const LoadInst *From) {
           return !typeAccessed(*From) && !G.isDeclaredInteger(From) && IsActiveRear(*From);
         });
}

/// True if the rear half of a double may lie there.
static bool isHalf(const MemoryGraph &G, Location At) {
  constexpr int64_t Half = sizeof(float);
  if (!At)
    return false;
  const int64_t Period = G.period(At.Node);
  return any_of(G.fields(At.Node), [&](const auto &Field) {
    const int64_t Distance = At.Offset - Half - Field.first;
    return (Period ? Distance % Period : Distance) == 0 &&
           (G.kindsOfCell(Field.second) & SK_Double);
  });
}

bool copiesHalf(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &G = Activity.memory();
  auto IsFloat = [](const Type *T) { return T->isFloatTy(); };
  auto IsActiveHalf = [&](const Value *Pointer) {
    const Location At = G.find(Pointer);
    return At && Activity.activeAt(At, sizeof(float)) && isHalf(G, At);
  };
  return IsFloat(I.getValueOperand()->getType()) && !typeAccessed(I) &&
         IsActiveHalf(I.getPointerOperand()) &&
         any_of(copiedFrom(I, IsFloat), [&](const LoadInst *From) {
           return !typeAccessed(*From) && IsActiveHalf(From->getPointerOperand());
         });
}

/// How far I stores behind Front, in the same block at constants from one address; 0: not known.
static int64_t distanceBehind(const StoreInst &I, const StoreInst &Front, const DataLayout &DL) {
  auto Base = [&](const StoreInst &At, APInt &Offset) {
    return At.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset,
                                                                     /*AllowNonInbounds=*/true);
  };
  APInt To(DL.getIndexTypeSizeInBits(I.getPointerOperandType()), 0), From = To;
  return Base(I, To) == Base(Front, From) ? (To - From).getSExtValue() : 0;
}

/// True if an integer of its own is stored in front of the part, in the same word and block: the
/// part is the padding of a structure that is copied member by member.
static bool isBehindInteger(const StoreInst &I) {
  constexpr int64_t Width = sizeof(void *);
  const DataLayout &DL = I.getDataLayout();
  return any_of(*I.getParent(), [&](const Instruction &Other) {
    auto *Front = dyn_cast<StoreInst>(&Other);
    if (!Front || !Front->getValueOperand()->getType()->isIntegerTy())
      return false;
    const int64_t Distance = distanceBehind(I, *Front, DL);
    const int64_t Size = DL.getTypeStoreSize(Front->getValueOperand()->getType());
    return Distance > 0 && Distance < Width && Size <= Distance &&
           (typeAccessed(*Front) || copiedParts(*Front).empty());
  });
}

bool copiesPartOfPointer(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &G = Activity.memory();
  auto IsPointer = [&](unsigned Cell) { return bool(G.kindsOfCell(Cell) & SK_Pointer); };
  auto Leads = [&](unsigned Cell) {
    const auto Target = G.pointee(Cell);
    return IsPointer(Cell) && Target && Activity.hasShadow(Target->Node);
  };
  return !G.isIntegerBeside(&I) && isInsideWord(G, I, IsPointer) && !isBehindInteger(I) &&
         any_of(copiedParts(I), [&](const LoadInst *From) {
           return !(typeAccessed(I) && typeAccessed(*From)) && isInsideWord(G, *From, Leads);
         });
}

bool changesBits(const ActivityResult &Activity, const StoreInst &I) {
  const MemoryGraph &Graph = Activity.memory();
  const Value *V = I.getValueOperand();
  const int64_t Size = Graph.layout().getTypeStoreSize(V->getType()).getFixedValue();
  const Location At = Graph.find(I.getPointerOperand());
  const bool Bytes = Size < 4 && At && Activity.activeAt(At, Size) && // of a float, maybe
                     !storesInteger(Graph, I, Size);
  if (!V->getType()->isIntegerTy() || keepsInteger(I) || floatTypeOf(V, Graph) ||
      !(Bytes || storedFloat(Activity, I)) || changesFlags(I, Graph))
    return false;
  return any_of(changedBits(V, Graph), [&](const Value *From) {
    auto *Load = dyn_cast<LoadInst>(From);
    return Load ? Activity.activeAt(Graph.find(Load->getPointerOperand()),
                                    Graph.layout().getTypeStoreSize(Load->getType()))
                : Activity.active(From);
  });
}

bool calculatesBits(const ActivityResult &Activity, const Instruction &I) {
  const Value *Bits = isa<StoreInst>(I) ? nullptr : calculatedBits(I, Activity.memory());
  return Bits && mixesBits(Activity, Bits);
}

bool ReverseSteps::hasWork(const Instruction &I) const {
  if (isMeeting(I))
    return true;
  if (const CallSite *Site = site(I))
    return !Site->Handler || Site->Handler->hasReverse(*Site->Anchor);
  if (S.Graph.original(&I) != &I)
    return false; // stands for a call, whose site has the reverse
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return storedFloat(S.Activity, *Store);
  if (auto *A = dyn_cast<AtomicRMWInst>(&I))
    return S.Activity.active(A->getValOperand()) || S.Activity.active(&I);
  return S.Activity.active(&I);
}

void ReverseSteps::ruleNeeds(Instruction &I, SmallVectorImpl<Value *> &Out) const {
  Rule R = findRule(I);
  if (!R)
    return;
  for (unsigned Op = 0; Op < R.operands(); ++Op) {
    if (R.isZero(Op) || !S.Activity.active(I.getOperand(Op)))
      continue;
    for (unsigned Read = 0; Read < R.operands(); ++Read)
      if (R.readsOperand(Op, Read))
        Out.push_back(I.getOperand(Read));
    if (R.readsResult(Op))
      Out.push_back(&I);
  }
}

void ReverseSteps::needs(Instruction &I, SmallVectorImpl<Value *> &Out) const {
  if (!hasWork(I))
    return;
  if (const CallSite *Site = site(I))
    return Out.append(Site->Recorded.begin(), Site->Recorded.end());
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Out.push_back(Fwd.accessOf(*Load));
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    Out.push_back(Fwd.accessOf(*Store));
  else if (auto *A = dyn_cast<AtomicRMWInst>(&I))
    Out.push_back(Fwd.accessOf(*A));
  else if (auto *Select = dyn_cast<SelectInst>(&I))
    Out.push_back(Select->getCondition());
  else if (isa<ExtractElementInst>(I))
    Out.push_back(I.getOperand(1));
  else if (isa<InsertElementInst>(I))
    Out.push_back(I.getOperand(2));
  else
    ruleNeeds(I, Out);
}

} // namespace contraflow
