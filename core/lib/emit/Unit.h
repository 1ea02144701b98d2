// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emitters share: the state of one request, and of each function that it differentiates.

#pragma once

#include "analysis/Activity.h"
#include "analysis/Effects.h"
#include "analysis/Reach.h"
#include "contraflow/core/Diag.h"
#include "contraflow/core/Request.h"
#include "prepare/Carried.h"
#include "prepare/Loops.h"
#include "prepare/Prepare.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace contraflow {

/// Analyses that can be switched off to check that the answer does not depend on them.
struct Switches {
  bool Activity = true;
  bool MinCut = true;
  bool Sharing = true;
  /// Threads add to adjoints in a fixed order.
  bool Deterministic = false;
  /// The program checks that no promised index array holds a number twice.
  bool CheckPromises = false;
  /// Instructions in one function of a derivative that is cut into several.
  unsigned PieceSize = 2000;
  /// Ends with an internal fault, for the test of what is done about one.
  bool Fault = false;
  /// What to show on standard error (Print.h; Plan: where each needed value comes from).
  struct {
    bool Types = false, Activity = false, Needs = false, Plan = false, Sharing = false;
  } Print;
};

enum class SweepKind {
  Tangent,
  Combined, ///< forward and reverse sweep in one function
  Split,    ///< augmented primal and reverse as two functions
};

/// One function of the closure on its way to its derivative. Its forward function takes over the
/// blocks of the prepared function, so instructions keep their identity.
struct Unit {
  llvm::Function *Prepared = nullptr;
  llvm::Function *Forward = nullptr; ///< tangent, combined or augmented function
  llvm::Function *Reverse = nullptr; ///< where the reverse sweep goes: Forward if combined
  SweepKind Kind = SweepKind::Combined;
  bool InTeam = false;   ///< several threads run it at once
  bool Detached = false; ///< and tasks that it has made
  bool Foreign = false;  ///< it may work on memory that other processes use as well
  llvm::SmallVector<llvm::Value *, 8> Primals; ///< forward's primal parameters
  /// Per direction (one but in a tangent), per parameter: shadow or tangent, or null.
  llvm::SmallVector<llvm::SmallVector<llvm::Value *, 8>, 1> Shadows;
  llvm::Value *Tape = nullptr;        ///< arena in the forward function
  llvm::Value *ReverseTape = nullptr; ///< arena in the reverse function
  llvm::Value *Seed = nullptr;        ///< adjoint of the result, or null
  llvm::Value *Frame = nullptr;       ///< split: root frame, forward
  llvm::Value *ReverseFrame = nullptr;
  SplitDerivative Split;
  llvm::CallInst *Begin = nullptr;                   ///< of the derivative call
  llvm::CallInst *Mark = nullptr;                    ///< where its records begin on the tape
  llvm::SmallVector<llvm::Function *, 0> Pieces;     ///< of both functions, if they are large
  llvm::SmallVector<llvm::Instruction *, 8> Retired; ///< replaced, still keys of analyses
  bool UsesTape = false;
  ~Unit();
};

/// Heap objects that global variables may lead to when the call is over, and who owns their
/// shadows: an array of bytes, one for each direction.
struct KeptMemory {
  bool Known = false;
  llvm::DenseSet<unsigned> Nodes;
  llvm::DenseSet<unsigned> Globals; ///< the variables themselves
  llvm::GlobalVariable *Owner = nullptr;
};

/// One request being compiled: its prepared code and what is known about it.
struct RequestState {
  Compilation &C;
  const DerivativeSpec &Spec;
  Switches Switch;
  PreparedClosure Closure;
  LoopFacts Loops;
  CarriedLoads Carried;
  MemoryGraph Graph;
  ActivityResult Activity;
  WriteSet Writes;
  llvm::MapVector<llvm::Function *, std::unique_ptr<Unit>> Units;
  llvm::DenseMap<std::pair<llvm::GlobalVariable *, unsigned>, llvm::GlobalVariable *> ShadowGlobals;
  KeptMemory Kept;
  /// Stores of integers that are no part of a float, though they go where floats are; see
  /// findOwnStores.
  llvm::DenseSet<const llvm::StoreInst *> OwnStores;
  llvm::BitVector OwnShadows; ///< nodes of memory that may be constant and its own shadow
  /// Nodes that registered derivatives may look at, of these what their reverse functions may look
  /// at, and what may be overwritten before (Asked.h).
  llvm::BitVector Asked, AskedLater, Overwritten;
  llvm::BitVector ClassTables; ///< nodes of active memory with what the compiler writes of classes
  llvm::SmallVector<llvm::StoreInst *, 4> TakenBack; ///< see TakenBack.h
  bool Foreign = false; ///< some memory is used by other processes as well
  /// Deterministic: nodes of memory to whose adjoints the threads of a team may add.
  llvm::DenseSet<unsigned> AddedInTeams;
  bool RunsOnce = false;  ///< the reverse sweep may not be repeated
  bool TakesBack = false; ///< the reverse sweep undoes what the forward sweep has written
  llvm::GlobalVariable *Name = nullptr;    ///< stands for this derivative at run time
  llvm::Function *ClearInThread = nullptr; ///< see clearShadowsInTeams
  llvm::Function *JoinInThread = nullptr;  ///< gives what its variables lead to shadows, likewise
  llvm::StringSet<> Told; ///< remarks made: versions and copies of a loop say it once

  RequestState(Compilation &C, const DerivativeSpec &Spec, Switches S, PreparedClosure P)
      : C(C), Spec(Spec), Switch(S), Closure(std::move(P)), Graph(C.M.getDataLayout()) {}
  /// The unit of a prepared function other than the root, created (with its functions declared)
  /// when first asked for.
  Unit &unitFor(llvm::Function &Prepared);
  /// The shadow of a global variable for one direction.
  llvm::GlobalVariable *shadowGlobal(llvm::GlobalVariable &G, unsigned Lane);
  /// The shadow of a constant address; itself if it has none.
  llvm::Constant *shadowConstant(llvm::Constant *C, unsigned Lane);
  /// See SweepBuilder::owner.
  llvm::Constant *ownerOf(const llvm::Value *Pointer, unsigned Lane);

private:
  llvm::Constant *shadowInitialiser(llvm::Constant *Init, unsigned Lane);
};

/// Creates the forward function of the root unit and of others; moves the code in.
std::unique_ptr<Unit> declareRoot(RequestState &S);
void moveCode(RequestState &S, Unit &U);

/// Emits one unit.
llvm::Error emitTangent(RequestState &S, Unit &U);
llvm::Error emitAdjoint(RequestState &S, Unit &U);

/// The whole way from a spec to its derivative function. Nothing is left behind on failure.
llvm::Expected<Derivative> differentiate(const DerivativeSpec &Spec, Compilation &C,
                                         const Switches &S);

/// At this place, which is the beginning of a derivative call or of its reverse sweep, no global
/// variable has a tangent or an adjoint.
void clearGlobalShadows(RequestState &S, Unit &Root, llvm::IRBuilderBase::InsertPoint At);
/// Where the first of two calls begins: what global variables lead to has shadows.
void enterGlobals(RequestState &S, Unit &Root, llvm::IRBuilderBase::InsertPoint At);
/// The same as clearGlobalShadows for what each thread has for itself, where threads of teams
/// begin. Before functions that other requests have as well are shared with them.
void clearShadowsInTeams(RequestState &S, Unit &Root);

/// Finds the memory whose activity only the run knows; an error if an argument is declared constant
/// and is not.
llvm::Error findOwnShadows(RequestState &S);

/// A global variable that is declared without its size can have no shadow.
llvm::Error checkGlobalShadows(RequestState &S);

/// The two functions of a split request, around its root unit.
Derivative emitSplitCalls(RequestState &S, Unit &Root);

} // namespace contraflow
