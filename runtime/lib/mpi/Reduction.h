// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors of reductions. A reduction is, at the point where it is evaluated, a weighted sum of what
// the ranks contribute: weight 1 for MPI_SUM, 1 or 0 for MPI_MIN and MPI_MAX (one owner per
// element: the lowest rank that has the extremum), the product of all other contributions for
// MPI_PROD.
//
//   primal    r = combine over ranks of s
//   tangent   r-dot = sum over ranks of weight * s-dot
//   adjoint   s-bar += weight * (r-bar, brought to the ranks that contributed to r);  r-bar = 0
//
// Who has a result decides how r-bar is brought: root only -> broadcast; everybody -> sum; one
// block each -> all blocks gathered; prefix sums -> prefix sums over the ranks in reverse order.
// The tangent of a derivative is the same sum in more directions, and where weights are products a
// second one, with the tangents of the weights:
//
//   (r-dot)' = sum of weight * (s-dot)' + weight' * s-dot
//   (s-bar)' += weight * (r-bar)' + weight' * r-bar
//
// What is no such sum, or none whose weights are easily found, is a chain (Chain.h).

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Layout.h"
#include "mpi/Operation.h"
#include "mpi/Operators.h"
#include "mpi/Record.h"

namespace contraflow::mpi {

enum class Reach : std::uint8_t { Root, All, Blocks, Prefix, PrefixBefore };

/// The arguments of a reduction as all functions of this kind have them.
struct ReductionCall {
  const char *Name;
  Reach To;
  const void *Send;
  void *Receive;
  void *SendShadow, *ReceiveShadow;
  int Count; ///< items that every rank contributes
  MPI_Datatype Type;
  MPI_Op Op;
  int Root;
  const int *BlockCounts; ///< Reach::Blocks: items of the result for each rank
  MPI_Comm Comm;
  bool Blocks = true; ///< false: nothing may wait for other ranks before the completion
};

struct Reduction : cf_mpi_record {
  enum class Weight : std::uint8_t { One, Owner, Others, Chain };

  Reach To;
  Weight Factor = Weight::One;
  Leaf Leaves; ///< their kind
  int Root;
  Communicator *Comm;
  View Input;  ///< shadow of what this rank contributes: of the receive buffer if in place
  View Result; ///< shadow of what this rank receives; no leaves if nothing
  const int *BlockCounts = nullptr;   ///< Reach::Blocks: leaves of the result for each rank
  const std::byte *Weights = nullptr; ///< Owner: a byte for each leaf; Others: a leaf for each;
                                      ///< Chain: the image of what this rank contributes
  /// Others and products, of a derivative whose tangent is asked for: the tangents of the weights.
  const std::byte *WeightDots = nullptr;
  Combination Chain;
  bool OwnsType = false; ///< Chain.Type is a duplicate
  bool Blocking = true;

  /// Between groups, what one group contributes is the result of the other.
  bool isInter() const { return Comm->isInter(); }
  bool contributes() const { return To != Reach::Root || Root != MPI_ROOT; }
  /// Of a chain: the derivatives of sums do not depend on what was contributed.
  bool needsValues() const { return Chain.How != Combination::Kind::Sum; }
  bool keepsContribution() const { return contributes() && needsValues(); }
};

/// Fills R and works out its weights, which live behind it on the tape or, in a tangent, in
/// `Space`. Before the primal call, which may overwrite the input. False: nothing here carries a
/// derivative.
bool describe(Reduction &R, const ReductionCall &C);
/// What a reduction keeps: the bytes of it, and working it out before the primal call.
std::int64_t spaceOf(const Reduction &R);
void fillSpace(Reduction &R, const ReductionCall &C, std::byte *Space);

/// Bits of bytes in which nobody knows of numbers: flags.
bool isOfBits(const ReductionCall &C, const Layout &L);
/// The operator of C on its own, for images of its items; nothing if it has no derivative.
std::optional<Combination> combinationOf(const ReductionCall &C, const Layout &L);

void tangent(const Reduction &R);
void adjoint(const Reduction &R);

/// The reduction of one of several directions; the weights are the same.
Reduction oneDirection(const Reduction &R, int D);

/// The same without blocking: sums and chains.
std::unique_ptr<Operation> tangentOperation(const Reduction &R);
/// Takes r-bar.
std::unique_ptr<Operation> adjointOperation(const Reduction &R);

} // namespace contraflow::mpi
