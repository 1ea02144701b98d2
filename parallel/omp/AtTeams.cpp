// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adjoint that begins and ends its teams may run again, once for each direction: when it has
// ended, no thread owes another anything. Constructs of a team that is not its own have no such
// end:
//
//   forks(x, n) { fork(body) }   body() { work() }   work() { barrier }     all three may be
//   repeated f(x) { barrier }                                                        not f alone

#include "parallel/omp/Handlers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

bool forks(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && is_contained(Forks, Callee->getName());
}

/// Who runs a function, and who runs those.
class Runners {
public:
  /// True if only teams and their tasks do.
  bool areTeams(const Function &F) { return onlyTeams(F) && Forked; }

private:
  bool onlyTeams(const Function &F) {
    if (!Seen.insert(&F).second)
      return true;
    return all_of(F.users(), [&](const User *U) {
      auto *There = dyn_cast<CallBase>(U);
      const bool Forks = There && forks(*There);
      Forked |= Forks;
      return Forks || (There && onlyTeams(*There->getFunction()));
    });
  }

  SmallPtrSet<const Function *, 8> Seen;
  bool Forked = false;
};

} // namespace

bool isAtTeams(const CallBase &Call) {
  const Function *F = Call.getFunction();
  const bool IsForker = any_of(Forks, [&](StringRef Name) {
    const Function *Fork = F->getParent()->getFunction(Name);
    return Fork && any_of(Fork->users(), [&](const User *U) {
             auto *There = dyn_cast<CallBase>(U);
             return There && (There->getFunction() == F || is_contained(There->args(), F));
           });
  });
  return IsForker || Runners().areTeams(*F);
}

} // namespace contraflow::omp
