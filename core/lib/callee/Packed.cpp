// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One comparison per line of Packed.def.

#include "Packed.h"

namespace contraflow {

std::optional<PackedInstruction> packedInstruction(llvm::StringRef Mnemonic) {
#define CF_PACKED(Spelling, Fn, IsDouble, Operands)                                                \
  if (Mnemonic == Spelling)                                                                        \
    return PackedInstruction{PackedFn::Fn, IsDouble, Operands};
#include "Packed.def"
  return std::nullopt;
}

} // namespace contraflow
