// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are not led to keep no body. Variables that nobody names are left out if nobody
// outside can name them either.

#include "Reproducer.h"
#include "support/Reached.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace contraflow {

static bool isSuperfluous(GlobalValue &G) {
  G.removeDeadConstantUsers();
  return G.use_empty() && (G.isDeclaration() || (isa<GlobalVariable>(G) && G.hasLocalLinkage()));
}

static bool dropSuperfluous(Module &M) {
  bool Any = false;
  for (Function &F : make_early_inc_range(M))
    if (isSuperfluous(F))
      F.eraseFromParent(), Any = true;
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (isSuperfluous(G))
      G.eraseFromParent(), Any = true;
  return Any;
}

std::string writeReproducer(const Module &M, ArrayRef<Function *> Holders) {
  SmallPtrSet<const GlobalValue *, 32> Kept;
  anyReached(Holders, [&](Function &F) {
    Kept.insert(&F);
    return false;
  });
  ValueToValueMapTy Map;
  const std::unique_ptr<Module> Reduced = CloneModule(
      M, Map, [&](const GlobalValue *G) { return !isa<Function>(G) || Kept.contains(G); });
  while (dropSuperfluous(*Reduced))
    ;
  SmallString<128> Path;
  int File = -1;
  if (sys::fs::createTemporaryFile("contraflow-fault", "ll", File, Path))
    return "";
  raw_fd_ostream Out(File, /*shouldClose=*/true);
  Out << "; opt -load-pass-plugin=Contraflow.so -passes=contraflow -disable-output "
         "<options after -mllvm> <this file>\n";
  Reduced->print(Out, nullptr);
  Out.close();
  const bool Written = !Out.has_error();
  Out.clear_error();
  return Written ? std::string(Path) : "";
}

} // namespace contraflow
