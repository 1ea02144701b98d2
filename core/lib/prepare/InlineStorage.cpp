// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object is cut where the lowest address in it is that anything but a load or a store of its
// own is done with, if its type says that an array begins there: C and C++ do not let a pointer
// into an array leave it. What lies before must be accessed member by member. From a structure
// behind the array, a base or a link in a list, a dynamic_cast, a virtual function or the step back
// to what holds the link (container_of) leads to the whole: an object in which such an address goes
// elsewhere stays one.

#include "InlineStorage.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The member of a T that Offset lies in, and where in it; null: T is no structure, or ends before.
std::pair<Type *, uint64_t> memberAt(Type *T, uint64_t Offset, const DataLayout &DL) {
  auto *S = dyn_cast<StructType>(T);
  if (!S || Offset >= DL.getTypeAllocSize(S).getFixedValue())
    return {nullptr, 0};
  const StructLayout *Layout = DL.getStructLayout(S);
  const unsigned Member = Layout->getElementContainingOffset(Offset);
  return {S->getElementType(Member), Offset - Layout->getElementOffset(Member).getFixedValue()};
}

/// How long the array is that begins at Offset of a T; 0: none does.
uint64_t arrayAt(Type *T, uint64_t Offset, const DataLayout &DL) {
  if (isa<ArrayType>(T) && Offset == 0)
    return DL.getTypeAllocSize(T).getFixedValue();
  const auto [Member, Within] = memberAt(T, Offset, DL);
  return Member ? arrayAt(Member, Within, DL) : 0;
}

/// True if a structure of a T, not T itself, begins at Offset, unless it is a number or an array.
bool structureBeginsAt(Type *T, uint64_t Offset, const DataLayout &DL) {
  const auto [Member, Within] = memberAt(T, Offset, DL);
  if (!Member)
    return false;
  Type *Inner = Member;
  while (isa<StructType>(Inner) && Inner->getStructNumElements() == 1)
    Inner = Inner->getStructElementType(0);
  if (Within == 0 && (isa<StructType>(Inner) || (Inner != Member && Inner->isPointerTy())))
    return true;
  return structureBeginsAt(Member, Within, DL);
}

/// The members of a T that lie in [Begin, End), an array whole. What is between them is padding,
/// and no bytes in which anything may lie.
void addMembers(Type *T, int64_t Begin, int64_t End, const DataLayout &DL,
                SmallVectorImpl<Type *> &Out) {
  auto *S = cast<StructType>(T);
  const StructLayout *Layout = DL.getStructLayout(S);
  int64_t Done = Begin;
  auto Fill = [&](int64_t To) {
    if (To > Done)
      Out.append(size_t(To - Done), Type::getInt8Ty(T->getContext()));
    Done = To;
  };
  for (unsigned I = 0; I < S->getNumElements(); ++I) {
    Type *Member = S->getElementType(I);
    const int64_t At = Layout->getElementOffset(I).getFixedValue();
    const int64_t Behind = At + DL.getTypeAllocSize(Member).getFixedValue();
    if (Behind <= Begin || At >= End)
      continue;
    Fill(At);
    if (At >= Begin && Behind <= End)
      Out.push_back(Member);
    else
      addMembers(Member, std::max<int64_t>(Begin - At, 0), std::min(End, Behind) - At, DL, Out);
    Done = std::min(End, Behind);
  }
  Fill(std::min<int64_t>(End, DL.getTypeAllocSize(S).getFixedValue()));
}

class Splitter {
public:
  explicit Splitter(AllocaInst &A) : A(A), DL(A.getDataLayout()) {}
  bool run();

private:
  struct Place {
    Use *U;
    uint64_t Offset;
  };
  bool collect(Value &V, uint64_t Offset);
  void collectUse(Use &U, uint64_t Offset);
  bool fits(const Place &P) const;
  bool isKeptBefore(const Place &P) const;
  bool isKeptAsEnd(const Place &P, uint64_t End) const;
  bool staysApart(const Place &P, uint64_t End) const;
  Value *address(const Place &P, uint64_t Offset);
  void cut(MemIntrinsic &Move);
  void replace(const Place &P);

  AllocaInst &A;
  const DataLayout &DL;
  uint64_t Bytes = 0, Cut = ~uint64_t(0);
  SmallVector<Place, 16> Places;
  SmallVector<Instruction *, 8> Old;
  AllocaInst *Head = nullptr, *Tail = nullptr;
};

/// How much memory an access of its own touches; 0: the address goes elsewhere.
uint64_t bytesAccessed(const Use &U, const DataLayout &DL) {
  auto *I = cast<Instruction>(U.getUser());
  if (isa<LoadInst>(I))
    return DL.getTypeStoreSize(I->getType()).getFixedValue();
  if (auto *Store = dyn_cast<StoreInst>(I); Store && U.getOperandNo() == 1)
    return DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue();
  auto *Move = dyn_cast<MemIntrinsic>(I);
  auto *Length = Move ? dyn_cast<ConstantInt>(Move->getLength()) : nullptr;
  return Length ? Length->getZExtValue() : 0;
}

void Splitter::collectUse(Use &U, uint64_t Offset) {
  Places.push_back({&U, Offset});
  if (!bytesAccessed(U, DL) && !isa<LifetimeIntrinsic>(U.getUser()))
    Cut = std::min(Cut, Offset);
}

bool Splitter::collect(Value &V, uint64_t Offset) {
  for (Use &U : V.uses()) {
    auto *Step = dyn_cast<GetElementPtrInst>(U.getUser());
    APInt By(DL.getIndexTypeSizeInBits(V.getType()), 0);
    if (!Step || !Step->accumulateConstantOffset(DL, By)) {
      collectUse(U, Offset);
      continue;
    }
    if (By.isNegative() ? By.abs().ugt(Offset) : By.ugt(Bytes - Offset))
      return false;
    Old.push_back(Step);
    if (!collect(*Step, Offset + By.getSExtValue()))
      return false;
  }
  return true;
}

/// True if an access is on one side of the cut, or can be cut.
bool Splitter::fits(const Place &P) const {
  const uint64_t Size = bytesAccessed(*P.U, DL);
  if (P.Offset >= Cut || P.Offset + Size <= Cut || isa<LifetimeIntrinsic>(P.U->getUser()))
    return true;
  auto *Move = dyn_cast<MemIntrinsic>(P.U->getUser());
  const auto IsSame = [&](const Place &Other) { return Other.U->getUser() == Move; };
  return Move && !isa<MemMoveInst>(Move) && !Move->isVolatile() && count_if(Places, IsSame) == 1;
}

/// True if the address is kept before the cut.
bool Splitter::isKeptBefore(const Place &P) const {
  const auto *Store = dyn_cast<StoreInst>(P.U->getUser());
  APInt At(DL.getIndexTypeSizeInBits(A.getType()), 0);
  return Store && P.U->getOperandNo() == 0 &&
         Store->getPointerOperand()->stripAndAccumulateConstantOffsets(
             DL, At, /*AllowNonInbounds=*/true) == &A &&
         At.ult(Cut);
}

/// True if the address is that of the array's end, which is kept beside the one of its beginning.
bool Splitter::isKeptAsEnd(const Place &P, uint64_t End) const {
  return P.Offset == End && isKeptBefore(P) && any_of(Places, [&](const Place &Begin) {
           return Begin.Offset == Cut && isKeptBefore(Begin);
         });
}

/// True unless an address that goes elsewhere may lead from behind the array, which ends at End, to
/// the whole object.
bool Splitter::staysApart(const Place &P, uint64_t End) const {
  return P.Offset < End || bytesAccessed(*P.U, DL) ||
         isa<LifetimeIntrinsic, ICmpInst>(P.U->getUser()) || isKeptAsEnd(P, End) ||
         !structureBeginsAt(A.getAllocatedType(), P.Offset, DL);
}

Value *Splitter::address(const Place &P, uint64_t Offset) {
  auto *User = cast<Instruction>(P.U->getUser());
  auto *Phi = dyn_cast<PHINode>(User);
  IRBuilder<> B(Phi ? Phi->getIncomingBlock(*P.U)->getTerminator() : User);
  const bool InTail = Offset >= Cut;
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), InTail ? Tail : Head,
                                      InTail ? Offset - Cut : Offset);
}

/// What tbaa.struct says of the first bytes.
MDNode *partsBefore(const MDNode &Parts, uint64_t End) {
  SmallVector<Metadata *, 12> Kept;
  for (unsigned I = 0; I + 2 < Parts.getNumOperands(); I += 3) {
    const auto *At = mdconst::extract<ConstantInt>(Parts.getOperand(I));
    const auto *Size = mdconst::extract<ConstantInt>(Parts.getOperand(I + 1));
    if (At->getZExtValue() + Size->getZExtValue() <= End)
      Kept.append({Parts.getOperand(I), Parts.getOperand(I + 1), Parts.getOperand(I + 2)});
  }
  return Kept.empty() ? nullptr : MDNode::get(Parts.getContext(), Kept);
}

/// Makes two of a copy or a memset that touches both parts.
void Splitter::cut(MemIntrinsic &Move) {
  uint64_t First = 0;
  for (const Place &P : Places)
    if (P.U->getUser() == &Move && P.Offset < Cut)
      First = std::max(First, Cut - P.Offset);
  auto *Second = cast<MemIntrinsic>(Move.clone());
  Second->insertAfter(Move.getIterator());
  IRBuilder<> B(Second);
  const uint64_t Length = cast<ConstantInt>(Move.getLength())->getZExtValue();
  auto Step = [&](Value *At) { return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), At, First); };
  Second->setDest(Step(Move.getRawDest()));
  if (auto *Copy = dyn_cast<MemTransferInst>(Second)) {
    Copy->setSource(Step(Copy->getRawSource()));
    Copy->setSourceAlignment(commonAlignment(Copy->getSourceAlign().valueOrOne(), First));
  }
  Second->setDestAlignment(commonAlignment(Second->getDestAlign().valueOrOne(), First));
  Second->setLength(ConstantInt::get(Move.getLength()->getType(), Length - First));
  Move.setLength(ConstantInt::get(Move.getLength()->getType(), First));
  if (MDNode *Parts = Move.getMetadata(LLVMContext::MD_tbaa_struct)) {
    Second->setMetadata(LLVMContext::MD_tbaa_struct, AAMDNodes::shiftTBAAStruct(Parts, First));
    Move.setMetadata(LLVMContext::MD_tbaa_struct, partsBefore(*Parts, First));
  }
}

void Splitter::replace(const Place &P) {
  if (auto *End = dyn_cast<LifetimeIntrinsic>(P.U->getUser()))
    return Old.push_back(End);
  auto *Access = cast<Instruction>(P.U->getUser());
  if (isa<LoadInst, StoreInst>(Access))
    Access->setMetadata(LLVMContext::MD_tbaa, nullptr); // it names a structure that is no more
  P.U->set(address(P, P.Offset));
}

bool Splitter::run() {
  const auto Size = A.getAllocationSize(DL);
  if (!A.isStaticAlloca() || !Size || !isa<StructType>(A.getAllocatedType()))
    return false;
  Bytes = Size->getFixedValue();
  if (!collect(A, 0) || Cut == 0 || Cut >= Bytes)
    return false;
  const uint64_t Array = arrayAt(A.getAllocatedType(), Cut, DL);
  if (!Array ||
      !all_of(Places, [&](const Place &P) { return fits(P) && staysApart(P, Cut + Array); }))
    return false;
  IRBuilder<> B(&A);
  auto Part = [&](uint64_t Begin, uint64_t End, Align Alignment) {
    SmallVector<Type *, 8> Members;
    addMembers(A.getAllocatedType(), Begin, End, DL, Members);
    AllocaInst *New = B.CreateAlloca(StructType::get(A.getContext(), Members, /*isPacked=*/true));
    New->setAlignment(Alignment);
    return New;
  };
  Head = Part(0, Cut, A.getAlign());
  Tail = Part(Cut, Bytes, commonAlignment(A.getAlign(), Cut));
  for (Instruction &I : make_early_inc_range(instructions(*A.getFunction())))
    if (auto *Move = dyn_cast<MemIntrinsic>(&I))
      if (any_of(Places, [&](const Place &P) {
            return P.U->getUser() == Move && P.Offset < Cut &&
                   P.Offset + bytesAccessed(*P.U, DL) > Cut;
          }))
        cut(*Move);
  Places.clear();
  Old.clear();
  if (!collect(A, 0))
    return false;
  for (const Place &P : Places)
    replace(P);
  for (Instruction *I : reverse(Old))
    I->eraseFromParent();
  A.eraseFromParent();
  return true;
}

} // namespace

bool splitInlineStorage(Function &F) {
  SmallVector<AllocaInst *, 8> Locals;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Locals.push_back(A);
  bool Changed = false;
  for (AllocaInst *A : Locals)
    Changed |= Splitter(*A).run();
  return Changed;
}

} // namespace contraflow
