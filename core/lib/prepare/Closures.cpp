// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All functions of a closure are cloned together, so that the clones call each other. The first
// request works on a clone as well: the users of a value have another order in it.

#include "Closures.h"
#include "Library.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

constexpr StringLiteral TemplatePrefix = "cf.template.";

ClosureTemplates::~ClosureTemplates() = default;

/// The clone has the names.
static ClosureTemplates::Copy clone(const ClosureTemplates::Copy &From) {
  ValueToValueMapTy Map;
  ClosureTemplates::Copy To{PreparedClosure(), {}, From.Spared};
  for (Function *F : From.Closure.Functions)
    To.Closure.Functions.push_back(
        declareLike(*F, F->getName().drop_front(TemplatePrefix.size()), Map));
  for (Function *F : From.Closure.Functions)
    cloneBody(*F, Map);
  auto CloneOf = [&](Function *F) {
    auto It = Map.find(F);
    return It == Map.end() ? F : cast<Function>(It->second);
  };
  To.Closure.Root = CloneOf(From.Closure.Root);
  To.Closure.Detached = From.Closure.Detached;
  for (Function *F : From.Closure.TeamBodies)
    To.Closure.TeamBodies.push_back(CloneOf(F));
  for (Function *F : From.Closure.UsedInTeams)
    To.Closure.UsedInTeams.insert(CloneOf(F));
  for (const auto &[F, Params] : From.Closure.ThreadParams)
    To.Closure.ThreadParams[CloneOf(F)] = Params;
  for (auto [F, InTask] : From.Closure.New)
    To.Closure.New.push_back({CloneOf(F), InTask});
  for (auto [Of, F] : From.Called)
    To.Called.push_back({Of, CloneOf(F)});
  return To;
}

ClosureTemplates::Copy ClosureTemplates::keep(Function &F, Copy Prepared) {
  for (Function *P : Prepared.Closure.Functions)
    P->setName(TemplatePrefix + P->getName());
  Template &T = Templates[&F];
  T.Original = &F;
  T.Kept = std::make_unique<Copy>(std::move(Prepared));
  return clone(*T.Kept);
}

std::optional<ClosureTemplates::Copy> ClosureTemplates::instantiate(Function &F) const {
  auto It = Templates.find(&F);
  if (It == Templates.end() || It->second.Original != &F)
    return std::nullopt;
  return clone(*It->second.Kept);
}

void ClosureTemplates::clear() { Templates.clear(); }

} // namespace contraflow
