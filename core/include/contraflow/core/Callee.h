// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every spelling of every function that the compiler knows, once. The tables callee/*.def map names
// to what the rest of the compiler asks: is this malloc, is this inactive, is this libm?

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace contraflow {

enum class CalleeKind {
  Unknown,
  Math,       ///< has a rule (callee/Math.def)
  Allocate,   ///< returns fresh memory; size in an argument
  Reallocate, ///< realloc
  Free,       ///< free, operator delete
  Inactive,   ///< neither its result nor the memory it writes carries derivatives
  NoReturn,   ///< abort, exit, throw helpers: control does not come back
};

/// What is known of a callee.
struct CalleeInfo {
  CalleeKind Kind = CalleeKind::Unknown;
  int SizeArg = -1;  ///< Allocate: index of the size in bytes
  int CountArg = -1; ///< Allocate: index of a count that multiplies the size (calloc)
  bool Zeroed = false;
  int FreeKind = 0;      ///< Free: 0 free, 1 operator delete, 2 operator delete[]
  bool ReadOnly = false; ///< Inactive: writes no memory that the program reads (strlen, time(0))
};

/// Looks a function up by name (C names, C++ mangled names).
CalleeInfo lookupCallee(const llvm::Function &F);
/// The info of the called function; Unknown for indirect calls.
CalleeInfo lookupCallee(const llvm::CallBase &Call);

/// All names of one kind.
llvm::SmallVector<llvm::StringRef, 0> calleesOfKind(CalleeKind Kind);

} // namespace contraflow
