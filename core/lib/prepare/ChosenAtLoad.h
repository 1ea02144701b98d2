// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a resolver of the program chooses when the program is loaded.

#pragma once

namespace llvm {
class Constant;
class Function;
} // namespace llvm

namespace contraflow {

/// The function that stands for what V, an indirect function or an alias of one, is when the
/// program runs. Null for anything else, and if the resolver has no body here.
llvm::Function *chosenAtLoad(llvm::Constant &V);

} // namespace contraflow
