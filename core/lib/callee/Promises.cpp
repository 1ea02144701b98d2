// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Promises.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {

static constexpr StringLiteral Disjoint = "contraflow_disjoint";
static constexpr StringLiteral DisjointKind = "contraflow.disjoint";

bool isAnnotation(const CallBase &Call) { return Call.getIntrinsicID() == Intrinsic::annotation; }

bool promisesDisjoint(const CallBase &Annotation) {
  StringRef Text;
  return isAnnotation(Annotation) && getConstantStringInfo(Annotation.getArgOperand(1), Text) &&
         Text == Disjoint;
}

void markDisjoint(Instruction &Load) {
  Load.setMetadata(DisjointKind, MDNode::get(Load.getContext(), {}));
}

bool isMarkedDisjoint(const Instruction &Load) { return Load.hasMetadata(DisjointKind); }

} // namespace contraflow
