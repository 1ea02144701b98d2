// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the handler that claims a call: by exact name, then by prefix (longest first).

#include "contraflow/core/Callee.h"
#include "contraflow/core/Construct.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {

Error ConstructHandler::augment(SweepBuilder &, CallSite &) const { return Error::success(); }

void HandlerRegistry::add(std::unique_ptr<ConstructHandler> Handler) {
  for (StringRef Name : Handler->callees()) {
    if (Name.consume_back("*"))
      Prefixes.push_back({Name.str(), Handler.get()});
    else
      Exact[Name] = Handler.get();
  }
  llvm::sort(Prefixes, [](auto &A, auto &B) { return A.first.size() > B.first.size(); });
  Handlers.push_back(std::move(Handler));
}

const ConstructHandler *HandlerRegistry::find(StringRef Name) const {
  if (auto It = Exact.find(Name); It != Exact.end())
    return It->second;
  for (auto &[Prefix, Handler] : Prefixes)
    if (Name.starts_with(Prefix))
      return Handler;
  return nullptr;
}

const ConstructHandler *HandlerRegistry::find(const CallBase &Call) const {
  const Function *F = Call.getCalledFunction();
  const ConstructHandler *Handler = F ? find(F->getName()) : nullptr;
  if (F && !Handler)
    Handler = find(calleeName(*F));
  return Handler && Handler->claims(Call) ? Handler : nullptr;
}

bool HandlerRegistry::unfold(Function &F) const {
  bool Changed = false;
  for (auto &Handler : Handlers)
    Changed |= Handler->unfold(F);
  return Changed;
}

void HandlerRegistry::conclude(Module &M) const {
  for (auto &Handler : Handlers)
    Handler->conclude(M);
}

void HandlerRegistry::canonicalise(Function &F) const {
  for (auto &Handler : Handlers)
    Handler->canonicalise(F);
}

} // namespace contraflow
