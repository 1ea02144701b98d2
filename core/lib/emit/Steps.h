// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reverse of one instruction will do, asked before anything is emitted: is there work, and
// which values of the forward sweep does it read? The emitter (ReverseSweep) reads just these.

#pragma once

#include "ForwardSweep.h"

namespace contraflow {

/// The float type of the memory that a store overwrites if it is active, else null.
llvm::Type *storedFloat(const ActivityResult &Activity, const llvm::StoreInst &I);

/// True if the floats that are accessed may lie where an address is at another time.
bool mayMeetAddress(const MemoryGraph &Graph, const llvm::Value *Pointer, const llvm::Type *T);

/// True if the store moves bits of floats, or over floats, in a way that cannot be followed: halves
/// of a float, bytes, vectors of integers.
bool hidesFloats(const ActivityResult &Activity, const llvm::StoreInst &I);
/// Which stores of whole integers only look as if they did. Before any code is emitted.
void findOwnStores(RequestState &S);
/// True if bits that may be a float's are loaded, calculated with other than by counting, and
/// stored where a float may be.
bool changesBits(const ActivityResult &Activity, const llvm::StoreInst &I);

/// True if I stores what was loaded from the rear of an active double there, and that may be an
/// integer of its own at another time.
bool copiesPartOfFloat(const ActivityResult &Activity, const llvm::StoreInst &I);

/// True if I stores as floats of a vector what was loaded so where doubles are, and they are there,
/// too: a double may be moved as its halves, whose adjoints are no floats.
bool copiesHalves(const ActivityResult &Activity, const llvm::StoreInst &I);

/// True if I stores a float that was loaded where the rear half of a double may lie, and such a
/// half may lie there, too.
bool copiesHalf(const ActivityResult &Activity, const llvm::StoreInst &I);

/// True if I stores what was loaded from the rear of a pointer to active memory there: the pointer
/// is copied in parts, which its shadow is not.
bool copiesPartOfPointer(const ActivityResult &Activity, const llvm::StoreInst &I);

/// True if I makes a float of bits of active floats that were calculated with as vectors of
/// integers (exponents and signs alone do not count: they do not vary).
bool calculatesBits(const ActivityResult &Activity, const llvm::Instruction &I);

class ReverseSteps {
public:
  ReverseSteps(RequestState &S, ForwardSweep &Fwd);
  /// The reverse of I emits something.
  bool hasWork(const llvm::Instruction &I) const;
  /// Adds the values of the forward function that the reverse of I reads.
  void needs(llvm::Instruction &I, llvm::SmallVectorImpl<llvm::Value *> &Out) const;
  /// The call site with a handler or closure that I anchors, or null.
  const CallSite *site(const llvm::Instruction &I) const;

private:
  void ruleNeeds(llvm::Instruction &I, llvm::SmallVectorImpl<llvm::Value *> &Out) const;

  RequestState &S;
  ForwardSweep &Fwd;
  llvm::DenseMap<const llvm::Instruction *, const CallSite *> Sites;
};

} // namespace contraflow
