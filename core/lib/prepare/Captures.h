// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a region is given by their address; see Captures.cpp.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

/// The parameters of a body for which a call that has it run by a team, and waits, is given the
/// use; none if it is not such a call's.
llvm::SmallVector<const llvm::Argument *, 2> paramsGiven(const llvm::Use &U,
                                                         const HandlerRegistry &Handlers);

/// The parameters of a team's body that are addresses of local variables which nobody else can
/// come to while the call runs.
llvm::SmallVector<unsigned, 8> findOwnVariables(const llvm::CallBase &Call, const Closure &Region,
                                                const HandlerRegistry &Handlers);

/// Loads what these parameters lead to once, where Body begins, if Body does nothing but load it.
void loadOnce(llvm::Function &Body, llvm::ArrayRef<unsigned> Params);

struct GivenObject {
  unsigned Param;
  uint64_t Bytes;
  llvm::Align Alignment;
};

/// The parameters of a team's body that lead to objects of known size which live while the call
/// runs: a variable, or what a method is called for.
llvm::SmallVector<GivenObject, 8> findObjects(const llvm::CallBase &Call, const Closure &Region);

/// Members of these objects may be loaded at any place of Body.
void noteObjects(llvm::Function &Body, llvm::ArrayRef<GivenObject> Objects);

} // namespace contraflow
