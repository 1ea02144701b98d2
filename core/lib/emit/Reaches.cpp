// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   low = INT64_MAX, high = INT64_MIN, count = times = 0
//   for (i) { low = min(low, &x-bar[c[i]]); high = max(...); ++count;  y[i] = x[c[i]]; }
//   omp_range_note(phase, low, high); omp_reach_note(slot, phase, {low, high, count, times})

#include "Reaches.h"
#include "ForwardSweep.h"

#include "llvm/IR/Instructions.h"

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

/// struct cf_reach of contraflow/abi.h.
enum ReachField { Low, High, Count, Times };

class NotedReach {
public:
  explicit NotedReach(Function &F) {
    Type *I64 = Type::getInt64Ty(F.getContext());
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    for (auto &Field : Fields)
      Field = B.CreateAlloca(I64, nullptr, "reach");
    Whole = B.CreateAlloca(ArrayType::get(I64, 4), nullptr, "reach.whole");
    B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    const int64_t Empty[] = {INT64_MAX, INT64_MIN, 0, 0};
    for (unsigned I = 0; I < 4; ++I)
      B.CreateStore(B.getInt64(uint64_t(Empty[I])), Fields[I]);
  }

  Value *get(IRBuilder<> &B, ReachField Field) {
    return B.CreateLoad(B.getInt64Ty(), Fields[Field]);
  }

  void add(const LooseUpdate &Update) {
    // What decides at run time which memory has the derivative (OwnShadows.cpp) is behind the load.
    auto *Chosen = dyn_cast<Instruction>(Update.Address);
    const bool Behind = Chosen && Chosen->getParent() == Update.Load->getParent() &&
                        Update.Load->comesBefore(Chosen);
    IRBuilder<> B(Behind ? Chosen->getNextNode() : Update.Load);
    Value *At = B.CreatePtrToInt(Update.Address, B.getInt64Ty());
    const uint64_t Size =
        B.GetInsertBlock()->getDataLayout().getTypeStoreSize(Update.Load->getType());
    Value *End = B.CreateAdd(At, B.getInt64(Size));
    B.CreateStore(B.CreateBinaryIntrinsic(Intrinsic::smin, get(B, Low), At), Fields[Low]);
    B.CreateStore(B.CreateBinaryIntrinsic(Intrinsic::smax, get(B, High), End), Fields[High]);
    increase(B, Count);
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
  void increase(IRBuilder<> &B, ReachField Field) {
    B.CreateStore(B.CreateAdd(get(B, Field), B.getInt64(1)), Fields[Field]);
  }

  AllocaInst *Fields[4], *Whole;
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
      Known->Noted.add(Update);
    }
    for (Reach &R : drop_begin(All, Before))
      R.Noted.enter(*P.Loop.L->getLoopPreheader());
  }
  for (BasicBlock &Block : *U.Forward)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
      for (Reach &R : All) {
        IRBuilder<> B(Return);
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
