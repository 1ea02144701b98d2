// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions indirect calls lead to, by what is stored and by the objects that there are. Of a
// pipeline whose stages hold their buffers,
//
//   struct Stage : Pipe { Pipe *next; Buffer out; Stage() : next(&out) {} };   next->take(x)
//
// types say that `next` may lead to a Stage as well. Then `out`, which lies within one, would be
// one itself, and all members of both one place.

#pragma once

#include "prepare/Numbered.h"

namespace contraflow {

struct Compilation;

/// What the indirect calls behind Primal, which have numbers, lead to. Nothing, if that is not
/// found out in a bounded time.
std::optional<CalledFunctions> findCalled(llvm::Function &Primal, Compilation &C);

} // namespace contraflow
