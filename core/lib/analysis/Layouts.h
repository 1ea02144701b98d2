// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which members a structure has and which of them are arrays. Where it is optimised, the code
// tells neither:
//
//   struct S { int n; double x[3]; double *p; };     s->x[i]   load double, (s + 8 * i) + 8
//
// Clang's types do at first, so they are noted before optimisation: the type that TBAA's
// description of a structure stands for; without TBAA, each access of a member gets a tag of its
// own, which does not say anything about aliases. Where nothing was noted, TBAA itself lists the
// members, of which arrays and unions have no kind.

#pragma once

#include "Pointees.h"

#include <cstdint>
#include <map>
#include <optional>

namespace llvm {
class DataLayout;
class Instruction;
class MDNode;
class Module;
class StructType;
class Type;
} // namespace llvm

namespace contraflow {

/// A member that is a scalar, or an element of one. Of unknown kind: anything, one or more of it.
struct LayoutPlace {
  int64_t Width = 0;
  unsigned Kind = 0;      ///< ScalarKind
  bool IsArray = false;   ///< an index may lead to it
  bool IsStruct = false;  ///< it is part of an array of structures
  bool IsElement = false; ///< it is part of an array whose elements are listed one by one
  bool OrInteger = false; ///< a float of an array, and an integer that is none at other times
};

/// By offset.
using LayoutPlaces = std::map<int64_t, LayoutPlace>;

/// Notes what the types say of members that are accessed.
void noteLayouts(llvm::Module &M);

/// The name of the type that TBAA has for an access; empty if there is none.
llvm::StringRef nameAccessed(const llvm::Instruction &Access);
/// True for an access whose TBAA names no type, as that of a copied word does not.
bool namesNoType(const llvm::Instruction &Access);
/// True of a load or store that moves whatever lies there.
bool movesWord(const llvm::Value *Access);
/// True for a word that `memcpy` or `memset` of four bytes has become.
bool wasMovedAsBytes(const llvm::Instruction &Access);

/// What a load or a store says of the structure that it accesses a member of.
class LayoutReader {
public:
  explicit LayoutReader(const llvm::Module &M);
  struct Evidence {
    const LayoutPlaces *Places = nullptr;
    int64_t Offset = 0; ///< of the member that is accessed
    explicit operator bool() const { return Places; }
    /// The member is an integer of this width in bytes.
    bool isInteger(int64_t Width) const;
    /// Floats or pointers are members as well: nobody looks at the bits of a float through it.
    bool hasOthers() const;
  };
  Evidence of(const llvm::Instruction &Access);
  /// The members of the structure in an array of which an unknown element is accessed; null if that
  /// is not known.
  const LayoutPlaces *aroundElement(const llvm::Instruction &Access);
  /// What the member that is loaded leads to, in all that was said before optimisation; null if
  /// it is not known.
  const LayoutPlaces *pointee(const llvm::Instruction &Loaded);
  /// Of a global or local variable; null if it is no structure.
  const LayoutPlaces *ofType(llvm::Type *T);
  /// Of the elements of memory that an allocator of the library asks for; null if nobody says it.
  const LayoutPlaces *ofAllocated(const llvm::CallBase &Call);

  const llvm::DataLayout &layout() const { return DL; }

private:
  struct Noted {
    llvm::StructType *Type;
    int64_t Offset;
  };
  const LayoutPlaces *ofTag(const llvm::MDNode &Base);
  llvm::StructType *structureBehind(const llvm::LoadInst &Pointer) const;

  const llvm::DataLayout &DL;
  std::map<const llvm::MDNode *, Noted> Notes; ///< by description of a structure, or own tag
  PointeeReader Pointees;
  std::map<const void *, LayoutPlaces> Known;
};

} // namespace contraflow
