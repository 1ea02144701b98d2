// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves when an object moves: pointers of its shadow forward, adjoints of its floats in
// reverse. For handlers of copies, sorts and reallocations.
//
// What a MemoryLayout says of the object as a whole: its numbers lie among bytes (Packed), it is
// the caller's (Outside), it is known by what is copied from it (OfSource), its shadow has the
// integers as well (Asked, see emit/Asked.h).

#pragma once

#include "contraflow/core/Construct.h"

namespace contraflow {

/// Of struct cf_field.
enum FieldKind : unsigned {
  KindFloat,
  KindDouble,
  KindLongDouble,
  KindPointer,
  KindEither,
  KindFloatOfWord = 7, ///< in a word that may be an address
  KindWord = 8,        ///< an address, or floats
  KindNoAddress = 9,   ///< a float's word, which is cleared if it is an address
  KindNumber = 10,     ///< a double, or a float with nothing behind it
  KindNumberOrAddress = 11
};

/// A row of struct cf_field.
struct FieldRow {
  int64_t Offset;
  unsigned Kind;
};

llvm::SmallVector<FieldRow, 8> activeFields(const MemoryLayout &Layout);
/// True if the row is in the table of pointers, too.
bool isPointerRow(const FieldRow &Row);
llvm::SmallVector<FieldRow, 8> pointerFields(const MemoryLayout &Layout);
/// True if floats and addresses share words, which only the runtime can tell.
bool looksAtWords(const MemoryLayout &Layout);
/// Reverse: the word in the shadow that this float lies in is zero if it is an address.
void dropAddress(SweepBuilder &B, llvm::Value *Float);
/// Calls a runtime function with Places and then period, table and number of the fields.
void callFields(SweepBuilder &B, llvm::StringRef Name, llvm::ArrayRef<llvm::Value *> Places,
                const MemoryLayout &Layout, llvm::ArrayRef<FieldRow> Rows);

/// All kinds of all fields.
unsigned allKinds(const MemoryLayout &Layout);
/// Floats that are only passed on, or packed ones: nobody says where they are, nor of which kind.
bool isGuess(const MemoryLayout &Layout);

/// True if numbers may lie anywhere in the memory, which moves as bytes.
bool liesAnywhere(const MemoryLayout &Layout);
/// The same of what such memory is copied from or to, though the program tells where it has
/// numbers.
bool movesAsBytes(const MemoryLayout &Layout);
/// Of what so many bytes of an object hold.
MemoryLayout firstBytes(const MemoryLayout &Layout, int64_t Bytes);
/// True if nothing but integers and addresses is there: a copy moves no derivatives.
bool holdsNoNumbers(const MemoryLayout &Layout);
/// Every active field has one kind of float, and there is an active field.
llvm::Error checkLayout(const MemoryLayout &Layout, llvm::CallBase &Call);
/// The same, if the floats are to be cleared and anything else stays.
llvm::Error checkCleared(const MemoryLayout &Layout, llvm::CallBase &Call);
/// True if that is no error.
bool canBeCleared(const MemoryLayout &Layout, llvm::CallBase &Call);

/// Forward: the pointers in the shadow Src, of memory with this layout, are copied to Dst.
void copyPointers(SweepBuilder &B, const MemoryLayout &Layout, llvm::Value *Dst, llvm::Value *Src,
                  llvm::Value *Bytes);
/// The integers of Src, of the primal, become those of the shadow Dst, where so many bytes hold a
/// few. A registered derivative may look at them there.
void copyIntegers(SweepBuilder &B, const MemoryLayout &Layout, llvm::Value *Dst, llvm::Value *Src,
                  uint64_t Bytes);
/// Of what a copy moves, the one of two layouts that tells more.
MemoryLayout sharper(const MemoryLayout &To, const MemoryLayout &From);
/// Reverse: what is asked of Dst is asked of Src; Atomic is an i32.
void copyAdjoints(SweepBuilder &B, const MemoryLayout &Layout, llvm::Value *Dst, llvm::Value *Src,
                  llvm::Value *Bytes, llvm::Value *Atomic);
/// The floats in Shadow become zero; pointers stay.
void clearFloats(SweepBuilder &B, const MemoryLayout &Layout, llvm::Value *Shadow,
                 llvm::Value *Bytes);

} // namespace contraflow
