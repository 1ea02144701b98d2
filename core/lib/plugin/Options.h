// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the plugin, given with -mllvm.

#pragma once

#include "emit/Unit.h"

namespace contraflow {

/// As they were given on the command line.
Switches chosenSwitches();

/// Instructions that count as differentiated, too, when it is decided what is inlined.
unsigned otherCode();

/// True if a global variable without a declaration of its own has no derivative.
bool globalsAreInactive();

/// True if any shadow may turn out to be its primal.
bool checksShadows();

} // namespace contraflow
