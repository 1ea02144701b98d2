// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an access goes while a nest runs, and whether two of them are apart. Counts of inner loops
// may depend on outer ones:
//
//   for (i < b) for (j < i)  x[i * n + j]      start x; ways: i by 8 n, count b; j by 8, count i
//
// Blocks of one matrix overlap as ranges of bytes, but not as columns:
//
//   |  x  .  c  .  |       x's columns [0, w) modulo n, c's [2 w, 3 w)
//   |  x  .  c  .  |

#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class IRBuilderBase;
class Loop;
class SCEV;
class SCEVExpander;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace contraflow {

/// One loop that an address moves with. Count: iterations after the first, negative if none runs.
struct Way {
  llvm::Loop *L;
  const llvm::SCEV *Step, *Count;
};

struct NestAccess {
  llvm::Instruction *I;
  const llvm::SCEV *Start;        ///< all of them as 64-bit integers
  llvm::SmallVector<Way, 4> Ways; ///< inner loop first
  uint64_t Size;
};

class NestAccesses {
public:
  NestAccesses(llvm::ScalarEvolution &SE, llvm::Loop &Nest) : SE(SE), Nest(Nest) {}

  /// What a load or store touches; nothing if that is not known where the nest is entered.
  std::optional<NestAccess> describe(llvm::Instruction &I) const;
  /// Iterations of a loop of the nest after the first; null if that is not known.
  const llvm::SCEV *countOf(llvm::Loop &L) const;
  /// The largest value of an expression in the whole nest, or null.
  const llvm::SCEV *largest(const llvm::SCEV *S) const;
  /// Counts of at least 0 in the largest iteration of the outer loops.
  const llvm::SCEV *mostOf(const Way &W) const;

  /// False at run time if the two may have bytes in common. Null if that cannot be asked.
  llvm::Value *apart(llvm::SCEVExpander &E, llvm::IRBuilderBase &B, const NestAccess &X,
                     const NestAccess &Y) const;

private:
  struct Extent {
    const llvm::SCEV *Begin, *End;
  };
  Extent extentOf(const NestAccess &X, const llvm::SCEV *Except) const;
  const llvm::SCEV *commonStep(const NestAccess &X, const NestAccess &Y) const;

  llvm::ScalarEvolution &SE;
  llvm::Loop &Nest;
};

} // namespace contraflow
