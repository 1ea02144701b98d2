// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimiser and the register allocator take more than linear time, in particular for values
// that live across thousands of instructions. A large derivative is cut into functions of bounded
// size. Values that live across a cut are in a frame: where a register would be spilled, memory is
// right.
//
//   before:   %a = ... ; 5000 instructions ; use %a
//   after:    piece1(frame):  %a = ... ; store %a, frame + 8 ; ...
//             piece2(frame):  ... ; %a = load frame + 8 ; use %a
//
// A variable (an alloca that is only loaded and stored) becomes a local one of each piece, copied
// from the frame before its first access and to it behind its last store.

#include "Pieces.h"
#include "Spine.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <map>

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned WorthIt = 4;         ///< pieces, at least
constexpr unsigned MostFrameStores = 4; ///< of one variable in one piece, or one behind them all

/// True if it is only loaded and stored as a whole.
bool isVariable(const AllocaInst &A) {
  return A.isStaticAlloca() && isAllocaPromotable(&A) &&
         all_of(A.users(), [](const User *U) { return isa<LoadInst, StoreInst>(U); });
}

/// What one unit (a piece, or what stays) does with a variable.
struct Accesses {
  SmallVector<Instruction *, 4> All;
  Instruction *First = nullptr, *LastStore = nullptr;
  unsigned FirstAt = ~0U, LastStoreAt = 0;
  bool Reads = false;
};

/// A variable that several units use.
struct Variable {
  AllocaInst *Memory = nullptr;
  std::map<int, Accesses> By; ///< unit -> accesses; what stays is unit -1
  int64_t Offset = -1;        ///< in the frame, or none
};

/// The pieces of one spine.
class Surgeon {
public:
  Surgeon(Function &F, Spine &S, ArrayRef<Piece> Pieces) : F(F), S(S), Pieces(Pieces) {}
  void run(SmallVectorImpl<Function *> &Made);

private:
  struct Part {
    BasicBlock *Entry = nullptr, *Next = nullptr;
    SetVector<BasicBlock *> Blocks;
    SetVector<Value *> Params;
    SmallVector<unsigned, 16> Uses; ///< variables
    Function *Made = nullptr;
    SmallPtrSet<const BasicBlock *, 16> Repeated; ///< in a cycle
    BasicBlock *exit() const;
  };
  void split();
  void collect(Part &P, int Unit);
  int unitOf(const Instruction &I) const;
  int unitOf(const Use &U) const;
  void demote(Instruction &I);
  void demoteCrossing();
  Variable describe(AllocaInst &A) const;
  void placeVariables();
  bool readsEarlier(const Variable &V, int Unit) const;
  bool isReadAfter(const Variable &V, int Unit) const;
  void findParams(Part &P) const;
  void declare(Part &P, unsigned Index);
  BasicBlock *call(Part &P);
  void move(Part &P);
  void findRepeated(Part &P) const;
  void copyVariables(int Unit);
  void leaveInFrame(Part &P, const Variable &V, const Accesses &By, AllocaInst &Local);
  void replaceInPlace();

  Function &F;
  Spine &S;
  ArrayRef<Piece> Pieces;
  SmallVector<Part, 8> Parts;
  DenseMap<const BasicBlock *, int> Units;
  SmallVector<Variable, 0> Variables;
  DenseSet<const Value *> Memories; ///< of the variables
  AllocaInst *Frame = nullptr;
  int64_t FrameBytes = 0;
};

void Surgeon::split() {
  Parts.resize(Pieces.size());
  for (int I = static_cast<int>(Pieces.size()) - 1; I >= 0; --I) {
    const auto [Begin, Next] = Pieces[I];
    const bool Joined = I + 1 < static_cast<int>(Pieces.size()) && Pieces[I + 1].Begin == Next;
    Parts[I].Next = Joined ? Parts[I + 1].Entry
                           : Next->getParent()->splitBasicBlock(Next->getIterator(), "cf.behind");
    Parts[I].Entry = Begin->getParent()->splitBasicBlock(Begin->getIterator(), "cf.piece");
  }
  for (unsigned I = 0; I < Parts.size(); ++I)
    collect(Parts[I], static_cast<int>(I));
}

void Surgeon::collect(Part &P, int Unit) {
  P.Blocks.insert(P.Entry);
  for (unsigned I = 0; I < P.Blocks.size(); ++I) {
    Units[P.Blocks[I]] = Unit;
    for (BasicBlock *To : successors(P.Blocks[I]))
      if (To != P.Next)
        P.Blocks.insert(To);
  }
}

int Surgeon::unitOf(const Instruction &I) const {
  auto It = Units.find(I.getParent());
  return It == Units.end() ? -1 : It->second;
}

int Surgeon::unitOf(const Use &U) const {
  auto *User = cast<Instruction>(U.getUser());
  if (auto *Phi = dyn_cast<PHINode>(User))
    return unitOf(*Phi->getIncomingBlock(U)->getTerminator());
  return unitOf(*User);
}

/// A value that another unit uses becomes a variable.
void Surgeon::demote(Instruction &I) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  AllocaInst *A = B.CreateAlloca(I.getType(), nullptr, I.getName() + ".cut");
  DenseMap<Instruction *, LoadInst *> Known;
  for (Use &U : make_early_inc_range(I.uses())) {
    if (unitOf(U) == unitOf(I))
      continue;
    auto *At = cast<Instruction>(U.getUser());
    if (auto *Phi = dyn_cast<PHINode>(At))
      At = Phi->getIncomingBlock(U)->getTerminator();
    LoadInst *&Again = Known[At];
    if (!Again) {
      B.SetInsertPoint(At);
      B.SetCurrentDebugLocation(DebugLoc());
      Again = B.CreateLoad(I.getType(), A);
      S.noteBefore(*Again, *At);
    }
    U.set(Again);
  }
  B.SetInsertPoint(isa<PHINode>(I) ? &*I.getParent()->getFirstInsertionPt() : I.getNextNode());
  B.SetCurrentDebugLocation(DebugLoc());
  S.noteBehind(*B.CreateStore(&I, A), I);
}

void Surgeon::demoteCrossing() {
  SmallVector<Instruction *, 64> Crossing;
  for (Part &P : Parts)
    for (BasicBlock *B : P.Blocks)
      for (Instruction &I : *B)
        if (any_of(I.uses(), [&](const Use &U) { return unitOf(U) != unitOf(I); }))
          Crossing.push_back(&I);
  for (Instruction *I : Crossing)
    demote(*I);
}

Variable Surgeon::describe(AllocaInst &A) const {
  Variable V{&A, {}};
  for (User *U : A.users()) {
    auto *I = cast<Instruction>(U);
    Accesses &By = V.By[unitOf(*I)];
    By.All.push_back(I);
    const unsigned At = S.number(*I);
    if (By.All.size() == 1 || At < By.FirstAt) {
      By.First = I;
      By.FirstAt = At;
    }
    if (!isa<StoreInst>(I))
      By.Reads = true;
    else if (!By.LastStore || At >= By.LastStoreAt) {
      By.LastStore = I;
      By.LastStoreAt = At;
    }
  }
  return V;
}

/// True if a piece needs what the variable holds before it.
bool Surgeon::readsEarlier(const Variable &V, int Unit) const {
  auto It = V.By.find(Unit);
  if (It == V.By.end())
    return false;
  const Accesses &By = It->second;
  if (Unit < 0)
    return By.Reads;
  // A store inside a region may not run; others then see what was there before.
  return !isa<StoreInst>(By.First) || S.after(*By.First);
}

/// True if somebody needs what the piece leaves in the variable.
bool Surgeon::isReadAfter(const Variable &V, int Unit) const {
  return any_of(V.By, [&](const auto &By) {
    return (By.first < 0 || By.first > Unit || S.isCyclic()) && readsEarlier(V, By.first);
  });
}

void Surgeon::placeVariables() {
  SmallVector<AllocaInst *, 64> Found;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isVariable(*A))
      Found.push_back(A);
  const DataLayout &DL = F.getDataLayout();
  for (AllocaInst *A : Found) {
    Variable V = describe(*A);
    const bool Stays = V.By.empty() || (V.By.size() == 1 && V.By.begin()->first < 0);
    if (Stays)
      continue;
    const bool Lasts = S.isCyclic() && readsEarlier(V, V.By.begin()->first);
    if (V.By.size() > 1 || Lasts) {
      V.Offset = alignTo(FrameBytes, A->getAlign());
      FrameBytes = V.Offset + DL.getTypeAllocSize(A->getAllocatedType()).getFixedValue();
    }
    for (auto &[Unit, Used] : V.By)
      if (Unit >= 0)
        Parts[Unit].Uses.push_back(Variables.size());
    Memories.insert(A);
    Variables.push_back(std::move(V));
  }
  if (FrameBytes == 0)
    return;
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  Frame = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), FrameBytes), nullptr, "cf.frame");
  Frame->setAlignment(Align(64));
}

void Surgeon::findParams(Part &P) const {
  if (Frame)
    P.Params.insert(Frame);
  for (BasicBlock *B : P.Blocks)
    for (Instruction &I : *B)
      for (Value *Op : I.operands()) {
        auto *Def = dyn_cast<Instruction>(Op);
        const bool FromOutside = isa<Argument>(Op) || (Def && !P.Blocks.contains(Def->getParent()));
        if (FromOutside && !Memories.contains(Op))
          P.Params.insert(Op);
      }
}

/// A function of its own for the debugger, with the name of the derivative.
static DISubprogram *describeFunction(Function &Piece, DISubprogram &Of) {
  DIBuilder B(*Piece.getParent(), /*AllowUnresolved=*/false, Of.getUnit());
  DISubroutineType *Type = B.createSubroutineType(B.getOrCreateTypeArray({}));
  DISubprogram *New = B.createFunction(
      Of.getUnit(), Of.getName(), Piece.getName(), Of.getFile(), 0, Type, 0, DINode::FlagZero,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized |
          DISubprogram::SPFlagLocalToUnit);
  B.finalizeSubprogram(New);
  return New;
}

void Surgeon::declare(Part &P, unsigned Index) {
  LLVMContext &Context = F.getContext();
  SmallVector<Type *, 8> Types;
  for (Value *V : P.Params)
    Types.push_back(V->getType());
  P.Made = Function::Create(FunctionType::get(Type::getVoidTy(Context), Types, false),
                            GlobalValue::InternalLinkage, F.getAddressSpace(),
                            F.getName() + ".piece" + Twine(Index));
  F.getParent()->getFunctionList().insert(F.getIterator(), P.Made);
  AttrBuilder Own(Context, F.getAttributes().getFnAttrs());
  Own.removeAttribute(Attribute::Memory);
  Own.addAttribute(Attribute::NoInline); // or they would be together again
  P.Made->setAttributes(
      AttributeList::get(Context, AttributeSet::get(Context, Own), AttributeSet(), {}));
  if (Frame)
    for (auto Kind : {Attribute::NoAlias, Attribute::NonNull})
      P.Made->getArg(0)->addAttr(Kind);
  if (Frame)
    P.Made->getArg(0)->addAttr(Attribute::getWithAlignment(Context, Frame->getAlign()));
  if (DISubprogram *Of = F.getSubprogram())
    P.Made->setSubprogram(describeFunction(*P.Made, *Of));
}

/// Puts a call where the piece was, in a block of its own.
BasicBlock *Surgeon::call(Part &P) {
  BasicBlock *At = P.Entry->getSinglePredecessor();
  BasicBlock *Caller = BasicBlock::Create(F.getContext(), "cf.call", &F, P.Entry);
  At->getTerminator()->replaceSuccessorWith(P.Entry, Caller);
  IRBuilder<> B(Caller);
  if (DISubprogram *Of = F.getSubprogram())
    B.SetCurrentDebugLocation(DILocation::get(F.getContext(), 0, 0, Of));
  B.CreateCall(P.Made, P.Params.getArrayRef());
  B.CreateBr(P.Next);
  for (BasicBlock *Exit : P.Blocks)
    if (Exit->getSingleSuccessor() == P.Next)
      ReplaceInstWithInst(Exit->getTerminator(), ReturnInst::Create(F.getContext()));
  return Caller;
}

void Surgeon::move(Part &P) {
  DenseMap<Value *, Value *> Map;
  for (unsigned I = 0; I < P.Params.size(); ++I)
    Map[P.Params[I]] = P.Made->getArg(I);
  DenseMap<const MDNode *, MDNode *> Cache;
  DISubprogram *Of = P.Made->getSubprogram();
  LLVMContext &Context = F.getContext();
  for (BasicBlock *B : P.Blocks) {
    P.Made->splice(P.Made->end(), &F, B->getIterator());
    for (Instruction &I : *B) {
      for (Use &U : I.operands())
        if (Value *Param = Map.lookup(U.get()))
          U.set(Param);
      I.dropDbgRecords();
      if (!Of)
        continue;
      auto Moved = [&](const DebugLoc &L) {
        return DebugLoc::replaceInlinedAtSubprogram(L, *Of, Context, Cache);
      };
      if (I.getDebugLoc())
        I.setDebugLoc(Moved(I.getDebugLoc()));
      updateLoopMetadataDebugLocations(I, [&](Metadata *MD) -> Metadata * {
        auto *L = dyn_cast_or_null<DILocation>(MD);
        return L ? Moved(DebugLoc(L)).get() : MD;
      });
    }
  }
}

/// The only block that leads out of the piece.
BasicBlock *Surgeon::Part::exit() const {
  return *find_if(Blocks, [](BasicBlock *B) { return isa<ReturnInst>(B->getTerminator()); });
}

/// Local variables of a piece, and what goes between them and the frame.
void Surgeon::copyVariables(int Unit) {
  Part &P = Parts[Unit];
  IRBuilder<> B(F.getContext());
  for (unsigned Index : P.Uses) {
    const Variable &V = Variables[Index];
    const Accesses &By = V.By.at(Unit);
    Type *T = V.Memory->getAllocatedType();
    B.SetInsertPoint(P.Entry, P.Entry->begin());
    B.SetCurrentDebugLocation(DebugLoc());
    AllocaInst *Local = B.CreateAlloca(T, nullptr, V.Memory->getName());
    Local->setAlignment(V.Memory->getAlign());
    for (Instruction *I : By.All)
      I->replaceUsesOfWith(V.Memory, Local);
    if (V.Offset < 0)
      continue;
    const Align A = V.Memory->getAlign();
    Value *Frame = P.Made->getArg(0);
    if (readsEarlier(V, Unit)) {
      B.SetInsertPoint(S.before(*By.First));
      Value *Cell = B.CreatePtrAdd(Frame, B.getInt64(V.Offset));
      B.CreateAlignedStore(B.CreateAlignedLoad(T, Cell, A), Local, A);
    }
    if (By.LastStore && isReadAfter(V, Unit))
      leaveInFrame(P, V, By, *Local);
  }
}

/// What later units read. A store of a region that is not repeated is one to the frame as well:
/// joining what may have been stored by many of them costs the optimiser most of its time.
void Surgeon::leaveInFrame(Part &P, const Variable &V, const Accesses &By, AllocaInst &Local) {
  const Align A = V.Memory->getAlign();
  Type *T = V.Memory->getAllocatedType();
  auto Store = [&](Instruction &Before, Value *What) {
    IRBuilder<> B(&Before);
    Value *Cell = B.CreatePtrAdd(P.Made->getArg(0), B.getInt64(V.Offset));
    B.CreateAlignedStore(What ? What : B.CreateAlignedLoad(T, &Local, A), Cell, A);
  };
  Instruction *After = S.after(*By.LastStore);
  SmallVector<StoreInst *, 4> Stores;
  for (Instruction *I : By.All)
    if (auto *Made = dyn_cast<StoreInst>(I))
      Stores.push_back(Made);
  if (After && Stores.size() <= MostFrameStores &&
      none_of(Stores, [&](auto *I) { return P.Repeated.contains(I->getParent()); })) {
    for (StoreInst *Made : Stores)
      Store(*Made->getNextNode(), Made->getValueOperand());
    return;
  }
  if (After && !P.Blocks.contains(After->getParent()))
    After = P.exit()->getTerminator();
  Store(After ? *After : *By.LastStore->getNextNode(), nullptr);
}

/// The blocks of a piece that run more than once.
void Surgeon::findRepeated(Part &P) const {
  for (auto Component = scc_begin(P.Made); !Component.isAtEnd(); ++Component)
    if (Component.hasCycle())
      P.Repeated.insert_range(*Component);
}

/// What stays works on the frame itself.
void Surgeon::replaceInPlace() {
  for (Variable &V : Variables) {
    for (Use &U : make_early_inc_range(V.Memory->uses())) {
      IRBuilder<> B(cast<Instruction>(U.getUser()));
      U.set(B.CreatePtrAdd(Frame, B.getInt64(V.Offset)));
    }
    V.Memory->eraseFromParent();
  }
}

void Surgeon::run(SmallVectorImpl<Function *> &Made) {
  split();
  demoteCrossing();
  placeVariables();
  for (unsigned I = 0; I < Parts.size(); ++I) {
    findParams(Parts[I]);
    declare(Parts[I], Made.size());
    Made.push_back(Parts[I].Made);
  }
  for (int I = static_cast<int>(Parts.size()) - 1; I >= 0; --I) {
    BasicBlock *Caller = call(Parts[I]);
    if (I > 0 && Parts[I - 1].Next == Parts[I].Entry)
      Parts[I - 1].Next = Caller;
  }
  for (unsigned I = 0; I < Parts.size(); ++I) {
    move(Parts[I]);
    findRepeated(Parts[I]);
    // The vectoriser of straight-line code tries all that is next to each other in the frame, which
    // takes long and gains nothing. This keeps it away; the code generator then uses no registers
    // of floats to copy memory.
    if (Parts[I].Repeated.empty())
      Parts[I].Made->addFnAttr(Attribute::NoImplicitFloat);
    copyVariables(static_cast<int>(I));
  }
  replaceInPlace();
  for (Instruction &I : instructions(F)) // they may tell of what is in a piece now
    I.dropDbgRecords();
}

/// True of memory that is the frame's own each time that control comes by: a piece would take it
/// along when it returns, and in front of all pieces it would be the same every time.
bool isOfIteration(AllocaInst &A) {
  SmallVector<BasicBlock *, 4> Next(successors(A.getParent()));
  return !isa<ConstantInt>(A.getArraySize()) ||
         (!A.isStaticAlloca() && isPotentiallyReachableFromMany(Next, A.getParent(), nullptr));
}

/// Code that has to be where the function's own frame is, or that leaves in other ways.
bool mayBeCut(Function &F) {
  for (BasicBlock &B : F)
    if (B.hasAddressTaken() || B.isEHPad() ||
        !isa<ReturnInst, BranchInst, SwitchInst, UnreachableInst>(B.getTerminator()))
      return false;
  for (Instruction &I : instructions(F)) {
    if (auto *A = dyn_cast<AllocaInst>(&I); A && isOfIteration(*A))
      return false;
    if (I.getType()->isTokenTy() || I.getType()->isTargetExtTy())
      return false;
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      continue;
    if (Call->isMustTailCall() || Call->hasFnAttr(Attribute::ReturnsTwice))
      return false;
    switch (Call->getIntrinsicID()) {
    case Intrinsic::vastart:
    case Intrinsic::localescape:
    case Intrinsic::frameaddress:
    case Intrinsic::returnaddress:
    case Intrinsic::addressofreturnaddress:
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
      return false;
    default:
      break;
    }
  }
  return !F.hasPersonalityFn() && !F.isVarArg() && !F.isPresplitCoroutine();
}

/// All memory of the frame is made before the first piece runs.
void hoistVariables(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  auto Top = Entry.begin();
  while (isa<AllocaInst>(*Top))
    ++Top;
  for (BasicBlock &Block : F)
    for (Instruction &I :
         make_early_inc_range(make_range(&Block == &Entry ? Top : Block.begin(), Block.end())))
      if (isa<AllocaInst>(I))
        I.moveBefore(Entry, Entry.begin());
}

/// A variable that begins as zero is set where it is first needed, so that the zero is seen there.
void sinkFirstStores(Function &F, Spine &S) {
  for (Instruction &I : F.getEntryBlock()) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A || !isVariable(*A))
      continue;
    Instruction *First = nullptr, *Second = nullptr;
    for (User *U : A->users()) {
      auto *Access = cast<Instruction>(U);
      if (!First || S.number(*Access) < S.number(*First))
        std::swap(First, Access);
      if (Access && (!Second || S.number(*Access) < S.number(*Second)))
        Second = Access;
    }
    auto *Store = dyn_cast_or_null<StoreInst>(First);
    if (!Store || !Second || S.after(*Store) || !isa<Constant>(Store->getValueOperand()) ||
        S.number(*Second) == Spine::Outside)
      continue;
    Store->moveBefore(S.before(*Second)->getIterator());
  }
}

/// What a loop does with a variable, and what is done elsewhere.
struct LoopAccesses {
  Instruction *First = nullptr, *Last = nullptr; ///< in an iteration
  unsigned FirstAt = ~0U, LastAt = 0;
  SmallVector<StoreInst *, 4> Outside;
  bool ReadOutside = false;
};

LoopAccesses accessesOf(const AllocaInst &A, const Loop &L, const Spine &S) {
  LoopAccesses Found;
  for (const User *U : A.users()) {
    auto *I = cast<Instruction>(const_cast<User *>(U));
    if (!L.contains(I->getParent())) {
      if (auto *Store = dyn_cast<StoreInst>(I))
        Found.Outside.push_back(Store);
      else
        Found.ReadOutside = true;
      continue;
    }
    const unsigned At = S.number(*I);
    if (!Found.First || At < Found.FirstAt) {
      Found.First = I;
      Found.FirstAt = At;
    }
    if (!Found.Last || At > Found.LastAt) {
      Found.Last = I;
      Found.LastAt = At;
    }
  }
  return Found;
}

/// A variable that is zero whenever an iteration begins is set where an iteration needs it: the
/// adjoint of what the body calculates.
void restartVariables(Function &F, const Loop &L, Spine &S) {
  for (Instruction &I : F.getEntryBlock()) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A || !isVariable(*A))
      continue;
    LoopAccesses By = accessesOf(*A, L, S);
    auto *Last = dyn_cast_or_null<StoreInst>(By.Last);
    auto *Zero = Last ? dyn_cast<Constant>(Last->getValueOperand()) : nullptr;
    if (!Zero || By.ReadOutside || By.Outside.empty() || By.LastAt == Spine::Outside ||
        S.after(*Last) || any_of(By.Outside, [&](const StoreInst *Store) {
          return Store->getValueOperand() != Zero;
        }))
      continue;
    By.Outside.front()->moveBefore(S.before(*By.First)->getIterator());
    for (StoreInst *Store : drop_begin(By.Outside))
      Store->eraseFromParent();
  }
}

/// The innermost loop whose iteration is long, and of which no part is most of it. What is left of
/// one that was cut is short.
const Loop *findLongLoop(const LoopInfo &LI, const DominatorTree &DT, unsigned Large,
                         const SmallPtrSetImpl<BasicBlock *> &Done) {
  const auto Loops = LI.getLoopsInPreorder();
  for (const Loop *L : reverse(Loops)) {
    if (!L->getLoopLatch() || Done.contains(L->getHeader()))
      continue;
    unsigned Count = 0;
    for (const BasicBlock *B : L->blocks())
      Count += B->size();
    if (Count < Large)
      continue;
    Spine S(*L, DT);
    if (!S.empty() && 2 * S.largestRegion() <= Count)
      return L;
  }
  return nullptr;
}

/// The code of an iteration becomes calls of pieces.
void cutLongLoops(Function &F, unsigned Size, SmallVectorImpl<Function *> &Made) {
  SmallPtrSet<BasicBlock *, 4> Done;
  while (F.getInstructionCount() >= WorthIt * Size) {
    DominatorTree DT(F);
    LoopInfo LI(DT);
    const Loop *L = findLongLoop(LI, DT, WorthIt * Size, Done);
    if (!L)
      return;
    Done.insert(L->getHeader());
    Spine S(*L, DT);
    restartVariables(F, *L, S);
    S.renumber();
    auto Pieces = S.cut(*L->getHeader()->getFirstNonPHIIt(), Size);
    if (Pieces.size() >= 2)
      Surgeon(F, S, Pieces).run(Made);
  }
}

} // namespace

SmallVector<Function *, 0> cutIntoPieces(Function &F, Instruction *Keep, unsigned Size) {
  SmallVector<Function *, 0> Made;
  const unsigned Large = WorthIt * Size;
  if (F.getInstructionCount() < Large || !mayBeCut(F))
    return Made;
  removeUnreachableBlocks(F);
  hoistVariables(F);
  cutLongLoops(F, Size, Made);
  if (F.getInstructionCount() < Large)
    return Made;
  DominatorTree DT(F);
  Spine S(F, DT);
  // Where one loop is most of the function nothing is gained, and the loop knows less.
  if (S.empty() || 2 * S.largestRegion() > F.getInstructionCount())
    return Made;
  sinkFirstStores(F, S);
  S.renumber();
  auto Start = F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  if (Keep && Keep->getParent() == &F.getEntryBlock())
    Start = std::next(Keep->getIterator());
  auto Pieces = S.cut(*Start, Size);
  if (Pieces.size() >= 2)
    Surgeon(F, S, Pieces).run(Made);
  return Made;
}

} // namespace contraflow
