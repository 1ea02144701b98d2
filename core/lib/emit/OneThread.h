// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a team do for each other's sake (atomic additions, windows, phases) hinders
// the optimiser where there is one thread, even if a branch goes around it. A function that does
// so in a loop is there twice, and chooses when it is entered:
//
//   reverse(frame):  if (omp_is_alone()) return reverse.alone(frame);   ... atomic ...
//   reverse.alone(frame):  ... plain ...

#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace contraflow {

/// Whose code it is: what a derivative adds to adjoints, or also what the program does.
enum class OneThreadPart { Reverse, Forward };

/// Gives F, as it was emitted, a version for a thread without others; null where that is not worth
/// it.
llvm::Function *addOneThreadVersion(llvm::Function &F, OneThreadPart Part,
                                    unsigned MostInstructions);

} // namespace contraflow
