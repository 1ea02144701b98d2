// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of callee/Moves.def as values.

#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
} // namespace llvm

namespace contraflow {

enum class MoveKind : uint8_t { Copy, Move, Fill };
enum class MoveResult : uint8_t { Begin, End, None };

struct ByteMove {
  MoveKind Kind;
  int To, What, Size, Room; ///< operands, or -1
  MoveResult Result;
};

/// What a call of the library does, declared as the library has it.
std::optional<ByteMove> byteMove(const llvm::CallBase &Call);

} // namespace contraflow
