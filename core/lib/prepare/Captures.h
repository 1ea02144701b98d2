// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a region is given by their address; see Captures.cpp.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

/// The parameters of a team's body that are addresses of local variables which nobody else can
/// come to while the call runs.
llvm::SmallVector<unsigned, 8> findOwnVariables(const llvm::CallBase &Call, const Closure &Region,
                                                const HandlerRegistry &Handlers);

/// Loads what these parameters lead to once, where Body begins, if Body does nothing but load it.
void loadOnce(llvm::Function &Body, llvm::ArrayRef<unsigned> Params);

} // namespace contraflow
