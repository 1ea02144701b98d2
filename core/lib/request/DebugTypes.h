// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, and parameters of functions of C, as debug information has them.

#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class DIType;
class Function;
class Type;
} // namespace llvm

namespace contraflow {

/// What T is without the names and qualifiers that it has.
const llvm::DIType *withoutNames(const llvm::DIType *T);

/// A complex number that is passed by value.
struct WrittenComplex {
  unsigned First = 0;                    ///< among the parameters of the function
  llvm::Type *Part = nullptr;            ///< a real number
  llvm::SmallVector<uint64_t, 2> Pieces; ///< offsets of what is passed
};

/// None if something else is passed in pieces: what belongs together is not known then.
llvm::SmallVector<WrittenComplex, 2> complexParameters(const llvm::Function &F);

/// How many parameters were written that are numbers themselves; Otherwise if that is not known.
unsigned countWrittenNumbers(const llvm::Function &F, unsigned Otherwise);

} // namespace contraflow
