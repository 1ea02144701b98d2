// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the OpenMP handlers; the order does not matter.

#include "parallel/omp/Register.h"
#include "parallel/omp/Handlers.h"

namespace contraflow::omp {

void registerHandlers(HandlerRegistry &Registry) {
  registerForkJoin(Registry);
  registerSynchronisation(Registry);
  registerTasks(Registry);
  registerTeams(Registry);
}

} // namespace contraflow::omp
