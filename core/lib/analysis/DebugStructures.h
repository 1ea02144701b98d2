// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures as debug information has them.

#pragma once

namespace llvm {
class AllocaInst;
class DataLayout;
class DIType;
class StructType;
} // namespace llvm

namespace contraflow {

/// The structure that a pointer or a reference leads to that is kept in a variable; null if it
/// leads to something else, to bit fields or a union among others, or if that is not known.
llvm::StructType *structureBehindVariable(const llvm::AllocaInst &Variable,
                                          const llvm::DataLayout &DL);

} // namespace contraflow
