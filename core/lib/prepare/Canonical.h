// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form that functions have when they are analysed: numbers, addresses and words are told apart
// where the program mixes them, loops have one entry, exits are one.

#pragma once

#include "Prepare.h"

namespace contraflow {

/// What decides whether nests get a second version, or blocks a copy.
struct NestPlace {
  NestVersions Versions;
  bool InTask;
};

/// Brings P, whose calls are resolved, to that form.
void canonicalise(llvm::Function &P, Compilation &C, NestPlace Place);

/// Runs the simplification pipeline on one function, as the surrounding -O2 would.
void simplifyFunction(llvm::Function &F, Compilation &C);

} // namespace contraflow
