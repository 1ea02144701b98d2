// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to one of two members of an object, or to a member or an element; see Choices.cpp.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Branches where a pointer is loaded from, or stored to, one of two constant distances, and where
/// anything is loaded from, or stored to, a member or a place elsewhere.
void splitMemberChoices(llvm::Function &F);

} // namespace contraflow
