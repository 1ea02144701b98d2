// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class Function;
class FunctionType;
class Instruction;
class Module;
} // namespace llvm

namespace contraflow {

/// A member of a structure: its type, as TBAA has it (else null), and the member's place in bytes.
using Slot = std::pair<const void *, uint64_t>;

/// Notes the members that pointers are loaded from and stored into, where there is no TBAA.
void noteSlots(llvm::Module &M);

/// The member that a load or a store accesses. None if its structure is not known.
std::optional<Slot> slotOf(const llvm::Instruction &Access);

/// False if no code of the module stores anything but null into the member that Load reads.
bool isFilled(const llvm::Instruction &Load);

/// False if every use of F's address outside constant tables ends in other members of structures
/// than the one that Load reads, also by way of calls: of functions of type T, OfType(T) says which
/// there are. Calls of F are no uses of its address.
bool mayLieWhere(const llvm::Function &F, const llvm::Instruction &Load,
                 llvm::function_ref<llvm::ArrayRef<llvm::Function *>(llvm::FunctionType *)> OfType);

} // namespace contraflow
