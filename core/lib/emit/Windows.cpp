// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The outermost loops within which no call has a reverse, the loads through indices in them, and
// what their reverse is: one comparison and a plain addition.
//
//   away = &x-bar[c] - window.base
//   if (away < window.bytes) window.memory[away] += v; else omp_window_add(&window, &x-bar[c], v);

#include "Windows.h"
#include "ReverseSweep.h"
#include "support/ShadowAlign.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostArrays = 4; ///< of one loop

class WindowFinder {
public:
  WindowFinder(RequestState &S, const Unit &U, ForwardSweep &Fwd, const BodyAnalyses &A,
               const DenseSet<const Instruction *> &Owned)
      : S(S), U(U), Fwd(Fwd), A(A), Owned(Owned) {}
  void look(Loop &L);
  WindowLoops Out;

private:
  bool isClosed(const Loop &L) const;
  const Value *objectOf(LoadInst &Load, const Loop &L) const;
  void addStores(WindowLoop &W) const;

  RequestState &S;
  const Unit &U;
  ForwardSweep &Fwd;
  const BodyAnalyses &A;
  const DenseSet<const Instruction *> &Owned;
};

/// True if nothing in the loop has a reverse that waits for other threads or that moves adjoints
/// by itself.
bool WindowFinder::isClosed(const Loop &L) const {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (isa<FenceInst>(I) || (A.Steps.site(I) && A.Steps.hasWork(I)))
        return false;
  return true;
}

/// What the shadow of a load through an index belongs to; null for other loads.
const Value *WindowFinder::objectOf(LoadInst &Load, const Loop &L) const {
  Type *T = Load.getType();
  if ((!T->isDoubleTy() && !T->isFloatTy()) || Load.isVolatile() || Load.isAtomic() ||
      Load.getAlign().value() < T->getPrimitiveSizeInBits() / 8 || Owned.contains(&Load) ||
      !A.Steps.hasWork(Load) ||
      !S.Activity.activeAt(S.Graph.find(Load.getPointerOperand()),
                           S.Graph.layout().getTypeStoreSize(T)))
    return nullptr;
  const SCEV *Address = A.SE.getSCEV(Load.getPointerOperand());
  if (isa<SCEVAddRecExpr, SCEVCouldNotCompute>(Address) || A.SE.isLoopInvariant(Address, &L))
    return nullptr;
  Value *Shadow = Fwd.accessOf(Load);
  const Value *Object = getUnderlyingObject(Shadow, 20);
  // What is allocated in the loop is gone when the loop is over.
  auto *Made = dyn_cast<Instruction>(Object);
  return mayBeShared(U, Shadow) && !(Made && L.contains(Made)) ? Object : nullptr;
}

void WindowFinder::addStores(WindowLoop &W) const {
  auto Place = [](const Instruction &I, const Value *P) {
    return MemoryLocation::getBeforeOrAfter(getUnderlyingObject(P, 20), I.getAAMetadata());
  };
  for (BasicBlock *Block : W.L->blocks())
    for (Instruction &I : *Block) {
      const Value *To = nullptr;
      if (auto *Store = dyn_cast<StoreInst>(&I))
        To = Store->getPointerOperand();
      else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
        To = Update->getPointerOperand();
      if (!To || !A.Steps.hasWork(I))
        continue;
      for (WindowArray &Array : W.Arrays)
        if (any_of(Array.Loads, [&](const Instruction *Load) {
              return A.AA.alias(Place(*Load, getLoadStorePointerOperand(Load)), Place(I, To)) !=
                     AliasResult::NoAlias;
            }))
          Array.Met.insert(&I);
    }
}

void WindowFinder::look(Loop &L) {
  if (!isClosed(L)) {
    for (Loop *Inner : L)
      look(*Inner);
    return;
  }
  WindowLoop W{&L, {}};
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block) {
      auto *Load = dyn_cast<LoadInst>(&I);
      const Value *Object = Load ? objectOf(*Load, L) : nullptr;
      if (!Object)
        continue;
      auto *Known = find_if(W.Arrays, [&](const WindowArray &Array) {
        return Array.Object == Object && Array.Scalar == I.getType();
      });
      if (Known != W.Arrays.end())
        Known->Loads.insert(&I);
      else if (W.Arrays.size() < MostArrays)
        W.Arrays.push_back({Object, I.getType(), {&I}, {}});
    }
  if (W.Arrays.empty())
    return;
  addStores(W);
  Out.push_back(std::move(W));
}

/// struct cf_window of contraflow/abi.h.
StructType *windowType(LLVMContext &C) {
  Type *I64 = Type::getInt64Ty(C);
  return StructType::get(C, {I64, I64, PointerType::get(C, 0), I64});
}

enum WindowField { Base, Bytes, Memory };

std::string withType(StringRef Name, const Type *T) {
  return (Name + (T->isDoubleTy() ? "_f64" : "_f32")).str();
}

} // namespace

WindowLoops findWindowLoops(RequestState &S, const Unit &U, ForwardSweep &Fwd,
                            const BodyAnalyses &A, const DenseSet<const Instruction *> &Owned) {
  if (!S.Switch.Sharing || S.Switch.Deterministic || !U.InTeam || U.Foreign)
    return {};
  WindowFinder Finder(S, U, Fwd, A, Owned);
  for (Loop *L : A.LI)
    Finder.look(*L);
  return std::move(Finder.Out);
}

void ReverseSweep::prepareWindows() {
  for (const WindowLoop &W : In.Windows)
    for (const WindowArray &Array : W.Arrays)
      Windows.push_back(
          {W.L,
           &Array,
           local(windowType(B.getContext()), "window", true),
           {local(B.getInt64Ty(), "window.base", true), local(B.getInt64Ty(), "window.bytes", true),
            local(B.getPtrTy(), "window.memory", true)}});
}

Value *ReverseSweep::windowField(const WindowState &W, unsigned Field) {
  AllocaInst *Known = W.Known[Field];
  return B.CreateLoad(Known->getAllocatedType(), Known);
}

/// Behind calls that may have changed it: what is read for each addition stays in registers.
void ReverseSweep::readWindow(const WindowState &W) {
  StructType *T = windowType(B.getContext());
  for (unsigned Field : {Base, Bytes, Memory})
    B.CreateStore(B.CreateLoad(T->getElementType(Field), B.CreateStructGEP(T, W.State, Field)),
                  W.Known[Field]);
}

/// Goes on in a block that is run if Condition is true, and returns the one behind it.
BasicBlock *ReverseSweep::branchIf(Value *Condition, BasicBlock *Otherwise) {
  BasicBlock *Then = BasicBlock::Create(B.getContext(), "window", In.U.Reverse);
  BasicBlock *Behind = BasicBlock::Create(B.getContext(), "window.end", In.U.Reverse);
  B.CreateCondBr(Condition, Then, Otherwise ? Otherwise : Behind);
  B.SetInsertPoint(Then);
  return Behind;
}

bool ReverseSweep::addToWindow(const LoadInst &Load, Value *Where, Value *Bar) {
  auto *W = find_if(Windows, [&](auto &State) { return State.Array->Loads.contains(&Load); });
  if (W == Windows.end())
    return false;
  Value *Away = B.CreateSub(B.CreatePtrToInt(Where, B.getInt64Ty()), windowField(*W, Base));
  BasicBlock *Outside = BasicBlock::Create(B.getContext(), "window.outside", In.U.Reverse);
  BasicBlock *Behind = branchIf(B.CreateICmpULT(Away, windowField(*W, Bytes)), Outside);
  Value *Own = B.CreatePtrAdd(windowField(*W, Memory), Away);
  const Align Alignment = shadowAlign(Load.getAlign());
  LoadInst *Old = B.CreateAlignedLoad(Bar->getType(), Own, Alignment);
  Tags.shadow(*Old, Load);
  Tags.shadow(*B.CreateAlignedStore(B.CreateFAdd(Old, Bar), Own, Alignment), Load);
  B.CreateBr(Behind);
  B.SetInsertPoint(Outside);
  OutsideWindows.push_back(Outside);
  CallInst *Add =
      runtime(withType("omp_window_add", W->Array->Scalar), B.getVoidTy(), {W->State, Where, Bar});
  Add->addFnAttr(Attribute::WillReturn);
  Tags.notTape(*Add);
  readWindow(*W);
  B.CreateBr(Behind);
  B.SetInsertPoint(Behind);
  return true;
}

/// In front of a reverse step that reads what may still be in a window.
void ReverseSweep::takeFromWindows(const Instruction &Access, Value *Where, Type *T) {
  for (const WindowState &W : Windows) {
    if (!W.Array->Met.contains(&Access))
      continue;
    const uint64_t Size = In.S.Graph.layout().getTypeStoreSize(T);
    Value *Last = B.getInt64(Size - 1);
    Value *Away = B.CreateSub(B.CreatePtrToInt(Where, B.getInt64Ty()), windowField(W, Base));
    Value *Meets =
        B.CreateICmpULT(B.CreateAdd(Away, Last), B.CreateAdd(windowField(W, Bytes), Last));
    BasicBlock *Behind = branchIf(Meets, nullptr);
    CallInst *Take = runtime(withType("omp_window_take", W.Array->Scalar), B.getVoidTy(),
                             {W.State, Where, B.getInt64(Size)});
    Take->addFnAttr(Attribute::WillReturn);
    Tags.notTape(*Take);
    B.CreateBr(Behind);
    B.SetInsertPoint(Behind);
  }
}

void ReverseSweep::closeWindows(const Loop &L) {
  for (const WindowState &W : Windows)
    if (W.L == &L) {
      runtime(withType("omp_window_close", W.Array->Scalar), B.getVoidTy(), {W.State});
      readWindow(W);
    }
}

} // namespace contraflow
