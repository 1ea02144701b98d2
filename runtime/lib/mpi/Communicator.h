// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime knows about a communicator of the user: a private duplicate on which derivatives
// travel, and the numbering of messages.
//
// A channel is (source, destination, tag). MPI matches the messages of a channel in the order in
// which sends and receives were started, so both sides can count them without talking: the k-th
// send meets the k-th receive. In reverse, waits come in any order; a derivative message therefore
// carries tag and number of its primal message in its tag, and finds its partner whatever the
// order:
//
//   0 | tag: 16 bits | number: the other bits      tags below 65536
//   1 | tag: the other bits | number: 6 bits       larger tags
//
// A receive with wildcards gets its number when it completes; receives started after it that might
// take the same messages wait for that.
//
// Nonblocking collectives are started in the same order on all ranks but completed in any order,
// and so are the collectives that block meanwhile. Their mirrors have a communicator of their own,
// the lane.

#pragma once

#include "mpi/Agreement.h"
#include "mpi/Message.h"

#include <deque>
#include <map>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace contraflow::mpi {

struct NonblockingCollective;

/// One edge of a topology, as one of its ends sees it.
struct Edge {
  int Rank; ///< the other end; MPI_PROC_NULL where a grid ends
  int Tag;  ///< its place among the outgoing edges of the rank that sends along it
};

struct Neighbours {
  std::vector<Edge> In, Out;
};

/// Neighbourhood collectives that may take several edges between two ranks in orders of their own:
/// those whose blocks have one count, those whose blocks have counts of their own
/// (Neighbor_alltoallv).
enum class Neighbouring { Equal, Counted, EqualNonblocking, CountedNonblocking };

/// The two groups of an intercommunicator, by their ranks on the lane.
struct Groups {
  std::vector<int> Local;
  std::vector<Edge> Remote; ///< edges to every rank of the other group
};

class Communicator {
public:
  /// Found by an attribute of `User`, made at first use.
  static Communicator &of(MPI_Comm User);
  /// The same in a call that all ranks of `User` make: has a private duplicate afterwards.
  static Communicator &collective(MPI_Comm User);
  /// The same, where `User` must not be an intercommunicator: `Function` is named if it is.
  static Communicator &withinGroup(MPI_Comm User, const char *Function);
  /// All ranks of `User` have just created it.
  static void created(MPI_Comm User) { of(User).makePrivate(); }
  /// A record of its creation refers to it, until that is reversed; also if the adjoint that
  /// records it is in a tangent.
  void creationRecorded() {
    Used = true;
    OfTangent = false;
  }
  /// The creation of C is reversed: the end of C if the user has freed it. All ranks do this
  /// together.
  static void creationReversed(Communicator *C);
  /// No records will refer to it: it goes when the user frees it.
  void madeInTangent() { OfTangent = true; }
  /// The user has freed it while requests of a tangent were pending.
  bool isOrphan() const { return User == MPI_COMM_NULL && OfTangent; }
  /// The end of an orphan unless requests of it are pending still.
  static void requestCompleted(Communicator *Orphan);

  int rank() const { return Rank; }
  int size() const { return Size; }
  bool isInter() const { return Inter; }
  /// Of an intercommunicator that has its duplicate.
  const Groups &groups() const { return Both; }
  /// Where derivatives travel.
  MPI_Comm carrier() const { return Private != MPI_COMM_NULL ? Private : User; }
  /// The rank of a peer in MPI_COMM_WORLD.
  int peerInWorld(int Peer);
  /// The carrier with the ranks in reverse order; made at first use, by all ranks.
  MPI_Comm reversed();

  /// The edges of the topology of this rank; all ranks call it the first time.
  const Neighbours &neighbours(Neighbouring Call);

  /// Runs Start() (a nonblocking primal call) and gives M its number; one thread at a time. If that
  /// fails there is no message.
  template <class Action> int startSend(Message &M, Action Start);
  template <class Action> int startReceive(Message &M, Action Start);
  /// A receive or probe takes its place behind those of earlier ones; under lock().
  void matched(Message &M);
  std::mutex &lock() { return Lock; }
  void completeSend(Message &M);
  /// M was cancelled.
  void cancelReceive(Message &M);
  /// Enters what arrived: `Status` of the primal receive.
  void completeReceive(Message &M, const MPI_Status &Status);
  /// M has completed, maybe while wildcards that were started earlier are open. Those that might
  /// have taken its message have got another one, so that it can be waited for what it is.
  void numberCompleted(const Message &M);

  /// Where the mirrors of nonblocking collectives travel, and all of an intercommunicator: both of
  /// its groups are one there.
  MPI_Comm lane() const { return Lane; }
  /// The lane of one persistent collective, from when all ranks make it until this rank frees it.
  struct OwnLane {
    MPI_Comm Comm = MPI_COMM_NULL;
    bool Taken = false;
    Communicator *Of = nullptr; ///< null: it is gone
  };
  std::shared_ptr<OwnLane> takeLane();
  static void giveLane(OwnLane &Which);
  /// Nonblocking collectives whose mirrors have not started, in the order of their starts.
  std::vector<NonblockingCollective *> &open() { return Open; }

  /// About what is broadcast and gathered for all by calls that block.
  Agreement &agreement() { return Moved; }

  /// Windows are numbered in the order in which all ranks make them.
  int nextWindow() { return Windows++; }
  /// The tag of a message about window `Number`, on the private carrier, where no derivative has
  /// it.
  int signalTag(int Number, int Kind) const {
    constexpr int Few = 1024;
    return 1 << PayloadBits | (Number % Few) << 1 | Kind;
  }

  /// The tag of the derivative of M, on the carrier.
  int carrierTag(const Message &M) const;

private:
  struct Peer {
    int Rank, Tag;
    auto operator<=>(const Peer &) const = default;
  };
  struct TagFormat {
    int TagBits, NumberBits, Flags;
  };

  explicit Communicator(MPI_Comm User);
  void makePrivate();
  void mergeGroups();
  void number(Message &M, std::map<Peer, std::uint64_t> &Next);
  void checkWindow(const Message &M, std::uint64_t Next) const;
  void numberWaiting();
  TagFormat formatOf(int Tag) const;
  bool isInUse() const;
  static void release(Communicator *Gone);
  static int forget(MPI_Comm User, int Key, void *Known, void *);
  static int key();

  MPI_Comm User;
  MPI_Comm Private = MPI_COMM_NULL;
  MPI_Comm Lane = MPI_COMM_NULL;
  MPI_Comm Reversed = MPI_COMM_NULL;
  std::vector<std::shared_ptr<OwnLane>>
      Lanes; ///< the same on all ranks, which take and give them at their own times
  int Rank = 0, Size = 0;
  int PayloadBits = 0;
  int Windows = 0;
  Agreement Moved;
  bool Inter = false;
  bool Used = false;                             ///< records may refer to it
  bool OfTangent = false;                        ///< those of pending requests only
  std::unique_ptr<const Neighbours> Topology[4]; ///< for each Neighbouring
  Groups Both;
  std::once_flag PeersKnown;
  std::vector<int> Peers; ///< in MPI_COMM_WORLD
  std::mutex Lock;
  std::map<Peer, std::uint64_t> NextSend, NextReceive;
  std::vector<NonblockingCollective *> Open;
  std::deque<Message *> Waiting; ///< receives without a number, in the order of their starts
};

template <class Action> int Communicator::startSend(Message &M, Action Start) {
  const std::scoped_lock Guard(Lock);
  const int Code = Start();
  if (Code == MPI_SUCCESS)
    number(M, NextSend);
  else
    M.Kind = cf_mpi_record::Role::None;
  return Code;
}

template <class Action> int Communicator::startReceive(Message &M, Action Start) {
  const std::scoped_lock Guard(Lock);
  const int Code = Start();
  if (Code == MPI_SUCCESS)
    matched(M);
  else
    M.Kind = cf_mpi_record::Role::None;
  return Code;
}

} // namespace contraflow::mpi
