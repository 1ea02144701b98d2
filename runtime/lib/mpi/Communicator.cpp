// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators are known by an attribute, so that the end of a communicator is noticed. Private
// duplicates are made where all ranks meet: when a communicator is created (Interpose.cpp) or in
// the first collective call that is differentiated. Until then derivatives use the user's
// communicator, with the highest bit of the tag set, which keeps them apart from the user's
// messages. Whether there is a duplicate is looked up in the reverse sweep, when all ranks have
// been through the same collective calls.

#include "mpi/Communicator.h"

#include "mpi/Interpose.h"
#include "mpi/Refuse.h"
#include "mpi/RequestTable.h"
#include "mpi/Watch.h"

#include "contraflow/runtime.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <thread>

namespace contraflow::mpi {
namespace {

constexpr int SmallTagBits = 16;
constexpr int SmallNumberBits = 6;

/// Bits of the tags that MPI allows, and of which one keeps derivatives apart from the user's
/// messages.
int tagBits() {
  void *Bound = nullptr;
  int Found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &Bound, &Found);
  const unsigned Highest = Found ? static_cast<unsigned>(*static_cast<int *>(Bound)) : 32767U;
  return std::bit_width(Highest + 1) - 1;
}

int worldRank() {
  int Running = 0, Over = 0, Rank = -1;
  PMPI_Initialized(&Running);
  PMPI_Finalized(&Over);
  if (Running && !Over)
    PMPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  return Rank;
}

void endAllRanks(int Status) {
  if (worldRank() >= 0)
    PMPI_Abort(MPI_COMM_WORLD, Status);
}

/// Errors of any part of the runtime name the rank and end all ranks.
[[maybe_unused]] const bool HooksSet = [] {
  cf_set_rank_hook(worldRank);
  cf_set_abort_hook(endAllRanks);
  return true;
}();

bool isWild(const Message &M) { return M.Peer == MPI_ANY_SOURCE || M.Tag == MPI_ANY_TAG; }

/// True if the receive `Open` accepts messages of the source and tag of M.
bool mayTake(const Message &Open, const Message &M) {
  return (Open.Peer == MPI_ANY_SOURCE || Open.Peer == M.Peer) &&
         (Open.Tag == MPI_ANY_TAG || Open.Tag == M.Tag);
}

/// True if M is not known yet, or an earlier receive may turn out to be of the same channel.
bool waits(const Message &M, const std::deque<Message *> &Earlier) {
  return isWild(M) || std::any_of(Earlier.begin(), Earlier.end(),
                                  [&](const Message *E) { return isWild(*E) && mayTake(*E, M); });
}

std::mutex &creation() {
  static std::mutex Lock;
  return Lock;
}

} // namespace

Communicator::Communicator(MPI_Comm User) : User(User) {
  PMPI_Comm_rank(User, &Rank);
  PMPI_Comm_size(User, &Size);
  int IsInter = 0;
  PMPI_Comm_test_inter(User, &IsInter);
  Inter = IsInter != 0;
  PayloadBits = tagBits() - 1;
}

int Communicator::peerInWorld(int Peer) {
  std::call_once(PeersKnown, [&] {
    int Count = Size;
    if (Inter)
      PMPI_Comm_remote_size(carrier(), &Count);
    for (int I = 0; I < Count; ++I)
      Peers.push_back(mpi::worldRank(carrier(), I));
  });
  return Peers[static_cast<std::size_t>(Peer)];
}

int Communicator::key() {
  static const int Key = [] {
    int New = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &New, nullptr);
    return New;
  }();
  return Key;
}

/// The user's communicator goes away. Records may still need the private ones, until the very end.
int Communicator::forget(MPI_Comm, int, void *Known, void *) {
  auto *Gone = static_cast<Communicator *>(Known);
  Gone->User = MPI_COMM_NULL;
  if (!Gone->Used || (Gone->OfTangent && !Gone->isInUse()))
    release(Gone);
  return MPI_SUCCESS;
}

/// All ranks do this together.
void Communicator::release(Communicator *Gone) {
  for (MPI_Comm *Made : {&Gone->Private, &Gone->Lane, &Gone->Reversed})
    if (*Made != MPI_COMM_NULL)
      PMPI_Comm_free(Made);
  for (const auto &L : Gone->Lanes) {
    PMPI_Comm_free(&L->Comm);
    L->Of = nullptr;
  }
  delete Gone;
}

bool Communicator::isInUse() const {
  const auto Taken = [](const auto &L) { return L->Taken; };
  return std::any_of(Lanes.begin(), Lanes.end(), Taken) || RequestTable::get().refersTo(*this);
}

void Communicator::requestCompleted(Communicator *Orphan) {
  if (!Orphan->isInUse())
    release(Orphan);
}

void Communicator::creationReversed(Communicator *C) {
  if (C->User == MPI_COMM_NULL)
    release(C);
}

Communicator &Communicator::of(MPI_Comm User) {
  const std::scoped_lock Guard(creation());
  void *Known = nullptr;
  int Found = 0;
  PMPI_Comm_get_attr(User, key(), &Known, &Found);
  if (!Found) {
    Known = new Communicator(User);
    PMPI_Comm_set_attr(User, key(), Known);
  }
  return *static_cast<Communicator *>(Known);
}

Communicator &Communicator::withinGroup(MPI_Comm User, const char *Function) {
  if (of(User).Inter)
    refuse(Refusal::Intercommunicator, Function);
  return collective(User);
}

Communicator &Communicator::collective(MPI_Comm User) {
  Communicator &C = of(User);
  C.Used = true;
  C.makePrivate();
  return C;
}

void Communicator::makePrivate() {
  if (Private != MPI_COMM_NULL)
    return;
  duplicateFor(User, &Private, Duplicate::WithTopology);
  if (Inter)
    mergeGroups();
  else
    duplicateFor(User, &Lane, Duplicate::OfGroup);
}

namespace {

/// The ranks that the members of `Group` have on `Comm`.
std::vector<int> ranksOn(MPI_Comm Comm, MPI_Group Group) {
  int Size = 0;
  PMPI_Group_size(Group, &Size);
  std::vector<int> There(static_cast<std::size_t>(Size)), Here(There);
  std::iota(There.begin(), There.end(), 0);
  MPI_Group All = MPI_GROUP_NULL;
  PMPI_Comm_group(Comm, &All);
  PMPI_Group_translate_ranks(Group, Size, There.data(), All, Here.data());
  PMPI_Group_free(&All);
  return Here;
}

} // namespace

void Communicator::mergeGroups() {
  PMPI_Intercomm_merge(Private, 0, &Lane);
  PMPI_Comm_set_errhandler(Lane, MPI_ERRORS_ARE_FATAL);
  MPI_Group Group = MPI_GROUP_NULL;
  PMPI_Comm_group(Private, &Group);
  Both.Local = ranksOn(Lane, Group);
  PMPI_Group_free(&Group);
  PMPI_Comm_remote_group(Private, &Group);
  for (const int There : ranksOn(Lane, Group))
    Both.Remote.push_back({There, 0});
  PMPI_Group_free(&Group);
}

/// The first one that no rank has. That every rank has freed what had it before orders the mirrors:
/// those of what takes it now come first in reverse, on all ranks.
std::shared_ptr<Communicator::OwnLane> Communicator::takeLane() {
  const MPI_Comm Comm = Inter ? Lane : carrier();
  std::vector<int> Taken;
  for (const auto &L : Lanes)
    Taken.push_back(L->Taken);
  PMPI_Allreduce(MPI_IN_PLACE, Taken.data(), static_cast<int>(Taken.size()), MPI_INT, MPI_MAX,
                 Comm);
  const auto Free = std::find(Taken.begin(), Taken.end(), 0);
  const auto Which = static_cast<std::size_t>(Free - Taken.begin());
  if (Free == Taken.end()) {
    auto New = std::make_shared<OwnLane>();
    New->Of = this;
    duplicateFor(Lane, &New->Comm, Duplicate::OfGroup);
    Lanes.push_back(std::move(New));
  }
  Lanes[Which]->Taken = true;
  return Lanes[Which];
}

void Communicator::giveLane(OwnLane &Which) {
  Which.Taken = false;
  if (Which.Of && Which.Of->isOrphan())
    requestCompleted(Which.Of);
}

MPI_Comm Communicator::reversed() {
  if (Reversed == MPI_COMM_NULL)
    PMPI_Comm_split(carrier(), 0, -Rank, &Reversed);
  return Reversed;
}

void Communicator::number(Message &M, std::map<Peer, std::uint64_t> &Next) {
  Used = true;
  M.Number = Next[{M.Peer, M.Tag}]++;
  M.Numbered = true;
}

void Communicator::numberWaiting() {
  if (Waiting.empty())
    return;
  std::deque<Message *> Still;
  for (Message *M : Waiting)
    if (waits(*M, Still))
      Still.push_back(M);
    else
      number(*M, NextReceive);
  Waiting.swap(Still);
}

void Communicator::matched(Message &M) {
  if (waits(M, Waiting))
    Waiting.push_back(&M);
  else
    number(M, NextReceive);
}

void Communicator::numberCompleted(const Message &M) {
  for (;; std::this_thread::yield()) {
    const std::scoped_lock Guard(Lock);
    if (M.Numbered)
      return;
    Message &Earlier = **std::find_if(Waiting.begin(), Waiting.end(), [&](const Message *W) {
      return isWild(*W) && mayTake(*W, M);
    });
    if (Earlier.Request == MPI_REQUEST_NULL) // another thread is about to complete it
      continue;
    MPI_Status Status;
    const Watch Waits(carrier(), Earlier.Peer);
    for (int Done = 0; !Done;)
      PMPI_Request_get_status(Earlier.Request, &Done, &Status);
    int Cancelled = 0;
    PMPI_Test_cancelled(&Status, &Cancelled);
    Earlier.Peer = Status.MPI_SOURCE;
    Earlier.Tag = Status.MPI_TAG;
    if (Cancelled)
      std::erase(Waiting, &Earlier);
    numberWaiting();
  }
}

void Communicator::completeSend(Message &M) {
  const std::scoped_lock Guard(Lock);
  M.Completed = true;
  checkWindow(M, NextSend[{M.Peer, M.Tag}]);
}

/// The receive never was one: the next one gets its number.
void Communicator::cancelReceive(Message &M) {
  const std::scoped_lock Guard(Lock);
  if (!M.Numbered) {
    std::erase(Waiting, &M);
    numberWaiting();
  } else if (auto &Next = NextReceive[{M.Peer, M.Tag}]; Next == M.Number + 1) {
    --Next;
  } else {
    refuse(Refusal::Outstanding, std::to_string(Next - M.Number - 1));
  }
  M.Kind = cf_mpi_record::Role::None;
}

void Communicator::completeReceive(Message &M, const MPI_Status &Status) {
  MPI_Count Bytes = 0;
  PMPI_Get_elements_x(&Status, MPI_BYTE, &Bytes);
  const std::scoped_lock Guard(Lock);
  M.Peer = Status.MPI_SOURCE;
  M.Tag = Status.MPI_TAG;
  M.Shadow.Leaves = leavesIn(*M.Shadow.L, Bytes);
  M.Completed = true;
  numberWaiting();
  if (M.Numbered)
    checkWindow(M, NextReceive[{M.Peer, M.Tag}]);
  else if (Waiting.size() >> SmallNumberBits)
    refuse(Refusal::Outstanding, std::to_string(Waiting.size()));
}

/// Messages whose numbers agree in the bits that travel must not be open at the same time: then the
/// later one's adjoint is posted first on both sides, and MPI's own order keeps them apart.
void Communicator::checkWindow(const Message &M, std::uint64_t Next) const {
  const std::uint64_t Window = std::uint64_t{1} << formatOf(M.Tag).NumberBits;
  if (Next - M.Number > Window)
    refuse(Refusal::Outstanding, std::to_string(Next - M.Number - 1));
}

Communicator::TagFormat Communicator::formatOf(int Tag) const {
  const int Bits = PayloadBits - 1;
  const bool Short = Bits < SmallTagBits + SmallNumberBits; // an MPI with very few tags
  const int Small = Short ? Bits / 2 : SmallTagBits;
  if (Tag >> Small == 0)
    return {Small, Bits - Small, 0};
  const int NumberBits = Short ? 1 : SmallNumberBits;
  if (Tag >> (Bits - NumberBits) != 0)
    refuse(Refusal::Tag, std::to_string(Tag));
  return {Bits - NumberBits, NumberBits, 1 << Bits};
}

int Communicator::carrierTag(const Message &M) const {
  const TagFormat F = formatOf(M.Tag);
  const auto Low = static_cast<int>(M.Number & ((std::uint64_t{1} << F.NumberBits) - 1));
  const int OnUsers = Private == MPI_COMM_NULL ? 1 << PayloadBits : 0;
  return OnUsers | F.Flags | M.Tag << F.NumberBits | Low;
}

} // namespace contraflow::mpi

// Communicators that are created in code that is differentiated.

namespace {

struct CreationRecord : cf_mpi_record {
  contraflow::mpi::Communicator *Comm;
};

bool isThere(int Code, const MPI_Comm *Comm) {
  return Code == MPI_SUCCESS && *Comm != MPI_COMM_NULL;
}

} // namespace

void cf_v1_mpi_communicator_tangent(int code, MPI_Comm *comm) {
  if (isThere(code, comm))
    contraflow::mpi::Communicator::of(*comm).madeInTangent();
}

void cf_v1_mpi_communicator_augment(int code, MPI_Comm *comm, cf_tape *tape,
                                    cf_mpi_record **record) {
  *record = nullptr;
  if (!isThere(code, comm))
    return;
  auto *R = contraflow::mpi::record<CreationRecord>(tape);
  R->Comm = &contraflow::mpi::Communicator::of(*comm);
  R->Comm->creationRecorded();
  *record = R;
}

void cf_v1_mpi_communicator_adjoint(cf_mpi_record *record) {
  if (record)
    contraflow::mpi::Communicator::creationReversed(static_cast<CreationRecord *>(record)->Comm);
}
