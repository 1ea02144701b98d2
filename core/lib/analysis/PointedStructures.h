// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures that pointers lead to, in code as the front end leaves it.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace llvm {
class AllocaInst;
class Argument;
class Function;
class LoadInst;
class Module;
class StructType;
class Value;
} // namespace llvm

namespace contraflow {

class PointedStructures {
public:
  explicit PointedStructures(llvm::Module &M) : M(M) {}

  /// The structure that Pointer is a step to, or a variable of; or the one it leads to by what TBAA
  /// and debug information call its type, by steps from its variable, and by what all callers hand
  /// over. Null if that is not known.
  llvm::StructType *behind(const llvm::Value &Pointer);
  /// The structure of this name, as one writes it: `ns::Particle`. Null if there are several: those
  /// of templates have no arguments in their names.
  llvm::StructType *called(llvm::StringRef Name);
  /// The structure that a pointer leads to which is loaded from no variable of the compiler's, by
  /// the steps from there, or by TBAA; null: several, or something else. Nothing if nobody says.
  std::optional<llvm::StructType *> loaded(const llvm::LoadInst &Pointer);
  /// The structure to whose members there are steps from what a variable holds; null: several.
  llvm::StructType *steppedInto(const llvm::AllocaInst &Variable);

private:
  llvm::StructType *named(const llvm::LoadInst &Pointer);
  llvm::StructType *behindVariable(const llvm::AllocaInst &Variable);
  llvm::StructType *handedOver(const llvm::Argument &A);

  llvm::Module &M;
  llvm::StringMap<llvm::StructType *> Named; ///< null: several
  llvm::DenseMap<const llvm::Function *,
                 llvm::DenseMap<const llvm::AllocaInst *, llvm::StructType *>>
      Stepped;
};

/// The variable of a pointer that is loaded; null if it is something else.
const llvm::AllocaInst *variableOf(const llvm::Value *Pointer);

} // namespace contraflow
