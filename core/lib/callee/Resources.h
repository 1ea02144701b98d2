// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory resources of std::pmr that the C++ library brings along; see Resources.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// What a member function of a library's resource does in derivatives; null if F is none.
llvm::Function *resourceBodyOf(const llvm::Function &F);

/// Objects that P makes get our own table in place of that of a library's resource.
void ownResources(llvm::Function &P);

} // namespace contraflow
