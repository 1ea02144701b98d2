// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that functions are given by reference, and that hold one of a few constants, such as
// pointers to members, which are distances. A recursive function of a library has them in memory:
//
//   std::ranges::sort(bodies, {}, &Body::mass);
//
//   i64 8 -> %member ; introsort(%member)      introsort(%member) { %d = load %member
//                                                %mass = getelementptr i8, %body, i64 %d ...
//   ->
//   i64 8 -> %member ; introsort(%member)      introsort(%member) {
//                                                %mass = getelementptr i8, %body, i64 8 ...
//
// An address anywhere in the object would take all its members for one. Of several constants, one
// is chosen: %d = %loaded == 8 ? 8 : 24.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Functions are all of a closure.
void readKnownVariables(llvm::ArrayRef<llvm::Function *> Functions);

} // namespace contraflow
