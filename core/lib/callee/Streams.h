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

/// True if both streams may be of one file: they are the same value, or read from the same place,
/// or opened under the same name.
bool mayBeOneStream(const llvm::Value *A, const llvm::Value *B);

} // namespace contraflow
