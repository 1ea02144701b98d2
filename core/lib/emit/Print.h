// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analyses found out, beside the code it is about, on standard error: for people who look
// for the reason of an error or of a cost, and for us.

#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace contraflow {

struct RequestState;
struct SharedPlans;

/// Where every pointer leads and what is held there; then all objects.
void printTypes(const RequestState &S);
/// Which values are active, and which pointers have shadows.
void printActivity(const RequestState &S);
/// The values that the reverse sweep of F asks for.
void printNeeds(const llvm::Function &F, llvm::ArrayRef<llvm::Value *> Needs);
/// Which loops of F update shared memory without atomics, or why none does.
void printSharing(const llvm::Function &F, const SharedPlans &Sharing);

} // namespace contraflow
