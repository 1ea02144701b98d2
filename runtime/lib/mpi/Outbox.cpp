// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of requests that is looked at whenever derivative code communicates, and drained in
// MPI_Finalize (the attributes of MPI_COMM_SELF are deleted before anything else there).

#include "mpi/Outbox.h"

#include "mpi/Refuse.h"

#include <atomic>
#include <string>

namespace contraflow::mpi {
namespace {

/// Requests in the box, for those who need not look into it; changes under its lock.
std::atomic<std::size_t> Waiting = 0;

int drainAtFinalize(MPI_Comm, int, void *, void *) {
  Outbox::get().drain();
  return MPI_SUCCESS;
}

void arrangeDrain() {
  [[maybe_unused]] static const bool Arranged = [] {
    int Key = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drainAtFinalize, &Key, nullptr);
    PMPI_Comm_set_attr(MPI_COMM_SELF, Key, nullptr);
    return true;
  }();
}

} // namespace

void refuseLength(std::int64_t Bytes) {
  refuse(Refusal::TooLarge, "a derivative message of " + std::to_string(Bytes) + " bytes");
}

Outbox::Outbox() {
  constexpr std::size_t Usual = 64;
  Requests.reserve(Usual);
  Buffers.reserve(Usual);
  Done.reserve(Usual);
}

Outbox &Outbox::get() {
  static auto *Only = new Outbox; // outlives every other static object
  return *Only;
}

void Outbox::send(Packed Data, std::int64_t Bytes, int Dest, int Tag, MPI_Comm Comm) {
  const void *Values = Data.get();
  post(Values, carrierCount(Bytes), std::move(Data), Dest, Tag, Comm);
}

void Outbox::send(const Shelf::Note &Of, int Dest, int Tag, MPI_Comm Comm) {
  post(&Of, NoteUnits, nullptr, Dest, Tag, Comm);
}

void Outbox::post(const void *Data, int Units, Packed Kept, int Dest, int Tag, MPI_Comm Comm) {
  arrangeDrain();
  MPI_Request Request = MPI_REQUEST_NULL;
  PMPI_Isend(Data, Units, carrierUnit(), Dest, Tag, Comm, &Request);
  int Sent = 0; // as short messages are at once
  PMPI_Test(&Request, &Sent, MPI_STATUS_IGNORE);
  if (Sent)
    return progress();
  const std::scoped_lock Guard(Lock);
  Requests.push_back(Request);
  Buffers.push_back(std::move(Kept));
  forgetSent();
}

void Outbox::progress() {
  if (Waiting.load(std::memory_order_relaxed) == 0)
    return;
  const std::scoped_lock Guard(Lock);
  forgetSent();
}

void Outbox::forgetSent() {
  Waiting.store(Requests.size(), std::memory_order_relaxed);
  if (Requests.empty())
    return;
  Done.resize(Requests.size());
  int Count = 0;
  PMPI_Testsome(static_cast<int>(Requests.size()), Requests.data(), &Count, Done.data(),
                MPI_STATUSES_IGNORE);
  if (Count <= 0)
    return;
  std::size_t Kept = 0;
  for (std::size_t I = 0; I < Requests.size(); ++I)
    if (Requests[I] != MPI_REQUEST_NULL) {
      Requests[Kept] = Requests[I];
      Buffers[Kept++] = std::move(Buffers[I]);
    }
  Requests.resize(Kept);
  Buffers.resize(Kept);
  Waiting.store(Kept, std::memory_order_relaxed);
}

void Outbox::drain() {
  const std::scoped_lock Guard(Lock);
  PMPI_Waitall(static_cast<int>(Requests.size()), Requests.data(), MPI_STATUSES_IGNORE);
  Requests.clear();
  Buffers.clear();
  Waiting.store(0, std::memory_order_relaxed);
}

std::size_t Outbox::pending() {
  const std::scoped_lock Guard(Lock);
  return Requests.size();
}

} // namespace contraflow::mpi
