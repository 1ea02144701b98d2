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
class GlobalVariable;
class Instruction;
class Module;
} // namespace llvm

namespace contraflow {

enum class CalleeKind {
  Unknown,
  Math,            ///< has a rule (callee/Math.def)
  Allocate,        ///< returns fresh memory; size in an argument
  Reallocate,      ///< realloc
  ReallocateSized, ///< (object, its size, alignment, new size)
  AllocateInto,    ///< posix_memalign: stores the address of fresh memory
  Free,            ///< free, operator delete
  Inactive,        ///< neither its result nor the memory it writes carries derivatives
  NoReturn,        ///< abort, exit, throw helpers: control does not come back
};

/// FreeKind of a deallocation function of the user's, and of one that takes size and alignment,
/// too.
inline constexpr int FreeByUser = 3, FreeSized = 4;

/// What is known of a callee.
struct CalleeInfo {
  CalleeKind Kind = CalleeKind::Unknown;
  int SizeArg = -1;  ///< Allocate: index of the size in bytes
  int CountArg = -1; ///< Allocate: index of a count that multiplies the size (calloc)
  bool Zeroed = false;
  int FreeKind = 0;      ///< Free: 0 free, 1 operator delete, 2 operator delete[]
  bool ReadOnly = false; ///< Inactive: writes no memory that the program reads (strlen, time(0))
  /// Inactive: what it writes are objects of its class, which hold no floats (std::string).
  bool OwnObjects = false;
  bool Text = false;   ///< OwnObjects: what it writes is characters (std::format)
  bool Opaque = false; ///< the user's: may write whatever its operands and the globals lead to
};

/// Attributes of functions and calls that say what the name does not, as strings; registrations in
/// the program's globals are turned into them.
namespace attr {
inline constexpr llvm::StringLiteral Inactive = "enzyme_inactive";
/// = "log": the function stands for that one; it keeps its own body.
inline constexpr llvm::StringLiteral Like = "enzyme_math";
inline constexpr llvm::StringLiteral Own = "contraflow_own"; ///< not the library's of that name
/// = "1": the function returns fresh memory of as many bytes as that argument says.
inline constexpr llvm::StringLiteral Allocator = "enzyme_allocator";
/// The function gives such memory back; it takes the pointer.
inline constexpr llvm::StringLiteral Deallocator = "contraflow_deallocator";
/// = name: where code is differentiated, that function takes the place of this one.
inline constexpr llvm::StringLiteral Again = "contraflow_again";
/// A derivative that keeps shadows of heap memory for global variables.
inline constexpr llvm::StringLiteral Keeps = "contraflow_keeps";
/// Of a function that is prepared: its tasks run where they are made.
inline constexpr llvm::StringLiteral TasksAtOnce = "contraflow_tasks_at_once";
/// Metadata of a call: the clauses by which the primal would catch what comes out of it.
inline constexpr llvm::StringLiteral Caught = "contraflow.caught_by";
/// The function holds a derivative call, or did before that was lowered, or leads to one or to its
/// primal.
inline constexpr llvm::StringLiteral Asks = "contraflow_asks";
/// The function has a derivative of the user's.
inline constexpr llvm::StringLiteral Registered = "contraflow_registered";
} // namespace attr

/// The name under which the tables know F: its own, or the one it is declared to be like.
llvm::StringRef calleeName(const llvm::Function &F);
/// True if the tables know this name.
bool isKnownName(llvm::StringRef Name);
/// True if F may stand for the library's function of this name: there is one, and the types agree.
bool canStandFor(const llvm::Function &F, llvm::StringRef Name);

/// Looks a function up by name (C names, C++ mangled names).
CalleeInfo lookupCallee(const llvm::Function &F);
/// True if calls of F are to stay calls, however small it is: it works on objects of its class, or
/// on streams in the library.
bool keepsBody(const llvm::Function &F);
/// The info of the called function; Unknown for indirect calls.
CalleeInfo lookupCallee(const llvm::CallBase &Call);
/// True for a call of a constant member of a class of the library that says something of objects
/// and writes nothing (std::string::compare).
bool onlyLooks(const llvm::CallBase &Call);
/// True for a call of a mathematical function that leaves nothing but its result, and errno.
bool isPlainMath(const llvm::Instruction &I);

/// True if the module asks where a variable of the library's is, as errno: mathematical functions
/// may set it.
bool asksForLibraryVariables(const llvm::Module &M);

/// True for a table of virtual functions (Itanium C++ ABI 5.1.4): it holds no numbers.
bool isVirtualTable(const llvm::GlobalVariable &G);
/// True of what the language says about a type at run time: its name, its bases, and the table of
/// the class that describes it.
bool isTypeDescription(const llvm::GlobalVariable &G);
/// True for the library's pointers to its streams (ISO C 7.23.1): what they point to is its own.
bool isStream(const llvm::GlobalVariable &G);

/// All names of one kind.
llvm::SmallVector<llvm::StringRef, 0> calleesOfKind(CalleeKind Kind);

} // namespace contraflow
