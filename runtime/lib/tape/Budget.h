// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process-wide budget: every chunk that an arena holds is charged before it is used and given
// back when it is not. One atomic addition per chunk, none per frame.

#pragma once

#include <cstdint>

namespace contraflow::budget {

/// Charges Bytes. False if that would exceed the budget; then nothing is charged.
bool charge(int64_t Bytes);
/// Ends the program with the message that names the budget and what Bytes more would need.
[[noreturn]] void failToCharge(int64_t Bytes);
void giveBack(int64_t Bytes);

/// Bytes <= 0: back to the environment's value or the default.
void set(int64_t Bytes);
int64_t limit();

/// Most bytes charged at one time since resetPeak().
int64_t peak();
void resetPeak();

} // namespace contraflow::budget
