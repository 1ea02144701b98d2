// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compilers put into functions for those who watch the program (Instrumentation.def).

#pragma once

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace contraflow {

/// True if I tells somebody outside that a function begins or ends, or an object.
bool isEntryHook(const llvm::Instruction &I);
/// True if Call only registers what is run when the program or a thread ends, such as destructors
/// of static variables.
bool runsAtExit(const llvm::CallBase &Call);
/// True if I counts for `--coverage` or `-fprofile-generate`: the program does not read it.
bool isCount(const llvm::Instruction &I);
/// True for an intrinsic that writes no memory, although LLVM keeps its place among those that do:
/// an assumption, a use for debuggers (`-Og`), an operation under a rounding mode
/// (`-frounding-math`, `-ftrapping-math`), a counter that is not memory yet.
bool onlyKeepsItsPlace(const llvm::Instruction &I);

} // namespace contraflow
