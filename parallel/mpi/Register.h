// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one public symbol of this model.

#pragma once

namespace contraflow {
class HandlerRegistry;
namespace mpi {
void registerHandlers(HandlerRegistry &Registry);
} // namespace mpi
} // namespace contraflow
