// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

void entriesOf(const Constant *C, const DataLayout &DL, TableEntry In,
               function_ref<void(const TableEntry &)> Visit) {
  if (auto *F = dyn_cast<Function>(C->stripPointerCasts()))
    return Visit({const_cast<Function *>(F), In.At, In.Structure, In.Place});
  if (auto *A = dyn_cast<GlobalAlias>(C))
    return entriesOf(A->getAliasee(), DL, In, Visit);
  auto *Aggregate = dyn_cast<ConstantAggregate>(C);
  if (auto *Cast = dyn_cast<ConstantExpr>(C); Cast && Cast->isCast())
    return entriesOf(Cast->getOperand(0), DL, In, Visit);
  if (!Aggregate)
    return;
  for (unsigned I = 0; I < Aggregate->getNumOperands(); ++I) {
    TableEntry Inner{nullptr, In.At, dyn_cast<StructType>(C->getType()), -1};
    if (Inner.Structure)
      Inner.Place = DL.getStructLayout(Inner.Structure)->getElementOffset(I);
    if (auto *T = dyn_cast<ArrayType>(C->getType()))
      Inner.At += I * int64_t(DL.getTypeAllocSize(T->getElementType()));
    else
      Inner.At += std::max<int64_t>(Inner.Place, 0);
    entriesOf(Aggregate->getOperand(I), DL, Inner, Visit);
  }
}

/// True if what is loaded is more than a callee. In code that is not optimised it is loaded again
/// from a variable.
bool goesOn(const LoadInst &Load, bool Again = true) {
  return any_of(Load.uses(), [&](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    auto *Variable = Store && Again ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    if (!Variable)
      return !isa<CmpInst>(U.getUser()) && !(Call && Call->isCallee(&U));
    return any_of(Variable->users(), [](const User *By) {
      auto *Second = dyn_cast<LoadInst>(By);
      return Second && goesOn(*Second, /*Again=*/false);
    });
  });
}

} // namespace

bool isTable(const GlobalVariable &G) { return G.isConstant() && G.hasDefinitiveInitializer(); }

void visitCopies(const GlobalVariable &Table, function_ref<void(const LoadInst *)> Visit) {
  constexpr unsigned MostAddresses = 64; // in one table
  SmallPtrSet<const Value *, 8> Seen{&Table};
  SmallVector<const Value *, 8> Todo{&Table};
  while (!Todo.empty() && Seen.size() < MostAddresses)
    for (const Use &U : Todo.pop_back_val()->uses()) {
      const User *By = U.getUser();
      auto *Move = dyn_cast<MemTransferInst>(By);
      auto *Call = dyn_cast<CallBase>(By);
      auto *Load = dyn_cast<LoadInst>(By);
      if (Move ? &U == &Move->getRawSourceUse()
               : Call && Call->isArgOperand(&U) && Call->isByValArgument(Call->getArgOperandNo(&U)))
        Visit(nullptr);
      else if (Load && goesOn(*Load))
        Visit(Load);
      else if (isa<GEPOperator, PHINode, SelectInst, GlobalAlias>(By) && Seen.insert(By).second)
        Todo.push_back(By);
    }
}

bool isCopied(const GlobalVariable &Table) {
  bool Is = false;
  visitCopies(Table, [&](const LoadInst *) { Is = true; });
  return Is;
}

void functionsIn(const GlobalVariable &Table, function_ref<void(const TableEntry &)> Visit) {
  entriesOf(Table.getInitializer(), Table.getDataLayout(), {nullptr, 0, nullptr, -1}, Visit);
}

} // namespace contraflow
