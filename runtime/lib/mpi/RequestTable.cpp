// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Open addressing, at most half full. Records of one request are a list through themselves.

#include "mpi/RequestTable.h"

#include "mpi/Message.h"
#include "mpi/NonblockingCollective.h"
#include "mpi/Refuse.h"

#include <cstring>
#include <string>

namespace contraflow::mpi {
namespace {

/// Different for all threads that are alive.
const void *thisThread() {
  thread_local const char Mark = 0;
  return &Mark;
}

} // namespace

RequestTable &RequestTable::get() {
  static auto *Only = new RequestTable; // outlives every other static object
  return *Only;
}

/// Where the search for a request begins. Handles are addresses or integers.
std::size_t RequestTable::slotOf(MPI_Request Request) const {
  std::uint64_t Bits = 0;
  static_assert(sizeof(Request) <= sizeof(Bits));
  std::memcpy(&Bits, &Request, sizeof(Request));
  return static_cast<std::size_t>((Bits * 0x9E3779B97F4A7C15U) >> 32U) & (Entries.size() - 1);
}

/// The slot of a request or the free one where it would go.
std::size_t RequestTable::find(MPI_Request Request) const {
  std::size_t Slot = slotOf(Request);
  while (Entries[Slot].Record && Entries[Slot].Request != Request)
    Slot = (Slot + 1) & (Entries.size() - 1);
  return Slot;
}

void RequestTable::grow() {
  std::vector<Entry> Old(Entries.empty() ? 64 : 2 * Entries.size());
  Old.swap(Entries);
  for (const Entry &E : Old)
    if (E.Record)
      Entries[find(E.Request)] = E;
}

void RequestTable::put(MPI_Request Request, cf_mpi_record *Record) {
  const std::scoped_lock Guard(Lock);
  if (2 * (Used + 1) > Entries.size())
    grow();
  const std::size_t Slot = find(Request);
  cf_mpi_record *First = Entries[Slot].Record;
  if (!First)
    ++Used;
  if (First && First->ownsHandle()) { // completed where nobody told us
    if (First->Kind == cf_mpi_record::Role::TangentReceive)
      refuse(Refusal::NotCompleted, "the receive of a message with tag " +
                                        std::to_string(static_cast<const Message *>(First)->Tag));
    First = First->NextOfRequest;
    --Records;
  }
  Record->NextOfRequest = First;
  Record->Starter = thisThread();
  Entries[Slot] = {Request, Record};
  ++Records;
}

cf_mpi_record *RequestTable::take(MPI_Request Request) {
  const std::scoped_lock Guard(Lock);
  if (Used == 0 || Request == MPI_REQUEST_NULL)
    return nullptr;
  const std::size_t Slot = find(Request);
  for (cf_mpi_record **Link = &Entries[Slot].Record; *Link; Link = &(*Link)->NextOfRequest)
    if (cf_mpi_record *Found = *Link; Found->ownsHandle() || Found->Starter == thisThread()) {
      remove(Link, Slot);
      return Found;
    }
  return nullptr;
}

void RequestTable::forget(const cf_mpi_record *Record) {
  const std::scoped_lock Guard(Lock);
  for (std::size_t Slot = 0; Slot < Entries.size(); ++Slot)
    for (cf_mpi_record **Link = &Entries[Slot].Record; *Link; Link = &(*Link)->NextOfRequest)
      if (*Link == Record) {
        remove(Link, Slot);
        return;
      }
}

void RequestTable::remove(cf_mpi_record **Link, std::size_t Slot) {
  *Link = (*Link)->NextOfRequest;
  --Records;
  if (!Entries[Slot].Record)
    free(Slot);
}

/// Moves up what a search could no longer reach past the hole.
void RequestTable::free(std::size_t Hole) {
  --Used;
  const std::size_t Mask = Entries.size() - 1;
  for (std::size_t Next = (Hole + 1) & Mask; Entries[Next].Record; Next = (Next + 1) & Mask) {
    const std::size_t Home = slotOf(Entries[Next].Request);
    if (((Next - Home) & Mask) >= ((Next - Hole) & Mask)) {
      Entries[Hole] = Entries[Next];
      Hole = Next;
    }
  }
  Entries[Hole].Record = nullptr;
}

std::size_t RequestTable::size() {
  const std::scoped_lock Guard(Lock);
  return Records;
}

bool RequestTable::refersTo(const Communicator &Comm) {
  using Role = cf_mpi_record::Role;
  const std::scoped_lock Guard(Lock);
  for (const Entry &E : Entries)
    for (const cf_mpi_record *R = E.Record; R; R = R->NextOfRequest)
      if ((R->Kind == Role::TangentReceive && static_cast<const Message *>(R)->Comm == &Comm) ||
          (R->Kind == Role::TangentCollective &&
           static_cast<const NonblockingCollective *>(R)->Comm == &Comm))
        return true;
  return false;
}

} // namespace contraflow::mpi
