// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program promises about a number: __builtin_annotation(order[i], "contraflow_disjoint")
// says that the array order holds no number twice (contraflow::disjoint, CONTRAFLOW_DISJOINT).

#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace contraflow {

/// True for the annotation of a number, whatever it says.
bool isAnnotation(const llvm::CallBase &Call);

/// True if it says that its operand comes from an array that holds no number twice.
bool promisesDisjoint(const llvm::CallBase &Annotation);

/// The same as a mark on the load of the number.
void markDisjoint(llvm::Instruction &Load);
bool isMarkedDisjoint(const llvm::Instruction &Load);

} // namespace contraflow
