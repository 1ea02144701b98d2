// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which derivative call the calling thread works for. A call is known by its root arena, the one of
// the thread that began it; the threads of its teams work for the same call. A thread of a team may
// begin a derivative call of its own and returns to the outer one when that has ended.

#pragma once

#include "tape/Arena.h"

namespace contraflow {

/// Null outside of derivative calls.
Arena *currentCall();
void setCurrentCall(Arena *Root);

/// The number of the innermost call of that name among those that the calling thread works for; of
/// the innermost call at all if there is none. A call is named by its derivative and by nameCall.
int64_t callOf(const void *Name);
/// Another name for the innermost call.
void nameCall(const void *Name);

/// Who has to do something at the end of a derivative call.
enum class AtCallEnd { DeferredFrees, Messages, PackedPieces, ThreadsVariables, Layers };

/// Called with the root arena when the outermost derivative call on it ends.
void setCallEndHook(AtCallEnd Whose, void (*Hook)(Arena *Root));

} // namespace contraflow
