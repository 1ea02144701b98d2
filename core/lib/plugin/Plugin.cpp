// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points for clang, opt and lld. The pass runs where the optimiser has finished simplifying
// and has not begun to vectorise (OptimizerEarly), at every optimisation level; in opt it is the
// module pass "contraflow", for existing scripts also "enzyme". What such scripts run in front of
// optimisation, so that what is registered stays, is "preserve-nvvm".

#include "BackwardRows.h"
#include "ByteLoops.h"
#include "CheckVectoriser.h"
#include "Differentiate.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

static constexpr StringLiteral PassNames[] = {"contraflow", "enzyme"};
static constexpr StringLiteral KeepName = "preserve-nvvm";

static void registerCallbacks(PassBuilder &PB) {
  contraflow::checkVectoriser(PB);
  contraflow::keepByteLoops(PB);
  contraflow::vectoriseBackwardRows(PB);
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(contraflow::KeepRegisteredPass());
  });
  PB.registerOptimizerEarlyEPCallback([&PB](ModulePassManager &MPM, OptimizationLevel,
                                            ThinOrFullLTOPhase Phase) {
    if (Phase == ThinOrFullLTOPhase::ThinLTOPreLink || Phase == ThinOrFullLTOPhase::FullLTOPreLink)
      MPM.addPass(contraflow::ShowRegisteredPass());
    else
      MPM.addPass(contraflow::DifferentiatePass(PB));
  });
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [&PB](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(contraflow::DifferentiatePass(PB));
      });
  PB.registerPipelineParsingCallback(
      [&PB](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == KeepName)
          MPM.addPass(contraflow::KeepRegisteredPass());
        else if (is_contained(PassNames, Name))
          MPM.addPass(contraflow::DifferentiatePass(PB));
        else
          return false;
        return true;
      });
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Contraflow", LLVM_VERSION_STRING, registerCallbacks};
}
