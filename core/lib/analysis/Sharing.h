// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharing: may several threads add to the same shadow word at once? In the body of a parallel
// region the adjoint of a load from shared memory is an update that other threads may make, too.
//
//   #pragma omp for schedule(static)
//   for (j ...) for (i ...)  y[j*n+i] = f(x[(j-1)*n+i], x[j*n+i], x[(j+1)*n+i])
//
// If the addresses are affine in the worksharing loop with bases that all threads agree on, the
// bytes that iteration j touches are known: [base + stride * j, + extent). The runtime computes
// from them how far apart two iterations must be not to meet, and lets the threads run in phases.
//
//   for (i ...) for (j ...)  y[i] += a[i*n+j] * x[j]
//
// What every iteration adds to (x) goes to memory of the thread's own, which is added once when
// the thread has done its iterations. All addresses of such an array must be known, since
// everything between the lowest and the highest gets a place there.
//
//   for (i ...)  y[i] = x[order[i]]
//
// Where the program promises that order holds no number twice, the bytes of order that an iteration
// reads stand for those of x, if nothing else in the loop adds to x (ThroughIndex.h).
//
//   for (i ...) for (k ...)  y[i] += a[i*16+k] * x[column[i*16+k]]
//
// Where only the run knows the address of an update (x), it is made atomically. The forward sweep
// notes the lowest and the highest of these addresses; if what is known (a) lies elsewhere, it is
// added plainly beside them. Other updates of the same array are atomic, too.
//
//   #pragma omp for schedule(dynamic)
//
// Which thread gets which iterations is known when it happens. So there are no phases: updates are
// plain if no iteration comes near another one, which the runtime finds out from the footprints.
//
// A body is looked at phase by phase (TeamPhases.h): each phase may have a divided loop of its own,
// also within loops that all threads run alike.

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class Type;
class Value;
} // namespace llvm

namespace contraflow {

class TeamPhases;

/// A loop whose iterations a construct divides among the threads in one contiguous piece each.
struct DividedLoop {
  llvm::CallBase *Division = nullptr; ///< the call that computes the bounds
  llvm::Value *Lower = nullptr;       ///< memory that receives a thread's first iteration
  llvm::Value *Upper = nullptr;       ///< holds the last iteration of all before the call
};

/// Pieces of a loop that are dealt out: each iteration of all is in one piece.
struct DealtLoop {
  llvm::Value *Lower = nullptr, *Upper = nullptr; ///< the first and the last iteration of all
  bool IsSigned = true;
  llvm::CallBase *Deal = nullptr;
};

/// A call that writes the bounds of the next piece.
struct NextPiece {
  llvm::CallBase *Call = nullptr;
  llvm::Value *Lower = nullptr, *Upper = nullptr; ///< memory
};

/// Bytes that iteration i of the divided loop adds to: [Base + Stride * i, + Extent).
struct Footprint {
  const llvm::SCEV *Base;
  const llvm::SCEV *Extent;
  const llvm::SCEV *Stride;
};

/// The bytes that an update through a promised index adds to: Scale * index + [Low, High).
struct PromisedBytes {
  llvm::Instruction *Index = nullptr;
  const llvm::SCEV *Array = nullptr; ///< the pointer that the address of the index is computed from
  const llvm::SCEV *Scale = nullptr, *Low = nullptr, *High = nullptr;
  bool Signed = false; ///< the index is made wider by its sign
};

/// What one load of the loop adds to.
struct SharedUpdate {
  llvm::Instruction *Load;
  Footprint Bytes;         ///< of the index, if there is one
  const llvm::SCEV *Array; ///< the pointer that the address is computed from
  bool MayWait;            ///< nothing in the loop's reverse reads what is added
  PromisedBytes Through = {};
};

/// An array whose updates go to memory of each thread's own.
struct PrivateArray {
  llvm::Value *Pointer = nullptr; ///< to the shadow; all addresses are computed from it
  llvm::Type *Scalar = nullptr;
  llvm::SmallVector<Footprint, 8> Groups;
  /// The loads; none in a version of the loop whose updates may not wait.
  llvm::DenseSet<const llvm::Instruction *> Loads;
};

/// An update whose address only the run knows, with that address.
struct LooseUpdate {
  llvm::Instruction *Load;
  llvm::Value *Address;
};

/// A loop of a region body whose updates need no atomics. Footprints are those of all its versions.
struct SharedLoop {
  llvm::Loop *L = nullptr;
  const DividedLoop *Division = nullptr; ///< none where pieces are dealt out: L asks for them
  unsigned Phase = 0;
  llvm::SmallVector<SharedUpdate, 16> Updates;
  llvm::SmallVector<Footprint, 16> Plain, Atomic;
  llvm::SmallVector<PrivateArray, 2> Private; ///< the same arrays in all versions of the loop
  const llvm::SCEV *Trip = nullptr;           ///< iterations of all threads
  bool Ordered = false;                       ///< iterations must be reversed in order
  llvm::DenseSet<const llvm::Instruction *> PlainLoads;
  /// Atomic ones, which other updates must be found apart from.
  llvm::SmallVector<LooseUpdate, 4> Loose;
};

/// What the analysis asks about one phase of the body.
struct SharingQuestions {
  const TeamPhases &Phases;
  llvm::ArrayRef<DividedLoop> Loops;
  llvm::ArrayRef<DealtLoop> Deals;
  llvm::ArrayRef<NextPiece> Pieces;
  /// Loads whose adjoint updates memory that other threads know, with the shadow's address.
  llvm::ArrayRef<std::pair<llvm::Instruction *, llvm::Value *>> Updates;
  /// True if all threads that are in the divided loop at the same time compute the same value.
  llvm::function_ref<bool(llvm::Value *, const llvm::Loop &)> Uniform;
  /// True if they are in the same iteration of a loop around it.
  llvm::function_ref<bool(const llvm::Loop &Around, const llvm::Loop &)> SameIteration;
  /// True if no reverse step in the loop reads what the load adds to.
  llvm::function_ref<bool(llvm::Instruction &, llvm::Loop &)> MayWait;
  /// True if the body does not write what is loaded.
  llvm::function_ref<bool(llvm::Instruction &)> IsUnwritten;
  /// Loads of what the thread writes itself: loops with no others may be elsewhere in the phase.
  const llvm::DenseSet<const llvm::Instruction *> &Owned;
  /// Whether plain updates may be made beside such that are known at run time only.
  bool MayBeLoose;
};

struct SharingAnswer {
  llvm::SmallVector<SharedLoop, 2> Loops;
  llvm::StringRef Why; ///< there are none
};

/// Finds the shared loop of a phase; none if updates elsewhere could meet it. Several loops are
/// versions of one, of which each thread runs one.
SharingAnswer findSharedLoops(const SharingQuestions &Q, llvm::LoopInfo &LI,
                              llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

} // namespace contraflow
