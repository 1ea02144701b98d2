// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rust.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <cstdlib>
#include <memory>

using namespace llvm;

namespace contraflow {

/// The path that a symbol of Rust's mangling stands for (RFC 2603).
static std::string pathOf(StringRef Symbol) {
  const std::unique_ptr<char, decltype(&std::free)> Path(rustDemangle(Symbol), std::free);
  return Path ? Path.get() : "";
}

static void name(Function &F) {
  if (!F.getName().starts_with("_R"))
    return;
  const std::string Path = pathOf(F.getName());
  if (isKnownName(Path))
    F.addFnAttr(attr::Like, Path);
}

void nameRustFunctions(Module &M) {
  for (Function &F : M)
    name(F);
}

/// Parts of a symbol have their lengths in front, and a `_` where a `_` follows.
static std::string part(StringRef Text) { return (utostr(Text.size()) + "_" + Text).str(); }

FunctionCallee allocatorOf(Function &F, StringRef Last, FunctionType *Prototype) {
  StringRef Symbol = F.getName();
  const std::string Path = calleeName(F).str(), Own = Path.substr(Path.rfind(':') + 1);
  const std::string Other = (StringRef(Own).drop_back(StringRef("realloc").size()) + Last).str();
  std::string Name = Other;
  if (Symbol.consume_back(part(Own)))
    Name = (Symbol + part(Other)).str();
  FunctionCallee Found = F.getParent()->getOrInsertFunction(Name, Prototype);
  if (auto *Declared = dyn_cast<Function>(Found.getCallee()))
    name(*Declared);
  return Found;
}

} // namespace contraflow
