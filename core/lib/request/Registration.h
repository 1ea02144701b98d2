// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says about its functions in global variables:
//
//   void *__enzyme_register_gradient_norm[] = {(void *)norm, (void *)norm_aug, (void *)norm_rev};
//   void *__enzyme_inactivefn_log[] = {(void *)log_line};
//
// Facts become attributes of the function (Callee.h, namespace attr); derivatives become handlers
// that claim the calls.

#pragma once

#include "contraflow/core/Construct.h"
#include "contraflow/core/Request.h"

namespace llvm {
class Module;
} // namespace llvm

namespace contraflow {

/// How the parameters of a derivative function follow from those of its primal: a pointer is
/// followed by its shadow, in a tangent a number by its tangent.
struct RuleConvention {
  bool InMemory = false;                   ///< the first parameter is where the result goes
  bool IntegersTwice = false;              ///< an integer is followed by itself
  bool WithPrimal = false;                 ///< tangent: the result of the primal is returned, too
  bool NullTape = false;                   ///< reverse: takes a tape, of which there is none
  llvm::SmallVector<llvm::Type *, 2> Tape; ///< reverse: the last parameters
};

/// The derivatives of one function that the user wrote; null where there is none.
struct UserRule {
  llvm::Function *Primal = nullptr;
  llvm::Function *Augmented = nullptr, *Reverse = nullptr, *Tangent = nullptr;
  RuleConvention OfAugmented, OfReverse, OfTangent;
  /// A tangent in two parts, if there is no other one: its second part reads what the first kept.
  struct Parts {
    llvm::Function *Augmented = nullptr, *Tangent = nullptr;
    RuleConvention OfAugmented, OfTangent;
    llvm::SmallVector<llvm::Type *, 2> Tape;
  } Split;
};

/// Reads all registrations of a module. Sets the attributes, keeps the functions from being inlined
/// and the variables from being dropped; may be repeated. Faults are added to Errors.
llvm::SmallVector<UserRule, 0> readRegistrations(llvm::Module &M, llvm::Error &Errors);

/// Lets go of what readRegistrations kept alive.
void releaseRegistrations(llvm::Module &M);

/// While the optimiser works, what registrations speak of is not seen through: its linkage is one
/// that may be replaced by another definition.
void hideRegistered(llvm::Module &M);
/// Undoes hideRegistered.
void showRegistered(llvm::Module &M);
/// For a link-time optimiser that starts without us: results are not known through a fence, and no
/// parameter goes.
void fenceRegistered(llvm::Module &M);

/// Finds out how the functions of a rule want to be called; says what does not fit.
llvm::Error resolveConventions(UserRule &Rule);

/// Adds a handler for each function that has a derivative for this mode.
void registerUserRules(HandlerRegistry &Registry, llvm::ArrayRef<UserRule> Rules,
                       DerivativeMode Mode);

} // namespace contraflow
