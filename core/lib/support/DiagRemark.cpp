// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks of pass "contraflow" at the user's line. LLVMContext::diagnose filters them by the
// -Rpass options and copies them to the YAML record; nothing is built when nobody listens.

#include "contraflow/core/Diag.h"
#include "contraflow/core/Remark.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr char PassName[] = "contraflow";

bool anybodyListens(const LLVMContext &Context) {
  return Context.getLLVMRemarkStreamer() || Context.getDiagHandlerPtr()->isAnyRemarkEnabled();
}

void emitRemark(DiagnosticInfoIROptimization &&Remark, const Twine &Text,
                ArrayRef<RemarkFigure> Figures) {
  Remark.insert(Text.str());
  Remark.insert(DiagnosticInfoOptimizationBase::setExtraArgs());
  for (const RemarkFigure &Figure : Figures)
    Remark.insert(DiagnosticInfoOptimizationBase::Argument(Figure.Name, Figure.Value));
  Remark.getFunction().getContext().diagnose(Remark);
}

void emitAt(RemarkKind Kind, StringRef Name, const SourcePlace &Place, const BasicBlock &Region,
            const Twine &Text, ArrayRef<RemarkFigure> Figures) {
  const DiagnosticLocation Loc(Place.Loc);
  switch (Kind) {
  case RemarkKind::Passed:
    return emitRemark(OptimizationRemark(PassName, Name, Loc, &Region), Text, Figures);
  case RemarkKind::Missed:
    return emitRemark(OptimizationRemarkMissed(PassName, Name, Loc, &Region), Text, Figures);
  case RemarkKind::Analysis:
    return emitRemark(OptimizationRemarkAnalysis(PassName, Name, Loc, &Region), Text, Figures);
  }
}

} // namespace

void remark(RemarkKind Kind, StringRef Name, const Instruction &At, const Twine &Text,
            ArrayRef<RemarkFigure> Figures) {
  if (!anybodyListens(At.getContext()))
    return;
  emitAt(Kind, Name, SourcePlace::of(At), *At.getParent(), Text, Figures);
}

void remark(RemarkKind Kind, StringRef Name, const Function &At, const Twine &Text,
            ArrayRef<RemarkFigure> Figures) {
  if (!anybodyListens(At.getContext()) || At.isDeclaration())
    return;
  emitAt(Kind, Name, SourcePlace::of(At), At.getEntryBlock(), Text, Figures);
}

} // namespace contraflow
