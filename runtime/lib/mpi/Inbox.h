// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What other ranks add to the adjoint of a rank's memory.
//
// The primal lets a rank read its memory by loads while others get the same numbers. In reverse it
// adds to its shadow by plain additions while the others add by MPI, and the two do not know of
// each other. So what the others add goes to memory of its own, and the owner comes by: wherever
// ranks may have waited for each other, it moves what has arrived to the shadow.
//
//   reverse of Get    t-inbox += o-bar; the blocks it touched are counted
//   order             blocks that have a count: t-bar += t-inbox; t-inbox = 0; counts -= seen
//   reverse of Put    o-bar += t-bar + t-inbox; both are cleared
//
// Counts fall after the values are in the shadow, so who finds none looks at the shadow alone. Who
// finds some takes a ticket, so that nothing is on its way between the two meanwhile. Words and
// values are only added to and fetched, as MPI asks of concurrent accumulations.

#pragma once

#include "mpi/Layout.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace contraflow::mpi {

/// What is accumulated in a window that MPICH allocates (4.0, as Debian has it) is added twice
/// where ranks share memory; not so if the memory is the program's own.
#ifdef OPEN_MPI
inline constexpr bool AllocatesWindows = true;
#else
inline constexpr bool AllocatesWindows = false;
#endif

/// Where an access goes in a window.
struct Target {
  int Rank;
  MPI_Aint Displacement;
  int Count;
  const Layout *L; ///< of the datatype: leaves of one kind
  int leaves() const { return static_cast<int>(Count * L->Leaves); }
  MPI_Datatype element() const { return datatypeOf(L->Widest); }
  MPI_Datatype type() const { return leafTypeOf(*L); }
};

class Inbox {
public:
  /// What a rank has in a window.
  struct Part {
    MPI_Aint Shadow, Size, Unit;
  };

  /// All ranks of Comm, for memory whose shadow each of them has.
  Inbox(MPI_Comm Comm, void *Shadow, const std::vector<Part> &Parts);
  /// All ranks; memory is attached later.
  explicit Inbox(MPI_Comm Comm);
  /// All ranks, where all accesses have been reversed.
  ~Inbox();
  Inbox(const Inbox &) = delete;
  Inbox &operator=(const Inbox &) = delete;

  /// Where the inbox of this memory begins, as others see it.
  MPI_Aint attach(void *Shadow, MPI_Aint Size);
  void detach(MPI_Aint Start);

  /// What an access has to know about the memory at its target.
  struct Place {
    MPI_Aint Start = 0; ///< of the inbox
    MPI_Aint Room = 0;  ///< for values of each kind, in bytes
    MPI_Aint At = 0;    ///< where the access begins
  };
  /// Of an address in the shadow of a rank.
  Place placeOf(int Rank, MPI_Aint Address) const;
  /// The same for an offset in attached memory.
  static Place placeOf(MPI_Aint Start, MPI_Aint Shadow, MPI_Aint Size, MPI_Aint Offset);

  void add(const Target &T, const Place &P, const std::byte *Values);
  /// FromShadow() fetches the values of the shadow to Old; those here are added to them.
  /// MPI_REPLACE: and cleared.
  template <class Action>
  void fetch(const Target &T, const Place &P, MPI_Op Op, std::byte *Old, Action FromShadow) {
    if (!hasAny(T, P))
      return FromShadow();
    const Turn Mine(*this, T.Rank, startOf(P, T.L->Widest));
    FromShadow();
    addTo(Old, T, P, Op);
  }

  /// Moves what has arrived to the shadow.
  void fold();

  /// There is another inbox for memory of this rank, or no longer (Added: 1, -1). Nobody but this
  /// rank may take what is in memory with two.
  void besideAnother(int Added) const;

private:
  struct Piece {
    Place Here; ///< of its first byte
    char *Shadow;
    std::unique_ptr<std::byte, void (*)(void *)> Memory;
  };
  /// Nobody else moves values of one kind as long as it lives.
  class Turn {
  public:
    Turn(const Inbox &In, int Rank, MPI_Aint Start);
    ~Turn();
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    const Inbox &In;
    int Rank;
    MPI_Aint Start;
  };

  void allocate(Piece &P, MPI_Aint Bytes);
  static MPI_Aint startOf(const Place &P, Leaf Kind);
  bool hasAny(const Target &T, const Place &P) const;
  void addTo(std::byte *Old, const Target &T, const Place &P, MPI_Op Op) const;
  std::int64_t word(int Rank, MPI_Aint At, std::int64_t Added) const;
  void foldPiece(const Piece &From, Leaf Kind) const;
  template <class Real> void foldBlock(const Piece &From, Leaf Kind, MPI_Aint Block) const;
  template <class Real> void foldPage(MPI_Aint At, int Count, MPI_Datatype Type, Real *To) const;

  MPI_Comm Comm;
  int Me = 0;
  MPI_Win Win = MPI_WIN_NULL;
  std::vector<Part> Parts; ///< of the ranks, unless memory is attached
  std::vector<Piece> Pieces;
  std::mutex Lock; ///< of Pieces, and while this rank folds
};

} // namespace contraflow::mpi
