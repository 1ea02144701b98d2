// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler that claims calls in order to refuse them.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

/// Derived classes say which calls, and why.
class RefusingHandler : public ConstructHandler {
public:
  CallFacts facts(const llvm::CallBase &) const override { return {}; }
  bool allDirections() const override { return true; }
  llvm::Error tangent(SweepBuilder &, llvm::CallBase &Call) const override { return refuse(Call); }
  llvm::Error augment(SweepBuilder &, CallSite &Site) const override {
    return refuse(*Site.Anchor);
  }
  llvm::Error adjoint(SweepBuilder &, const CallSite &,
                      llvm::ArrayRef<llvm::Value *>) const override {
    return llvm::Error::success();
  }

private:
  virtual llvm::Error refuse(llvm::CallBase &Call) const = 0;
};

} // namespace contraflow
