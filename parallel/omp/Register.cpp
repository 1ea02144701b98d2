// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the OpenMP handlers. Reductions are rewritten before atomics: what they leave unused is
// not looked at.

#include "parallel/omp/Register.h"
#include "parallel/omp/Handlers.h"

namespace contraflow::omp {

void registerHandlers(HandlerRegistry &Registry) {
  registerForkJoin(Registry);
  registerForkIf(Registry);
  registerSynchronisation(Registry);
  registerAtomics(Registry);
  registerCopyprivate(Registry);
  registerInOrder(Registry);
  registerMemory(Registry);
  registerNested(Registry);
  registerSimd(Registry);
  registerTaskGraph(Registry);
  registerTasks(Registry);
  registerTaskWaits(Registry);
  registerTarget(Registry);
  registerTeams(Registry);
  registerThreadPrivate(Registry);
  registerWorksharing(Registry);
}

} // namespace contraflow::omp
