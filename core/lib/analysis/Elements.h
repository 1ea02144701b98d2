// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes beside floats of one kind, where nothing else lies, are elements of their array.

#pragma once

#include "MemoryGraph.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <utility>

namespace contraflow {

class Elements {
public:
  using Range = std::pair<Location, int64_t>; ///< a place, and bytes

  explicit Elements(MemoryGraph &Graph);
  /// What is moved, or set, beside such floats.
  void assume(Location At, int64_t Size);
  /// Floats that are copied together with what nobody looks at.
  void assumeCopied();
  /// Members between the floats that are copied with them would be moved as numbers, in shadows.
  /// Words are accessed one by one, without a type.
  void noteIntegers(llvm::ArrayRef<Range> Words);
  /// Addresses between them would, too, and their shadows be taken for adjoints.
  void notePointers();
  bool News = false;

private:
  void noteMembers(ScalarKind Kind);
  unsigned kindsOf(unsigned Node);
  bool holdsOneKind(Location At);
  bool mayBeBits(llvm::ArrayRef<Range> Words) const;

  MemoryGraph &Graph;
  llvm::DenseMap<unsigned, unsigned> Kinds; ///< of whole nodes
  llvm::SmallVector<Range, 16> Copied;
};

} // namespace contraflow
