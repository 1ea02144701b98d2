// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the detail into the sentence and hands it to the runtime's own way of giving up, which adds
// the rank and thread.

#include "mpi/Refuse.h"

#include "contraflow/abi.h"

namespace contraflow::mpi {
namespace {

struct Text {
  int Number;
  const char *Sentence;
  const char *Advice;
};

constexpr Text Texts[] = {
#define CF_MPI_ERROR(Id, Number, Sentence, Advice) {Number, Sentence, Advice},
#include "mpi/Errors.def"
#undef CF_MPI_ERROR
};

} // namespace

void refuse(Refusal Why, const std::string &Detail) {
  const Text &T = Texts[static_cast<int>(Why)];
  std::string Sentence = T.Sentence;
  if (const auto At = Sentence.find("%0"); At != std::string::npos)
    Sentence.replace(At, 2, Detail);
  const std::string Message = "[CF" + std::to_string(T.Number) + "] " + Sentence + "; " + T.Advice;
  cf_v1_fail(Message.c_str());
}

} // namespace contraflow::mpi
