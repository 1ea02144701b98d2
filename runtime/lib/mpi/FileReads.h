// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from files that end in another call than the one that began them. How much arrived is known
// at the end.

#pragma once

#include "mpi/Record.h"

#include <mpi.h>

namespace contraflow::mpi {

/// The read that R stands for has ended; the end of R if it is that of a tangent.
void completeRead(cf_mpi_record *R, const MPI_Status &Status);

} // namespace contraflow::mpi
