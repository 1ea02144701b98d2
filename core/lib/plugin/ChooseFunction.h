// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A derivative call of a function that is chosen at run time becomes a choice of derivative calls:
//
//   __enzyme_autodiff(f, x)    ->    f == square ? __enzyme_autodiff(square, x)
//                                  : f == cube   ? __enzyme_autodiff(cube, x) : CF307

#pragma once

namespace llvm {
class Module;
}

namespace contraflow {

/// Does so where it is known which functions there may be, or where few functions of the module
/// that have an address can be meant. Other calls stay as they are and are reported.
void chooseFunctions(llvm::Module &M);

} // namespace contraflow
