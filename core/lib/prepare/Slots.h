// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"

#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
class Function;
class FunctionType;
class GlobalVariable;
class Instruction;
class MDNode;
class Metadata;
class Module;
class StoreInst;
class Value;
} // namespace llvm

namespace contraflow {

/// True of a file whose optimised code is linked as bitcode before derivatives are made.
bool isLinkedLater(const llvm::Module &M);

/// Notes the members that pointers are loaded from and stored into, where there is no TBAA.
void noteSlots(llvm::Module &M);

/// A member of a structure: its type as TBAA has it, which another file may describe differently,
/// the type's name, and the member's place in bytes. Without TBAA there is no type, and structures
/// of different names may stand for one another.
struct MemberSlot {
  const llvm::MDNode *Type = nullptr;
  const llvm::Metadata *Name = nullptr;
  uint64_t Place = 0;
  bool operator==(const MemberSlot &Other) const {
    return !Type == !Other.Type && Place == Other.Place && (!Type || Name == Other.Name);
  }
};

/// The member that a load or a store accesses. None if its structure is not known.
std::optional<MemberSlot> memberSlotOf(const llvm::Instruction &Access);
/// False if a member of a table cannot be the one that is read: it lies at another place of its
/// structure, or behind other things.
bool mayBeMember(llvm::StructType *Structure, int64_t Place, const MemberSlot &Read,
                 const llvm::DataLayout &DL);
/// The member that an indirect call finds its callee in.
std::optional<MemberSlot> slotOfCallee(const llvm::CallBase &Call);

/// The type of the function that a call means: of one without parameters in its declaration,
/// int (*f)(), as the arguments tell.
llvm::FunctionType *calleeType(const llvm::CallBase &Call);

/// A member, by the name of its structure.
using MemberKey = std::pair<const void *, uint64_t>;
inline MemberKey keyOf(const MemberSlot &S) { return {S.Name, S.Place}; }

/// The members that code of a module stores anything but null into. What is made of that code later
/// stores into the same ones: it is asked once.
class FilledMembers {
public:
  explicit FilledMembers(const llvm::Module &M);
  /// Without TBAA the structure may have any name.
  bool contains(const MemberSlot &Read) const { return Filled.contains(looseKeyOf(Read)); }
  bool containsByName(const MemberSlot &Read) const { return ByName.contains(keyOf(Read)); }

private:
  static MemberKey looseKeyOf(const MemberSlot &S) { return {S.Type ? S.Name : nullptr, S.Place}; }

  llvm::DenseSet<MemberKey> Filled, ByName;
};

/// Which functions may lie in which members, as the code says when the index is made. Copies of
/// that code are made later and put functions into the same ones.
class MemberIndex {
public:
  explicit MemberIndex(const llvm::Module &M);
  /// False if F goes into other members than this one, and nowhere else but into constant tables.
  /// If Prefix, a structure that begins in the same way may stand for it.
  bool mayLieWhere(const llvm::Function &F, const MemberSlot &Read, bool Prefix);

private:
  /// Where a function goes.
  struct Places {
    const llvm::Function *Of = nullptr;
    bool Anywhere = false;
    bool InVariable = false; ///< a table that is one
    llvm::SmallVector<MemberSlot, 2> Slots;
    /// Members that tables are copied to.
    llvm::SmallVector<std::pair<llvm::StructType *, int64_t>, 2> Copied;
    llvm::SmallPtrSet<const llvm::Value *, 16> Seen;
    unsigned Left = 0; ///< uses that may still be looked at
  };
  const Places &placesOf(const llvm::Function &F);
  void follow(Places &P, const llvm::Value &V);
  void followTable(Places &P, const llvm::GlobalVariable &Table);
  void followVariable(Places &P, const llvm::GlobalVariable &G);
  void followStore(Places &P, const llvm::StoreInst &Store);
  void pass(Places &P, const llvm::CallBase &Call, unsigned Arg);

  const llvm::DataLayout &DL;
  /// Those whose address is taken, in module order.
  llvm::DenseMap<llvm::FunctionType *, llvm::SmallVector<const llvm::Function *, 4>> ByType;
  llvm::MapVector<MemberKey, llvm::SmallVector<llvm::WeakVH, 4>> Loads; ///< null: erased
  llvm::DenseSet<MemberKey> FromMemory; ///< filled with what lay in no member that is known
  llvm::DenseMap<const llvm::Function *, Places> Known;
};

} // namespace contraflow
