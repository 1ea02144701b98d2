// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f(double *x, double *y) with enzyme_dupnoneed, nullptr, y_dot: the tangents of y are wanted, and
// there is no y. Its accesses go if nothing but y itself depends on what is read there:
//
//   y[i] += x[i] * x[i];  y_dot[i] += 2 * x[i] * x_dot[i];   ->   y_dot[i] += 2 * x[i] * x_dot[i];

#include "Absent.h"

#include "contraflow/core/Diag.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace contraflow {
namespace {

/// The accesses to the memory that an address would lead to.
class Accesses {
public:
  explicit Accesses(Value &Address) { Known = follow(Address); }
  /// Erases the writes. False if something else depends on the memory or on its address.
  bool drop(Function &F);

private:
  bool follow(Value &Address);
  bool needed(Function &F) const;

  bool Known = false;
  SmallPtrSet<Instruction *, 16> Reads, Writes;
};

bool Accesses::follow(Value &Address) {
  for (Use &U : Address.uses()) {
    auto *I = cast<Instruction>(U.getUser());
    if (isa<GetElementPtrInst, FreezeInst>(I)) {
      if (U.getOperandNo() != 0 || !follow(*I))
        return false;
    } else if (auto *Load = dyn_cast<LoadInst>(I); Load && !Load->isAtomic()) {
      Reads.insert(I);
    } else if (auto *Store = dyn_cast<StoreInst>(I);
               Store && !Store->isAtomic() && U.getOperandNo() == 1) {
      Writes.insert(I);
    } else if (auto *Set = dyn_cast<MemIntrinsic>(I); Set && !Set->isVolatile()) {
      U.getOperandNo() == 0 ? Writes.insert(I) : Reads.insert(I);
    } else if (!I->isLifetimeStartOrEnd()) {
      return false;
    }
  }
  return true;
}

/// True if what is read has an effect other than on the writes.
bool Accesses::needed(Function &F) const {
  SmallVector<Instruction *, 64> Todo;
  SmallPtrSet<Instruction *, 32> Live;
  for (Instruction &I : instructions(F))
    if ((I.isTerminator() || I.mayHaveSideEffects()) && !Writes.contains(&I) &&
        !Reads.contains(&I) && Live.insert(&I).second)
      Todo.push_back(&I);
  while (!Todo.empty()) {
    Instruction *I = Todo.pop_back_val();
    if (Reads.contains(I))
      return true;
    for (Value *Operand : I->operands())
      if (auto *Used = dyn_cast<Instruction>(Operand); Used && Live.insert(Used).second)
        Todo.push_back(Used);
  }
  return false;
}

bool Accesses::drop(Function &F) {
  if (!Known || needed(F))
    return false;
  for (Instruction *I : Writes)
    I->eraseFromParent();
  for (Instruction *I : Reads) // goes when the function is simplified
    if (auto *Load = dyn_cast<LoadInst>(I))
      Load->setVolatile(false);
  return true;
}

} // namespace

Error dropAbsent(RequestState &S, Unit &Root) {
  for (const auto &[Parameter, IsNull] : S.Spec.Absent) {
    const bool Dropped = Accesses(*Root.Primals[Parameter]).drop(*Root.Forward);
    if (!Dropped && !IsNull) // the program may ask whether there is an address
      return diffError(DiagId::RequestMarker, *S.Spec.Primal,
                       "'enzyme_dupnoneed' with an address that leads to no memory, and what "
                       "parameter " +
                           Twine(Parameter + 1) + " holds is needed for the derivative");
  }
  return Error::success();
}

} // namespace contraflow
