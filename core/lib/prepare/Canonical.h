// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form that functions have when they are analysed: numbers, addresses and words are told apart
// where the program mixes them, loops have one entry, exits are one.

#pragma once

#include "Prepare.h"

namespace contraflow {

/// How much is simplified: with Most, loops are left to those who come to what is in them (-O3's
/// unswitching), so that loads in a nest that may be empty are made in front of the loop around it.
enum class Simplify { Usual, Most };

/// Brings P, whose calls are resolved, to that form.
void canonicalise(llvm::Function &P, Compilation &C, Simplify How);

/// Gives the nests of P, which has that form, a second version; in a task, blocks a copy.
void versionCanonical(llvm::Function &P, Compilation &C, bool InTask);

/// Runs the simplification pipeline on one function, as the surrounding -O2 would.
void simplifyFunction(llvm::Function &F, Compilation &C, Simplify How = Simplify::Usual);

/// The same of a function that will be differentiated: numbers stay in one piece.
void simplifyPrepared(llvm::Function &F, Compilation &C, Simplify How = Simplify::Usual);

} // namespace contraflow
