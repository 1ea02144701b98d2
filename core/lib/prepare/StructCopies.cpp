// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assignment of a structure is a copy of bytes, whose reverse is a call of the runtime. Where
// the front end describes its members (!tbaa.struct) and all are floating-point numbers, a few of
// them, each is loaded and stored by itself:
//
//   struct Complex { double re, im; };   a[i] = b[j];
//   memcpy(a + i, b + j, 16)     ->     re = b[j].re; im = b[j].im; a[i].re = re; a[i].im = im;
//
// Padding between or behind them is not copied: what it holds is not specified.
// Then the plan may compute with them, and the sharing analysis knows whose the updates are.
//
// Of a copy of one word the optimiser makes a load and a store, and nothing says what was in it any
// more: struct Entry { float value; int row; }. A longer one becomes one word if some of it is
// overwritten. So those with halves of words that are numbers come apart before that.

#include "StructCopies.h"
#include "callee/Classes.h"
#include "contraflow/core/Construct.h"
#include "support/Scalars.h"

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
         : Found->second == SK_Half  ? Type::getHalfTy(Tag->getContext())
                                     : nullptr;
}

/// What a copy may consist of.
enum class Members { Numbers, NumbersAmongOthers };

/// A member of Bytes bytes that is no number: a word, or, with a size that no word has, bytes.
Type *wordOf(LLVMContext &Context, uint64_t Bytes) {
  constexpr uint64_t Word = 8;
  return Type::getIntNTy(Context, isPowerOf2_64(Bytes) && Bytes <= Word ? Bytes * 8 : 8);
}

/// What is copied, each where its alignment puts it behind the one before; nothing if there is no
/// number among it, or if there are others and they are not Wanted.
SmallVector<CopiedNumber, MostNumbers> partsOf(const MemTransferInst &Copy, Members Wanted) {
  const MDNode *Parts = Copy.getMetadata(LLVMContext::MD_tbaa_struct);
  const auto *Size = dyn_cast<ConstantInt>(Copy.getLength());
  SmallVector<CopiedNumber, MostNumbers> Out;
  if (!Parts || !Size || Copy.isVolatile())
    return {};
  uint64_t End = 0, Widest = 1;
  bool Any = false;
  for (unsigned I = 0; I + 2 < Parts->getNumOperands(); I += 3) {
    auto NumberAt = [&](unsigned At) {
      return mdconst::extract<ConstantInt>(Parts->getOperand(At))->getZExtValue();
    };
    auto *Tag = dyn_cast<MDNode>(Parts->getOperand(I + 2));
    const uint64_t Bytes = NumberAt(I + 1);
    Type *T = typeNamed(Tag);
    Any |= T != nullptr;
    if (!T && Wanted == Members::NumbersAmongOthers)
      T = wordOf(Copy.getContext(), Bytes);
    const uint64_t Each = T ? T->getScalarSizeInBits() / 8 : 0;
    if (!T || NumberAt(I) != alignTo(End, Each) || Bytes % Each != 0 ||
        Bytes / Each + Out.size() > MostNumbers)
      return {};
    Widest = std::max(Widest, Each);
    for (End = NumberAt(I); End < NumberAt(I) + Bytes; End += Each)
      Out.push_back({End, T, Tag});
  }
  if (!Any || (alignTo(End, Widest) != Size->getZExtValue() && End != Size->getZExtValue()))
    return {};
  return Out;
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
    if (const auto Parts =
            Copy ? partsOf(*Copy, Members::Numbers) : SmallVector<CopiedNumber, MostNumbers>();
        !Parts.empty()) {
      copyByNumbers(*Copy, Parts);
      Any = true;
    }
  }
  return Any;
}

void splitWordCopies(Module &M) {
  for (Function &F : M) {
    const bool InLibrary = isOfStandardLibrary(F);
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Copy = dyn_cast<MemCpyInst>(&I);
      if (Copy && InLibrary && !Copy->hasMetadata(MembersOfProgram))
        continue; // what it copies as a whole are its own objects, or whole ones
      const auto Parts = Copy ? partsOf(*Copy, Members::NumbersAmongOthers)
                              : SmallVector<CopiedNumber, MostNumbers>();
      auto IsPartOfWord = [&](const CopiedNumber &P) {
        return P.T->isHalfTy() || (P.T->isFloatTy() && Parts.size() > 1);
      };
      if (any_of(Parts, IsPartOfWord))
        copyByNumbers(*Copy, Parts);
    }
  }
}

} // namespace contraflow
