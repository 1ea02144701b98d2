// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for operations of the language and its library that have no rule.

#pragma once

#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace contraflow {

/// memcpy, memmove, memset and their intrinsics; malloc, calloc, operator new; free, delete.
void registerMemoryHandlers(HandlerRegistry &Registry);
/// Functions of the library that move bytes: they become intrinsics.
void registerMoveHandlers(HandlerRegistry &Registry);
/// Files and text that are read or written into memory.
void registerFillingHandlers(HandlerRegistry &Registry);
void registerAllocationHandlers(HandlerRegistry &Registry);
/// The runtime, where a derivative is differentiated again.
void registerTapeHandlers(HandlerRegistry &Registry);

/// What a call of the runtime does to two arrays of floats: to += from, or, as the reverse of a
/// copy, src += dst and then dst = 0.
struct LinearMove {
  enum { None, Add, CopyAdjoint } Kind = None;
  bool Wide = false; ///< of doubles
};
LinearMove linearMove(const llvm::CallBase &Call);
/// True if V leads into what a call of the runtime has reserved on a tape.
bool isOnTape(const llvm::Value *V);
/// True of code of a derivative that keeps values on a tape, or takes them back.
bool usesTape(const llvm::Function &F);

/// What an adjoint that runs again takes back (Undo.cpp): whether that is possible for an
/// instruction that writes, and what has to stand in front of it.
void registerUndoHandlers(HandlerRegistry &Registry);
bool canTakeBack(const llvm::Instruction &Write);
void takeBack(llvm::Instruction &Write);
/// The same in front of a call that writes to an object of a known size.
void takeBackObject(llvm::CallBase &Call, const llvm::AllocaInst &Object);
/// Nodes of std::list and std::map; qsort, bsearch.
void registerLinkedHandlers(HandlerRegistry &Registry);
void registerFortranHandlers(HandlerRegistry &Registry);
void registerSortingHandlers(HandlerRegistry &Registry);
/// Casts to other bases, by calls of this name, become steps where their distances are known
/// (Casts.cpp).
void stepToBases(llvm::Function &F, llvm::StringRef CastName);
/// Complex products, quotients and elementary functions.
void registerComplexHandlers(HandlerRegistry &Registry);
/// What is thrown and caught in one function.
void registerExceptionHandlers(HandlerRegistry &Registry);
/// Views of Kokkos that allocate.
void registerViewHandlers(HandlerRegistry &Registry);
/// BLAS and LAPACK.
void registerBlasHandlers(HandlerRegistry &Registry);

/// What a call of an allocation function of the library, of these facts, asks for.
llvm::Value *sizeInBytes(llvm::IRBuilderBase &B, llvm::CallBase &Call, const CalleeInfo &Info);
/// True for a call of a function of this kind that is declared as the library has it.
bool isOfKind(const llvm::CallBase &Call, CalleeKind Kind);

} // namespace contraflow
