// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What debug information says of structures, as types of IR:
//
//   struct entry { float value; int row; };   void f(struct entry *to) { *to = ... }
//   DILocalVariable(to: pointer to DICompositeType(entry))      ->  {float, i32}
//
// The places of all members have to be those that IR gives them.

#include "DebugStructures.h"
#include "request/DebugTypes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr unsigned MostMembers = 64, MostLevels = 16;

/// What a pointer or a reference leads to; null for anything else.
const DIType *pointee(const DIType *T) {
  const auto *Derived = dyn_cast_or_null<DIDerivedType>(withoutNames(T));
  switch (Derived ? Derived->getTag() : dwarf::DW_TAG_null) {
  case dwarf::DW_TAG_pointer_type:
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type:
    return withoutNames(Derived->getBaseType());
  default:
    return nullptr;
  }
}

class Builder {
public:
  Builder(LLVMContext &Context, const DataLayout &DL) : Context(Context), DL(DL) {}
  /// Null for what has no equivalent.
  Type *typeOf(const DIType *T, unsigned Level = 0);

private:
  Type *basic(const DIBasicType &T);
  Type *array(const DICompositeType &T, unsigned Level);
  Type *structure(const DICompositeType &T, unsigned Level);

  LLVMContext &Context;
  const DataLayout &DL;
};

Type *Builder::basic(const DIBasicType &T) {
  switch (T.getEncoding()) {
  case dwarf::DW_ATE_float:
    return T.getSizeInBits() == 64   ? Type::getDoubleTy(Context)
           : T.getSizeInBits() == 32 ? Type::getFloatTy(Context)
                                     : nullptr;
  case dwarf::DW_ATE_boolean:
  case dwarf::DW_ATE_signed:
  case dwarf::DW_ATE_unsigned:
  case dwarf::DW_ATE_signed_char:
  case dwarf::DW_ATE_unsigned_char:
  case dwarf::DW_ATE_UTF:
    return Type::getIntNTy(Context, T.getSizeInBits());
  default:
    return nullptr;
  }
}

Type *Builder::array(const DICompositeType &T, unsigned Level) {
  Type *Of = T.isVector() ? nullptr : typeOf(T.getBaseType(), Level + 1);
  const DINodeArray Dimensions = T.getElements();
  for (unsigned I = Dimensions.size(); I > 0; --I) {
    const DINode *Dimension = Dimensions[I - 1];
    const auto *Range = dyn_cast_or_null<DISubrange>(Dimension);
    const auto *Count = Range ? dyn_cast_if_present<ConstantInt *>(Range->getCount()) : nullptr;
    if (!Of || !Count || Count->isNegative())
      return nullptr;
    Of = ArrayType::get(Of, Count->getZExtValue());
  }
  return Of;
}

bool isEmptyBase(const DIDerivedType &Member) {
  const auto *Base = dyn_cast_or_null<DICompositeType>(withoutNames(Member.getBaseType()));
  return Member.getTag() == dwarf::DW_TAG_inheritance && Base && Base->getSizeInBits() == 8 &&
         none_of(Base->getElements(), [](const DINode *Element) {
           return isa_and_nonnull<DIDerivedType>(Element) &&
                  !cast<DIDerivedType>(Element)->isStaticMember();
         });
}

Type *Builder::structure(const DICompositeType &T, unsigned Level) {
  SmallVector<Type *, 8> Members;
  SmallVector<uint64_t, 8> Offsets;
  for (const DINode *Element : T.getElements()) {
    const auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    if (!Member || Member->isStaticMember() || isEmptyBase(*Member) ||
        (Member->getTag() != dwarf::DW_TAG_member && Member->getTag() != dwarf::DW_TAG_inheritance))
      continue; // functions and names, which need no room
    Type *Of = Member->isBitField() || Member->isVirtual()
                   ? nullptr
                   : typeOf(Member->getBaseType(), Level + 1);
    if (!Of || Members.size() == MostMembers)
      return nullptr;
    Members.push_back(Of);
    Offsets.push_back(Member->getOffsetInBits());
  }
  if (Members.empty())
    return nullptr;
  auto *S = StructType::get(Context, Members);
  const StructLayout *Places = DL.getStructLayout(S);
  for (auto [I, Offset] : enumerate(Offsets))
    if (Places->getElementOffsetInBits(I).getFixedValue() != Offset)
      return nullptr;
  return Places->getSizeInBits().getFixedValue() == T.getSizeInBits() ? S : nullptr;
}

Type *Builder::typeOf(const DIType *Named, unsigned Level) {
  const DIType *T = withoutNames(Named);
  if (!T || Level > MostLevels)
    return nullptr;
  if (const auto *Basic = dyn_cast<DIBasicType>(T))
    return basic(*Basic);
  if (pointee(T) || T->getTag() == dwarf::DW_TAG_pointer_type)
    return PointerType::getUnqual(Context);
  const auto *Composite = dyn_cast<DICompositeType>(T);
  switch (Composite ? Composite->getTag() : dwarf::DW_TAG_null) {
  case dwarf::DW_TAG_enumeration_type:
    return Type::getIntNTy(Context, T->getSizeInBits());
  case dwarf::DW_TAG_array_type:
    return array(*Composite, Level);
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
    return structure(*Composite, Level);
  default:
    return nullptr;
  }
}

} // namespace

/// What is known of a variable of the front end's; with optimisation, by assignments to it.
static const DILocalVariable *describing(const AllocaInst &Variable) {
  auto IsWhole = [](const DbgVariableRecord *R) {
    return R->getExpression()->getNumElements() == 0;
  };
  for (const DbgVariableRecord *R : findDVRDeclares(const_cast<AllocaInst *>(&Variable)))
    if (IsWhole(R))
      return R->getVariable();
  for (const DbgVariableRecord *R : at::getDVRAssignmentMarkers(&Variable))
    if (IsWhole(R))
      return R->getVariable();
  return nullptr;
}

StructType *structureBehindVariable(const AllocaInst &Variable, const DataLayout &DL) {
  const DILocalVariable *Described = describing(Variable);
  return Described ? dyn_cast_or_null<StructType>(
                         Builder(Variable.getContext(), DL).typeOf(pointee(Described->getType())))
                   : nullptr;
}

} // namespace contraflow
