// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What debug information says of the parameters of functions of C, where nobody has noted what they
// were before they were optimised. A complex number is two parameters of IR, or one vector:
//
//   double f(double _Complex z, float k)   ->   double @f(double, double, float) !dbg ...
//   !DISubroutineType(types: !{double, complex, float})
//   -> parameters 0 and 1 are a {double, double}, at 0 and 8

#include "DebugTypes.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace contraflow {

/// The types of result and parameters of a function of C, as they were written; none if that is not
/// known.
static DITypeRefArray writtenTypes(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  const DICompileUnit *Unit = Program ? Program->getUnit() : nullptr;
  const DISubroutineType *Type = Program ? Program->getType() : nullptr;
  if (!Unit || !Type || Unit->getSourceLanguage().hasVersionedName() ||
      !dwarf::isC(static_cast<dwarf::SourceLanguage>(Unit->getSourceLanguage().getName())))
    return {};
  return Type->getTypeArray();
}

const DIType *withoutNames(const DIType *T) {
  while (const auto *Derived = dyn_cast_or_null<DIDerivedType>(T)) {
    if (Derived->getTag() != dwarf::DW_TAG_typedef &&
        Derived->getTag() != dwarf::DW_TAG_const_type &&
        Derived->getTag() != dwarf::DW_TAG_volatile_type &&
        Derived->getTag() != dwarf::DW_TAG_restrict_type)
      break;
    T = Derived->getBaseType();
  }
  return T;
}

/// The pieces of a complex number that begin with parameter First of F; none if T is none.
static SmallVector<uint64_t, 2> piecesOf(const DIType &T, const Function &F, unsigned First) {
  const auto *Basic = dyn_cast<DIBasicType>(&T);
  if (!Basic || Basic->getEncoding() != dwarf::DW_ATE_complex_float || First >= F.arg_size())
    return {};
  const Type *Here = F.getArg(First)->getType();
  if (Basic->getSizeInBits() == 128 && Here->isDoubleTy())
    return {0, 8};
  const auto *Vector = dyn_cast<FixedVectorType>(Here);
  if (Basic->getSizeInBits() == 64 && Vector && Vector->getElementType()->isFloatTy() &&
      Vector->getNumElements() == 2)
    return {0};
  return {};
}

SmallVector<WrittenComplex, 2> complexParameters(const Function &F) {
  SmallVector<WrittenComplex, 2> Found;
  const DITypeRefArray Types = writtenTypes(F);
  unsigned Next = F.hasStructRetAttr() ? 1 : 0;
  for (unsigned I = 1; I < Types.size(); ++I) {
    const DIType *T = withoutNames(Types[I]);
    if (!T || (isa<DICompositeType>(T) && T->getTag() != dwarf::DW_TAG_enumeration_type))
      return {}; // as many parameters as there are registers for
    const SmallVector<uint64_t, 2> Pieces = piecesOf(*T, F, Next);
    if (!Pieces.empty())
      Found.push_back({Next, F.getArg(Next)->getType()->getScalarType(), Pieces});
    Next += std::max<unsigned>(1, Pieces.size());
  }
  return Next == F.arg_size() ? Found : SmallVector<WrittenComplex, 2>();
}

/// True for a number, or a vector of them.
static bool isWrittenNumber(const DIType *T) {
  const auto *Basic = dyn_cast_or_null<DIBasicType>(T);
  return (Basic && Basic->getEncoding() == dwarf::DW_ATE_float) ||
         (T && T->getTag() == dwarf::DW_TAG_array_type);
}

unsigned countWrittenNumbers(const Function &F, unsigned Otherwise) {
  const DITypeRefArray Types = writtenTypes(F);
  unsigned Numbers = 0;
  for (unsigned I = 1; I < Types.size(); ++I)
    Numbers += isWrittenNumber(withoutNames(Types[I]));
  return Types.size() > 0 ? Numbers : Otherwise;
}

} // namespace contraflow
