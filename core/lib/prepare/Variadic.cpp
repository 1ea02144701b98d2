// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang has expanded va_arg into the steps of the System V ABI: if registers are left, the value
// comes from where they were saved, otherwise from the overflow area on the stack, where arguments
// follow one another in units of 8 bytes, those of greater alignment at multiples of it. The copy
// says that no registers are left and lays out such an area itself, so all that is left of
// variable arguments is ordinary memory.

#include "Variadic.h"
#include "support/Assignments.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr uint64_t Unit = 8;            ///< of the overflow area
constexpr unsigned GeneralEnd = 48;     ///< gp_offset when no general register is left
constexpr unsigned FloatingEnd = 176;   ///< fp_offset when no vector register is left
constexpr int64_t OverflowOffset = 8;   ///< of overflow_arg_area in a va_list
constexpr int64_t RegistersOffset = 16; ///< of reg_save_area

/// One variable argument in the overflow area.
struct Slot {
  Argument *Value;
  Type *Copied; ///< what the argument points to; null: the value itself
  uint64_t Offset;
};

/// True for a test, or several, whether what is read next was passed in registers: no more than so
/// many bytes of them are used.
bool testsRegisters(const Value *V) {
  if (isa<BinaryOperator, SelectInst, FreezeInst>(V) && V->getType()->isIntegerTy(1))
    return any_of(cast<User>(V)->operands(), [](const Use &U) { return testsRegisters(U); });
  const auto *Test = dyn_cast<ICmpInst>(V);
  const auto *Most = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
  return Most && Test->isUnsigned() && Most->getValue().ule(FloatingEnd);
}

bool isRoundedUp(const Instruction &I) {
  const auto *Mask = dyn_cast<IntrinsicInst>(&I);
  return Mask && Mask->getIntrinsicID() == Intrinsic::ptrmask;
}

/// True if a long double is read there, which is never passed in registers.
bool readsLongDouble(const Instruction &Place) {
  return any_of(Place.users(), [](const User *U) {
    const auto *Load = dyn_cast<LoadInst>(U);
    return (Load && Load->getType()->isX86_FP80Ty()) ||
           (isa<GetElementPtrInst>(U) && readsLongDouble(*cast<Instruction>(U)));
  });
}

/// True if F rounds up the place of an argument where a test says that it was not passed in
/// registers.
bool readsAlignedPieces(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return isRoundedUp(I) && any_of(predecessors(I.getParent()), [](const BasicBlock *Before) {
             const auto *Branch = dyn_cast<BranchInst>(Before->getTerminator());
             return Branch && Branch->isConditional() && testsRegisters(Branch->getCondition());
           });
  });
}

/// True where a list of variable arguments is the structure that is taken apart here.
bool hasKnownLists(const Function &F) {
  const Triple T(F.getParent()->getTargetTriple());
  return T.getArch() == Triple::x86_64 && !T.isOSWindows();
}

class VariadicCopy {
public:
  explicit VariadicCopy(CallBase &Call)
      : Call(Call), F(*Call.getCalledFunction()), DL(Call.getDataLayout()) {}
  bool possible() const;
  Function *make();

private:
  bool mayMisplace() const;
  SmallVector<Slot, 8> layOut(Function &Copy, uint64_t &Size) const;
  static void startAt(IntrinsicInst &Start, Value *Area);

  CallBase &Call;
  Function &F;
  const DataLayout &DL;
};

/// A structure that is aligned like two registers, and passed in registers, is passed in pieces
/// that have no such alignment: nobody can tell where it lies. True if there may be one: F rounds a
/// place up although no argument is aligned like that, or one that might have been in registers.
bool VariadicCopy::mayMisplace() const {
  bool Pieces = false, Aligned = false;
  for (unsigned I = F.arg_size(); I < Call.arg_size(); ++I) {
    Type *T = Call.getArgOperand(I)->getType();
    const bool Copied = Call.getParamByValType(I) != nullptr;
    const Align A = Copied ? Call.getParamAlign(I).valueOrOne() : DL.getABITypeAlign(T);
    Pieces |= !Copied && DL.getTypeAllocSize(T).getFixedValue() <= Unit;
    Aligned |= A.value() > Unit;
  }
  auto Unexplained = [](const Instruction &I) { return isRoundedUp(I) && !readsLongDouble(I); };
  return Pieces && (readsAlignedPieces(F) || (!Aligned && any_of(instructions(F), Unexplained)));
}

bool VariadicCopy::possible() const {
  if (!hasKnownLists(F) || F.getFunctionType() != Call.getFunctionType() || mayMisplace())
    return false;
  // A thunk hands on arguments that it does not name.
  return none_of(instructions(F), [](const Instruction &I) {
    auto *Inner = dyn_cast<CallInst>(&I);
    return isa<VAArgInst>(I) || (Inner && Inner->isMustTailCall());
  });
}

SmallVector<Slot, 8> VariadicCopy::layOut(Function &Copy, uint64_t &Size) const {
  SmallVector<Slot, 8> Slots;
  for (unsigned I = F.arg_size(); I < Call.arg_size(); ++I) {
    Type *Copied = Call.getParamByValType(I);
    Type *T = Copied ? Copied : Call.getArgOperand(I)->getType();
    Align Natural = DL.getABITypeAlign(T);
    if (MaybeAlign A = Copied ? Call.getParamAlign(I) : MaybeAlign())
      Natural = *A;
    Size = alignTo(Size, std::max<uint64_t>(Natural.value(), Unit));
    Slots.push_back({Copy.getArg(I), Copied, Size});
    Size += alignTo(DL.getTypeAllocSize(T).getFixedValue(), Unit);
  }
  return Slots;
}

void VariadicCopy::startAt(IntrinsicInst &Start, Value *Area) {
  IRBuilder<> B(&Start);
  Value *List = Start.getArgOperand(0);
  B.CreateStore(B.getInt32(GeneralEnd), List);
  B.CreateStore(B.getInt32(FloatingEnd), B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), List, 4));
  B.CreateStore(Area, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), List, OverflowOffset));
  B.CreateStore(ConstantPointerNull::get(B.getPtrTy()),
                B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), List, RegistersOffset));
}

Function *VariadicCopy::make() {
  SmallVector<Type *, 8> Params;
  for (Value *V : Call.args())
    Params.push_back(V->getType());
  auto *T = FunctionType::get(F.getReturnType(), Params, /*isVarArg=*/false);
  Function *Copy =
      Function::Create(T, GlobalValue::InternalLinkage, F.getName() + ".fixed", F.getParent());
  ValueToValueMapTy Map;
  for (Argument &A : F.args())
    Map[&A] = Copy->getArg(A.getArgNo());
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  ownAssignments(*Copy);
  uint64_t Size = 0;
  SmallVector<Slot, 8> Slots = layOut(*Copy, Size);
  IRBuilder<> B(&*Copy->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst *Area = B.CreateAlloca(ArrayType::get(B.getInt8Ty(), std::max(Size, Unit)));
  Area->setAlignment(Align(32));
  for (const Slot &S : Slots) {
    Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Area, S.Offset);
    if (S.Copied)
      B.CreateMemCpy(At, Align(Unit), S.Value, MaybeAlign(), DL.getTypeAllocSize(S.Copied));
    else
      B.CreateAlignedStore(S.Value, At, Align(Unit));
  }
  for (Instruction &I : make_early_inc_range(instructions(*Copy)))
    if (auto *Start = dyn_cast<VAStartInst>(&I)) {
      startAt(*Start, Area);
      Start->eraseFromParent();
    }
  copyLists(*Copy);
  return Copy;
}

} // namespace

void copyLists(Function &F) {
  constexpr uint64_t ListBytes = 24;
  if (!hasKnownLists(F))
    return;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Copy = dyn_cast<VACopyInst>(&I))
      IRBuilder<>(Copy).CreateMemCpy(Copy->getDest(), Align(Unit), Copy->getSrc(), Align(Unit),
                                     ListBytes);
    else if (!isa<VAEndInst>(I))
      continue;
    I.eraseFromParent();
  }
}

bool readsVariableArguments(const Function &F) {
  return F.isVarArg() && any_of(instructions(F), [](const Instruction &I) {
           return isa<VAStartInst, VAArgInst>(I);
         });
}

/// Calls the copy where F was called. What the copy takes apart itself is passed by its address.
static CallBase *callCopy(CallBase &Call, Function &Copy) {
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Args(Call.args());
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = B.CreateInvoke(&Copy, Invoke->getNormalDest(), Invoke->getUnwindDest(), Args);
  else
    New = B.CreateCall(&Copy, Args);
  New->copyMetadata(Call);
  for (unsigned I = 0; I < Call.getFunctionType()->getNumParams(); ++I)
    if (Type *Copied = Call.getParamByValType(I))
      New->addParamAttr(I, Attribute::getWithByValType(Call.getContext(), Copied));
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
  return New;
}

CallBase *fixArguments(CallBase &Call) {
  VariadicCopy Maker(Call);
  if (!isa<CallInst, InvokeInst>(Call) || !Maker.possible())
    return nullptr;
  return callCopy(Call, *Maker.make());
}

CallBase *FixedArguments::fix(CallBase &Call) {
  VariadicCopy Maker(Call);
  if (!isa<CallInst, InvokeInst>(Call) || !Maker.possible())
    return nullptr;
  SmallVector<Type *, 8> Passed;
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    Passed.append({Call.getArgOperand(I)->getType(), Call.getParamByValType(I)});
  Function *Callee = Call.getCalledFunction();
  for (const Entry &E : Entries)
    if (E.Of == Callee && E.Passed == Passed)
      return callCopy(Call, *E.Copy);
  Entries.push_back({Callee, Maker.make(), std::move(Passed)});
  return callCopy(Call, *Entries.back().Copy);
}

bool FixedArguments::made(const Function &F) const {
  return any_of(Entries, [&](const Entry &E) { return E.Copy == &F; });
}

FixedArguments::~FixedArguments() {
  for (const Entry &E : Entries)
    E.Copy->dropAllReferences();
  for (const Entry &E : Entries) {
    E.Copy->replaceAllUsesWith(PoisonValue::get(E.Copy->getType()));
    E.Copy->eraseFromParent();
  }
}

} // namespace contraflow
