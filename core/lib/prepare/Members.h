// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace contraflow {

/// Notes how far pointers to members of classes lead into objects, before optimisation.
void noteMemberDistances(llvm::Module &M);

/// True if the callee is a number at one time: the function of a pointer to a member.
bool isOfMember(const llvm::CallBase &Call);
/// Looks where an indirect call finds its callee if that is virtual: as far in its object as noted.
void settleTable(llvm::CallBase &Call);
/// Gives the object of such a call the distances that are noted of Callees. False where they
/// differ, and nothing is done.
bool settleObject(llvm::CallBase &Call, llvm::ArrayRef<llvm::Function *> Callees);
/// Gives the objects of what such a call may call the distances that are noted of each.
void settleObjects(llvm::ArrayRef<llvm::CallBase *> Choices);

} // namespace contraflow
