// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a store in a nest of loops writes where a load has read, after it did:
//
//   for (k) for (i > k) {  a[i][k] /= a[k][k];  for (j > k)  a[i][j] -= a[i][k] * a[k][j];  }
//
// Row k and column k are read while other rows and columns are written, now and later: the reverse
// sweep finds them in the array.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class DominatorTree;
class Instruction;
class LoadInst;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace contraflow {

class LaterWrites {
public:
  LaterWrites(llvm::ScalarEvolution &SE, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT)
      : SE(SE), LI(LI), DT(DT) {}

  /// True if whatever Store, which may also set or copy a known number of bytes, writes after an
  /// execution of Load, until the function ends, is elsewhere.
  bool leave(llvm::LoadInst &Load, llvm::Instruction &Store);
  /// True if nothing that Store writes while the loop runs is where Load reads meanwhile.
  bool leaveIn(const llvm::Loop &L, llvm::LoadInst &Load, llvm::Instruction &Store);

private:
  using Bytes = std::pair<const llvm::SCEV *, const llvm::SCEV *>; ///< first, and behind the last
  /// A load and a store as 64-bit addresses. With a cycle, as residues modulo that.
  struct Access {
    const llvm::SCEV *Address;
    const llvm::Loop *Inside; ///< the innermost loop around
    uint64_t Size;
    const llvm::SCEV *Left = nullptr; ///< what a residue leaves out, besides cycles
  };
  struct Two {
    Access Load, Store;
    const llvm::SCEV *Cycle = nullptr;
  };
  std::optional<Two> describe(llvm::LoadInst &Load, llvm::Instruction &Store) const;
  std::optional<Two> modulo(const Two &T, const llvm::SCEV *Cycle) const;
  const llvm::SCEV *reduced(const llvm::SCEV *S, const llvm::SCEV *Cycle) const;
  const llvm::SCEV *residue(const llvm::SCEV *Walk, const llvm::SCEV *Start,
                            const llvm::SCEV *Cycle) const;
  bool isFixedIn(const llvm::Loop &L, const Access &A, const llvm::SCEV *Cycle) const;
  std::optional<Bytes> bytes(const Access &A, const llvm::Loop *Outside,
                             const llvm::SCEV *Cycle) const;
  const llvm::SCEV *inNext(const llvm::SCEV *S, const llvm::Loop &L, bool Rising) const;
  bool atMost(const llvm::SCEV *Low, const llvm::SCEV *High, const Two &T) const;
  bool fits(const Bytes &First, const Bytes &Second, const Two &T) const;
  /// While one iteration of a loop runs, or (null) the function.
  bool apartWithin(const llvm::Loop *Outside, const Two &T) const;
  /// The store in any later iteration of the loop.
  bool apartLater(const llvm::Loop &L, const Two &T) const;
  template <typename Question> bool any(const Two &T, Question Q) const;
  bool mayFollowInIteration(const llvm::Loop &L, llvm::Instruction &Load,
                            llvm::Instruction &Store) const;

  llvm::ScalarEvolution &SE;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  unsigned Left = 4000; ///< questions that will be looked into
};

} // namespace contraflow
