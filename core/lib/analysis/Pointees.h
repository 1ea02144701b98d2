// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures that members and global variables lead to, noted before optimisation.

#pragma once

#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>

namespace llvm {
class DataLayout;
class GlobalVariable;
class LoadInst;
class MDNode;
class Metadata;
class Module;
class StructType;
class Value;
} // namespace llvm

namespace contraflow {

class PointedStructures;

/// The member that an address leads to by constants alone, of the outermost structure.
std::optional<std::pair<llvm::StructType *, int64_t>> memberAt(const llvm::Value *Pointer,
                                                               const llvm::DataLayout &DL);
/// The structure that a step into an array of it, by an index that is not known, belongs to.
llvm::StructType *arrayIn(const llvm::Value &Pointer, const llvm::DataLayout &DL);
/// The structure of TBAA that a tag names a member of; null if there is none.
const llvm::MDNode *baseOf(const llvm::MDNode &Tag);
int64_t offsetOf(const llvm::MDNode &Tag);

/// What TBAA has for pointers to one structure that has a name; null if a tag names something else.
const llvm::MDNode *namedPointer(const llvm::MDNode &Tag);

/// What all loads of a member say of the structure that it leads to.
class PointeeNoter {
public:
  explicit PointeeNoter(llvm::Module &M) : M(M) {}
  void add(const llvm::LoadInst &Pointer, PointedStructures &Pointed);
  void write();

private:
  using Member = std::pair<llvm::Metadata *, int64_t>; ///< of what, offset
  void add(Member In, llvm::StructType *Leads);

  llvm::MapVector<Member, llvm::StructType *> Found; ///< null: several
  llvm::Module &M;
};

class PointeeReader {
public:
  explicit PointeeReader(const llvm::Module &M);
  /// Of a member, In of a structure or of what TBAA has for one; null if it is not known, or
  /// several.
  llvm::StructType *of(const void *In, int64_t Offset) const;
  /// Of a global variable, or the member that comes first in one.
  llvm::StructType *of(const llvm::GlobalVariable &Variable) const;

private:
  std::map<std::pair<const void *, int64_t>, llvm::StructType *> Known;
};

} // namespace contraflow
