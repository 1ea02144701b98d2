// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How clang spells the initialisation of a thread-local variable (Itanium C++ ABI, 5.1.4.4):
//
//   double scratch[8]           _ZTH7scratch        called where the variable is used, by way of
//   double grid::scratch[8]     _ZTHN4grid7scratchE _ZTW7scratch

#include "Variables.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

constexpr StringLiteral Mangled = "_Z", Initialisation = "_ZTH", Wrapper = "_ZTW";

bool isSignOfGamma(const GlobalVariable &G) {
  return G.isDeclaration() && (G.getName() == "signgam" || G.getName() == "__signgam");
}

static GlobalVariable *namedShadow(const GlobalVariable &G) {
  const MDNode *Named = G.getMetadata("enzyme_shadow");
  if (!Named || Named->getNumOperands() != 1)
    return nullptr;
  return mdconst::dyn_extract_or_null<GlobalVariable>(Named->getOperand(0));
}

bool hasWrongShadow(const GlobalVariable &G) {
  const GlobalVariable *Shadow = namedShadow(G);
  return G.hasMetadata("enzyme_shadow") && (!Shadow || Shadow == &G || Shadow->isConstant() ||
                                            Shadow->isThreadLocal() != G.isThreadLocal() ||
                                            Shadow->getAddressSpace() != G.getAddressSpace() ||
                                            Shadow->getValueType() != G.getValueType());
}

GlobalVariable *givenShadow(const GlobalVariable &G) {
  return G.hasMetadata() && !hasWrongShadow(G) ? namedShadow(G) : nullptr;
}

bool isOutsideInitialiser(const Function &F) {
  return F.isDeclarationForLinker() && F.getName().starts_with(Initialisation);
}

const GlobalVariable *initialisedBy(const Function &Initialiser) {
  StringRef Name = Initialiser.getName();
  Name.consume_front(Initialisation);
  const Module &M = *Initialiser.getParent();
  if (const GlobalVariable *G = M.getGlobalVariable((Mangled + Name).str(), true))
    return G;
  unsigned long long Length;
  StringRef Plain = Name; // a variable in no namespace has its own name
  return !Plain.consumeInteger(10, Length) && Length == Plain.size()
             ? M.getGlobalVariable(Plain, true)
             : nullptr;
}

bool isGuardTaken(const Function &F) { return F.getName() == "__cxa_guard_acquire"; }

bool mayInitialise(const Module &M) {
  return any_of(M, [](const Function &F) {
    const StringRef Name = F.getName();
    return Name.starts_with(Mangled) && !Name.starts_with(Initialisation) &&
           !Name.starts_with(Wrapper);
  });
}

} // namespace contraflow
