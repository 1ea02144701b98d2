// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of C++, as far as mangled names and the descriptions for dynamic_cast tell.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace llvm {
class Function;
class GlobalValue;
class GlobalVariable;
class Module;
class StructType;
class Type;
} // namespace llvm

namespace contraflow {

/// The class whose object parameter Arg of F is or leads to, as one writes it:
/// `std::_Sp_counted_base<...>`. Empty if the name does not say that for certain.
std::string classOfParameter(const llvm::Function &F, unsigned Arg);

/// The class whose object F, a function of a smart pointer, leads to. Empty if it is no such one.
std::string classOfResult(const llvm::Function &F);

/// The class, as one writes it, of the objects that F asks memory for: the innermost function of an
/// allocator of the library. Empty if it is no such one.
std::string classAllocated(const llvm::Function &F);

/// The signature of the std::function that F is a member of, or that alone calls F: `double (int)`.
/// Empty if F is no such function.
std::string wrappedSignature(const llvm::Function &F);

/// True of the destructor of what every std::function is derived from, which has no signature.
bool endsAnyWrapper(const llvm::Function &F);

/// True if the name of F, a function of no object, says that it takes numbers, addresses of numbers
/// and containers of the standard library that hold numbers, and nothing else.
bool takesNumbersOnly(const llvm::Function &F);
/// True if the name of F says that its parameters are values, and addresses of constants alone.
bool takesConstantsOnly(const llvm::Function &F);
/// True of what a C++ standard library defines, by its name.
bool isOfStandardLibrary(const llvm::GlobalValue &G);
/// True of a structure that has a name and that the standard library does not define.
bool isOfProgram(const llvm::StructType &S);

/// True of what clang makes of a pointer to a member function: {function, distance}.
bool isMemberPointer(const llvm::Type &T);

/// The classes that M describes.
llvm::StringSet<> describedClasses(const llvm::Module &M);

/// True of the virtual table of a class that is neither Class nor derived from it.
bool isOfOtherClass(const llvm::GlobalVariable &Table, llvm::StringRef Class);
/// True of the virtual table of a class that is Class or derived from it.
bool isOfClass(const llvm::GlobalVariable &Table, llvm::StringRef Class);
/// True if what the table holds at a place is for another base of its class than Class, which is
/// one as well: the function there expects an address of that base.
bool isOfOtherBase(const llvm::GlobalVariable &Table, int64_t At, llvm::StringRef Class);

/// By how many bytes a base To lies behind a base From in the classes that the module describes,
/// each once. Nothing if one of them has such a base at a distance that only its objects know. Both
/// are descriptions of classes.
std::optional<llvm::SmallVector<int64_t, 4>> distancesOfBases(const llvm::GlobalVariable &From,
                                                              const llvm::GlobalVariable &To);

} // namespace contraflow
