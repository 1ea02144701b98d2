// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that are caught in the function that throws them; see Catches.cpp.

#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class CallBase;
class CallInst;
class Constant;
class Function;
class IRBuilderBase;
class InvokeInst;
class LandingPadInst;
class Module;
class Value;
} // namespace llvm

namespace contraflow {

enum class ExceptionStep;

/// True if the function may go on to return after it has caught an exception here.
bool catches(const llvm::LandingPadInst &Pad);

/// True for a call on an exception that has been caught from nobody knows where, yet.
bool isOfCaught(const llvm::CallBase &Call);

/// Makes branches of what is thrown and caught in one function.
class Catches {
public:
  /// True if something was thrown and caught in F.
  bool lower(llvm::Function &F);
  /// Calls of what() of an exception that F has caught stay calls. True if there was one.
  bool keepMessages(llvm::Function &F);

private:
  struct Rooms;
  static Rooms roomsOf(llvm::Function &F);
  static void openPad(llvm::LandingPadInst &Pad, const Rooms &R);
  void raise(llvm::InvokeInst &Throw, const Rooms &R);
  void beginCatch(llvm::CallInst &Call, ExceptionStep Step, const Rooms &R);
  void rewriteHandlers(llvm::Function &F, const Rooms &R);
  llvm::Function *raiser(llvm::InvokeInst &Throw);
  llvm::Value *selectorOf(llvm::Function &Raiser, llvm::LandingPadInst &Copy);
  unsigned numberOf(llvm::Constant *Type);
  llvm::Value *baseOf(llvm::IRBuilderBase &B, llvm::Value &Object, llvm::Value &Distance,
                      llvm::Value *&Away) const;

  void findAllBases(llvm::Module &M);

  bool KnowsAllBases = false;
  llvm::MapVector<llvm::Constant *, unsigned> Types; ///< that are caught, numbered from 1
  llvm::SmallSetVector<int64_t, 4> Bases; ///< where those of what is thrown lie, but for the first
};

} // namespace contraflow
