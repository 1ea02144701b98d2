// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace llvm {
class CallBase;
class Function;
class FunctionType;
class GlobalVariable;
class Instruction;
class LoadInst;
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
/// The member that an indirect call finds its callee in.
std::optional<MemberSlot> slotOfCallee(const llvm::CallBase &Call);

/// The type of the function that a call means: of one without parameters in its declaration,
/// int (*f)(), as the arguments tell.
llvm::FunctionType *calleeType(const llvm::CallBase &Call);

/// Which functions may lie in which members. Valid until an access of pointers is erased.
class MemberIndex {
public:
  using FunctionsOfType = std::function<llvm::ArrayRef<llvm::Function *>(llvm::FunctionType *)>;

  /// Of calls of a function of type T, OfType(T) says which functions there are.
  explicit MemberIndex(const llvm::Module &M, FunctionsOfType OfType = {});
  /// True unless no code of the module stores anything but null into the member.
  bool isFilled(const MemberSlot &Read) const { return Filled.lookup(looseKeyOf(Read)); }
  /// Like isFilled, of structures of this name only.
  bool isFilledByName(const MemberSlot &Read) const { return FilledByName.lookup(keyOf(Read)); }
  /// False if F goes into other members than this one, and nowhere else but into constant tables.
  /// If Prefix, a structure that begins in the same way may stand for it.
  bool mayLieWhere(const llvm::Function &F, const MemberSlot &Read, bool Prefix);

private:
  /// Where a function goes.
  struct Places {
    const llvm::Function *Of = nullptr;
    bool Anywhere = false;
    llvm::SmallVector<MemberSlot, 2> Slots;
    llvm::SmallVector<int64_t, 2> Copied; ///< places in structures that tables are copied to
    llvm::SmallPtrSet<const llvm::Value *, 16> Seen;
    unsigned Left = 0; ///< uses that may still be looked at
  };
  using Key = std::pair<const void *, uint64_t>;
  static Key keyOf(const MemberSlot &S) { return {S.Name, S.Place}; }
  static Key looseKeyOf(const MemberSlot &S) { return {S.Type ? S.Name : nullptr, S.Place}; }
  static void fillCopies(llvm::ArrayRef<std::pair<Key, Key>> Copies,
                         llvm::DenseMap<Key, bool> &Filled);
  const Places &placesOf(const llvm::Function &F);
  void follow(Places &P, const llvm::Value &V);
  void followTable(Places &P, const llvm::GlobalVariable &Table);
  void followStore(Places &P, const llvm::StoreInst &Store);
  void pass(Places &P, const llvm::CallBase &Call, unsigned Arg);

  FunctionsOfType OfType;
  llvm::DenseMap<Key, llvm::SmallVector<const llvm::LoadInst *, 4>> Loads;
  llvm::DenseMap<Key, bool> Filled, FilledByName;
  llvm::DenseMap<const llvm::Function *, Places> Known;
};

} // namespace contraflow
