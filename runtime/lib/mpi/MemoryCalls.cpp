// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that the program asks MPI for. Errors end the program, as they do by default.

#include "mpi/Abi.h"

void *cf_v1_mpi_alloc_mem(MPI_Aint size, MPI_Info info) {
  void *New = nullptr;
  return PMPI_Alloc_mem(size, info, &New) == MPI_SUCCESS ? New : nullptr;
}

void cf_v1_mpi_free_mem(void *memory) { PMPI_Free_mem(memory); }
