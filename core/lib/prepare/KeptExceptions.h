// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that std::exception_ptr keeps; see KeptExceptions.cpp.

#pragma once

#include "callee/Exceptions.h"

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class AllocaInst;
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

/// What the unwinder knows the exception of an object by.
llvm::Value *headerOf(llvm::IRBuilderBase &B, llvm::Value &Object);

/// The object of what has just been thrown by Step, and is known by Header; one that was kept at
/// Place is noted.
llvm::Value *objectOf(llvm::IRBuilderBase &B, ExceptionStep Step, llvm::Value *Place,
                      llvm::Value &Header);
/// Where Call, whose first argument is First, keeps or finds the address of an object.
llvm::Value *keptPlace(llvm::IRBuilderBase &B, const llvm::CallBase &Call, llvm::Value &First);

/// True for what keeps the current exception.
bool keepsCurrent(const llvm::CallBase &Call);
/// Says which object the call has kept, which must be the one that was caught last. Returns the
/// condition that it is another one.
llvm::Value *keepCurrent(llvm::CallBase &Call, llvm::AllocaInst &Caught);

/// std::make_exception_ptr: exceptions that F makes without throwing them are allocated by
/// Allocation. True if there are any.
bool keepMade(llvm::Function &F, llvm::function_ref<llvm::Function *()> Allocation);

} // namespace contraflow
