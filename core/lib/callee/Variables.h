// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global variables that code of a library or of another file sets.

#pragma once

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace contraflow {

/// signgam, which lgamma sets. A derivative need not call lgamma where the program does.
bool isSignOfGamma(const llvm::GlobalVariable &G);

/// The shadow that a program gives to a variable, as other front ends write it:
///   @state = global double 3.0, !enzyme_shadow !0       !0 = !{ptr @state_bar}
/// Null if there is none.
llvm::GlobalVariable *givenShadow(const llvm::GlobalVariable &G);
/// True if there is one that cannot be the shadow of G.
bool hasWrongShadow(const llvm::GlobalVariable &G);

/// True for the initialisation, in another file, of a thread-local variable.
bool isOutsideInitialiser(const llvm::Function &F);
/// The variable, if the module knows it.
const llvm::GlobalVariable *initialisedBy(const llvm::Function &Initialiser);
/// True for what asks whether a local variable with static storage has to be made.
bool isGuardTaken(const llvm::Function &F);
/// True if the module has code of C++, whose variables may be initialised by code.
bool mayInitialise(const llvm::Module &M);

} // namespace contraflow
