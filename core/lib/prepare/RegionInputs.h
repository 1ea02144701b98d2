// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a region is given that is in a loop: values that are the same each time, on every thread.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

#include <optional>

namespace contraflow {

class RegionInputs {
public:
  /// Of a body that one call in a loop has run by a team, and nothing else; none otherwise.
  static std::optional<RegionInputs> of(llvm::Function &Body, const HandlerRegistry &Handlers,
                                        llvm::FunctionAnalysisManager &FAM);
  /// True if the value, of the body, is the same in all runs while the outermost loop around the
  /// call runs. Looks at so many instructions.
  bool alwaysSame(const llvm::Value &V) const;

private:
  RegionInputs(const llvm::CallBase &Call, Closure Region, const llvm::Loop &Around,
               const HandlerRegistry &Handlers)
      : Call(Call), Region(std::move(Region)), Around(Around), Handlers(Handlers) {}
  const llvm::Value *givenFor(const llvm::Value &Param) const;
  bool holdsSame(const llvm::Value &Variable) const;
  bool alwaysSame(const llvm::Value &V, unsigned &Looks) const;

  const llvm::CallBase &Call;
  Closure Region;
  const llvm::Loop &Around;
  const HandlerRegistry &Handlers;
};

} // namespace contraflow
