// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assignment of a structure is a copy of bytes, whose reverse is a call of the runtime. Where
// the front end describes its members (!tbaa.struct) and all are floating-point numbers, a few of
// them, each is loaded and stored by itself:
//
//   struct Complex { double re, im; };   a[i] = b[j];
//   memcpy(a + i, b + j, 16)     ->     re = b[j].re; im = b[j].im; a[i].re = re; a[i].im = im;
//
// Then the plan may compute with them, and the sharing analysis knows whose the updates are.

#include "StructCopies.h"
#include "contraflow/core/Construct.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostNumbers = 8;

/// The type that a description of an access names, if it is one of floating-point numbers that
/// move as they are.
Type *typeNamed(const MDNode *Tag) {
  static constexpr std::pair<StringLiteral, ScalarKind> Kinds[] = {
#define CF_SCALAR_TYPE(Name, Kind, Bytes) {Name, Kind},
#include "callee/ScalarTypes.def"
  };
  auto *Access = Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  auto *Name =
      Access && Access->getNumOperands() ? dyn_cast<MDString>(Access->getOperand(0)) : nullptr;
  const auto *Found = Name ? find_if(Kinds, [&](auto &K) { return K.first == Name->getString(); })
                           : std::end(Kinds);
  if (Found == std::end(Kinds))
    return nullptr;
  return Found->second == SK_Double  ? Type::getDoubleTy(Tag->getContext())
         : Found->second == SK_Float ? Type::getFloatTy(Tag->getContext())
                                     : nullptr;
}

/// The numbers that are copied, one behind the other; none if there is anything else among them.
SmallVector<CopiedNumber, MostNumbers> partsOf(const MemTransferInst &Copy) {
  const MDNode *Members = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  const auto *Size = dyn_cast<ConstantInt>(Copy.getLength());
  SmallVector<CopiedNumber, MostNumbers> Parts;
  if (!Members || !Size || Copy.isVolatile())
    return {};
  uint64_t End = 0;
  for (unsigned I = 0; I + 2 < Members->getNumOperands(); I += 3) {
    auto NumberAt = [&](unsigned At) {
      return mdconst::extract<ConstantInt>(Members->getOperand(At))->getZExtValue();
    };
    auto *Tag = dyn_cast<MDNode>(Members->getOperand(I + 2));
    Type *T = typeNamed(Tag);
    const uint64_t Each = T ? T->getScalarSizeInBits() / 8 : 0, Bytes = NumberAt(I + 1);
    if (!T || NumberAt(I) != End || Bytes % Each != 0 || Bytes / Each + Parts.size() > MostNumbers)
      return {};
    for (; End < NumberAt(I) + Bytes; End += Each)
      Parts.push_back({End, T, Tag});
  }
  if (End != Size->getZExtValue())
    return {};
  return Parts;
}

} // namespace

void copyByNumbers(MemTransferInst &Copy, ArrayRef<CopiedNumber> Parts) {
  IRBuilder<> B(&Copy);
  AAMDNodes About = Copy.getAAMetadata();
  About.TBAAStruct = nullptr;
  SmallVector<Value *, MostNumbers> Numbers;
  auto Place = [&](Value *From, const CopiedNumber &P) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), From, P.Offset);
  };
  auto Describe = [&](Instruction *Access, const CopiedNumber &P) {
    About.TBAA = P.Tag;
    Access->setAAMetadata(About);
  };
  for (const CopiedNumber &P : Parts) {
    const Align Known = commonAlignment(Copy.getSourceAlign().valueOrOne(), P.Offset);
    Numbers.push_back(B.CreateAlignedLoad(P.T, Place(Copy.getRawSource(), P), Known));
    Describe(cast<Instruction>(Numbers.back()), P);
  }
  for (auto [P, Number] : zip_equal(Parts, Numbers)) {
    const Align Known = commonAlignment(Copy.getDestAlign().valueOrOne(), P.Offset);
    Describe(B.CreateAlignedStore(Number, Place(Copy.getRawDest(), P), Known), P);
  }
  Copy.eraseFromParent();
}

bool splitStructCopies(Function &F) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Copy = dyn_cast<MemTransferInst>(&I);
    if (const auto Parts = Copy ? partsOf(*Copy) : SmallVector<CopiedNumber, MostNumbers>();
        !Parts.empty()) {
      copyByNumbers(*Copy, Parts);
      Any = true;
    }
  }
  return Any;
}

} // namespace contraflow
