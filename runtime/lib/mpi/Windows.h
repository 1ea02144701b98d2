// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows have a shadow window over the shadow of their memory. It is open for everybody all the
// time (MPI_Win_lock_all), and an access to it is complete when the call returns, because in
// reverse the adjoint of an origin buffer is wanted at the access and not at the end of the epoch.
// What the epochs of the primal put in order is put in order by their mirrors, which are barriers.

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Inbox.h"
#include "mpi/Layout.h"
#include "mpi/Record.h"

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace contraflow::mpi {

/// What is attached to a dynamic window, as all ranks see it (DynamicWindows.cpp).
class Attachments {
public:
  /// All ranks of Comm.
  explicit Attachments(MPI_Comm Comm);
  ~Attachments();
  Attachments(const Attachments &) = delete;
  Attachments &operator=(const Attachments &) = delete;

  /// Memory of the primal and its shadow; where it stands.
  int add(const void *Base, MPI_Aint Size, void *Shadow);
  int find(const void *Base) const;
  void setInbox(int Place, MPI_Aint Start);
  /// Others no longer find it, or do so again.
  void hide(int Place);
  void show(int Place);
  void remove(int Place);
  /// Where the shadow of an address on a rank is, and its inbox.
  MPI_Aint locate(int Rank, MPI_Aint Address, Inbox::Place &In) const;

private:
  struct Row {
    MPI_Aint Base, Size, Shadow, Inbox;
    bool Taken, Hidden;
  };
  Row *Rows = nullptr; ///< of this rank
  MPI_Win Table = MPI_WIN_NULL;
};

class Merging;
class Window;

/// From lock to unlock of a rank's memory.
struct Section : cf_mpi_record {
  Window *W;
  int Rank;
  bool Exclusive;
  bool Entered = false;
  std::int64_t Number = 0; ///< before it
};

/// In which order ranks had a lock of each rank's memory (WindowTurns.cpp).
class Turns {
public:
  /// All ranks of Comm.
  explicit Turns(MPI_Comm Comm);
  ~Turns();
  Turns(const Turns &) = delete;
  Turns &operator=(const Turns &) = delete;

  /// S is over, and the lock still held: its turn is entered.
  void enter(Section &S) const;
  /// Waits until all later sections have been reversed that S must not meet.
  void await(const Section &S) const;
  /// S has been reversed.
  void leave(const Section &S) const;

  std::map<int, Section *> Held; ///< by the ranks whose memory is locked

private:
  std::int64_t fetch(int Rank, std::int64_t Value, MPI_Op Op) const;
  MPI_Comm Comm;
  std::int64_t *Own = nullptr; ///< the number of this rank's memory
  MPI_Win Table = MPI_WIN_NULL;
};

class Window {
public:
  /// All ranks of `Comm` make one, and one for each further direction of the call. `Shadow` is the
  /// argument of that call. Without a shadow (a null pointer) there is memory of our own.
  static Window *create(MPI_Comm Comm, void *Shadow, MPI_Aint Size, int Unit);
  /// The same with memory that MPI allocates.
  static Window *allocate(MPI_Comm Comm, MPI_Aint Size, int Unit);
  /// The same with memory that the ranks share.
  static Window *allocateShared(MPI_Comm Comm, MPI_Aint Size, int Unit, MPI_Info Info);
  /// The same, to which memory is attached later.
  static Window *createDynamic(MPI_Comm Comm);
  /// The place of the attachment in each direction is the same.
  int attach(const void *Base, MPI_Aint Size, void *Shadow);
  /// The end of what has been attached.
  void detach(int Place);
  /// There will be a reverse sweep: locks have turns, and adjoints have inboxes; all ranks.
  Window *forReverse();
  /// The primal has freed it; that is reversed.
  void rest();
  void use();
  /// Moves what others have added to this rank's adjoints to them.
  void fold() const;
  /// What is attached is out of reach, or is so no longer.
  void hide(int Place);
  void show(int Place);
  Turns &turns() { return *Locks; }
  /// In a forward sweep: the user holds a lock of this rank's memory.
  bool turnsAreHeld(int Rank) const { return Locks && Locks->Held.count(Rank) != 0; }
  /// Makes room for other accumulations than sums, if there may be any, in the user's memory.
  Window *mergeIn(void *Memory);
  /// Null: there is no room for such.
  Merging *merging() const { return Merges.get(); }
  void endMerging(); ///< the user's memory is about to go
  /// What is attached, or null.
  Attachments *attached() const { return Attached.get(); }
  /// Where an access of the primal goes in the shadow window, and in the inbox.
  void locate(Target &T, Inbox::Place &In) const;
  /// W is the shadow of a window that has just been created.
  static Window *created(MPI_Win Win, Window *W);
  /// All ranks destroy it.
  static void destroy(Window *W);

  /// The window of the next direction, or null.
  std::unique_ptr<Window> Next;
  /// The window of a direction.
  Window *direction(int D) { return D == 0 ? this : Next->direction(D - 1); }
  /// If any: the first directions are adjoints, of which a tangent is asked for, and what is done
  /// in the forward sweep is done to the window of tangents behind them at once (Directions.h).
  int Adjoints = 0;

  /// The shadow of the user's window, or null.
  static Window *of(MPI_Win Win);

  /// Ranks with which the user's epochs are open: those that access here, those that are accessed.
  std::vector<int> Origins, Targets;
  enum class Signal : std::uint8_t { Opened, Closed };
  std::vector<int> ranksOf(MPI_Group Group) const;
  void tell(std::span<const int> Ranks, Signal What) const;
  void hear(std::span<const int> Ranks, Signal What) const;

  void *shadow() const { return Base; }
  /// Of shared memory: the shadow of the part of a rank, as the primal query answers.
  void *shadowOf(int Rank) const;
  void sync() const;
  /// What all ranks did to their memory before, all ranks see afterwards.
  void synchronise() const;

  /// `Op` is MPI_SUM or MPI_REPLACE.
  void update(const Target &T, const std::byte *Values, MPI_Op Op) const;
  /// The same, and gives what was there before. MPI_NO_OP: only that.
  void exchange(const Target &T, const std::byte *Values, MPI_Op Op, std::byte *Old) const;
  // The same of adjoints, to which their owner may be adding without MPI.
  void addAdjoint(const Target &T, const Inbox::Place &In, const std::byte *Values) const;
  void exchangeAdjoint(const Target &T, const Inbox::Place &In, const std::byte *Values, MPI_Op Op,
                       std::byte *Old) const;

private:
  static std::unique_ptr<Window> createOne(MPI_Comm Comm, void *Shadow, MPI_Aint Size, int Unit);
  static Window *completed(Window *W);
  /// Allocate(communicator, place for the address, place for the window)
  template <class Action>
  static std::unique_ptr<Window> allocateOne(MPI_Comm Comm, MPI_Aint Size, Action Allocate);
  template <class Action> static Window *allocateAll(MPI_Comm Comm, MPI_Aint Size, Action Allocate);
  /// The shadow in memory that ranks share.
  View sharedView(const Target &T) const;
  void occupy(int Place, const void *From, MPI_Aint Bytes);
  void occupyAll();
  /// A window of the same ranks that has all memory of this one, or null; all ranks.
  Window *around() const;
  int numberAround() const;
  MPI_Aint addressOf(const Target &T) const; ///< in the shadow there
  void makeInboxes();
  void endInbox();
  bool isPlain() const { return !Shared && !Attached; }
  bool overlaps(const Window &Other) const;
  /// This rank's memory in both has two inboxes, or no longer (Added: 1, -1).
  void besides(Window &Other, int Added);
  struct Extent {
    const char *From, *End;
  };
  std::vector<Window *> Beside;   ///< those in use that have memory of this one, and other inboxes
  std::map<int, Extent> Occupied; ///< shadow memory of this rank, by places; not what is hidden

  MPI_Win Shadow = MPI_WIN_NULL;
  void *Base = nullptr;
  MPI_Aint Size = 0;
  int Unit = 1;
  bool Shared = false; ///< all ranks address all of it
  std::unique_ptr<std::byte[]> Own;
  std::shared_ptr<Inbox> Received; ///< in reverse, unless memory is shared
  std::vector<Inbox::Part> Parts;  ///< of the ranks, if there is one inbox
  std::unique_ptr<Attachments> Attached;
  std::unique_ptr<Turns> Locks;
  std::shared_ptr<Merging> Merges; ///< of the first direction
  struct Piece {
    void *Shadow = nullptr;
    std::unique_ptr<std::byte[]> Own;
    MPI_Aint Inbox = 0;
  };
  std::map<int, Piece> Pieces; ///< by their places
  Communicator *Comm = nullptr;
  int Number = 0; ///< among the windows of the communicator
};

struct WindowRecord : cf_mpi_record {
  Window *W;
};

/// The shadow of one direction of an argument that belongs to a window.
inline void *shadowIn(const Shadows &Found, int D) {
  return Found.All ? Found.All->from(Found.First, D) : Found.First;
}

/// Puts what Find(window of a direction) gives where the shadows of the user's pointer are.
template <class Action> void storeShadows(void *Cell, const Window *W, Action Find) {
  const Shadows Cells = shadowsOf(Cell);
  for (int D = 0; W; ++D, W = W->Next.get())
    if (void *Here = shadowIn(Cells, D))
      *static_cast<void **>(Here) = Find(*W);
}

/// Null without a window.
cf_mpi_record *recordOf(Window *W, cf_tape *Tape);

/// In a forward sweep: the window if there are tangents in it, else null.
inline Window *tangentIn(Window *W) { return W && W->Adjoints > 0 ? W : nullptr; }
/// The same if accesses of our own have to keep to the epochs of the user's window.
inline bool actsIn(const Window *W) { return W && (W->Adjoints > 0 || W->merging()); }

} // namespace contraflow::mpi
