// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views: shadows that are two functions and no memory (__enzyme_todense).

#pragma once

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace contraflow {

struct Compilation;

/// When all requests are lowered: replaces every access through a view by a call of the function
/// that the program gave for it. Adds to Changed whether there was a view.
llvm::Error lowerViews(llvm::Module &M, Compilation &C, bool &Changed);

} // namespace contraflow
