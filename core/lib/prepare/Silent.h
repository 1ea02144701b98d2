// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that write nothing which a derivative could depend on: those that print. A call of one
// stays a call; its body is not prepared.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace contraflow {

class SilentCallees {
public:
  explicit SilentCallees(const HandlerRegistry &Handlers) : Handlers(Handlers) {}
  /// Marks a call that stays one; true if it does.
  bool keep(llvm::CallBase &Call);

private:
  /// Members: of objects that hold no floats, as the library has them; Objects: any such.
  enum class Effect { None, Members, Objects, Active };
  using Key = std::pair<const llvm::Function *, uint64_t>; ///< with parameters that are its own
  Effect effectOf(const Key &K);
  Effect effectOf(const llvm::Instruction &I, uint64_t Own);
  Effect effectOfCall(const llvm::CallBase &Call, uint64_t Own);
  Effect effectOfKnown(const llvm::CallBase &Call, uint64_t Own);
  Effect effectOfStore(const llvm::Value *Pointer, const llvm::Value *V, uint64_t Own) const;

  const HandlerRegistry &Handlers;
  llvm::DenseMap<Key, Effect> Known;
  llvm::SmallDenseSet<Key> Seen;  ///< by the question that is being answered
  bool UsesLibrary = false;       ///< some of it is known by name: output, text
  bool NamesVariables = false;    ///< what it writes may be a global variable, or behind one
  unsigned Looked = 0, Total = 0; ///< instructions, for one question and for all
};

} // namespace contraflow
