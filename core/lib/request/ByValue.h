// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures passed and returned by value. The calling convention takes them apart, so that what
// the user wrote as one parameter is several of the function, or one of another type:
//
//   double f(struct {double x; float y; int n;} s)   ->   double @f(double, i64)
//
// Only the code as the front end writes it shows what belongs together; recordStructures notes it
// before anything is optimised. A request is then one of a function that takes every number and
// pointer of the structure by itself, and calls the user's:
//
//   double @cf.byvalue.f(double %x, float %y, i32 %n) { ... call double @f(double %x, i64 %yn) }

#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class Function;
class Module;
class Type;
} // namespace llvm

namespace contraflow {

/// A scalar somewhere in a structure.
struct Leaf {
  llvm::Type *T = nullptr;
  uint64_t Offset = 0;
};

/// What a structure is made of, in memory order.
struct StructureShape {
  llvm::SmallVector<Leaf, 8> Leaves;
  uint64_t Size = 0;
  bool Opaque = false; ///< bytes or a union: the types do not say what is in there

  explicit StructureShape(llvm::Type *T = nullptr, const llvm::Function *In = nullptr);
  bool hasOnlyNumbers() const;
  bool hasNumbers() const;
  bool hasPointers() const;
  /// True if a C structure of the same scalars looks the same.
  bool isPlain(const llvm::Function &In) const;
  /// The scalars that are floating-point numbers, as one value.
  llvm::Type *numbers(llvm::Type *Alone) const;
};

/// A parameter, or the result, as the user wrote it.
struct SourceParameter {
  unsigned First = 0, Count = 1;     ///< among the parameters of the function
  llvm::Type *Structure = nullptr;   ///< null: it is passed as it is
  bool InMemory = false;             ///< byval or sret: First is the address
  llvm::SmallVector<Leaf, 2> Pieces; ///< unless it is in memory
};

/// Notes on each function of M that has structures among its parameters, or returns one, which
/// they are. To be run on the code that the front end made.
void recordStructures(llvm::Module &M);
/// The same later, unless it has been run, on functions that are still as they were: optimised, a
/// parameter that is stored into a structure looks like a piece of one. True if there are such
/// functions.
bool recordUnoptimised(llvm::Module &M);

llvm::SmallVector<SourceParameter, 8> sourceParameters(const llvm::Function &F);
SourceParameter sourceResult(const llvm::Function &F);

/// True if the name of F, a function of C++, has fewer parameters than F, or debug information of
/// one of C fewer numbers: it was optimised before anybody could note its structures.
bool hidesStructures(const llvm::Function &F);

/// How the function that stands for another one returns a structure.
enum class ResultForm {
  AsIs,
  Numbers, ///< those of its scalars that are floating-point numbers, as one literal structure
  Memory,  ///< to the address that is its first parameter
};

/// The function that takes the scalars of structures one by one and calls F; F itself if there is
/// nothing to take apart. Taken says which parameters are.
llvm::Function *takenApart(llvm::Function &F, llvm::ArrayRef<SourceParameter> Parameters,
                           ResultForm Form);

/// Removes those functions that nobody calls any more.
void removeTakenApart(llvm::Module &M);

} // namespace contraflow
