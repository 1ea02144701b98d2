// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plugin calls of this model.

#pragma once

namespace llvm {
class Module;
}

namespace contraflow {
class HandlerRegistry;
namespace threads {
void registerHandlers(HandlerRegistry &Registry);
/// Writes what the module does with the threads of standard C, <threads.h>, by those of POSIX
/// (Standard.cpp).
void useThreadsOfPosix(llvm::Module &M);
} // namespace threads
} // namespace contraflow
