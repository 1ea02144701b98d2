// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// alias.scope says which kind of memory an access belongs to, noalias which kinds it cannot meet.
// Two accesses are apart if, in some domain, all scopes of one are among those the other cannot
// meet; so kinds, shadow arrays and buffers are three domains.

#include "MemoryTags.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace contraflow {

MemoryTags::MemoryTags(LLVMContext &C) : C(C) {
  MDBuilder B(C);
  MDNode *Kinds = B.createAnonymousAliasScopeDomain("cf.memory");
  Primal = B.createAnonymousAliasScope(Kinds, "primal");
  Shadow = B.createAnonymousAliasScope(Kinds, "shadow");
  Pointers = B.createAnonymousAliasScope(Kinds, "shadow pointers");
  Tape = B.createAnonymousAliasScope(Kinds, "tape");
  Buffer = B.createAnonymousAliasScope(Kinds, "buffer");
  Arrays = B.createAnonymousAliasScopeDomain("cf.shadow.arrays");
  Numbered = B.createAnonymousAliasScopeDomain("cf.buffers");
}

void MemoryTags::tag(Instruction &Access, MDNode *Own, ArrayRef<Metadata *> Others) const {
  auto Add = [&](unsigned Kind, ArrayRef<Metadata *> More) {
    Access.setMetadata(Kind, MDNode::concatenate(Access.getMetadata(Kind), MDNode::get(C, More)));
  };
  Add(LLVMContext::MD_alias_scope, {Own});
  Add(LLVMContext::MD_noalias, Others);
}

MDNode *MemoryTags::mirror(Metadata *Scope) {
  MDNode *&Mirror = Mirrors[Scope];
  if (!Mirror)
    Mirror = MDBuilder(C).createAnonymousAliasScope(Arrays, "shadow array");
  return Mirror;
}

void MemoryTags::shadow(Instruction &Access, const Instruction &Original) {
  tag(Access, Shadow, {Primal, Tape, Buffer});
  for (unsigned Kind : {unsigned(LLVMContext::MD_alias_scope), unsigned(LLVMContext::MD_noalias)}) {
    MDNode *Known = Original.getMetadata(Kind);
    SmallVector<Metadata *, 8> More;
    for (unsigned I = 0; Known && I < Known->getNumOperands(); ++I)
      More.push_back(mirror(Known->getOperand(I)));
    if (!More.empty())
      Access.setMetadata(Kind, MDNode::concatenate(Access.getMetadata(Kind), MDNode::get(C, More)));
  }
}

void MemoryTags::buffer(Instruction &Access, unsigned Number, unsigned Count) {
  MDBuilder B(C);
  while (Buffers.size() < Count)
    Buffers.push_back(B.createAnonymousAliasScope(Numbered, "one buffer"));
  SmallVector<Metadata *, 16> Others{Primal, Shadow, Tape};
  for (unsigned I = 0; I < Count; ++I)
    if (I != Number)
      Others.push_back(Buffers[I]);
  tag(Access, Buffer, Others);
  Access.setMetadata(LLVMContext::MD_alias_scope,
                     MDNode::concatenate(Access.getMetadata(LLVMContext::MD_alias_scope),
                                         MDNode::get(C, {Buffers[Number]})));
}

} // namespace contraflow
