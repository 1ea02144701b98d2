// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks say at the user's line what was decided and why. They are shown by clang with
// -Rpass=contraflow (what was done), -Rpass-missed=contraflow (what could not be done, and costs),
// -Rpass-analysis=contraflow (figures), and go to the YAML record of -fsave-optimization-record:
//
//   remark(RemarkKind::Missed, "AtomicAdd", Store, "adjoint of 'u' is added atomically: ...");
//   // heat.cpp:41:9: remark: adjoint of 'u' is added atomically: ... [-Rpass-missed=contraflow]

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace contraflow {

enum class RemarkKind { Passed, Missed, Analysis };

/// A figure that belongs to a remark; it appears in the YAML record, not in the text.
struct RemarkFigure {
  llvm::StringRef Name;
  int64_t Value = 0;
};

/// Emits a remark of pass "contraflow". Name is one word in CamelCase that tools filter by.
void remark(RemarkKind Kind, llvm::StringRef Name, const llvm::Instruction &At,
            const llvm::Twine &Text, llvm::ArrayRef<RemarkFigure> Figures = {});
void remark(RemarkKind Kind, llvm::StringRef Name, const llvm::Function &At,
            const llvm::Twine &Text, llvm::ArrayRef<RemarkFigure> Figures = {});

} // namespace contraflow
