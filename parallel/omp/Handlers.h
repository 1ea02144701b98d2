// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of this model, for its Register.cpp.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow::omp {

void registerForkJoin(HandlerRegistry &Registry);
void registerSynchronisation(HandlerRegistry &Registry);
void registerTasks(HandlerRegistry &Registry);
void registerTeams(HandlerRegistry &Registry);

} // namespace contraflow::omp
