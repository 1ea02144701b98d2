// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/Layered.h"

#include "accumulate/Layers.h"
#include "mpi/Outbox.h"

#include <cstring>

namespace contraflow::mpi {

std::vector<std::byte> takeLayers(const View &V) {
  std::vector<std::byte> Copies;
  if (!areLayers())
    return Copies;
  const auto Bytes = static_cast<std::size_t>(V.bytes());
  bool More = Bytes > 0;
  while (More) {
    Copies.resize(Copies.size() + Bytes);
    More = V.takeLayer(&Copies[Copies.size() - Bytes]);
  }
  Copies.resize(Copies.size() - Bytes); // the last one was empty
  return Copies;
}

void sendLayers(const std::vector<std::byte> &Copies, const LayerRoute &To) {
  const auto Bytes = static_cast<std::int64_t>(Copies.size());
  Packed Data = packedBuffer(Bytes);
  std::memcpy(Data.get(), Copies.data(), Copies.size());
  Outbox::get().send(std::move(Data), Bytes, To.Peer, To.Tag, To.Comm);
}

bool areLayersComing(const View &V, const std::byte *Packed, bool WordBehind) {
  if (V.Leaves <= 0 || (!WordBehind && !V.L->Raw))
    return false;
  return View::isLayered(Packed + V.bytes() - (WordBehind ? 0 : WordBytes));
}

void addLayers(const View &V, PassedOn How, int Units, const LayerRoute &From) {
  MPI_Message Coming;
  MPI_Status Status;
  int Length = 0;
  PMPI_Mprobe(From.Peer, From.Tag, From.Comm, &Coming, &Status);
  PMPI_Get_count(&Status, carrierUnit(), &Length);
  const Packed Data = packedBuffer(Length * std::int64_t{sizeof(float)});
  PMPI_Mrecv(Data.get(), Length, carrierUnit(), &Coming, MPI_STATUS_IGNORE);
  for (std::int64_t At = 0; At < Length; At += Units) {
    const std::byte *Copy = Data.get() + At * std::int64_t{sizeof(float)};
    checkReturn(V, How, Copy);
    V.add(Copy);
  }
}

} // namespace contraflow::mpi
