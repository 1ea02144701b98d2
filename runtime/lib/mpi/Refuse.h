// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the MPI runtime gives up: one numbered sentence, then the end of all ranks.

#pragma once

#include <string>

namespace contraflow::mpi {

enum class Refusal {
#define CF_MPI_ERROR(Id, Number, Sentence, Advice) Id,
#include "mpi/Errors.def"
#undef CF_MPI_ERROR
};

[[noreturn]] void refuse(Refusal Why, const std::string &Detail);

} // namespace contraflow::mpi
