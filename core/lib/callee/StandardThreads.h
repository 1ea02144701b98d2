// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of standard C, <threads.h>.

#pragma once

namespace llvm {
class Module;
}

namespace contraflow {

/// Writes what the module does with them by the functions of POSIX (StandardThreads.cpp).
void useThreadsOfPosix(llvm::Module &M);

} // namespace contraflow
