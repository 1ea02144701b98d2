// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reverse sweep knows of its memory, said to alias analysis: primal memory, shadows, the
// tape and buffers never overlap; shadows of arrays that are apart are apart.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

namespace contraflow {

class MemoryTags {
public:
  explicit MemoryTags(llvm::LLVMContext &C);
  /// A load of primal memory, computed again.
  void primal(llvm::Instruction &Access) const { tag(Access, Primal, {Shadow, Tape, Buffer}); }
  /// A load of a shadow pointer, computed again: numbers are added elsewhere. Where a number was
  /// before the pointer came there, its adjoint is taken after the pointer's last use.
  void pointer(llvm::Instruction &Access) const { tag(Access, Pointers, {Shadow, Tape, Buffer}); }
  void tape(llvm::Instruction &Access) const { tag(Access, Tape, {Shadow, Primal, Buffer}); }
  /// An access to the shadow of what Original accesses.
  void shadow(llvm::Instruction &Access, const llvm::Instruction &Original);
  /// A call that comes to shadows and to memory of its own.
  void notTape(llvm::Instruction &Call) const {
    Call.setMetadata(llvm::LLVMContext::MD_noalias,
                     llvm::MDNode::get(C, {Primal, Tape, Buffer, Pointers}));
  }
  /// An access to one of several buffers, which are apart.
  void buffer(llvm::Instruction &Access, unsigned Number, unsigned Count);

private:
  void tag(llvm::Instruction &Access, llvm::MDNode *Own,
           llvm::ArrayRef<llvm::Metadata *> Others) const;
  llvm::MDNode *mirror(llvm::Metadata *Scope);

  llvm::LLVMContext &C;
  llvm::MDNode *Primal, *Shadow, *Pointers, *Tape, *Buffer, *Arrays, *Numbered;
  llvm::DenseMap<llvm::Metadata *, llvm::MDNode *> Mirrors;
  llvm::SmallVector<llvm::MDNode *, 16> Buffers;
};

} // namespace contraflow
