// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number whose value is known and whose derivative is that of another one: a staircase with steps
// that nobody means follows a line.
//
//   call double @contraflow.smooth(double %line, i64 %bits)     value: bits; derivative: of the
//   line
//
// While derivatives are made these are calls of functions without a body; then they are casts.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"

namespace contraflow {

/// The number of type T with these bits; it varies as Line does.
llvm::CallInst *createSmooth(llvm::IRBuilderBase &B, llvm::Value *Line, llvm::Value *Bits);

/// The number of type T with these bits, which would vary with each of Sources in a way that no
/// line follows.
llvm::CallInst *createRugged(llvm::IRBuilderBase &B, llvm::ArrayRef<llvm::Value *> Sources,
                             llvm::Value *Bits, llvm::Type *T);

/// As createSmooth, where the line is not known but what it depends on: that the derivative is
/// asked for is an error where the program comes there.
llvm::CallInst *createStray(llvm::IRBuilderBase &B, llvm::Value *Line, llvm::Value *Bits);

bool isSmooth(const llvm::CallBase &Call);
bool isRugged(const llvm::CallBase &Call);
bool isStray(const llvm::CallBase &Call);

/// Makes all of them casts; true if there was one.
bool lowerSmooth(llvm::Module &M);

} // namespace contraflow
