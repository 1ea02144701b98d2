// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the floating-point values of an MPI buffer are.
//
// A datatype is a list of runs of floating-point values ("leaves") in the order of its type
// signature; what lies between them (integers, gaps) carries no derivative. The signature is what
// both sides of a message agree on, so derivatives travel packed, leaf after leaf, whatever the two
// layouts are:
//
//   {double; int; float[2]}  ->  run F64 x 1 at 0, run F32 x 2 at 12; 3 leaves, 16 packed bytes
//
// MPI_BYTE and MPI_PACKED (and characters, below) do not say what they carry. Their leaves are
// bytes, which travel as they are; which of them are parts of floating-point values is told by the
// compiler, who knows the memory (cf_v1_mpi_describe), and that is all that is stored, added to, or
// cleared.

#pragma once

#include "mpi/Abi.h"
#include "mpi/Directions.h"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

namespace contraflow::mpi {

enum class Leaf : std::uint8_t { Byte, F32, F64, F80 };
constexpr Leaf FieldKinds[] = {Leaf::F32, Leaf::F64, Leaf::F80}; ///< as fields number them

constexpr std::int64_t sizeOf(Leaf Kind) {
  return Kind == Leaf::Byte  ? 1
         : Kind == Leaf::F32 ? sizeof(float)
         : Kind == Leaf::F64 ? sizeof(double)
                             : sizeof(long double);
}
MPI_Datatype datatypeOf(Leaf Kind);

struct Run {
  std::int64_t Offset; ///< in bytes from the start of the item
  std::int64_t Count;  ///< leaves, one after the other
  std::int64_t Behind; ///< bytes of the signature that precede it
  Leaf Kind;
};

/// What the compiler knows of the memory behind a buffer of bytes.
struct Description {
  enum : std::int32_t { Unknown = 5, UnknownEnd }; ///< kinds of fields that are no numbers
  static constexpr int OnlyPacked = -2;
  const cf_field *Fields = nullptr;
  std::int64_t Period = 0;
  int Count = -1; ///< negative: nothing is known; maybe that it holds packed values

  /// Where bytes of which nothing is known end that begin at a field; 0 if they do not.
  std::int64_t endOfUnknown(int F) const {
    return F + 1 < Count && Fields[F + 1].kind == UnknownEnd ? Fields[F + 1].offset : Period;
  }
};

struct PackedPieces;

/// One item of a datatype.
struct Layout {
  std::vector<Run> Runs;
  /// The same, if places in bytes are among what it was made of: runs that touch are apart if they
  /// are of several blocks, which may lie in several objects; and where each one's block begins.
  std::vector<Run> Placed;
  std::vector<std::int64_t> Starts;
  std::int64_t Extent = 0;
  std::int64_t Size = 0; ///< bytes of the signature
  std::int64_t Leaves = 0;
  std::int64_t LeafBytes = 0;
  Leaf Widest = Leaf::F32;
  bool Dense = false;   ///< items are leaves of one kind without gaps
  bool Complex = false; ///< a predefined complex type
  bool Places = false;  ///< made of places in bytes itself
  bool Raw = false;     ///< some leaves are bytes
  Description Inside;   ///< of the memory, if there are bytes
  /// Of a message of bytes that MPI_Pack has put there (PackedPieces.h), and the layout without
  /// them.
  const PackedPieces *Pieces = nullptr;
  const Layout *Plain = nullptr;
  const char *Opaque = nullptr; ///< name of a datatype that does not say what it carries, or null
};

/// The layout itself, which never goes away. One that has been seen before is added once.
const Layout &intern(Layout &&New);

/// Characters are integers to functions that compute. To those that move them they are bytes of
/// anything, if the program sends numbers so, but text beside numbers of a structure.
enum class Characters : std::uint8_t { Integers, Moved };

/// Never goes away: layouts outlive the datatypes they came from.
const Layout &layoutOf(MPI_Datatype Type, Characters What = Characters::Integers);

/// The same datatype where the memory that L describes has been going on for `By` bytes; refused if
/// that is inside a number.
const Layout &layoutBehind(const Layout &L, std::int64_t By);

/// What the numbers among so many bytes are, as items of one period; null unless all of them are
/// known.
const Layout *numbersAmong(const Layout &Bytes, std::int64_t Count);

/// Asks all ranks, whose programs may differ.
void agreeOnCharacters();

/// A datatype of an item's leaves, all of the kind L.Widest, as numbers that can be accumulated:
/// MPI refuses a sum of real numbers with complex ones. Never goes away.
MPI_Datatype leafTypeOf(const Layout &L);

/// The leaves of one kind, where they are, as a layout of their own. Never goes away.
const Layout &partOf(const Layout &L, Leaf Kind);

/// How MPI_Pack lays out items: the signature without gaps.
const Layout &packedLayoutOf(const Layout &L);

/// Leaves that a message of `Bytes` bytes filled.
std::int64_t leavesIn(const Layout &L, std::int64_t Bytes);

/// Of the word behind packed leaves some of which are bytes (View.cpp).
constexpr std::int64_t WordBytes = sizeof(std::uint32_t);

/// Shadow memory of the first `Leaves` leaves of a buffer. A null base is memory without a shadow:
/// reads as zeros, drops what is written. Plain data: lives on the tape.
struct View {
  char *Base = nullptr;
  const Layout *L = nullptr;
  std::int64_t Leaves = 0;         ///< in each direction
  const Directions *All = nullptr; ///< null: one direction

  int directions() const { return All ? All->Count : 1; }
  /// The shadow in one direction only.
  View direction(int D) const {
    return {All ? All->from(Base, D) : Base, All && All->Layouts ? All->Layouts[D] : L, Leaves};
  }

  /// Of the leaves of all directions, packed, and of what is said about them; a multiple of four.
  std::int64_t bytes() const { return leafBytes() + (Leaves > 0 && L->Raw ? WordBytes : 0); }
  std::int64_t bytes(Leaf As) const { return Leaves * sizeOf(As); }
  /// The shadow memory itself if it is what pack() would write, else null.
  std::byte *direct() const;
  /// pack() and zero() in one go: memory that has just been read is cleared.
  void take(std::byte *To) const;
  void pack(std::byte *To) const;
  void store(const std::byte *From) const;
  void add(const std::byte *From) const;
  /// The same where other threads and processes add, too; no bytes.
  void addAtomically(const std::byte *From) const;
  void zero() const;
  /// Of what came: who has no shadow says that it has dropped adjoints (Relayed.h).
  bool saysLost(const std::byte *Packed) const;
  static bool isLost(const std::byte *WordBehind);
  /// Adjoints of bytes that lie in layers (Layers.h): moves some of them, packed as the bytes are.
  /// False if there are none.
  bool takeLayer(std::byte *To) const;
  /// Behind what has been packed of what lies below them: more of this kind is coming.
  void markLayered(std::byte *Packed) const;
  void takeLayered(std::byte *To) const { take(To), markLayered(To); }
  static bool isLayered(const std::byte *WordBehind);
  // In one direction, converted to one kind of leaf:
  void packAs(Leaf As, std::byte *To) const;
  void storeAs(Leaf As, const std::byte *From) const;
  void addAs(Leaf As, const std::byte *From) const;

  /// bytes() without what is said about them.
  std::int64_t leafBytes() const {
    if (Leaves <= 0)
      return 0;
    return isPlain() ? Leaves * sizeOf(L->Runs[0].Kind) : bytesOfRuns();
  }

private:
  /// The usual view: one kind of number without gaps.
  bool isPlain() const { return !All && L->Dense && !L->Raw; }
  std::int64_t bytesOfRuns() const;
  /// Before adjoints are read: of bytes that several messages brought back (Layers.h).
  void settleLayers() const;
  void packLeaves(std::byte *To) const;
  void packWord(std::byte *To) const;
  void storeLeaves(const std::byte *From, bool Elsewhere) const;
  void addLeaves(const std::byte *From, bool Elsewhere) const;
};

/// A buffer argument and its shadow.
struct Buffer {
  const void *Primal;
  void *Shadow;
  std::int64_t Count;
  MPI_Datatype Type;
  const Layout *Known = nullptr;   ///< of Type, if it has been looked up; Shadow is no row then
  const Directions *All = nullptr; ///< of Shadow, if Known
};

/// The shadow of a buffer; refuses datatypes that do not say where floating-point values are.
View viewOf(const Buffer &B, Characters What = Characters::Integers);

} // namespace contraflow::mpi
