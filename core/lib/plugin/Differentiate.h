// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module pass: finds derivative requests, builds each derivative once, lowers the calls.

#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace contraflow {

class DifferentiatePass : public llvm::PassInfoMixin<DifferentiatePass> {
public:
  explicit DifferentiatePass(llvm::PassBuilder &PB) : PB(&PB) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "contraflow"; }

private:
  llvm::PassBuilder *PB;
};

/// Runs before anything is inlined or dropped: what registrations speak of has to stay.
class KeepRegisteredPass : public llvm::PassInfoMixin<KeepRegisteredPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "contraflow-keep"; }
};

/// Runs where KeepRegisteredPass was not followed by DifferentiatePass: before a link-time one.
class ShowRegisteredPass : public llvm::PassInfoMixin<ShowRegisteredPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
  static llvm::StringRef name() { return "contraflow-show"; }
};

} // namespace contraflow
