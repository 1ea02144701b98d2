// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime gives up: one numbered sentence that names the rank and thread and says what to
// do, then the end of the whole program. There is nobody to return an error to: the caller is
// compiled derivative code.
//
//   fail(ErrorId::TapeBudget, formatBytes(Budget), formatBytes(Need));
//   -> contraflow: error: [CF301] tape budget of 512.0 MiB exceeded: 640.0 MiB needed
//      (rank 0, thread 1); raise CONTRAFLOW_TAPE_BUDGET ...

#pragma once

#include <string>

namespace contraflow {

enum class ErrorId {
#define CF_ERROR(Id, Number, Sentence, Advice) Id,
#include "support/Errors.def"
#undef CF_ERROR
};

[[noreturn]] void fail(ErrorId Id, const std::string &Detail0 = {},
                       const std::string &Detail1 = {});

/// Tells messages how to find the calling thread's number in its OpenMP team.
void setThreadNumberHook(int (*Hook)()) noexcept;

} // namespace contraflow
