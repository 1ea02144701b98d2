// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

namespace contraflow::mpi {

/// `Request` is freed; if it is a persistent one, its arguments are of no use any more.
void forgetPersistent(MPI_Request Request);

} // namespace contraflow::mpi
