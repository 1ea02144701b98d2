// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   low = INT64_MAX, high = INT64_MIN, count = times = 0
//   for (i) { low = min(low, &x-bar[c[i]]); high = max(...); ++count;  y[i] = x[c[i]]; }
//   omp_range_note(phase, low, high); omp_reach_note(slot, phase, {low, high, count, times})
//
// Where the remainder of a division or some of its bits say which numbers c[i] can be, the range is
// noted when the loop is entered. A remainder may be negative, which is asked of all of them at
// once:
//
//   low = min(low, &x-bar[0]); high = max(high, &x-bar[256]); below = min(below, &x-bar[-255])
//   for (i) { signs |= c[i]; ... }       signs < 0: low = min(low, below)

#include "Reaches.h"
#include "ForwardSweep.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Instructions.h"

#include <optional>

using namespace llvm;

namespace contraflow {

const WindowLoop *windowsOf(const SharedPlan &Plan, ArrayRef<WindowLoop> Windows) {
  auto *Found = find_if(Windows, [&](const WindowLoop &W) { return W.L == Plan.Loop.L; });
  return Found == Windows.end() ? nullptr : Found;
}

static bool isIn(const WindowLoop *W, const Instruction *Load) {
  return W && any_of(W->Arrays, [&](const WindowArray &A) { return A.Loads.contains(Load); });
}

void numberReaches(MutableArrayRef<SharedPlan> Plans, WindowLoops &Windows) {
  constexpr int Most = 8; // omp::MostReaches of the runtime
  int Next = 0;
  for (SharedPlan &P : Plans) {
    if (P.Range < 0)
      continue;
    auto *W = const_cast<WindowLoop *>(windowsOf(P, Windows));
    for (unsigned I = 0; W && I < W->Arrays.size(); ++I)
      W->Arrays[I].Reach = Next++;
    P.Covered = W;
    if (any_of(P.Loop.Loose, [&](const LooseUpdate &U) { return !isIn(W, U.Load); }))
      P.Reach = Next++;
  }
  if (Next <= Most && any_of(Plans, [](const SharedPlan &P) { return P.Covered; }))
    return;
  for (SharedPlan &P : Plans) {
    P.Reach = -1;
    P.Covered = false;
  }
  for (WindowLoop &W : Windows)
    for (WindowArray &A : W.Arrays)
      A.Reach = -1;
}

namespace {

/// struct cf_reach of contraflow/abi.h, then where it begins if an index is negative, and whether
/// one is.
enum ReachField { Low, High, Count, Times, Below, Signs };

/// An address at an index of which the program says where it lies: [base + low, base + high).
struct BoundedAddress {
  GetElementPtrInst *At;
  int64_t Low, High; ///< indices
};

/// Of what is left of a division or of a mask by a constant: what the type of an index has room for
/// says less, and would take in what lies behind a small table.
std::optional<ConstantRange> findRemainder(const Value *Index, unsigned Bits) {
  if (auto *Cast = dyn_cast<CastInst>(Index); isa_and_nonnull<SExtInst, ZExtInst>(Cast)) {
    auto Inner = findRemainder(Cast->getOperand(0), Cast->getSrcTy()->getScalarSizeInBits());
    if (!Inner)
      return std::nullopt;
    return isa<SExtInst>(Cast) ? Inner->signExtend(Bits) : Inner->zeroExtend(Bits);
  }
  auto *Op = dyn_cast<BinaryOperator>(Index);
  if (!Op || !isa<ConstantInt>(Op->getOperand(1)) ||
      !is_contained({Instruction::And, Instruction::SRem, Instruction::URem}, Op->getOpcode()))
    return std::nullopt;
  return computeConstantRange(Op, true);
}

std::optional<BoundedAddress> findBounds(const LooseUpdate &Update, const Loop &L) {
  constexpr int64_t MostBytes = 16384; // beyond that the exact range is worth more
  auto *At = dyn_cast<GetElementPtrInst>(Update.Address);
  if (!At || At->getNumIndices() != 1 || !L.isLoopInvariant(At->getPointerOperand()))
    return std::nullopt;
  Value *Index = At->getOperand(1);
  auto Range = findRemainder(Index, Index->getType()->getIntegerBitWidth());
  if (!Range || Range->getBitWidth() != 64 || Range->isSignWrappedSet() || Range->isFullSet())
    return std::nullopt;
  const APInt Low = Range->getSignedMin(), High = Range->getSignedMax();
  if (Low.getSignificantBits() > 32 || High.getSignificantBits() > 32)
    return std::nullopt;
  const auto Step = int64_t(At->getDataLayout().getTypeAllocSize(At->getSourceElementType()));
  if (Step * std::max(High.getSExtValue(), -Low.getSExtValue()) > MostBytes)
    return std::nullopt;
  return BoundedAddress{At, Low.getSExtValue(), High.getSExtValue()};
}

class NotedReach {
public:
  explicit NotedReach(Function &F) {
    Type *I64 = Type::getInt64Ty(F.getContext());
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    for (auto &Field : Fields)
      Field = B.CreateAlloca(I64, nullptr, "reach");
    Whole = B.CreateAlloca(ArrayType::get(I64, 4), nullptr, "reach.whole");
    B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    const int64_t Empty[] = {INT64_MAX, INT64_MIN, 0, 0, INT64_MAX, 0};
    for (unsigned I = 0; I < std::size(Empty); ++I)
      B.CreateStore(B.getInt64(uint64_t(Empty[I])), Fields[I]);
  }

  Value *get(IRBuilder<> &B, ReachField Field) {
    return B.CreateLoad(B.getInt64Ty(), Fields[Field]);
  }

  void add(const LooseUpdate &Update, const Loop &L) {
    if (auto Bounded = findBounds(Update, L))
      return addBounded(*Bounded, *Update.Load, *L.getLoopPreheader());
    // What decides at run time which memory has the derivative (OwnShadows.cpp) is behind the load.
    auto *Chosen = dyn_cast<Instruction>(Update.Address);
    const bool Behind = Chosen && Chosen->getParent() == Update.Load->getParent() &&
                        Update.Load->comesBefore(Chosen);
    IRBuilder<> B(Behind ? Chosen->getNextNode() : Update.Load);
    Value *At = B.CreatePtrToInt(Update.Address, B.getInt64Ty());
    lower(B, Low, At);
    raise(B, At, sizeOf(*Update.Load));
    increase(B, Count);
  }

  /// When the threads are about to return.
  void finish(IRBuilder<> &B) {
    Value *Least = B.CreateBinaryIntrinsic(Intrinsic::smin, get(B, Low), get(B, Below));
    Value *IsBelow = B.CreateICmpSLT(get(B, Signs), B.getInt64(0));
    B.CreateStore(B.CreateSelect(IsBelow, Least, get(B, Low)), Fields[Low]);
  }

  void enter(BasicBlock &Preheader) {
    IRBuilder<> B(Preheader.getTerminator());
    increase(B, Times);
  }

  Value *whole(IRBuilder<> &B) {
    for (unsigned I = 0; I < 4; ++I)
      B.CreateStore(get(B, ReachField(I)), B.CreateConstGEP1_64(B.getInt64Ty(), Whole, I));
    return Whole;
  }

private:
  static uint64_t sizeOf(const Instruction &Load) {
    return Load.getDataLayout().getTypeStoreSize(Load.getType());
  }

  void addBounded(const BoundedAddress &A, Instruction &Load, BasicBlock &Preheader) {
    IRBuilder<> B(Preheader.getTerminator());
    auto Place = [&](int64_t Index) {
      Value *At = B.CreateConstGEP1_64(A.At->getSourceElementType(), A.At->getPointerOperand(),
                                       uint64_t(Index));
      return B.CreatePtrToInt(At, B.getInt64Ty());
    };
    lower(B, Low, Place(std::max<int64_t>(A.Low, 0)));
    raise(B, Place(A.High), sizeOf(Load));
    lower(B, Below, Place(A.Low));
    B.SetInsertPoint(A.At);
    if (A.Low < 0)
      B.CreateStore(B.CreateOr(get(B, Signs), A.At->getOperand(1)), Fields[Signs]);
    B.SetInsertPoint(&Load);
    increase(B, Count);
  }

  void lower(IRBuilder<> &B, ReachField Field, Value *At) {
    B.CreateStore(B.CreateBinaryIntrinsic(Intrinsic::smin, get(B, Field), At), Fields[Field]);
  }

  void raise(IRBuilder<> &B, Value *At, uint64_t Size) {
    Value *End = B.CreateAdd(At, B.getInt64(Size));
    B.CreateStore(B.CreateBinaryIntrinsic(Intrinsic::smax, get(B, High), End), Fields[High]);
  }

  void increase(IRBuilder<> &B, ReachField Field) {
    B.CreateStore(B.CreateAdd(get(B, Field), B.getInt64(1)), Fields[Field]);
  }

  AllocaInst *Fields[6], *Whole;
};

struct Reach {
  int Phase, Slot; ///< no slot: -1
  NotedReach Noted;
};

int slotOf(const SharedPlan &P, const WindowLoop *W, const Instruction *Load) {
  if (W)
    for (const WindowArray &A : W->Arrays)
      if (A.Loads.contains(Load))
        return A.Reach;
  return P.Reach;
}

} // namespace

void noteRanges(const RequestState &S, Unit &U, ArrayRef<SharedPlan> Plans,
                ArrayRef<WindowLoop> Windows) {
  SmallVector<Reach, 4> All;
  auto IsAsked = [&](const SharedPlan &P) {
    return any_of(Plans, [&](const SharedPlan &Version) {
      return Version.Range == P.Range && (Version.Covered || Version.Plain + Version.Atomic > 0);
    });
  };
  for (const SharedPlan &P : Plans) {
    if (!IsAsked(P))
      continue;
    const WindowLoop *W = windowsOf(P, Windows);
    const size_t Before = All.size();
    for (const LooseUpdate &Update : P.Loop.Loose) {
      const int Slot = slotOf(P, W, Update.Load);
      auto *Known =
          find_if(All, [&](const Reach &R) { return R.Phase == P.Range && R.Slot == Slot; });
      if (Known == All.end())
        Known = &All.emplace_back(Reach{P.Range, Slot, NotedReach(*U.Forward)});
      Known->Noted.add(Update, *P.Loop.L);
    }
    for (Reach &R : drop_begin(All, Before))
      R.Noted.enter(*P.Loop.L->getLoopPreheader());
  }
  for (BasicBlock &Block : *U.Forward)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
      for (Reach &R : All) {
        IRBuilder<> B(Return);
        R.Noted.finish(B);
        SweepBuilder::callRuntime(
            B, S.C.M, "omp_range_note", B.getVoidTy(),
            {U.Tape, B.getInt32(R.Phase), R.Noted.get(B, Low), R.Noted.get(B, High)});
        if (R.Slot >= 0)
          SweepBuilder::callRuntime(
              B, S.C.M, "omp_reach_note", B.getVoidTy(),
              {U.Tape, B.getInt32(R.Slot), B.getInt32(R.Phase), R.Noted.whole(B)});
      }
}

} // namespace contraflow
