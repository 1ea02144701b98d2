// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that a local variable holds, where the optimiser does not see that what is written in
// between goes elsewhere: through an address that comes by several ways.
//
//   i8 1 -> %v.index ; i8 -1 -> phi(%a, %b) ; %k = load %v.index     ->   %k = 1
//
// A std::variant with a string in it stays memory. As long as its index is not known, each of its
// other alternatives may be what it holds, and a number would be moved as half an integer.

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Returns whether there was one.
bool readOwnConstants(llvm::Function &F);

} // namespace contraflow
