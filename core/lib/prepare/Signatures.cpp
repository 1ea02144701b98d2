// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the front end has noted on parameters and results decides (request/ByValue.cpp). A note that
// is no longer true costs nothing but the copy: the bits are the same.

#include "Signatures.h"
#include "support/Assignments.h"
#include "support/Halves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

static constexpr unsigned HalfBits = 32;
static constexpr char Whole = '-'; ///< in the note: this register stays as it is

/// What is noted for the parameter or result at this index of the attributes; empty if its type
/// has changed.
static StringRef halvesAt(const Function &F, unsigned Index, ArrayRef<Type *> Pieces) {
  const Attribute Note = F.getAttributes().getAttributeAtIndex(Index, HalvesAttribute);
  if (!Note.isValid() || !F.getDataLayout().isLittleEndian() ||
      Note.getValueAsString().size() != 2 * Pieces.size())
    return {};
  const StringRef Halves = Note.getValueAsString();
  for (auto [I, T] : enumerate(Pieces))
    if (Halves[2 * I] != Whole && !T->isIntegerTy(2 * HalfBits))
      return {};
  return Halves;
}

static StringRef halvesOfParam(const Function &F, unsigned I) {
  return halvesAt(F, AttributeList::FirstArgIndex + I, F.getArg(I)->getType());
}

static SmallVector<Type *, 2> piecesOfResult(const Function &F) {
  Type *T = F.getReturnType();
  if (auto *Struct = dyn_cast<StructType>(T))
    return SmallVector<Type *, 2>(Struct->elements());
  return {T};
}

static StringRef halvesOfResult(const Function &F) {
  return halvesAt(F, AttributeList::ReturnIndex, piecesOfResult(F));
}

static Type *halfType(char Letter, LLVMContext &Context) {
  return Letter == 'f' ? Type::getFloatTy(Context) : Type::getInt32Ty(Context);
}

static Value *half(Value *V, unsigned Which, StringRef Halves, IRBuilder<> &B) {
  Value *Bits = B.CreateTrunc(Which ? B.CreateLShr(V, HalfBits) : V, B.getInt32Ty());
  return B.CreateBitCast(Bits, halfType(Halves[Which], B.getContext()));
}

static Value *joined(Value *Low, Value *High, IRBuilder<> &B) {
  Value *Wide[] = {Low, High};
  for (Value *&V : Wide)
    V = B.CreateZExt(B.CreateBitCast(V, B.getInt32Ty()), B.getInt64Ty());
  return B.CreateOr(Wide[0], B.CreateShl(Wide[1], HalfBits));
}

bool PackedSignatures::wantApart(const Function &F) {
  return !halvesOfResult(F).empty() || any_of(F.args(), [&](const Argument &A) {
    return !halvesOfParam(F, A.getArgNo()).empty();
  });
}

/// Appends the types that the pieces become.
static void appendApart(ArrayRef<Type *> Pieces, StringRef Halves, SmallVectorImpl<Type *> &Out) {
  for (auto [I, T] : enumerate(Pieces))
    if (Halves.empty() || Halves[2 * I] == Whole)
      Out.push_back(T);
    else
      for (char Letter : Halves.substr(2 * I, 2))
        Out.push_back(halfType(Letter, T->getContext()));
}

static FunctionType *typeApart(const Function &F) {
  SmallVector<Type *, 8> Params, Results;
  for (const Argument &A : F.args())
    appendApart(A.getType(), halvesOfParam(F, A.getArgNo()), Params);
  Type *Result = F.getReturnType();
  if (const StringRef Halves = halvesOfResult(F); !Halves.empty()) {
    appendApart(piecesOfResult(F), Halves, Results);
    Result = StructType::get(F.getContext(), Results);
  }
  return FunctionType::get(Result, Params, /*isVarArg=*/false);
}

/// The result of a copy, from what its original returns.
static Value *resultApart(Value *Result, StringRef Halves, Type *T, IRBuilder<> &B) {
  Value *Out = PoisonValue::get(T);
  unsigned Next = 0;
  for (unsigned I = 0; 2 * I != Halves.size(); ++I) {
    Value *Piece = Result->getType()->isStructTy() ? B.CreateExtractValue(Result, I) : Result;
    if (Halves[2 * I] == Whole)
      Out = B.CreateInsertValue(Out, Piece, Next++);
    else
      for (unsigned Which : {0U, 1U})
        Out = B.CreateInsertValue(Out, half(Piece, Which, Halves.substr(2 * I, 2), B), Next++);
  }
  return Out;
}

/// The other way round: the result of the original, from what a copy returns.
static Value *resultJoined(Value *Apart, StringRef Halves, Type *T, IRBuilder<> &B) {
  Value *Out = PoisonValue::get(T);
  unsigned Next = 0;
  for (unsigned I = 0; 2 * I != Halves.size(); ++I) {
    Value *Piece = B.CreateExtractValue(Apart, Next++);
    if (Halves[2 * I] != Whole)
      Piece = joined(Piece, B.CreateExtractValue(Apart, Next++), B);
    if (!T->isStructTy())
      return Piece;
    Out = B.CreateInsertValue(Out, Piece, I);
  }
  return Out;
}

/// Attributes for the copy or its call. What is said of a number that was taken apart is dropped.
static AttributeList attributesApart(const Function &F, const AttributeList &Of) {
  LLVMContext &Context = F.getContext();
  SmallVector<AttributeSet, 8> Params;
  for (unsigned I = 0; I != F.arg_size(); ++I) {
    if (halvesOfParam(F, I).empty())
      Params.push_back(Of.getParamAttrs(I));
    else
      Params.append(2, AttributeSet());
  }
  const bool Same = halvesOfResult(F).empty();
  return AttributeList::get(Context, Of.getFnAttrs(), Same ? Of.getRetAttrs() : AttributeSet(),
                            Params);
}

Function *PackedSignatures::copyOf(Function &F) {
  Function *&Copy = copy(F);
  if (Copy)
    return Copy;
  Copy = Function::Create(typeApart(F), GlobalValue::InternalLinkage, F.getName() + ".apart",
                          F.getParent());
  BasicBlock *Entry = BasicBlock::Create(F.getContext(), "apart", Copy);
  IRBuilder<> B(Entry);
  ValueToValueMapTy Map;
  unsigned Next = 0;
  for (Argument &A : F.args()) {
    Value *Low = Copy->getArg(Next++);
    Low->setName(A.getName());
    Map[&A] = halvesOfParam(F, A.getArgNo()).empty() ? Low : joined(Low, Copy->getArg(Next++), B);
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  ownAssignments(*Copy);
  Copy->setAttributes(attributesApart(F, F.getAttributes()));
  // Local variables belong into the entry block, behind which the copied one stands.
  auto *Copied = cast<BasicBlock>(Map[&F.getEntryBlock()]);
  Copied->splice(Copied->begin(), Entry);
  Entry->eraseFromParent();
  if (const StringRef Halves = halvesOfResult(F); !Halves.empty())
    for (ReturnInst *Return : Returns) {
      B.SetInsertPoint(Return);
      B.CreateRet(resultApart(Return->getReturnValue(), Halves, Copy->getReturnType(), B));
      Return->eraseFromParent();
    }
  return Copy;
}

void PackedSignatures::takeApart(CallBase &Call) {
  Function &F = *Call.getCalledFunction();
  Function *Copy = copyOf(F);
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Args;
  for (unsigned I = 0; I != Call.arg_size(); ++I) {
    Value *V = Call.getArgOperand(I);
    const StringRef Halves = halvesOfParam(F, I);
    if (Halves.empty())
      Args.push_back(V);
    else
      Args.append({half(V, 0, Halves, B), half(V, 1, Halves, B)});
  }
  CallInst *New = B.CreateCall(Copy, Args);
  New->setCallingConv(Call.getCallingConv());
  New->setAttributes(attributesApart(F, Call.getAttributes()));
  Value *Result = New;
  if (const StringRef Halves = halvesOfResult(F); !Halves.empty())
    Result = resultJoined(New, Halves, F.getReturnType(), B);
  Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
}

} // namespace contraflow
