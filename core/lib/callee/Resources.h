// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory resources of std::pmr that the C++ library brings along; see Resources.cpp.

#pragma once

namespace llvm {
class Constant;
class Function;
class GlobalValue;
} // namespace llvm

namespace contraflow {

/// What a member function of a library's resource does in derivatives; null if F is none.
llvm::Function *resourceBodyOf(const llvm::Function &F);

/// The table that takes the place of this one of a library's resource; null if G is none.
llvm::Constant *tableInPlaceOf(llvm::GlobalValue &G);

/// Objects that P makes get our own table in place of that of a library's resource.
void ownResources(llvm::Function &P);

} // namespace contraflow
