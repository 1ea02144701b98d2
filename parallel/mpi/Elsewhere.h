// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which addresses a program asks for in order to make datatypes that lead from one object to
// another.

#pragma once

namespace llvm {
class CallBase;
} // namespace llvm

namespace contraflow {
class HandlerRegistry;
namespace mpi {

/// True if a datatype may lead from another object to the address that the call asks for.
bool leadsElsewhere(const llvm::CallBase &Call);

void registerElsewhere(HandlerRegistry &Registry);

} // namespace mpi
} // namespace contraflow
