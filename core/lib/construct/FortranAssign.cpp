// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of whole arrays that flang leaves to its library: of arrays in clauses, of sections.
// Where both descriptors are variables of which the code says how many dimensions of which kind of
// number they describe, the call becomes one of a function that does the same. The right side is
// read wholly before the left side is written, since the two may overlap:
//
//   _FortranAAssign(&to, &from, file, line)   ->   for (k, j, i) copy[..] = from(i, j, k)
//                                                  for (k, j, i) to(i, j, k) = copy[..]
//
// Allocatable left sides, which may be allocated anew, other types, and shapes that only the
// library knows remain calls.

#include "Memory.h"
#include "contraflow/core/Construct.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringRef Assign = "_FortranAAssign";

/// Where in a descriptor of flang (ISO_Fortran_binding.h) its members are.
enum Place : uint64_t { Rank = 20, TypeCode = 21, Attribute = 22, Dimensions = 24 };
enum Code : uint64_t { CFloat = 27, CDouble = 28 };
constexpr uint64_t Allocatable = 2, MostDimensions = 7;
constexpr int64_t DimensionBytes = 24, ExtentPlace = 8, StridePlace = 16;

/// The constant that everybody stores at a place of a descriptor, a byte.
class Member {
public:
  Member(const AllocaInst &Descriptor, uint64_t At, unsigned Copies = 4)
      : DL(Descriptor.getDataLayout()), At(At), Copies(Copies) {
    visit(Descriptor, 0);
  }
  std::optional<uint64_t> value() const { return Known ? Stored : std::nullopt; }

private:
  void visit(const Value &Address, uint64_t Offset);
  void use(const User &U, const Value &Address, uint64_t Offset);
  void stores(Value &V, uint64_t Offset);
  void copies(const MemCpyInst &Copy, uint64_t Offset);
  void isOneOf(std::optional<uint64_t> Byte) {
    Known &= Byte && (!Stored || *Stored == *Byte);
    Stored = Byte;
  }
  /// Stores of neighbours may have become one, of an integer or a vector.
  std::optional<uint64_t> byteOf(const Value &V, uint64_t Place) const {
    auto *C = dyn_cast<Constant>(&V);
    Type *Byte = Type::getInt8Ty(V.getContext());
    auto *Found = dyn_cast_or_null<ConstantInt>(
        C ? ConstantFoldLoadFromConst(const_cast<Constant *>(C), Byte, APInt(64, Place), DL)
          : nullptr);
    return Found ? std::optional(Found->getZExtValue()) : std::nullopt;
  }

  const DataLayout &DL;
  const uint64_t At;
  const unsigned Copies; ///< of descriptors of descriptors are looked through
  bool Known = true;
  std::optional<uint64_t> Stored;
};

void Member::stores(Value &V, uint64_t Offset) {
  const uint64_t Bytes = DL.getTypeStoreSize(V.getType());
  if (At < Offset || At >= Offset + Bytes)
    return;
  auto *T = dyn_cast<StructType>(V.getType());
  if (!T)
    return isOneOf(byteOf(V, At - Offset));
  const StructLayout &Layout = *DL.getStructLayout(T);
  const unsigned Index = Layout.getElementContainingOffset(At - Offset);
  const Value *Part = FindInsertedValue(&V, Index);
  isOneOf(Part ? byteOf(*Part, At - Offset - Layout.getElementOffset(Index)) : std::nullopt);
}

/// Another descriptor is copied here as a whole.
void Member::copies(const MemCpyInst &Copy, uint64_t Offset) {
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  auto *Source = dyn_cast<AllocaInst>(Copy.getSource());
  if (Offset != 0 || !Length || Length->getZExtValue() <= At || !Source || Copies == 0)
    Known = false;
  else
    isOneOf(Member(*Source, At, Copies - 1).value());
}

void Member::use(const User &U, const Value &Address, uint64_t Offset) {
  APInt Step(DL.getIndexTypeSizeInBits(Address.getType()), 0);
  auto *Store = dyn_cast<StoreInst>(&U);
  auto *GEP = dyn_cast<GEPOperator>(&U);
  auto *Copy = dyn_cast<MemCpyInst>(&U);
  auto *Call = dyn_cast<CallBase>(&U);
  if (Store && Store->getValueOperand() != &Address)
    stores(*const_cast<Value *>(Store->getValueOperand()), Offset);
  else if (GEP && GEP->accumulateConstantOffset(DL, Step))
    visit(*GEP, Offset + Step.getZExtValue());
  else if (Copy && Copy->getDest() == &Address)
    copies(*Copy, Offset);
  else // The library changes no more of a descriptor than where the array is.
    Known &=
        isa<LoadInst>(U) || Copy ||
        (Call && (Call->isLifetimeStartOrEnd() ||
                  (Call->getCalledFunction() && Call->getCalledFunction()->getName() == Assign)));
}

void Member::visit(const Value &Address, uint64_t Offset) {
  for (const User *U : Address.users())
    use(*U, Address, Offset);
}

struct Shape {
  uint64_t Rank;
  Type *Element;
};

std::optional<Shape> shapeOf(const Value *Descriptor, bool IsLeft) {
  auto *Variable = dyn_cast<AllocaInst>(Descriptor->stripPointerCasts());
  if (!Variable)
    return std::nullopt;
  const auto Dimensions = Member(*Variable, Place::Rank).value();
  const auto Type = Member(*Variable, TypeCode).value(),
             Kind = Member(*Variable, Attribute).value();
  if (!Dimensions || *Dimensions > MostDimensions || (IsLeft && (!Kind || *Kind >= Allocatable)))
    return std::nullopt;
  LLVMContext &C = Descriptor->getContext();
  if (Type != CFloat && Type != CDouble)
    return std::nullopt;
  return Shape{*Dimensions, *Type == CFloat ? Type::getFloatTy(C) : Type::getDoubleTy(C)};
}

/// The array that a descriptor describes, in a function that is made for its shape.
class Array {
public:
  Array(IRBuilder<> &B, Value *Descriptor) : B(B), Descriptor(Descriptor) {}
  Value *extent(uint64_t Dimension) { return dimension(Dimension, ExtentPlace); }
  Value *address(ArrayRef<Value *> Indices);

private:
  Value *dimension(uint64_t Dimension, int64_t Place) {
    const int64_t At = Dimensions + static_cast<int64_t>(Dimension) * DimensionBytes + Place;
    return B.CreateLoad(B.getInt64Ty(), B.CreatePtrAdd(Descriptor, B.getInt64(At)));
  }

  IRBuilder<> &B;
  Value *Descriptor;
};

Value *Array::address(ArrayRef<Value *> Indices) {
  Value *Distance = B.getInt64(0);
  for (const auto &[Dimension, Index] : enumerate(Indices))
    Distance = B.CreateAdd(Distance, B.CreateMul(Index, dimension(Dimension, StridePlace)));
  return B.CreatePtrAdd(B.CreateLoad(B.getPtrTy(), Descriptor), Distance);
}

/// A nest of loops, the first dimension innermost. Body finds the indices in Indices.
void loops(IRBuilder<> &B, ArrayRef<Value *> Extents, MutableArrayRef<Value *> Indices,
           function_ref<void()> Body) {
  if (Extents.empty())
    return Body();
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *Loop = BasicBlock::Create(F->getContext(), "loop", F);
  BasicBlock *End = BasicBlock::Create(F->getContext(), "end", F);
  B.CreateCondBr(B.CreateICmpSGT(Extents.back(), B.getInt64(0)), Loop, End);
  B.SetInsertPoint(Loop);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2);
  Index->addIncoming(B.getInt64(0), Before);
  Indices.back() = Index;
  loops(B, Extents.drop_back(), Indices.drop_back(), Body);
  Value *Next = B.CreateNSWAdd(Index, B.getInt64(1));
  Index->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpSLT(Next, Extents.back()), Loop, End);
  B.SetInsertPoint(End);
}

/// (descriptor of the left side, of the right side), of given numbers of dimensions.
Function *assignment(Module &M, const Shape &To, uint64_t FromRank) {
  LLVMContext &C = M.getContext();
  const std::string Name = ("cf.body.fortran_assign." + Twine(To.Rank) + "." + Twine(FromRank) +
                            (To.Element->isFloatTy() ? ".f" : ".d"))
                               .str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  Type *Pointer = PointerType::getUnqual(C);
  auto *F = Function::Create(FunctionType::get(Type::getVoidTy(C), {Pointer, Pointer}, false),
                             GlobalValue::InternalLinkage, Name, M);
  IRBuilder<> B(BasicBlock::Create(C, "entry", F));
  Array Left(B, F->getArg(0)), Right(B, F->getArg(1));
  SmallVector<Value *, MostDimensions> Extents, Indices(To.Rank);
  Value *Count = B.getInt64(1);
  for (uint64_t Dimension = 0; Dimension < To.Rank; ++Dimension) {
    Extents.push_back(Left.extent(Dimension));
    Count = B.CreateMul(Count, Extents.back());
  }
  FunctionCallee Malloc = M.getOrInsertFunction("malloc", Pointer, B.getInt64Ty());
  FunctionCallee Free = M.getOrInsertFunction("free", B.getVoidTy(), Pointer);
  const uint64_t Bytes = M.getDataLayout().getTypeAllocSize(To.Element);
  Value *Copy = B.CreateCall(Malloc, {B.CreateMul(Count, B.getInt64(Bytes))});
  auto InCopy = [&] {
    Value *At = B.getInt64(0);
    for (uint64_t Dimension = To.Rank; Dimension-- > 0;)
      At = B.CreateAdd(B.CreateMul(At, Extents[Dimension]), Indices[Dimension]);
    return B.CreateInBoundsGEP(To.Element, Copy, At);
  };
  loops(B, Extents, Indices, [&] {
    Value *From = Right.address(ArrayRef(Indices).take_front(FromRank));
    B.CreateStore(B.CreateLoad(To.Element, From), InCopy());
  });
  loops(B, Extents, Indices,
        [&] { B.CreateStore(B.CreateLoad(To.Element, InCopy()), Left.address(Indices)); });
  B.CreateCall(Free, {Copy});
  B.CreateRetVoid();
  return F;
}

class FortranAssignHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    SmallVector<std::pair<CallInst *, Function *>, 4> Known;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (Function *Body = bodyFor(*Call))
          Known.push_back({Call, Body});
    for (auto [Call, Body] : Known) {
      IRBuilder<> B(Call);
      B.CreateCall(Body, {Call->getArgOperand(0), Call->getArgOperand(1)})->copyMetadata(*Call);
      Call->eraseFromParent();
    }
    return !Known.empty();
  }

private:
  static Function *bodyFor(CallInst &Call) {
    const Function *F = Call.getCalledFunction();
    if (!F || !F->isDeclaration() || F->getName() != Assign || Call.arg_size() != 4)
      return nullptr;
    const auto To = shapeOf(Call.getArgOperand(0), /*IsLeft=*/true);
    const auto From = shapeOf(Call.getArgOperand(1), /*IsLeft=*/false);
    if (!To || !From || To->Element != From->Element || (From->Rank != To->Rank && From->Rank != 0))
      return nullptr;
    return assignment(*Call.getModule(), *To, From->Rank);
  }
};

} // namespace

void registerFortranHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<FortranAssignHandler>());
}

} // namespace contraflow
