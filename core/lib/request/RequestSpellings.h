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
  RequestPart Part = RequestPart::Whole;
};

enum class MarkerMeaning {
  Activity,      ///< of the argument that follows
  ReturnPrimal,  ///< the result of the primal is returned, before everything else
  NoPrimal,      ///< it is not (as without a marker)
  ConstResult,   ///< the result has no derivative
  ActiveResult,  ///< adjoint: it is seeded
  DupResult,     ///< tangent: its tangent is returned
  Hint,          ///< nothing follows from it
  ChecksShadows, ///< a shadow may turn out to be its primal
  Width,         ///< the number of directions follows
  DupVector,     ///< the distance in bytes of the shadows follows; the value; the first shadow
  DupNoNeedVector,
  Scalar,      ///< batch: one value for all calls
  Vector,      ///< batch: a value for each
  Buffer,      ///< batch: the distance in bytes of the memories follows; the first of them
  Tape,        ///< what the augmented call left follows
  Allocated,   ///< the size of the memory for it follows
  KeepTape,    ///< the reverse call may be repeated
  ByReference, ///< the size of a value follows; then the addresses of it and its shadows
  Interleave,  ///< between all primals and all shadows
  Unsupported,
};

struct MarkerSpelling {
  llvm::StringRef Name;
  MarkerMeaning Meaning;
  Activity Kind = Activity::Const; ///< if that is its meaning
};

/// The spelling that a function's name, C or mangled C++, begins with; null if it is no request.
const RequestSpelling *findRequestSpelling(llvm::StringRef FunctionName);

/// True for the name of a function that says which kind of values memory holds.
bool isHintSpelling(llvm::StringRef FunctionName);

/// True for the name of a function that makes a shadow of two functions.
bool isViewSpelling(llvm::StringRef FunctionName);

/// True for the name of a function that returns its argument without the derivative.
bool isIdentitySpelling(llvm::StringRef FunctionName);

/// The marker of this name, or null.
const MarkerSpelling *findMarkerSpelling(llvm::StringRef Name);

} // namespace contraflow
