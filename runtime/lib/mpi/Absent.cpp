// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MPI runtime of a build without MPI: the same symbols, each of which says what is missing. A
// program whose derivative never reaches an MPI call links and runs.

#include "mpi/Refuse.h"

#include "contraflow/abi.h"

#pragma clang diagnostic ignored "-Wunused-parameter"

using contraflow::mpi::Refusal;
using contraflow::mpi::refuse;

extern "C" {
#define CF_FN(name, ret, args)                                                                     \
  ret cf_v1_##name args { refuse(Refusal::Absent, #name); }
#define CF_MPI_NOTE(name, args)                                                                    \
  void cf_v1_##name args {}
#include "contraflow/abi_mpi.def"
#undef CF_FN
}
