// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datatypes whose places are differences of addresses of several objects. The runtime must know of
// the addresses (runtime/lib/mpi/Absolute.h):
//
//   MPI_Get_address(a, &d[0])          is marked, because it is not of the same object
//   MPI_Get_address(b, &d[1])          as this one, before the datatype is made
//   d[1] = (char *)b - (char *)a       MPI_Get_address(a, ..) and (b, ..) are called before it
//   MPI_Type_create_struct(2, n, d, t, &type)
//
// Where all addresses that are asked for between two datatypes lie in one object (members of a
// structure), they are of no further use, and nothing is marked.

#include "parallel/mpi/Elsewhere.h"

#include "contraflow/core/Construct.h"
#include "parallel/mpi/Rows.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::mpi {
namespace {

constexpr StringLiteral Mark = "contraflow-elsewhere";

/// What a variable of the stack always holds, or null.
const Value *onlyValueIn(const Value *Cell) {
  const Value *Only = nullptr;
  for (const User *U : Cell->users()) {
    const auto *Store = dyn_cast<StoreInst>(U);
    if (Store && Store->getPointerOperand() == Cell && !Only)
      Only = Store->getValueOperand();
    else if (!isa<LoadInst>(U))
      return nullptr;
  }
  return Only;
}

/// The object that a pointer leads into, or where the pointer comes from; also without SSA.
const Value *originOf(const Value *Pointer) {
  constexpr unsigned Steps = 16;
  for (unsigned I = 0; I < Steps; ++I) {
    Pointer = getUnderlyingObject(Pointer);
    const auto *Load = dyn_cast<LoadInst>(Pointer);
    const auto *Cell = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    const Value *Held = Cell ? onlyValueIn(Cell) : nullptr;
    if (!Held)
      break;
    Pointer = Held;
  }
  return Pointer;
}

const Row *rowOfCall(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *F = Call ? Call->getCalledFunction() : nullptr;
  if (!F)
    return nullptr;
  const Row *R = rowsByName().lookup(F->getName());
  return R ? R : inquiriesOfFortran().lookup(F->getName());
}

bool asksAddress(const Row &R) {
  return any_of(R.Roles, [](Role A) { return A.What == Role::Absolute; });
}

bool isRepeated(const Instruction &I) {
  const BasicBlock *Here = I.getParent();
  SmallVector<BasicBlock *, 4> Behind;
  for (const BasicBlock *Next : successors(Here))
    Behind.push_back(const_cast<BasicBlock *>(Next));
  return !Behind.empty() && isPotentiallyReachableFromMany(Behind, Here, nullptr);
}

/// Addresses that are asked for before the same datatype is made.
class Asked {
public:
  void add(CallBase &Call) {
    Calls.push_back(&Call);
    Origins.insert(originOf(Call.getArgOperand(0)));
  }
  void end() {
    if (!isOneObject())
      for (CallBase *Call : Calls)
        Call->addFnAttr(Attribute::get(Call->getContext(), Mark));
    Calls.clear();
    Origins.clear();
  }

private:
  /// What is made or loaded in a loop may be another object each time; of a pointer that is asked
  /// for alone, the difference may be to one that is not asked for.
  bool isOneObject() const {
    if (Origins.size() != 1)
      return Origins.empty();
    const Value *Only = Origins.front();
    const auto *Made = dyn_cast<Instruction>(Only);
    if (!Made || isa<AllocaInst>(Only))
      return isa<Argument, GlobalValue, AllocaInst>(Only);
    return Calls.size() > 1 && none_of(Calls, [](const CallBase *C) { return isRepeated(*C); });
  }

  SmallVector<CallBase *, 8> Calls;
  SetVector<const Value *> Origins;
};

/// The pointer whose number V is.
Value *pointerOf(Value *V) {
  auto *Cast = dyn_cast<CastInst>(V);
  return Cast && Cast->getSrcTy()->isPointerTy() ? Cast->getOperand(0) : nullptr;
}

/// True if the number goes to memory, or to MPI, as it is or shifted.
bool isKept(const Instruction &Difference) {
  constexpr unsigned Most = 16;
  SmallSetVector<const Instruction *, Most> Work;
  Work.insert(&Difference);
  for (unsigned I = 0; I < Work.size() && I < Most; ++I)
    for (const User *U : Work[I]->users()) {
      const auto *Inner = cast<Instruction>(U);
      const Row *R = rowOfCall(*Inner);
      if (isa<StoreInst>(Inner) || (R && R->Places))
        return true;
      const bool Shifts = Inner->getOpcode() == Instruction::Add ||
                          Inner->getOpcode() == Instruction::Sub || isa<PHINode, SelectInst>(Inner);
      if (Shifts)
        Work.insert(Inner);
    }
  return false;
}

/// Asks for the addresses of two objects where they are subtracted.
void askFor(Instruction &Difference) {
  if (Difference.getOpcode() != Instruction::Sub)
    return;
  Value *To = pointerOf(Difference.getOperand(0)), *From = pointerOf(Difference.getOperand(1));
  if (!To || !From || originOf(To) == originOf(From) || !isKept(Difference))
    return;
  Module &M = *Difference.getModule();
  Function &F = *Difference.getFunction();
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  Value *Place = B.CreateAlloca(B.getInt64Ty(), nullptr, "address");
  B.SetInsertPoint(&Difference);
  const FunctionCallee Ask =
      M.getOrInsertFunction("MPI_Get_address", B.getInt32Ty(), B.getPtrTy(), B.getPtrTy());
  for (Value *Pointer : {From, To})
    B.CreateCall(Ask, {Pointer, Place})->addFnAttr(Attribute::get(M.getContext(), Mark));
}

/// The names of what makes types of places.
ArrayRef<StringRef> makersOfTypes() {
  static const SmallVector<StringRef, 16> Names = [] {
    SmallVector<StringRef, 16> Out;
    for (auto &Entry : rowsByName())
      if (Entry.second->Places)
        Out.push_back(Entry.first());
    for (auto &Entry : inquiriesOfFortran())
      if (Entry.second->Places && !rowsByName().contains(Entry.first()))
        Out.push_back(Entry.first());
    return Out;
  }();
  return Names;
}

bool makesTypesOfPlaces(const Module &M) {
  return any_of(makersOfTypes(), [&](StringRef Name) {
    const Function *F = M.getFunction(Name);
    return F && !F->use_empty();
  });
}

class AddressRewriter : public Rewriter {
public:
  void canonicalise(Function &F) const override {
    if (!makesTypesOfPlaces(*F.getParent()))
      return;
    Asked Before;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      const Row *R = rowOfCall(I);
      if (R && asksAddress(*R))
        Before.add(cast<CallBase>(I));
      else if (R && R->Places)
        Before.end();
      else if (!R)
        askFor(I);
    }
    Before.end();
  }
};

} // namespace

bool leadsElsewhere(const CallBase &Call) { return Call.hasFnAttr(Mark); }

void registerElsewhere(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<AddressRewriter>());
}

} // namespace contraflow::mpi
