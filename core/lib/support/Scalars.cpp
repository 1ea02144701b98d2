// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Scalars.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

using namespace llvm;

namespace contraflow {

constexpr StringLiteral UnionPrefix = "union.";

bool isUnion(const StructType &T) { return T.hasName() && T.getName().starts_with(UnionPrefix); }

bool eachScalar(Type *T, uint64_t Offset, const DataLayout &DL,
                function_ref<std::optional<bool>(const ArrayType &)> AtArray,
                function_ref<bool(Type *, uint64_t)> Visit) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    const StructLayout *Within = isUnion(*Struct) ? nullptr : DL.getStructLayout(Struct);
    return Within && all_of(enumerate(Struct->elements()), [&](const auto &Member) {
             const uint64_t At = Offset + Within->getElementOffset(Member.index());
             return eachScalar(Member.value(), At, DL, AtArray, Visit);
           });
  }
  auto *Array = dyn_cast<ArrayType>(T);
  if (!Array)
    return Visit(T, Offset);
  if (const std::optional<bool> Known = AtArray(*Array))
    return *Known;
  const uint64_t Stride = DL.getTypeAllocSize(Array->getElementType());
  for (uint64_t I = 0; I != Array->getNumElements(); ++I)
    if (!eachScalar(Array->getElementType(), Offset + I * Stride, DL, AtArray, Visit))
      return false;
  return true;
}

} // namespace contraflow
