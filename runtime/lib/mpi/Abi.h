// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of abi_mpi.def with the types of the MPI library at hand, so that a definition that
// does not fit its line does not compile.

#pragma once

#include <mpi.h>

#define CF_MPI_HANDLE(kind) MPI_##kind
#include "contraflow/abi.h"
