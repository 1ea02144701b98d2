// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adjoint that begins and ends its teams may run again, once for each direction: when it has
// ended, no thread owes another anything. Constructs of a team that is not its own have no such
// end:
//
//   forks(x, n) { fork(body); put_away(x) }   body() { work() }   work() { barrier }
//   put_away(x) { atomic }                                                all four may be repeated
//   f(x) { barrier }                                                      not f alone

#include "parallel/omp/Handlers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

bool isFork(const User *U) {
  auto *Call = dyn_cast<CallBase>(U);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && is_contained(Forks, Callee->getName());
}

/// The functions that fork, or call those that do.
SmallPtrSet<const Function *, 8> forkersOf(const Module &M) {
  SmallPtrSet<const Function *, 8> Forkers;
  SmallVector<const Function *, 8> Todo;
  auto AddCallers = [&](const Function &Called) {
    for (const User *U : Called.users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == &Called)
        if (Forkers.insert(Call->getFunction()).second)
          Todo.push_back(Call->getFunction());
  };
  for (StringRef Name : Forks)
    if (const Function *Fork = M.getFunction(Name))
      AddCallers(*Fork);
  while (!Todo.empty())
    AddCallers(*Todo.pop_back_val());
  return Forkers;
}

/// Who runs a function, and who runs those.
class Runners {
public:
  explicit Runners(const Module &M) : Forkers(forkersOf(M)) {}
  /// True if only functions that fork, their teams, and the tasks of these do.
  bool areTeams(const Function &F) { return any_of(F.users(), isFork) || (onlyTeams(F) && Forked); }

private:
  bool onlyTeams(const Function &F) {
    if (Forkers.contains(&F))
      return Forked = true;
    if (!Seen.insert(&F).second)
      return true;
    return all_of(F.users(), [&](const User *U) {
      auto *There = dyn_cast<CallBase>(U);
      const bool Forks = isFork(U);
      Forked |= Forks;
      return Forks || (There && onlyTeams(*There->getFunction()));
    });
  }

  SmallPtrSet<const Function *, 8> Forkers, Seen;
  bool Forked = false;
};

} // namespace

bool isAtTeams(const CallBase &Call) {
  const Function *F = Call.getFunction();
  return Runners(*F->getParent()).areTeams(*F);
}

bool isRepeatableSection(const CallBase &Call) {
  return !hasTeams(*Call.getModule()) || isAtTeams(Call);
}

} // namespace contraflow::omp
