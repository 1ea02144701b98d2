// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of this model, for its Register.cpp.

#pragma once

#include "contraflow/core/Construct.h"

#include "llvm/Transforms/Utils/Local.h"

namespace contraflow::omp {

/// What begins a team.
inline constexpr llvm::StringRef Forks[] = {"__kmpc_fork_call", "__kmpc_fork_call_if"};

/// A call of the library, which throws nothing: C++ may have made an invoke of it.
inline llvm::CallBase &plainCall(llvm::CallBase &Call) {
  auto *Invoke = llvm::dyn_cast<llvm::InvokeInst>(&Call);
  return Invoke ? *llvm::changeToCall(Invoke) : Call;
}

/// False if the task that begins at Entry has to run where it is made; see TaskKinds.cpp.
bool mayRunLater(const llvm::Function &Entry);
/// True if the task that begins at Entry may wait for what is done after it was made; see
/// TaskWaits.cpp.
bool waitsForMaker(llvm::Function &Entry);
/// What is done with the memory of a task takes no more for granted than how it is aligned.
void relaxPrivates(llvm::Value &Memory);
/// True if a region may run alone in the function: what is in it is not the team's.
bool hasRegionAlone(const llvm::Function &F);
/// True if the function of the call forks teams, or only they run it: an adjoint that begins and
/// ends them may be called again.
bool isAtTeams(const llvm::CallBase &Call);
/// True if a section of one thread at a time may be entered again: as isAtTeams, or no team is
/// near.
bool isRepeatableSection(const llvm::CallBase &Call);
/// True if the module forks teams.
bool hasTeams(const llvm::Module &M);

void registerAtomics(HandlerRegistry &Registry);
void registerCopyprivate(HandlerRegistry &Registry);
void registerForkIf(HandlerRegistry &Registry);
void registerForkJoin(HandlerRegistry &Registry);
void registerInOrder(HandlerRegistry &Registry);
void registerMemory(HandlerRegistry &Registry);
void registerNested(HandlerRegistry &Registry);
void registerSimd(HandlerRegistry &Registry);
void registerSynchronisation(HandlerRegistry &Registry);
void registerTasks(HandlerRegistry &Registry);
void registerTaskGraph(HandlerRegistry &Registry);
void registerTaskWaits(HandlerRegistry &Registry);
void registerTarget(HandlerRegistry &Registry);
void registerTeams(HandlerRegistry &Registry);
void registerThreadPrivate(HandlerRegistry &Registry);
void registerWorksharing(HandlerRegistry &Registry);

} // namespace contraflow::omp
