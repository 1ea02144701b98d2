// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view is an address that leads to no memory: what is read there a function of the program
// returns, what is written there another one receives.
//
//   %v = call ptr @__enzyme_todense(ptr @read, ptr @write, i64 %row)
//   call void @f.tangent(ptr %x, ptr %v)
//        %p = getelementptr double, ptr %v, i64 %i
//        %d = load double, ptr %p
//   ->
//   call void @f.tangent.view(ptr %x, i64 0, i64 %row)
//        %d = call double @read(i64 8 * %i, i64 %row)
//
// A function that gets a view is copied; the copy takes the distance in bytes from the start of the
// view instead of the address, and what is passed on to the two functions.

#include "Views.h"

#include "construct/Memory.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Request.h"
#include "prepare/Canonical.h"
#include "request/RequestTrace.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <map>

using namespace llvm;

namespace contraflow {
namespace {

/// What the program said where it made the view.
struct Origin {
  CallBase *Made = nullptr; ///< the user's call, for messages and parameter attributes
  Function *Load = nullptr, *Store = nullptr;
};

/// A view as one function has it.
struct View {
  const Origin *From = nullptr;
  SmallVector<Value *, 4> Passed; ///< behind the offset, to both functions
};

constexpr unsigned FirstPassed = 2; ///< operand of the user's call

/// Copies of a function for the views that it gets: for each parameter where the view was made.
using CopyKey = std::pair<Function *, SmallVector<const Origin *, 8>>;

class ViewLowering {
public:
  ViewLowering(Module &M, Compilation &C) : M(M), C(C) {}
  Error run(bool &Changed);

private:
  friend class FunctionViews;
  Expected<Origin> readOrigin(CallBase &Call) const;
  Error lower(CallBase &Call);
  Expected<Function *> copyFor(Function &F, ArrayRef<const View *> Views);
  Function *declareCopy(Function &F, ArrayRef<const View *> Views);

  Module &M;
  Compilation &C;
  SmallVector<std::unique_ptr<Origin>, 2> Origins;
  std::map<CopyKey, Function *> Copies;
  SmallSetVector<Function *, 8> Touched; ///< in the order in which they are to be simplified
};

/// Follows the addresses of the views of one function.
class FunctionViews {
public:
  FunctionViews(ViewLowering &All, Function &F) : All(All), Layout(F.getDataLayout()) {}
  /// Address is V, Offset bytes behind its start.
  void add(Value &Address, const View &V, Value &Offset) { follow(Address, V, Offset); }
  Error run();

private:
  struct Place {
    const View *Of;
    Value *Offset;
  };
  void follow(Value &Address, const View &V, Value &Offset);
  Error visit(Use &U);
  Error visitStep(Instruction &I, Use &U, Place At);
  Error visitAccess(Instruction &I, Use &U, Place At);
  Error visitJoin(Instruction &I, Place At);
  Error lowerComparison(ICmpInst &I);
  Error visitCall(CallBase &Call, Use &U);
  Error lowerCall(CallBase &Call);
  Error lowerIntrinsic(IntrinsicInst &I, Use &U, Place At);
  Error lowerMove(MemIntrinsic &I);
  Error lowerReverseMove(CallBase &Call);
  Error finishJoins();
  Error fail(const View &V, const Instruction &I, const Twine &What) const;

  Expected<Value *> read(IRBuilder<> &B, Place At, Type *T, const Instruction &For);
  Error write(IRBuilder<> &B, Place At, Value *V, const Instruction &For);
  CallInst *call(IRBuilder<> &B, const View &V, Function &F, ArrayRef<Value *> First);
  Value *further(IRBuilder<> &B, Value *Offset, uint64_t Bytes) {
    return Bytes ? B.CreateAdd(Offset, B.getInt64(Bytes)) : Offset;
  }
  Expected<Value *> loadPart(IRBuilder<> &B, Value *Address, Value *At, Type *T,
                             const Instruction &For);
  Error storePart(IRBuilder<> &B, Value *Address, Value *At, Value *V, const Instruction &For);
  Value *beginLoop(IRBuilder<> &B, Instruction &At, Value *Count, Type *T);

  ViewLowering &All;
  const DataLayout &Layout;
  MapVector<Value *, Place> Places;
  SmallVector<Use *, 32> Todo;
  SmallSetVector<CallBase *, 8> Calls;
  SmallSetVector<MemIntrinsic *, 4> Moves;
  SmallSetVector<ICmpInst *, 4> Comparisons;
  SmallSetVector<Instruction *, 8> Joins, Dead;
};

/// The place is where the view is made; where it is used the message says.
Error FunctionViews::fail(const View &V, const Instruction &I, const Twine &What) const {
  const DebugLoc &At = I.getDebugLoc();
  const std::string Where =
      At ? (" (" + At->getFilename() + ":" + Twine(At.getLine()) + ")").str() : std::string();
  return diffError(DiagId::UnsupportedView, *V.From->Made, What + Where);
}

void FunctionViews::follow(Value &Address, const View &V, Value &Offset) {
  Places[&Address] = {&V, &Offset};
  for (Use &U : Address.uses())
    Todo.push_back(&U);
}

Error FunctionViews::run() {
  while (!Todo.empty())
    if (Error E = visit(*Todo.pop_back_val()))
      return E;
  if (Error E = finishJoins())
    return E;
  for (ICmpInst *I : Comparisons)
    if (Error E = lowerComparison(*I))
      return E;
  for (MemIntrinsic *I : Moves)
    if (Error E = lowerMove(*I))
      return E;
  for (CallBase *Call : Calls)
    if (Error E =
            linearMove(*Call).Kind == LinearMove::None ? lowerCall(*Call) : lowerReverseMove(*Call))
      return E;
  for (Instruction *I : Dead)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Dead)
    I->eraseFromParent();
  return Error::success();
}

Error FunctionViews::visit(Use &U) {
  auto &I = *cast<Instruction>(U.getUser());
  const Place At = Places.lookup(U.get());
  if (Dead.contains(&I))
    return Error::success();
  if (isa<GetElementPtrInst, FreezeInst, BitCastInst>(I))
    return visitStep(I, U, At);
  if (isa<PHINode, SelectInst>(I))
    return visitJoin(I, At);
  if (auto *Comparison = dyn_cast<ICmpInst>(&I)) {
    Comparisons.insert(Comparison);
    return Error::success();
  }
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    return lowerIntrinsic(*Intrinsic, U, At);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return visitCall(*Call, U);
  return visitAccess(I, U, At);
}

Error FunctionViews::visitStep(Instruction &I, Use &U, Place At) {
  if (U.getOperandNo() != 0 || !I.getType()->isPointerTy())
    return fail(*At.Of, I, "several addresses in a vector");
  Value *Offset = At.Offset;
  if (isa<GetElementPtrInst>(I)) {
    IRBuilder<> B(&I);
    Value *Step = emitGEPOffset(&B, Layout, &I, /*NoAssumptions=*/true);
    Offset = B.CreateAdd(Offset, B.CreateSExtOrTrunc(Step, B.getInt64Ty()));
  }
  follow(I, *At.Of, *Offset);
  Dead.insert(&I);
  return Error::success();
}

/// A phi or a select of addresses becomes one of offsets, if all of them are of one view.
Error FunctionViews::visitJoin(Instruction &I, Place At) {
  if (!Joins.insert(&I))
    return Error::success();
  IRBuilder<> B(&I);
  if (auto *Phi = dyn_cast<PHINode>(&I)) {
    follow(I, *At.Of, *B.CreatePHI(B.getInt64Ty(), Phi->getNumIncomingValues()));
  } else {
    auto &Select = cast<SelectInst>(I);
    Value *Any = PoisonValue::get(B.getInt64Ty());
    // The operands may not be known yet; a fold of two equal ones must not happen.
    follow(I, *At.Of, *SelectInst::Create(Select.getCondition(), Any, Any, "", I.getIterator()));
  }
  Dead.insert(&I);
  return Error::success();
}

Error FunctionViews::finishJoins() {
  for (Instruction *I : Joins) {
    const Place Here = Places.lookup(I);
    auto OffsetOf = [&](Value *V) -> Value * {
      if (isa<UndefValue>(V))
        return PoisonValue::get(Here.Offset->getType());
      const Place From = Places.lookup(V);
      return From.Of == Here.Of ? From.Offset : nullptr;
    };
    const char *Mixed = "either an address of it or another one, decided at run time";
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K) {
        Value *Offset = OffsetOf(Phi->getIncomingValue(K));
        if (!Offset)
          return fail(*Here.Of, *I, Mixed);
        cast<PHINode>(Here.Offset)->addIncoming(Offset, Phi->getIncomingBlock(K));
      }
      continue;
    }
    auto &Select = cast<SelectInst>(*I);
    Value *True = OffsetOf(Select.getTrueValue()), *False = OffsetOf(Select.getFalseValue());
    if (!True || !False)
      return fail(*Here.Of, *I, Mixed);
    cast<SelectInst>(Here.Offset)->setTrueValue(True);
    cast<SelectInst>(Here.Offset)->setFalseValue(False);
  }
  return Error::success();
}

/// An address of a view equals no address of memory.
Error FunctionViews::lowerComparison(ICmpInst &I) {
  IRBuilder<> B(&I);
  const Place Left = Places.lookup(I.getOperand(0)), Right = Places.lookup(I.getOperand(1));
  Value *Answer = nullptr;
  if (Left.Of == Right.Of)
    Answer = B.CreateICmp(I.getPredicate(), Left.Offset, Right.Offset);
  else if (I.isEquality())
    Answer = B.getInt1(I.getPredicate() == ICmpInst::ICMP_NE);
  else
    return fail(Left.Of ? *Left.Of : *Right.Of, I, "a comparison with another address");
  I.replaceAllUsesWith(Answer);
  Dead.insert(&I);
  return Error::success();
}

Error FunctionViews::visitAccess(Instruction &I, Use &U, Place At) {
  IRBuilder<> B(&I);
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  if ((Load && !Load->isAtomic()) || (Store && !Store->isAtomic() && U.getOperandNo() == 1)) {
    Dead.insert(&I);
    if (Store)
      return write(B, At, Store->getValueOperand(), I);
    auto Read = read(B, At, I.getType(), I);
    if (!Read)
      return Read.takeError();
    I.replaceAllUsesWith(*Read);
    return Error::success();
  }
  return fail(*At.Of, I,
              Store && U.getOperandNo() == 0 ? "its address is stored in memory"
              : isa<ReturnInst>(I)           ? "its address is returned"
              : isa<PtrToIntInst>(I)         ? "its address is an integer"
                                             : "an atomic access");
}

/// The program's function may take less than what it is passed.
CallInst *FunctionViews::call(IRBuilder<> &B, const View &V, Function &F, ArrayRef<Value *> First) {
  SmallVector<Value *, 8> Args(First);
  const auto Taken = ArrayRef<Value *>(V.Passed).take_front(F.arg_size() - First.size());
  append_range(Args, Taken);
  CallInst *Call = B.CreateCall(&F, Args);
  Call->setCallingConv(F.getCallingConv());
  const AttributeList Given = V.From->Made->getAttributes();
  for (unsigned I = 0; I != Taken.size(); ++I)
    for (Attribute A : Given.getParamAttrs(FirstPassed + I))
      Call->addParamAttr(First.size() + I, A);
  // A call in code with debug information needs a place, if its callee has one.
  if (DISubprogram *Here = Call->getFunction()->getSubprogram(); Here && !Call->getDebugLoc())
    Call->setDebugLoc(DILocation::get(Call->getContext(), 0, 0, Here));
  return Call;
}

/// Numbers are read one by one.
Expected<Value *> FunctionViews::read(IRBuilder<> &B, Place At, Type *T, const Instruction &For) {
  Function &F = *At.Of->From->Load;
  Type *Number = F.getReturnType();
  auto *Vector = dyn_cast<FixedVectorType>(T);
  const bool Bits =
      T->isIntegerTy() && Layout.getTypeSizeInBits(T) == Layout.getTypeSizeInBits(Number);
  if (T == Number || Bits) {
    Value *Offset = B.CreateIntCast(At.Offset, F.getArg(0)->getType(), true);
    Value *Read = call(B, *At.Of, F, {Offset});
    return Bits ? B.CreateBitCast(Read, T) : Read;
  }
  if (!Vector || Vector->getElementType() != Number)
    return fail(*At.Of, For, "it is read as another type than its function returns");
  Value *All = PoisonValue::get(T);
  const uint64_t Size = Layout.getTypeAllocSize(Number);
  for (unsigned I = 0; I != Vector->getNumElements(); ++I) {
    auto Part = read(B, {At.Of, further(B, At.Offset, I * Size)}, Number, For);
    if (!Part)
      return Part.takeError();
    All = B.CreateInsertElement(All, *Part, I);
  }
  return All;
}

Error FunctionViews::write(IRBuilder<> &B, Place At, Value *V, const Instruction &For) {
  Function &F = *At.Of->From->Store;
  Type *Number = F.getArg(0)->getType(), *T = V->getType();
  auto *Vector = dyn_cast<FixedVectorType>(T);
  if (T != Number && T->isIntegerTy() &&
      Layout.getTypeSizeInBits(T) == Layout.getTypeSizeInBits(Number))
    V = B.CreateBitCast(V, Number);
  if (V->getType() == Number) {
    call(B, *At.Of, F, {V, B.CreateIntCast(At.Offset, F.getArg(1)->getType(), true)});
    return Error::success();
  }
  if (!Vector || Vector->getElementType() != Number)
    return fail(*At.Of, For, "it is written as another type than its function takes");
  const uint64_t Size = Layout.getTypeAllocSize(Number);
  for (unsigned I = 0; I != Vector->getNumElements(); ++I)
    if (Error E =
            write(B, {At.Of, further(B, At.Offset, I * Size)}, B.CreateExtractElement(V, I), For))
      return E;
  return Error::success();
}

Error FunctionViews::lowerIntrinsic(IntrinsicInst &I, Use &U, Place At) {
  if (I.isLifetimeStartOrEnd() || isa<AssumeInst>(I) || I.getIntrinsicID() == Intrinsic::fake_use) {
    Dead.insert(&I);
    return Error::success();
  }
  if (I.getIntrinsicID() == Intrinsic::launder_invariant_group ||
      I.getIntrinsicID() == Intrinsic::strip_invariant_group)
    return visitStep(I, U, At);
  auto *Move = dyn_cast<MemIntrinsic>(&I);
  if (!Move)
    return fail(*At.Of, I, "'" + I.getCalledFunction()->getName() + "'");
  Moves.insert(Move);
  return Error::success();
}

/// What a number is that memory, or a view, holds At bytes behind an address.
Expected<Value *> FunctionViews::loadPart(IRBuilder<> &B, Value *Address, Value *At, Type *T,
                                          const Instruction &For) {
  if (const Place P = Places.lookup(Address); P.Of)
    return read(B, {P.Of, B.CreateAdd(P.Offset, At)}, T, For);
  return B.CreateAlignedLoad(T, B.CreatePtrAdd(Address, At), Align(1));
}

Error FunctionViews::storePart(IRBuilder<> &B, Value *Address, Value *At, Value *V,
                               const Instruction &For) {
  if (const Place P = Places.lookup(Address); P.Of)
    return write(B, {P.Of, B.CreateAdd(P.Offset, At)}, V, For);
  B.CreateAlignedStore(V, B.CreatePtrAdd(Address, At), Align(1));
  return Error::success();
}

/// A loop in front of At over Count numbers; returns the distance of the number from the first.
Value *FunctionViews::beginLoop(IRBuilder<> &B, Instruction &At, Value *Count, Type *T) {
  auto [Body, Index] = SplitBlockAndInsertSimpleForLoop(Count, At.getIterator());
  B.SetInsertPoint(Body);
  B.SetCurrentDebugLocation(At.getDebugLoc());
  return B.CreateMul(Index, B.getInt64(Layout.getTypeAllocSize(T)));
}

/// A copy, or a filling with zeros, number by number.
Error FunctionViews::lowerMove(MemIntrinsic &I) {
  const Place To = Places.lookup(I.getDest());
  auto *Copy = dyn_cast<MemTransferInst>(&I);
  auto *Set = dyn_cast<MemSetInst>(&I);
  const Place From = Copy ? Places.lookup(Copy->getSource()) : Place{};
  const View &V = To.Of ? *To.Of : *From.Of;
  auto *Byte = Set ? dyn_cast<ConstantInt>(Set->getValue()) : nullptr;
  if (isa<MemMoveInst>(I) && To.Of == From.Of)
    return fail(V, I, "a part of it is moved to another one");
  if (Set && (!Byte || !Byte->isZero()))
    return fail(V, I, "it is filled with bytes");
  Type *T = To.Of ? V.From->Store->getArg(0)->getType() : V.From->Load->getReturnType();
  IRBuilder<> B(&I);
  Value *Bytes = B.CreateZExtOrTrunc(I.getLength(), B.getInt64Ty());
  Value *Count = B.CreateUDiv(Bytes, B.getInt64(Layout.getTypeAllocSize(T)));
  Value *At = beginLoop(B, I, Count, T);
  Value *Part = Constant::getNullValue(T);
  if (Copy) {
    auto Read = loadPart(B, Copy->getSource(), At, T, I);
    if (!Read)
      return Read.takeError();
    Part = *Read;
  }
  Dead.insert(&I);
  return storePart(B, I.getDest(), At, Part, I);
}

/// The runtime's add(to, from, n), and copy_adjoint(from, to, n), which also clears.
Error FunctionViews::lowerReverseMove(CallBase &Call) {
  const LinearMove Move = linearMove(Call);
  const bool Adds = Move.Kind == LinearMove::Add;
  Value *To = Call.getArgOperand(Adds ? 0 : 1), *From = Call.getArgOperand(Adds ? 1 : 0);
  const Place First = Places.lookup(To), Second = Places.lookup(From);
  const View &V = First.Of ? *First.Of : *Second.Of;
  if (First.Of == Second.Of)
    return fail(V, Call, "a part of it is moved to another one");
  Dead.insert(&Call);
  if (isa<ConstantPointerNull>(From))
    return Error::success();
  IRBuilder<> B(&Call);
  Type *T = Move.Wide ? B.getDoubleTy() : B.getFloatTy();
  Value *At = beginLoop(B, Call, Call.getArgOperand(2), T);
  auto Part = loadPart(B, From, At, T, Call);
  if (!Part)
    return Part.takeError();
  if (!Adds)
    if (Error E = storePart(B, From, At, Constant::getNullValue(T), Call))
      return E;
  if (isa<ConstantPointerNull>(To))
    return Error::success();
  auto Old = loadPart(B, To, At, T, Call);
  return Old ? storePart(B, To, At, B.CreateFAdd(*Old, *Part), Call) : Old.takeError();
}

Error FunctionViews::visitCall(CallBase &Call, Use &U) {
  const View &V = *Places.lookup(U.get()).Of;
  const Function *F = Call.getCalledFunction();
  if (linearMove(Call).Kind != LinearMove::None) {
    Calls.insert(&Call);
    return Error::success();
  }
  if (!Call.isArgOperand(&U) || !F || F->isDeclaration() || F->isInterposable() || F->isVarArg() ||
      !isa<CallInst, InvokeInst>(Call) || Call.isMustTailCall() ||
      Call.paramHasAttr(Call.getArgOperandNo(&U), Attribute::ByVal))
    return fail(V, Call,
                "it is passed to " + (F ? "'" + userName(*F) + "', whose body is not known here"
                                        : std::string("a function that is chosen at run time")));
  Calls.insert(&Call);
  return Error::success();
}

/// A call of a function that gets a view becomes one of its copy.
Error FunctionViews::lowerCall(CallBase &Call) {
  SmallVector<const View *, 8> Views;
  SmallVector<Value *, 16> Args;
  SmallVector<AttributeSet, 16> Attributes;
  IRBuilder<> B(&Call);
  for (Use &U : Call.args()) {
    const Place At = Places.lookup(U.get());
    Views.push_back(At.Of);
    if (!At.Of) {
      Args.push_back(U.get());
      Attributes.push_back(Call.getAttributes().getParamAttrs(Call.getArgOperandNo(&U)));
      continue;
    }
    Args.push_back(At.Offset);
    append_range(Args, At.Of->Passed);
    Attributes.resize(Args.size());
  }
  auto Copy = All.copyFor(*Call.getCalledFunction(), Views);
  if (!Copy)
    return Copy.takeError();
  CallBase *New = nullptr;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(*Copy, Invoke->getNormalDest(), Invoke->getUnwindDest(), Args);
  else
    New = B.CreateCall(*Copy, Args);
  New->setCallingConv(Call.getCallingConv());
  // What the attributes say of memory is not true of the program's functions.
  New->setAttributes(AttributeList::get(Call.getContext(), AttributeSet(),
                                        Call.getAttributes().getRetAttrs(), Attributes));
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  if (isa<InvokeInst>(Call))
    Call.eraseFromParent();
  else
    Dead.insert(&Call);
  return Error::success();
}

/// The user's call, with two functions that take what is behind them.
Expected<Origin> ViewLowering::readOrigin(CallBase &Call) const {
  auto Fail = [&](const Twine &What) { return diffError(DiagId::UnsupportedView, Call, What); };
  Function *Two[2] = {};
  for (unsigned I : {0, 1}) {
    Two[I] = I < Call.arg_size() ? traceFunction(Call.getArgOperand(I)) : nullptr;
    if (!Two[I])
      return Fail("its first two arguments are functions known at compile time: one that returns "
                  "what is read, one that takes what is written");
  }
  auto [Load, Store] = Two;
  const unsigned Passed = Call.arg_size() - FirstPassed;
  auto Takes = [&](const Function &F, unsigned First) {
    return F.arg_size() >= First && F.arg_size() <= First + Passed && !F.isVarArg();
  };
  if (!Takes(*Load, 1) || !Load->getArg(0)->getType()->isIntegerTy() ||
      Load->getReturnType()->isVoidTy())
    return Fail("'" + userName(*Load) +
                "' has to return a number, and to take the distance in "
                "bytes and what follows the two functions");
  if (!Takes(*Store, 2) || !Store->getArg(1)->getType()->isIntegerTy())
    return Fail("'" + userName(*Store) +
                "' has to take a number, the distance in bytes and what "
                "follows the two functions");
  for (unsigned I = 0; I != Passed; ++I) {
    Type *T = Call.getArgOperand(FirstPassed + I)->getType();
    auto Fits = [&](const Function &F, unsigned At) {
      return At >= F.arg_size() || F.getArg(At)->getType() == T;
    };
    if (!Fits(*Load, I + 1) || !Fits(*Store, I + 2))
      return Fail("argument " + Twine(FirstPassed + I + 1) +
                  " does not have the type of the parameter it is for");
  }
  return Origin{&Call, Load, Store};
}

/// Unoptimised code keeps the address in variables.
void promoteVariables(CallBase &Call) {
  SmallVector<AllocaInst *, 2> Variables;
  for (User *U : Call.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Call)
      if (auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand());
          Variable && isAllocaPromotable(Variable) && !is_contained(Variables, Variable))
        Variables.push_back(Variable);
  if (Variables.empty())
    return;
  DominatorTree DT(*Call.getFunction());
  PromoteMemToReg(Variables, DT);
}

Error ViewLowering::lower(CallBase &Call) {
  auto From = readOrigin(Call);
  if (!From)
    return From.takeError();
  Origins.push_back(std::make_unique<Origin>(*From));
  View V{Origins.back().get(), {}};
  append_range(V.Passed, drop_begin(Call.args(), FirstPassed));
  FunctionViews Here(*this, *Call.getFunction());
  Here.add(Call, V, *ConstantInt::get(Type::getInt64Ty(M.getContext()), 0));
  return Here.run();
}

/// Parameters that are views become an offset and what is passed on.
Function *ViewLowering::declareCopy(Function &F, ArrayRef<const View *> Views) {
  constexpr Attribute::AttrKind Kept[] = {
      Attribute::ByVal, Attribute::StructRet, Attribute::ZExt,    Attribute::SExt,
      Attribute::InReg, Attribute::Alignment, Attribute::NoUndef, Attribute::NoAlias};
  SmallVector<Type *, 16> Params;
  SmallVector<std::pair<unsigned, unsigned>, 16> Same; // in the copy, in F
  for (auto [I, V] : enumerate(Views)) {
    if (!V) {
      Same.push_back({Params.size(), I});
      Params.push_back(F.getArg(I)->getType());
      continue;
    }
    Params.push_back(Type::getInt64Ty(M.getContext()));
    for (Value *Passed : V->Passed)
      Params.push_back(Passed->getType());
  }
  Function *Copy = Function::Create(FunctionType::get(F.getReturnType(), Params, false),
                                    GlobalValue::InternalLinkage, F.getName() + ".view", M);
  Copy->setCallingConv(F.getCallingConv());
  for (auto [To, From] : Same)
    for (Attribute::AttrKind Kind : Kept)
      if (Attribute A = F.getAttributes().getParamAttr(From, Kind); A.isValid())
        Copy->addParamAttr(To, A);
  for (Attribute A : F.getAttributes().getFnAttrs())
    if (A.isStringAttribute())
      Copy->addFnAttr(A);
  for (auto Kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread, Attribute::UWTable,
                    Attribute::SanitizeMemory})
    if (F.hasFnAttribute(Kind))
      Copy->addFnAttr(F.getFnAttribute(Kind));
  return Copy;
}

Expected<Function *> ViewLowering::copyFor(Function &F, ArrayRef<const View *> Views) {
  CopyKey Key{&F, {}};
  for (const View *V : Views)
    Key.second.push_back(V ? V->From : nullptr);
  Function *&Known = Copies[Key];
  if (Known)
    return Known;
  Function *Copy = Known = declareCopy(F, Views);
  ValueToValueMapTy Map;
  SmallVector<std::pair<Instruction *, View>, 2> Starts; // stand for the addresses for a while
  SmallVector<Value *, 2> Offsets;
  unsigned Next = 0;
  for (auto [I, V] : enumerate(Views)) {
    Argument *New = Copy->getArg(Next++);
    New->setName(F.getArg(I)->getName());
    if (!V) {
      Map[F.getArg(I)] = New;
      continue;
    }
    auto *Start = new FreezeInst(PoisonValue::get(F.getArg(I)->getType()));
    Map[F.getArg(I)] = Start;
    Starts.push_back({Start, {V->From, {}}});
    Offsets.push_back(New);
    for (unsigned P = 0; P != V->Passed.size(); ++P)
      Starts.back().second.Passed.push_back(Copy->getArg(Next++));
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  FunctionViews Inside(*this, *Copy);
  for (auto &[Start, V] : Starts)
    Start->insertBefore(Copy->getEntryBlock().getFirstInsertionPt());
  for (auto [Start, Offset] : zip(Starts, Offsets))
    Inside.add(*Start.first, Start.second, *Offset);
  if (Error E = Inside.run())
    return std::move(E);
  for (auto &[Start, V] : Starts) {
    Start->replaceAllUsesWith(PoisonValue::get(Start->getType()));
    Start->eraseFromParent();
  }
  Touched.insert(Copy);
  return Copy;
}

/// The program's two functions are mostly small: what they do with an element the loops around
/// them can be rid of.
void inlineViews(Function &F, const SmallPtrSetImpl<Function *> &Given) {
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Given.contains(Call->getCalledFunction()))
      Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info;
    InlineFunction(*Call, Info);
  }
}

/// A function of the module that returns a view is part of its callers.
bool inlineMaker(CallBase &Made) {
  Function &F = *Made.getFunction();
  if (!F.hasLocalLinkage() && !F.hasLinkOnceLinkage())
    return false;
  SmallVector<CallBase *, 4> Calls;
  for (const Use &U : F.uses()) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || Call->getFunction() == &F)
      return false;
    Calls.push_back(Call);
  }
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info;
    if (!InlineFunction(*Call, Info).isSuccess())
      return false;
  }
  F.eraseFromParent();
  return true;
}

void inlineMakers(Module &M) {
  constexpr unsigned MostRounds = 16; // makers of makers
  for (unsigned Round = 0; Round != MostRounds; ++Round) {
    bool Any = false;
    for (CallBase *Call : findViews(M)) {
      promoteVariables(*Call);
      const bool Returned = any_of(Call->users(), [](User *U) { return isa<ReturnInst>(U); });
      if (Returned && inlineMaker(*Call)) {
        Any = true;
        break; // the list is out of date
      }
    }
    if (!Any)
      return;
  }
}

Error ViewLowering::run(bool &Changed) {
  Error Errors = Error::success();
  inlineMakers(M);
  for (CallBase *Call : findViews(M)) {
    Changed = true;
    if (Error E = lower(*Call)) {
      Errors = joinErrors(std::move(Errors), std::move(E));
      continue;
    }
    C.FAM.clear(*Call->getFunction(), Call->getFunction()->getName());
    Call->replaceAllUsesWith(PoisonValue::get(Call->getType()));
    if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
      Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
      BranchInst::Create(Invoke->getNormalDest(), Invoke->getIterator());
    }
    Call->eraseFromParent();
  }
  if (Errors)
    return Errors;
  SmallPtrSet<Function *, 4> Given;
  for (auto &From : Origins)
    for (Function *F : {From->Load, From->Store})
      if (!F->isDeclaration() && !F->isInterposable() && !F->hasFnAttribute(Attribute::NoInline))
        Given.insert(F);
  for (Function *F : Touched) {
    inlineViews(*F, Given);
    simplifyFunction(*F, C);
  }
  return Error::success();
}

} // namespace

Error lowerViews(Module &M, Compilation &C, bool &Changed) {
  return ViewLowering(M, C).run(Changed);
}

} // namespace contraflow
