// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-up in RequestSpellings.def.

#pragma once

#include "contraflow/core/Request.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace contraflow {

struct RequestSpelling {
  llvm::StringRef Name;
  std::optional<DerivativeMode> Mode; ///< none: known, not supported
};

enum class MarkerMeaning {
  Activity,     ///< of the argument that follows
  ReturnPrimal, ///< the result of the primal is returned, before everything else
  Unsupported,
};

struct MarkerSpelling {
  llvm::StringRef Name;
  MarkerMeaning Meaning;
  Activity Kind = Activity::Const; ///< if that is its meaning
};

/// The spelling that a function's name, C or mangled C++, begins with; null if it is no request.
const RequestSpelling *findRequestSpelling(llvm::StringRef FunctionName);

/// The marker of this name, or null.
const MarkerSpelling *findMarkerSpelling(llvm::StringRef Name);

} // namespace contraflow
