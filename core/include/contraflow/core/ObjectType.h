// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of what type an object is that a call makes. Noted before optimisation of those that functions
// of a model make, which no variable and no access describes.
//
//   %t = call ptr @task_alloc(...), !contraflow.type !{%struct.task undef}

#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Metadata.h"

namespace contraflow {

inline constexpr llvm::StringLiteral ObjectTypeKind = "contraflow.type";

inline void noteObjectType(llvm::Instruction &Maker, llvm::Type *T) {
  auto *Of = llvm::ConstantAsMetadata::get(llvm::UndefValue::get(T));
  Maker.setMetadata(ObjectTypeKind, llvm::MDNode::get(T->getContext(), Of));
}

/// Null if nothing was noted.
inline llvm::Type *notedObjectType(const llvm::Instruction &Maker) {
  const llvm::MDNode *Note = Maker.getMetadata(ObjectTypeKind);
  auto *Of = Note ? llvm::dyn_cast<llvm::ConstantAsMetadata>(Note->getOperand(0)) : nullptr;
  return Of ? Of->getType() : nullptr;
}

} // namespace contraflow
