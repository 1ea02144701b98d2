// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where memory is accessed in pieces of a few bytes that are too few for a number; see
// ShortPieces.cpp.

#pragma once

#include "MemoryGraph.h"

#include <map>
#include <set>

namespace llvm {
class StoreInst;
} // namespace llvm

namespace contraflow {

class ShortPieces {
public:
  ShortPieces(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph);
  /// True if I stores a short integer that has been loaded, and no number can come together of what
  /// is accessed in this way where it comes from, or where it goes.
  bool moves(const llvm::StoreInst &I) const;

private:
  struct Piece {
    int64_t Offset = 0, Step = 0; ///< and multiples of the step from there
  };
  struct Pieces {
    int64_t Step = 0; ///< that all of them have in common
    std::set<int64_t> Bytes;
    bool Known = true; ///< where all of them are
  };
  void add(const llvm::Value *Pointer, int64_t Size);
  std::optional<Piece> find(const llvm::Value *Pointer) const;
  std::optional<Piece> inObject(const llvm::Value *Pointer) const;
  bool areFewAt(const llvm::Value *Pointer, int64_t Limit) const;

  const MemoryGraph &G;
  std::map<std::pair<unsigned, int64_t>, Pieces> OfNode; ///< and shorter than the number of bytes
};

} // namespace contraflow
