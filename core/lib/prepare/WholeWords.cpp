// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer for function objects of several types, which a table of functions moves:
//
//   %buffer = alloca [32 x i8]                       struct A {double *to; double k;};
//   %n = load i32, ptr %buffer + 8                   struct B {double *at; int n;};
//   memcpy(%to, %buffer, 16)
//
// The optimiser would take the copy apart at the integer, into a word, an integer in a register and
// bytes that begin in the middle of a number. A variable whose address is handed on it leaves
// alone:
//
//   call @cf.whole(%buffer)                          until it is done

#include "WholeWords.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral Name = "cf.whole";
constexpr uint64_t Width = 8;

using Range = std::pair<uint64_t, uint64_t>; ///< of bytes

/// What goes to or from constant places of a variable.
class Accesses {
public:
  explicit Accesses(AllocaInst &Variable) : Layout(Variable.getDataLayout()) {
    collect(Variable, 0);
  }
  SmallSetVector<Range, 8> Copies, Wholes;
  SmallSetVector<uint64_t, 8> Parts; ///< the words in which they lie

private:
  void collect(Value &Pointer, uint64_t At) {
    for (User *U : Pointer.users()) {
      if (auto *Step = dyn_cast<GetElementPtrInst>(U)) {
        APInt Offset(Layout.getIndexTypeSizeInBits(Step->getType()), At);
        if (Step->accumulateConstantOffset(Layout, Offset))
          collect(*Step, Offset.getZExtValue());
      } else if (auto *Copy = dyn_cast<MemTransferInst>(U)) {
        if (auto *Length = dyn_cast<ConstantInt>(Copy->getLength()); Length && !Copy->isVolatile())
          Copies.insert({At, At + Length->getZExtValue()});
      } else if (getLoadStorePointerOperand(U) == &Pointer) {
        addAccess(*cast<Instruction>(U), At);
      }
    }
  }

  void addAccess(Instruction &I, uint64_t At) {
    Type *T = getLoadStoreType(&I);
    const TypeSize Size = Layout.getTypeStoreSize(T);
    auto *Store = dyn_cast<StoreInst>(&I);
    const bool IsConstant = Store && isa<Constant>(Store->getValueOperand());
    if (Size.isScalable())
      return;
    if (T->isIntegerTy() && Size < Width && !IsConstant)
      Parts.insert(At / Width * Width);
    else if (!T->isIntegerTy())
      Wholes.insert({At, At + Size});
  }

  const DataLayout &Layout;
};

bool covers(Range R, uint64_t Word) { return R.first <= Word && Word + Width <= R.second; }

/// True if the variable is declared to have bytes at a word.
bool isOfBytes(Type *T, uint64_t Word, const DataLayout &Layout) {
  while (T->isSized()) {
    if (auto *Array = dyn_cast<ArrayType>(T)) {
      T = Array->getElementType();
      if (T->isIntegerTy(8))
        return true;
      if (const uint64_t Size = Layout.getTypeAllocSize(T))
        Word %= Size;
    } else if (auto *Struct = dyn_cast<StructType>(T)) {
      const StructLayout *Members = Layout.getStructLayout(Struct);
      if (Word >= Members->getSizeInBytes() || !Struct->getNumElements())
        return false;
      const unsigned Member = Members->getElementContainingOffset(Word);
      T = Struct->getElementType(Member);
      Word -= Members->getElementOffset(Member);
    } else {
      return false;
    }
  }
  return false;
}

/// True if a copy would be taken apart within a word of bytes.
bool isEndangered(AllocaInst &Variable) {
  const Accesses All(Variable);
  return any_of(All.Parts, [&](uint64_t Word) {
    auto Covers = [Word](Range R) { return covers(R, Word); };
    return any_of(All.Copies, Covers) && none_of(All.Wholes, Covers) &&
           isOfBytes(Variable.getAllocatedType(), Word, Variable.getDataLayout());
  });
}

/// What a variable is handed on to. Does nothing to memory, and is not dead.
Function *handler(Module &M) {
  auto *F = cast<Function>(M.getOrInsertFunction(Name, Type::getVoidTy(M.getContext()),
                                                 PointerType::getUnqual(M.getContext()))
                               .getCallee());
  F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  for (Attribute::AttrKind Kind :
       {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoFree, Attribute::NoSync})
    F->addFnAttr(Kind);
  F->addParamAttr(0, Attribute::ReadNone);
  F->addParamAttr(0, Attribute::getWithCaptureInfo(M.getContext(), CaptureInfo::none()));
  return F;
}

} // namespace

WholeWords::WholeWords(Function &F) : F(F) {
  SmallVector<AllocaInst *, 4> Endangered;
  for (Instruction &I : instructions(F))
    if (auto *Variable = dyn_cast<AllocaInst>(&I);
        Variable && Variable->getAddressSpace() == 0 && isEndangered(*Variable))
      Endangered.push_back(Variable);
  for (AllocaInst *Variable : Endangered) {
    IRBuilder<> B(Variable->getNextNode());
    B.CreateCall(handler(*F.getParent()), {Variable});
  }
  Any = !Endangered.empty();
}

WholeWords::~WholeWords() {
  if (!Any)
    return;
  Function *Handler = F.getParent()->getFunction(Name);
  for (User *U : make_early_inc_range(Handler->users()))
    cast<Instruction>(U)->eraseFromParent();
  Handler->eraseFromParent();
}

} // namespace contraflow
