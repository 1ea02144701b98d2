// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory effects: will a load give the same value again in the reverse sweep? It will if nothing
// that may run after it, forwards, can write to the same place; the reverse sweep itself writes
// shadows only.
//
// Two different objects from outside may be one and the same (arguments can alias), unless type
// information or alias analysis tells them apart, or one has a shadow and the other has not: memory
// declared inactive does not overlap active memory. What the root is given by a restrict pointer is
// apart from all else while the call runs, in every function and thread.

#pragma once

#include "Activity.h"
#include "Following.h"
#include "LaterWrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/ValueHandle.h"

namespace llvm {
class AAResults;
class Loop;
class LoopInfo;
class StoreInst;
class DominatorTree;
} // namespace llvm

namespace contraflow {

/// Everything in a closure that may write to memory, by object.
class WriteSet {
public:
  struct Write {
    llvm::Instruction *At;
    llvm::WeakTrackingVH Pointer;
    unsigned Node;
    bool Anywhere = false; ///< no pointer is known
    bool NoFloats = false; ///< what it writes is text and what belongs to it
    /// Bodies with one call, before which this is done and not again.
    llvm::SmallVector<const llvm::Function *, 2> Before = {};
    bool TakenBack = false; ///< in the reverse sweep, by the thread that made it
  };
  void collect(llvm::ArrayRef<llvm::Function *> Closure, const ActivityResult &Activity,
               const HandlerRegistry &Handlers);
  llvm::ArrayRef<Write> writes() const { return All; }
  /// What Old did is done by New now.
  void moved(const llvm::Instruction &Old, llvm::Instruction &New);
  /// I is gone, and nothing does what it did.
  void dropped(const llvm::Instruction &I);
  /// After collect(): what is freed in these nodes stays until the derivative call is over.
  void putOffFrees(const llvm::DenseSet<unsigned> &Nodes, const MemoryGraph &Graph);
  /// After collect(): what these stores of the root write is taken back, and nothing else is.
  void takeBack(llvm::ArrayRef<llvm::StoreInst *> Stores);
  /// Before collect(): the reverse sweep is another call; until then the program may write where it
  /// can reach.
  void outliveCall() { Outlives = true; }
  /// True of the objects where it can.
  bool mayChangeBetween(unsigned Node) const { return Reached.contains(Node); }
  /// True if the object lies on the stack of a function whose reverse is another one: it is gone by
  /// then.
  bool isTransient(unsigned Node) const { return Transient.contains(Node); }
  /// True if a function of the library has handed out the object, which others of it may write to:
  /// the characters of a string.
  bool isHandedOut(unsigned Node) const { return HandedOut.contains(Node); }
  /// True if nothing comes to the object but by way of one argument of the root, which says so
  /// (restrict): no other pointer leads to what is written there, or to what it is written through.
  bool isApart(unsigned Node) const { return Apart.contains(Node); }
  /// True of a local variable, or a call that allocates, if who comes to what it makes has a
  /// pointer in the same node, whatever else that node stands for.
  bool isMadeInCall(const llvm::Value *Object) const { return Made.contains(Object); }
  /// True if the function runs at most once in a derivative call: the root, or a body whose only
  /// call is in the root and outside loops. Several threads may run it, each once.
  bool runsOnce(const llvm::Function &Prepared) const { return Once.contains(&Prepared); }
  /// True of a body whose only call is in the root, which runs once: maybe in a loop.
  bool runsInRoot(const llvm::Function &Prepared) const;

private:
  void add(llvm::Instruction &I, llvm::Value *Pointer, const MemoryGraph &Graph);
  void addReachable(llvm::CallBase &Call, const MemoryGraph &Graph, llvm::ArrayRef<unsigned> Known);
  void addPointees(llvm::CallBase &Call, const MemoryGraph &Graph);
  void findReached(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                   const HandlerRegistry &Handlers);
  void findHandedOut(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                     const HandlerRegistry &Handlers);
  void collectExposed(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                      const HandlerRegistry &Handlers);
  llvm::SmallVector<Write, 32> All;
  void findSingleRuns(llvm::ArrayRef<llvm::Function *> Closure, const HandlerRegistry &Handlers);
  void findOrder(const llvm::Function &Root, const HandlerRegistry &Handlers);
  void findApart(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                 const HandlerRegistry &Handlers);
  void findMade(llvm::ArrayRef<llvm::Function *> Closure, const MemoryGraph &Graph,
                const HandlerRegistry &Handlers);
  /// Bodies that the root alone calls, and where.
  llvm::SmallVector<std::pair<const llvm::Function *, const llvm::CallBase *>, 4> Bodies;
  llvm::DenseSet<unsigned> Transient, HandedOut, Apart, Reached;
  llvm::DenseSet<const llvm::Function *> Once;
  llvm::DenseSet<const llvm::Value *> Made;
  bool Outlives = false;
};

/// How often the function in question runs.
struct Activations {
  bool CallerFollows; ///< the caller runs on before the reverse sweep begins
  bool Once;
  const llvm::Function *Body = nullptr; ///< as it was prepared
};

/// Answers for the loads of one function.
class StableMemory {
public:
  StableMemory(const WriteSet &Writes, const ActivityResult &Activity, llvm::AAResults &AA,
               const llvm::LoopInfo &LI, const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE)
      : Writes(Writes), Activity(Activity), AA(AA), LI(LI), DT(DT), Later(SE, LI, DT) {}

  /// True if the memory read by Load (whose primal pointer is Pointer) stays as it is until the
  /// reverse sweep is over, or is so again when the load is reversed. Load may be a call that
  /// writes other memory than it reads. Relied (if given) gets what must be taken back for that.
  bool isStable(llvm::Instruction &Load, llvm::Value *Pointer, Activations Runs,
                llvm::SmallPtrSetImpl<const llvm::Instruction *> *Relied = nullptr);
  /// As isStable, but only while the loop (null: the function) runs.
  bool isUnchangedIn(const llvm::Loop &L, llvm::Instruction &Load, llvm::Value *Pointer);

private:
  /// When a write runs: while the loop runs that is asked about (scopes that alias analysis trusts
  /// hold that long), in the same activation of the function, or in any activation.
  enum class Time { Loop, Activation, Ever };
  bool mayAlias(const WriteSet::Write &W, llvm::Instruction &Load, llvm::Value *Pointer, Time When);
  /// Visits the writes that may be to what Pointer leads to, until one is Met. True if one is.
  bool anyWrite(llvm::Value *Pointer, llvm::function_ref<bool(const WriteSet::Write &)> Met);
  void sortWrites();
  bool isMadeInCall(const llvm::Value *Pointer) const;
  bool isOutside(unsigned Node) const;
  bool mayBeOneObject(unsigned A, unsigned B) const;
  bool callsOut(const llvm::Loop &L);
  const Following &order();
  bool isOverBefore(llvm::Instruction &Write, llvm::Instruction &Load);
  bool inOneNest(llvm::Instruction &Load, llvm::Instruction &Write);
  bool leaves(llvm::Instruction &Load, const WriteSet::Write &W);
  bool mayChange(llvm::Instruction &Load, llvm::Value *Pointer, const WriteSet::Write &W,
                 Activations Runs);
  bool isTakenBackFor(const llvm::Instruction &Load, const WriteSet::Write &W) const;
  bool isToNewObject(llvm::Instruction &Load, llvm::Value *Pointer, const WriteSet::Write &W);
  /// Whether a promise that pointers differ is made inside the loop, for one iteration.
  bool promisesInside(const llvm::Loop &L);
  llvm::Instruction *forkToVersions(llvm::Instruction &Load, llvm::Instruction &Write) const;
  bool areApartInAllRuns(llvm::Instruction &Load, llvm::Instruction &Write);
  llvm::Loop *nestOf(const llvm::Instruction &I) const;

  const WriteSet &Writes;
  const ActivityResult &Activity;
  llvm::AAResults &AA;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  LaterWrites Later;
  std::optional<Following> Order;                           ///< of the function
  llvm::SmallVector<const llvm::Instruction *, 4> Barriers; ///< that all threads come to alike
  llvm::DenseMap<const llvm::Loop *, bool> Promises;        ///< what promisesInside has found
  llvm::DenseMap<const llvm::Loop *, bool> CallsOut;        ///< what callsOut has found
  /// Blocks that may run after all of one has, before a call that allocates runs again.
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::Instruction *>,
                 llvm::SmallPtrSet<const llvm::BasicBlock *, 8>>
      SameObject;
  /// Writes by object; and those to objects from outside, with and without a shadow, of which what
  /// the function writes to a variable of the program is by itself.
  llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 4>> ByNode;
  llvm::SmallVector<unsigned, 0> FromOutside[2];
  llvm::MapVector<const llvm::Value *, llvm::SmallVector<unsigned, 4>> ByVariable[2];
  size_t Sorted = 0; ///< how many there were
};

/// True if other threads may change memory while the loop runs, for it waits for them: in a call
/// that a model handles, at a fence, by atomic accesses that order others.
bool mayWait(const llvm::Loop &L, llvm::function_ref<bool(const llvm::CallBase &)> IsHandled);

} // namespace contraflow
