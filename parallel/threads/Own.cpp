// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that runs where it is made would find its maker's thread-local variables. They are put
// by, and the thread finds what a new thread finds:
//
//   thread_local double sum = 1;
//   f(p)   ->   kept = sum ; sum = 1 ; f(p) ; sum = kept
//
// Where there are OpenMP teams, none of their regions may come to the variables: a thread would
// have a team of its own, with variables that nobody has used.
//
// That is right where no thread comes to the variable of another: where its address is used to load
// and store, by the functions that name it and those that they call, and goes nowhere else. Other
// files, and destructors of objects, which are called with their address, do not come to it either.

#include "parallel/threads/Own.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow::threads {
namespace {

/// With these std::call_once hands over what it calls, to a function that reads them at once.
constexpr StringRef HandedOver[] = {"_ZSt15__once_callable", "_ZSt11__once_call"};
/// Variables of our own have such names.
constexpr StringRef Ours = "cf.";

/// Where an address goes.
class Addresses {
public:
  explicit Addresses(Value &Of) { follow(Of); }
  /// True if it is used to load and store only.
  bool stay() {
    constexpr size_t Most = 500;
    while (!Todo.empty())
      if (Value *V = Todo.pop_back_val();
          Seen.size() > Most || !all_of(V->uses(), [&](Use &U) { return passes(U); }))
        return false;
    return true;
  }

private:
  void follow(Value &V) {
    if (Seen.insert(&V).second)
      Todo.push_back(&V);
  }
  bool passes(Use &U);
  bool passesCall(CallBase &Call, Use &U);
  bool isStoredForLater(StoreInst &Store);

  SmallPtrSet<Value *, 32> Seen;
  SmallVector<Value *, 16> Todo;
};

/// Into a local variable, whose address is nothing else than loaded from and stored to.
bool Addresses::isStoredForLater(StoreInst &Store) {
  auto *Variable = dyn_cast<AllocaInst>(Store.getPointerOperand());
  if (!Variable)
    return false;
  for (Use &U : Variable->uses()) {
    auto *Load = dyn_cast<LoadInst>(U.getUser());
    auto *Other = dyn_cast<StoreInst>(U.getUser());
    auto *Marker = dyn_cast<IntrinsicInst>(U.getUser());
    if (Load)
      follow(*Load);
    else if (!(Other && U.getOperandNo() == 1) && !(Marker && Marker->isLifetimeStartOrEnd()))
      return false;
  }
  return true;
}

bool Addresses::passesCall(CallBase &Call, Use &U) {
  if (!Call.isArgOperand(&U))
    return false;
  if (isa<DbgInfoIntrinsic>(Call) || Call.getIntrinsicID() == Intrinsic::threadlocal_address) {
    follow(Call);
    return true;
  }
  const unsigned I = Call.getArgOperandNo(&U);
  Function *F = Call.getCalledFunction();
  if (!F || F->isDeclaration() || I >= F->arg_size())
    return Call.doesNotCapture(I);
  follow(*F->getArg(I));
  return true;
}

bool Addresses::passes(Use &U) {
  User *By = U.getUser();
  if (isa<GEPOperator, PHINode, SelectInst, FreezeInst>(By)) {
    follow(*By);
    return true;
  }
  if (auto *Store = dyn_cast<StoreInst>(By))
    return U.getOperandNo() == 1 || isStoredForLater(*Store);
  if (auto *Call = dyn_cast<CallBase>(By))
    return passesCall(*Call, U);
  return isa<LoadInst, ICmpInst, AtomicRMWInst>(By) && U.getOperandNo() == 0;
}

} // namespace

SmallVector<GlobalVariable *, 4> ownVariables(Module &M) {
  SmallVector<GlobalVariable *, 4> Found;
  for (GlobalVariable &G : M.globals())
    if (G.isThreadLocal() && !G.use_empty() && !is_contained(HandedOver, G.getName()) &&
        !G.getName().starts_with(Ours))
      Found.push_back(&G);
  return Found;
}

bool isAlwaysNamed(GlobalVariable &G) {
  return G.hasLocalLinkage() && G.hasDefinitiveInitializer() && Addresses(G).stay();
}

namespace {

/// What begins an OpenMP team.
constexpr StringRef Forks[] = {"__kmpc_fork_call", "__kmpc_fork_call_if"};

/// The functions that lead to what has been added: they use it, call or name functions that do, or
/// call what they do not name while somebody else has stored the address of such a function.
class Leading {
public:
  explicit Leading(Module &M) : M(M) {}
  void add(Value &V) {
    if (Seen.insert(&V).second)
      Todo.push_back(&V);
  }
  void close();
  bool has(const Value &V) const { return Seen.contains(&V); }

private:
  void addCallsThroughPointers();

  Module &M;
  SmallPtrSet<const Value *, 32> Seen;
  SmallVector<Value *, 16> Todo;
  bool Stored = false; ///< the address of one of the functions
};

void Leading::addCallsThroughPointers() {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
        add(F);
}

void Leading::close() {
  while (!Todo.empty()) {
    Value *V = Todo.pop_back_val();
    for (Use &U : V->uses()) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      auto *Call = dyn_cast_or_null<CallBase>(I);
      const bool Kept = I ? isa<StoreInst>(I) || (Call && !Call->isCallee(&U)) : true;
      if (isa<Function>(V) && Kept && !Stored) {
        Stored = true;
        addCallsThroughPointers();
      }
      add(I ? *I->getFunction() : *U.getUser());
    }
  }
}

} // namespace

bool hasTeams(const Module &M) {
  return any_of(Forks, [&](StringRef Fork) { return M.getFunction(Fork); });
}

bool mayBelongToTeams(Module &M, ArrayRef<GlobalVariable *> Variables) {
  Leading Found(M);
  for (GlobalVariable *G : Variables)
    Found.add(*G);
  Found.close();
  return any_of(Forks, [&](StringRef Name) {
    const Function *Fork = M.getFunction(Name);
    return Fork && any_of(Fork->users(), [&](const User *U) {
             return any_of(U->operands(),
                           [&](const Value *V) { return isa<Function>(V) && Found.has(*V); });
           });
  });
}

void keepOwn(CallBase &Call, ArrayRef<GlobalVariable *> Variables) {
  Module &M = *Call.getModule();
  IRBuilder<> Entry(&*Call.getFunction()->getEntryBlock().getFirstInsertionPt());
  IRBuilder<> Before(&Call), After(Call.getNextNode());
  for (GlobalVariable *G : Variables) {
    Type *T = G->getValueType();
    const Align A = M.getDataLayout().getPrefTypeAlign(T);
    const uint64_t Bytes = M.getDataLayout().getTypeAllocSize(T);
    AllocaInst *Kept = Entry.CreateAlloca(T);
    Kept->setAlignment(A);
    Value *Own = Before.CreateThreadLocalAddress(G);
    Before.CreateMemCpy(Kept, A, Own, G->getAlign(), Bytes);
    if (Constant *New = G->getInitializer(); New->isNullValue()) {
      Before.CreateMemSet(Own, Before.getInt8(0), Bytes, G->getAlign());
    } else {
      auto *First = new GlobalVariable(M, T, /*isConstant=*/true, GlobalValue::PrivateLinkage, New,
                                       "cf.thread.first");
      First->setAlignment(A);
      Before.CreateMemCpy(Own, G->getAlign(), First, A, Bytes);
    }
    After.CreateMemCpy(Own, G->getAlign(), Kept, A, Bytes);
  }
}

} // namespace contraflow::threads
