// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of callee/Packed.def as values.

#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace contraflow {

enum class PackedFn : uint8_t { Add, Subtract, Multiply, Divide, Least, Greatest, MultiplyAdd };

struct PackedInstruction {
  PackedFn Fn;
  bool IsDouble;
  unsigned Operands; ///< with two of them the destination is the first source
};

std::optional<PackedInstruction> packedInstruction(llvm::StringRef Mnemonic);

} // namespace contraflow
