// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The life of one message in both modes. Its derivative travels packed, on the communicator's
// carrier, under a tag that names the message (Communicator.h).

#include "mpi/PointToPoint.h"

#include "mpi/Absolute.h"
#include "mpi/Layered.h"
#include "mpi/Order.h"
#include "mpi/Outbox.h"
#include "mpi/Refuse.h"
#include "mpi/Relayed.h"
#include "mpi/RequestTable.h"
#include "mpi/Watch.h"

#include <cstring>
#include <string>
#include <vector>

namespace contraflow::mpi {

using Role = cf_mpi_record::Role;

void describeUnseen(Message &M, const Buffer &Data) {
  const char *Primal = withoutShadow(Data.Primal, M.Shadow);
  if (!Primal)
    return;
  if (M.Kind == Role::Receive)
    noteUnseen(Primal, M.Shadow);
  if (M.Kind != Role::Send) {
    M.Packed = static_cast<std::byte *>(const_cast<void *>(Data.Primal));
    return;
  }
  M.PassesOn = passedOn(Primal, M.Shadow);
  checkDropped(Primal, M.Shadow);
}

bool describe(Message &M, Role Kind, const Transfer &T) {
  if (T.Peer == MPI_PROC_NULL) {
    M.Kind = Role::None;
    return false;
  }
  M.Kind = Kind;
  M.Peer = T.Peer;
  M.Tag = T.Tag;
  M.Shadow = messageViewOf(T.Data);
  if (Kind != Role::Send)
    noteArrival(M.Shadow);
  describeUnseen(M, T.Data);
  M.Comm = &Communicator::of(T.Comm);
  return true;
}

/// The message that carries the tangent of the primal buffer of M.
static Message tangentOf(const Message &M) {
  Message Tangent = M;
  Tangent.Kind = M.Kind == Role::Receive ? Role::TangentReceive : M.Kind;
  Tangent.Shadow = M.Shadow.direction(M.Shadow.All->Adjoints);
  return Tangent;
}

void keepOnTape(Message &M, cf_tape *Tape) {
  M.Shadow.All = keepAdjoints(M.Shadow.All, Tape);
  if (M.Kind == Role::Send && hasBoth(M.Shadow.All))
    sendTangent(tangentOf(M));
}

// One side of a message may have packed bytes, and a word behind them (View.cpp), where the other
// one has numbers. The packed bytes that one waits for, with room for that word:

static Packed roomFor(const View &V) {
  const std::int64_t Bytes = V.bytes();
  Packed Data = packedBuffer(Bytes + WordBytes);
  if (Bytes > 0 && V.L->Raw)
    std::memset(Data.get() + Bytes - WordBytes, 0, WordBytes);
  return Data;
}

static int mostUnits(const View &V) { return carrierCount(V.bytes() + WordBytes); }

namespace {

/// The packed values that a message has brought, or has left on a shelf.
class Arrived {
public:
  Arrived(const std::byte *Data, const MPI_Status &Status, const View &V) : Values(Data) {
    PMPI_Get_count(&Status, carrierUnit(), &Units);
    if (Units != NoteUnits || V.bytes() + WordBytes < Shelf::least())
      return;
    std::memcpy(&Left, Data, sizeof Left);
    Values = Shelf::find(Left);
    Units = Left.Units;
  }
  ~Arrived() {
    if (Left.Owner >= 0)
      Shelf::taken(Left);
  }
  Arrived(const Arrived &) = delete;
  Arrived &operator=(const Arrived &) = delete;

  const std::byte *Values;
  int Units = 0;

private:
  Shelf::Note Left = {-1, 0, 0};
};

} // namespace

/// Bytes on one side may have met a datatype with integers on the other, which do not travel. True
/// if there is a word behind numbers.
static bool checkLength(int Count, const View &V) {
  const int Expected = carrierCount(V.bytes()), Other = Expected + (V.L->Raw ? -1 : 1);
  if (Count != Expected && Count != Other)
    refuse(Refusal::Datatype, "bytes that the other side has as numbers and integers");
  return Count > Expected;
}

void receiveTangent(const Message &M) {
  if (M.Kind == Role::Receive && hasBoth(M.Shadow.All))
    return receiveTangent(tangentOf(M));
  if (M.Kind != Role::TangentReceive) // cancelled
    return;
  M.Comm->numberCompleted(M);
  const std::int64_t Bytes = M.Shadow.bytes();
  if (Bytes == 0 && !ranksShareMemory())
    return;
  const Packed Data = roomFor(M.Shadow);
  const Watch Waits(M.Comm->carrier(), M.Peer);
  MPI_Status Status;
  PMPI_Recv(Data.get(), mostUnits(M.Shadow), carrierUnit(), M.Peer, M.Comm->carrierTag(M),
            M.Comm->carrier(), &Status);
  const Arrived Tangents(Data.get(), Status, M.Shadow);
  checkLength(Tangents.Units, M.Shadow);
  if (M.Packed)
    noteDropped(reinterpret_cast<const char *>(M.Packed), M.Shadow, Tangents.Values);
  M.Shadow.store(Tangents.Values);
}

namespace {

/// Pack: of the shadow.
void sendPacked(const Message &M, void (View::*Pack)(std::byte *) const) {
  const std::int64_t Bytes = M.Shadow.bytes();
  if (Bytes == 0 && !ranksShareMemory())
    return;
  const MPI_Comm Comm = M.Comm->carrier();
  const int Tag = M.Comm->carrierTag(M);
  std::byte *Room =
      Bytes < Shelf::least() ? nullptr : Shelf::room(Bytes, M.Comm->peerInWorld(M.Peer));
  if (Room) {
    (M.Shadow.*Pack)(Room);
    return Outbox::get().send(Shelf::noteOf(Room, carrierCount(Bytes)), M.Peer, Tag, Comm);
  }
  Packed Data = packedBuffer(Bytes);
  (M.Shadow.*Pack)(Data.get());
  Outbox::get().send(std::move(Data), Bytes, M.Peer, Tag, Comm);
}

LayerRoute routeOf(const Message &M) { return {M.Peer, M.Comm->carrierTag(M), M.Comm->carrier()}; }

/// Sends what was received of the adjoints. Bytes that came back from several ranks, or that have
/// been read here as well, may lie in layers.
void sendTaken(const Message &M) {
  const std::vector<std::byte> Layers = takeLayers(M.Shadow);
  sendPacked(M, Layers.empty() ? &View::take : &View::takeLayered);
  if (!Layers.empty())
    sendLayers(Layers, routeOf(M));
}

/// Posts the receive of what comes back to a send buffer.
void postReturn(Message &M) {
  const std::int64_t Bytes = M.Shadow.bytes();
  M.Open = true;
  if (Bytes == 0 && !ranksShareMemory())
    return;
  M.Packed = roomFor(M.Shadow).release();
  PMPI_Irecv(M.Packed, mostUnits(M.Shadow), carrierUnit(), M.Peer, M.Comm->carrierTag(M),
             M.Comm->carrier(), &M.Request);
}

void takeReturn(Message &M) {
  M.Open = false;
  if (!M.Packed)
    return;
  const Packed Data(M.Packed);
  M.Packed = nullptr;
  const Watch Waits(M.Comm->carrier(), M.Peer);
  MPI_Status Status;
  PMPI_Wait(&M.Request, &Status);
  const Arrived Adjoints(Data.get(), Status, M.Shadow);
  const bool WordBehind = checkLength(Adjoints.Units, M.Shadow);
  if (WordBehind && saysLostBehind(M.Shadow, Adjoints.Values))
    refusePassedOn();
  checkReturn(M.Shadow, M.PassesOn, Adjoints.Values);
  M.Shadow.add(Adjoints.Values);
  if (areLayersComing(M.Shadow, Adjoints.Values, WordBehind))
    addLayers(M.Shadow, M.PassesOn, Adjoints.Units, routeOf(M));
  ordered();
}

} // namespace

void sendTangent(const Message &M) { sendPacked(M, &View::pack); }

void complete(Message &M, const MPI_Status &Status) {
  if (M.Kind == Role::Send) {
    M.Comm->completeSend(M);
    return;
  }
  int Cancelled = 0;
  PMPI_Test_cancelled(&Status, &Cancelled);
  if (Cancelled)
    return M.Comm->cancelReceive(M);
  M.Comm->completeReceive(M, Status);
  if (M.Kind == Role::Receive && M.Packed)
    noteUnseenWords(reinterpret_cast<const char *>(M.Packed), M.Shadow);
}

void openAdjoint(Message &M) {
  if (M.Kind == Role::Send) {
    postReturn(M);
  } else if (M.Kind == Role::Receive) {
    sendTaken(M);
  }
}

void closeAdjoint(Message &M) {
  if (M.Kind == Role::Send) {
    if (!M.Completed) // freed while active, or completed where nobody told us
      RequestTable::get().forget(&M);
    if (!M.Open)
      postReturn(M);
    takeReturn(M);
  } else if (M.Kind == Role::Receive) {
    if (!M.Completed)
      refuse(Refusal::NotCompleted, "the receive of a message with tag " + std::to_string(M.Tag));
    Outbox::get().progress();
  }
}

} // namespace contraflow::mpi
