// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory from MPI_Alloc_mem (Memory.cpp).

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow::mpi {

void registerMemory(HandlerRegistry &Registry);

} // namespace contraflow::mpi
