// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where worksharing constructs begin all threads of a team come in the same order (OpenMP 5.2, 11);
// the bodies of some are run by one thread. Whoever is cancelled comes to fewer.

#include "contraflow/core/Barrier.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Single = "__kmpc_single", Master = "__kmpc_master", Masked = "__kmpc_masked";
constexpr StringRef Begins[] = {Single,
                                "__kmpc_for_static_init_4",
                                "__kmpc_for_static_init_4u",
                                "__kmpc_for_static_init_8",
                                "__kmpc_for_static_init_8u",
                                "__kmpc_dispatch_init_4",
                                "__kmpc_dispatch_init_4u",
                                "__kmpc_dispatch_init_8",
                                "__kmpc_dispatch_init_8u"};
constexpr StringRef Cancels[] = {"__kmpc_cancel", "__kmpc_cancellationpoint",
                                 "__kmpc_cancel_barrier"};

/// masked(ident, thread, filter): a filter of the thread's own may choose several.
bool isFirst(const CallBase &Call) {
  auto *Filter = Call.arg_size() == 3 ? dyn_cast<ConstantInt>(Call.getArgOperand(2)) : nullptr;
  return Filter && Filter->isZero();
}

void mark(CallBase &Call, StringRef Name) {
  if (is_contained(Begins, Name))
    markMeetingPlace(Call);
  if (Name == Single)
    markChoice(Call, Chosen::Any);
  else if (Name == Master || (Name == Masked && isFirst(Call)))
    markChoice(Call, Chosen::First);
}

class WorksharingMarker : public Rewriter {
public:
  void canonicalise(Function &F) const override {
    SmallVector<std::pair<CallBase *, StringRef>, 4> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction()) {
        StringRef Name = Call->getCalledFunction()->getName();
        if (is_contained(Cancels, Name))
          return;
        Calls.push_back({Call, Name});
      }
    if (!hasRegionAlone(F))
      for (auto [Call, Name] : Calls)
        mark(*Call, Name);
  }
};

} // namespace

void registerWorksharing(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<WorksharingMarker>());
}

} // namespace contraflow::omp
