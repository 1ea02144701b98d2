// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that are a float at one time and a double at another. The adjoint of such a float, with
// zeros behind it, is next to nothing as a double: two of them are no sum of doubles.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Function;
class LoadInst;
class Value;
} // namespace llvm

namespace contraflow {

class ActivityResult;

struct MixedWords {
  bool Any = false;    ///< active floats may lie where doubles do at another time
  bool Stored = false; ///< the program stores them there, or they come from outside
  /// Loads of words that are only calculated with, before the derivative keeps any of them.
  llvm::DenseSet<const llvm::LoadInst *> Calculated;
};

MixedWords findMixedWords(const ActivityResult &Activity, llvm::ArrayRef<llvm::Function *> Closure);

/// True if the eight bytes that are loaded may be a float or a double, and go on as they are.
bool isFloatOrDouble(const ActivityResult &Activity, const llvm::LoadInst &Load);

/// True if V, a double or bits, may be a float.
bool mayBeFloat(const ActivityResult &Activity, const llvm::Value *V);

/// True if the word that is loaded goes on as it is, and may be two floats.
bool mayHoldTwoFloats(const ActivityResult &Activity, const llvm::LoadInst &Load);

} // namespace contraflow
