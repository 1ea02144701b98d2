// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   static double level;                                 a function that nobody knows may call
//   raise, void raise(void) { level *= 2; }                     by its name or from the table, and
//   so change void (*table[])(void) = {raise};                     level; it cannot call sink
//   static void sink(void) { level /= 2; }
//
// Other files come to functions that they can name, to those whose address goes where it is not
// followed, and to what these call. Functions that lead to the primal or to a derivative call are
// left out: that would be a recursion through another file, or a derivative inside the primal.
// Inline functions of C++ are left out as well: other files have them of their own.
//
// The address of a variable is followed through each such function that names it, or an internal
// variable that holds its address, into the functions that it is passed to. Level 0 is an address
// in the variable, 1 one that was loaded from there, -1 that of a local variable that holds one of
// level 0. Storing a pointer changes no number.
//
//   static double *work;   void start(int n) { work = malloc(8 * n); }          neither read nor
//   written
//                          void clear(int n) { memset(work, 0, 8 * n); }        written behind it

#include "Outside.h"
#include "callee/Signals.h"
#include "contraflow/core/Callee.h"
#include "request/RequestSpellings.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {
namespace {

using FunctionSet = DenseSet<const Function *>;

/// Follows addresses.
class AddressWalk {
public:
  AddressWalk(const HandlerRegistry &H, const FunctionSet *Known) : H(H), Known(Known) {}
  /// Starts with the uses in one function, or, if that is null, in all.
  void run(const Value &Start, int Level, const Function *Only);

  OutsideUse Found;
  MapVector<const GlobalVariable *, int> Holders; ///< internal variables, and the address's level
  bool Escapes = false;

private:
  void follow(const Value *V, int Level);
  void useIn(const Use &U, int Level);
  void store(const StoreInst &I, const Use &U, int Level);
  void call(const CallBase &I, const Use &U, int Level);
  void copy(const MemIntrinsic &I, const Use &U, int Level);
  void results(const Function &F, int Level);
  void read(int Level) {
    Found.Reads |= Level == 0;
    Found.ReadsBehind |= Level > 0;
  }
  void write(int Level) {
    Found.Writes |= Level == 0;
    Found.WritesBehind |= Level > 0;
  }
  /// Nobody knows what becomes of it.
  void lose(int Level) {
    Escapes = true;
    for (int L = std::max(Level, 0); L <= 1; ++L)
      read(L), write(L);
  }

  const HandlerRegistry &H;
  const FunctionSet *Known; ///< null: all functions
  SmallVector<std::pair<const Value *, int>, 32> Todo;
  DenseSet<std::pair<const Value *, int>> Seen;
};

void AddressWalk::follow(const Value *V, int Level) {
  constexpr int Deepest = -3;
  constexpr unsigned Most = 1000;
  Level = std::min(Level, 1);
  if (Level < Deepest || Seen.size() > Most)
    return lose(Level);
  if (Seen.insert({V, Level}).second)
    Todo.push_back({V, Level});
}

/// An address is stored: into a variable that can be followed itself, or anywhere.
void AddressWalk::store(const StoreInst &I, const Use &U, int Level) {
  if (U.getOperandNo() == StoreInst::getPointerOperandIndex())
    return I.getValueOperand()->getType()->isPtrOrPtrVectorTy() ? void() : write(Level);
  const Value *To = getUnderlyingObject(I.getPointerOperand(), 0);
  auto *Global = dyn_cast<GlobalVariable>(To);
  if (isa<AllocaInst>(To) || (Global && Global->hasLocalLinkage()))
    return follow(To, Level - 1);
  lose(Level);
}

void AddressWalk::copy(const MemIntrinsic &I, const Use &U, int Level) {
  if (U.getOperandNo() == 0)
    return write(Level);
  read(Level);
  const Value *To = getUnderlyingObject(I.getRawDest(), 0);
  if (Level <= 0)
    isa<AllocaInst>(To) ? follow(To, Level) : lose(Level < 0 ? Level : 1);
}

void AddressWalk::results(const Function &F, int Level) {
  for (const Use &U : F.uses())
    if (auto *Call = dyn_cast<CallBase>(U.getUser());
        Call && Call->isCallee(&U) && (!Known || Known->contains(Call->getFunction())))
      follow(Call, Level);
}

void AddressWalk::call(const CallBase &I, const Use &U, int Level) {
  if (I.isCallee(&U) || I.isLifetimeStartOrEnd() || !I.isArgOperand(&U))
    return;
  const unsigned Number = I.getArgOperandNo(&U);
  if (auto *Copy = dyn_cast<MemIntrinsic>(&I))
    return copy(*Copy, U, Level);
  if (auto *II = dyn_cast<IntrinsicInst>(&I); II && II->isAssumeLikeIntrinsic())
    return;
  const Function *F = I.getCalledFunction();
  if (F && findRequestSpelling(F->getName()))
    return;
  const CalleeInfo Info = lookupCallee(I);
  if (F && !F->isDeclaration() && Number < F->arg_size())
    return follow(F->getArg(Number), Level);
  if (Info.Kind == CalleeKind::Reallocate)
    return follow(&I, Level);
  if (Info.Kind == CalleeKind::Unknown || (H.find(I) && Info.Kind != CalleeKind::Free))
    return lose(Level);
  if (!Info.ReadOnly && (Info.Kind == CalleeKind::Inactive || Info.Kind == CalleeKind::Math))
    write(Level);
}

void AddressWalk::useIn(const Use &U, int Level) {
  const User *By = U.getUser();
  if (auto *Load = dyn_cast<LoadInst>(By)) {
    if (Load->getType()->isPointerTy())
      return follow(Load, Level + 1);
    return Level < 0 || Load->getType()->isVectorTy() ? lose(Level) : read(Level);
  }
  if (auto *Store = dyn_cast<StoreInst>(By))
    return store(*Store, U, Level);
  if (auto *Call = dyn_cast<CallBase>(By))
    return call(*Call, U, Level);
  if (isa<ICmpInst>(By))
    return;
  if (isa<GEPOperator, AddrSpaceCastOperator, PHINode, SelectInst, FreezeInst>(By))
    return follow(By, Level);
  if (auto *Return = dyn_cast<ReturnInst>(By)) {
    const Function &F = *Return->getFunction();
    return F.hasLocalLinkage() ? results(F, Level) : lose(Level);
  }
  if (auto *Global = dyn_cast<GlobalVariable>(By)) {
    if (Global->hasAppendingLinkage())
      return; // what runs before and after the program
    return Global->hasLocalLinkage() && !isVirtualTable(*Global) ? follow(Global, Level - 1)
                                                                 : lose(Level);
  }
  if (isa<ConstantAggregate>(By))
    return follow(By, Level);
  if (!isa<GlobalValue>(By))
    lose(Level);
}

void AddressWalk::run(const Value &Start, int Level, const Function *Only) {
  auto IsIn = [&](const User *By) {
    auto *I = dyn_cast<Instruction>(By);
    return !Only || !I || I->getFunction() == Only;
  };
  follow(&Start, Level);
  while (!Todo.empty()) {
    auto [V, At] = Todo.pop_back_val();
    if (auto *Global = dyn_cast<GlobalVariable>(V))
      Holders.insert({Global, At});
    for (const Use &U : V->uses())
      if (!isa<Constant>(V) || IsIn(U.getUser()))
        useIn(U, At);
  }
}

/// True if a function that nobody knows is given F, or a signal runs it.
bool isGivenAway(const Function &F, const HandlerRegistry &H) {
  if (handlesSignals(F))
    return true;
  return any_of(F.uses(), [&](const Use &U) {
    auto *Call = dyn_cast<CallBase>(U.getUser());
    const Function *To = Call && !Call->isCallee(&U) ? Call->getCalledFunction() : nullptr;
    return To && To->isDeclaration() && !To->isIntrinsic() && !H.find(*Call) &&
           !findRequestSpelling(To->getName()) && lookupCallee(*To).Kind == CalleeKind::Unknown;
  });
}

/// Adds the functions whose code names V.
void addNaming(const Value &V, FunctionSet &Found, SmallVectorImpl<const Function *> &Todo) {
  for (const User *U : V.users())
    if (auto *I = dyn_cast<Instruction>(U)) {
      if (Found.insert(I->getFunction()).second)
        Todo.push_back(I->getFunction());
    } else if (isa<ConstantExpr>(U)) {
      addNaming(*U, Found, Todo);
    }
}

/// Found, and what leads to them.
FunctionSet withLeading(FunctionSet Found) {
  SmallVector<const Function *, 16> Todo(Found.begin(), Found.end());
  while (!Todo.empty())
    addNaming(*Todo.pop_back_val(), Found, Todo);
  return Found;
}

/// The primal, functions that ask for derivatives, and what leads to these.
FunctionSet leadingTo(const Function &Primal) {
  FunctionSet Found{&Primal};
  for (const Function &F : *Primal.getParent())
    if (F.hasFnAttribute(attr::Asks))
      Found.insert(&F);
  return withLeading(std::move(Found));
}

} // namespace

void noteLeading(Module &M, ArrayRef<CallBase *> Requests) {
  FunctionSet Found;
  for (CallBase *Call : Requests) {
    Found.insert(Call->getFunction());
    if (Call->arg_size() > 0)
      if (auto *Primal = dyn_cast<Function>(Call->getArgOperand(0)->stripPointerCasts()))
        Found.insert(Primal);
  }
  Found = withLeading(std::move(Found));
  for (Function &F : M)
    if (Found.contains(&F))
      F.addFnAttr(attr::Asks);
}

OutsideFunctions::OutsideFunctions(const Function &Primal, const HandlerRegistry &Handlers)
    : Handlers(Handlers) {
  const FunctionSet Leading = leadingTo(Primal);
  SmallVector<const Function *, 16> Todo;
  auto Add = [&](const Function *F) {
    if (F && !F->isDeclaration() && Functions.insert(F).second)
      Todo.push_back(F);
  };
  auto IsSeen = [&](const Function &F) {
    if (!F.hasLocalLinkage() && !F.isDiscardableIfUnused())
      return true;
    AddressWalk Walk(Handlers, nullptr);
    if (F.hasAddressTaken())
      Walk.run(F, 0, nullptr);
    return Walk.Escapes;
  };
  for (const Function &F : *Primal.getParent())
    if (!F.isDeclaration() && (isGivenAway(F, Handlers) || (!Leading.contains(&F) && IsSeen(F))))
      Add(&F);
  while (!Todo.empty())
    for (const Instruction &I : instructions(*Todo.pop_back_val()))
      for (const Value *V : I.operands())
        Add(dyn_cast<Function>(V));
}

OutsideUse OutsideFunctions::useOf(const GlobalVariable &Variable) const {
  AddressWalk Whole(Handlers, nullptr);
  Whole.run(Variable, 0, nullptr);
  OutsideUse All;
  for (auto [Holder, Level] : Whole.Holders) {
    FunctionSet Naming;
    SmallVector<const Function *, 16> Order;
    addNaming(*Holder, Naming, Order);
    for (const Function *F : Order) {
      if (!Functions.contains(F))
        continue;
      AddressWalk Walk(Handlers, &Functions);
      Walk.run(*Holder, Level, F);
      All.Reads |= Walk.Found.Reads;
      All.Writes |= Walk.Found.Writes;
      All.ReadsBehind |= Walk.Found.ReadsBehind;
      All.WritesBehind |= Walk.Found.WritesBehind;
    }
  }
  return All;
}

} // namespace contraflow
