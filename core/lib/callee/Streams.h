// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the library that move bytes as they are between memory and a stream.

#pragma once

#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace contraflow {

struct StreamMove {
  enum Direction { Out, In } Way;
  const llvm::Value *Stream, *Memory;
  std::optional<uint64_t> Bytes; ///< at most so many
};

std::optional<StreamMove> streamMove(const llvm::CallBase &Call);

/// The memory that a stream is opened on.
struct StreamMemory {
  enum Place { Here, Later } Where; ///< where the pointer leads, or where what is there will lead
  const llvm::Value *Pointer;
};

std::optional<StreamMemory> streamMemory(const llvm::Value *Stream);

/// True if both streams may be of one file: they are the same value, or read from the same place,
/// or opened under the same name.
bool mayBeOneStream(const llvm::Value *A, const llvm::Value *B);

} // namespace contraflow
