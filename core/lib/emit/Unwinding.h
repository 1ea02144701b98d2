// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that leave a derivative function; see Unwinding.cpp.

#pragma once

namespace llvm {
class CallInst;
class Function;
} // namespace llvm

namespace contraflow {

/// Gives back the tape, from Mark on, when an exception passes through F. Begin is the call that
/// began the derivative call.
void emitUnwinding(llvm::Function &F, llvm::CallInst &Begin, llvm::CallInst &Mark);

/// Ends the program where F calls a function whose exception the primal would catch. Begin, Mark:
/// as above, or null.
void emitCaught(llvm::Function &F, llvm::CallInst *Begin, llvm::CallInst *Mark);

} // namespace contraflow
