// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one public symbol of this model.

#pragma once

namespace contraflow {
class HandlerRegistry;
namespace threads {
void registerHandlers(HandlerRegistry &Registry);
} // namespace threads
} // namespace contraflow
