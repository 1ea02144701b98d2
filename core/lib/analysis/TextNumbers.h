// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are written as text and read again. Text has no derivative:
//
//   snprintf(line, 64, "%.17g", y);  z = atof(line);                z depends on y
//   fprintf(out, "%g", y); ...  fscanf(in, "%lf", &z)               if in may be out's file

#pragma once

#include "LostBits.h"

namespace contraflow {

/// Adds a flow from numbers that become text to those made of text that may be the same.
void addNumberTexts(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                    std::vector<LostFlow> &Flows);

} // namespace contraflow
