// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Active memory of the caller in which the program sees integers only. They may be numbers, whose
// bits are calculated with, or integers, which have no derivative.

#pragma once

#include "Activity.h"

namespace contraflow {

/// An instruction by which what was calculated from such integers becomes a float that matters,
/// if nothing shows that they are integers indeed. Null if there is none.
const llvm::Instruction *findHiddenInput(const ActivityQuestion &Question,
                                         const ActivityResult &Activity,
                                         const HandlerRegistry &Handlers);

} // namespace contraflow
