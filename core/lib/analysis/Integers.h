// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which integers of a closure are numbers, not bits of something else; see Integers.cpp.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace contraflow {

class HandlerRegistry;
class LayoutReader;

/// Integers that are counted or calculated with, and all that are copies of one another with these.
llvm::DenseSet<const llvm::Value *> findPlainIntegers(llvm::ArrayRef<llvm::Function *> Closure,
                                                      const HandlerRegistry &Handlers,
                                                      LayoutReader &Layouts);

/// True if V is how much memory is asked for, or how far an address moves.
bool measures(const llvm::Value &V);

} // namespace contraflow
