// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a copy of unknown length may reach: what lies behind an array is no part of it.

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

/// The bytes that a call copies at most; -1: nobody knows.
int64_t bytesCopied(const llvm::CallBase &I, const CallFacts::Copy &C, const llvm::DataLayout &DL);

} // namespace contraflow
