// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that MPI only reads.

#pragma once

namespace contraflow {
class HandlerRegistry;
} // namespace contraflow

namespace contraflow::mpi {

void registerReadOnly(HandlerRegistry &Registry);

} // namespace contraflow::mpi
