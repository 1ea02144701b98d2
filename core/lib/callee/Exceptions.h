// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How C++ throws and catches (Itanium C++ ABI: Exception Handling, 2.4), by the names of what is
// called, and of the descriptions of types.

#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
class Constant;
class Function;
class Module;
} // namespace llvm

namespace contraflow {

enum class ExceptionStep {
  None,
  Allocate,   ///< (size) -> object
  Throw,      ///< (object, type, destructor)
  Rethrow,    ///< ()
  Again,      ///< (exception): throws what was caught and has no handler yet
  Kept,       ///< (std::exception_ptr): throws what was kept, nobody knows since when
  BeginCatch, ///< (exception) -> object
  EndCatch,   ///< ()
  Find,       ///< (exception) -> object, before it is copied into the handler's parameter
};

/// What a caught exception's object is asked of while derivatives are made: (size) -> object.
inline constexpr llvm::StringLiteral ExceptionAllocation = "cf.exception.allocate";
/// Asks it for its message: (object) -> characters.
inline constexpr llvm::StringLiteral ExceptionMessage = "cf.exception.message";
/// Attribute of what ends a handler where that changes no variables, see endAlone.
inline constexpr llvm::StringLiteral EndsAlone = "cf.exception.alone";
/// From what the unwinder knows an exception by to its object.
inline constexpr int64_t UnwindHeader = 32;

ExceptionStep exceptionStep(const llvm::CallBase &Call);
/// For calls that keep the current exception, or throw one that was kept: how far behind the first
/// argument its address lies. None where copies of what keeps it are made by the library (libc++).
std::optional<unsigned> keptAt(const llvm::CallBase &Call);
/// True for what makes an exception of an object without throwing it: (object, type, destructor).
bool makesException(const llvm::CallBase &Call);
/// True for the constructor of what keeps it: (std::exception_ptr, object).
bool keepsObject(const llvm::CallBase &Call);
llvm::StringRef nameOf(ExceptionStep Step);
/// True for what throws an exception that was kept.
bool rethrowsKept(const llvm::Function &F);
/// True if no destructor of what M throws and catches comes to variables.
bool endAlone(const llvm::Module &M);

/// True for the description of a type of pointers.
bool describesPointer(const llvm::Constant *Type);
/// True for that of a standard exception, or of a class that begins with one.
bool describesStandardException(const llvm::Constant *Type);
/// Adds where the bases of a class lie in its objects, but for its start. Virtual bases are found
/// if the program has the class's virtual table, and not behind a base that is not the first.
void findBases(const llvm::Constant *Type, llvm::SmallSetVector<int64_t, 4> &Offsets);
/// Where the virtual table of such a class has what(), in bytes.
inline constexpr unsigned MessageSlot = 16;
/// False if objects of that type have no virtual function there, as far as the program shows.
bool mayHaveMessage(const llvm::Constant *Type);

} // namespace contraflow
