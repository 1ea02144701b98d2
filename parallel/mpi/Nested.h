// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of derivatives that communicate (Nested.cpp).

#pragma once

namespace contraflow {
class HandlerRegistry;
namespace mpi {
void registerNested(HandlerRegistry &Registry);
} // namespace mpi
} // namespace contraflow
