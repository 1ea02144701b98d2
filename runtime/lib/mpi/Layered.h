// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints of bytes that lie in layers (accumulate/Layers.h) on their way back to who sent the
// bytes. What lies below travels as always, and says in the word behind it (View.cpp) that the
// layers follow in one more message, as copies of the first one:
//
//   bytes | word: layered         bytes of a layer | word, bytes of the next one | word, ...

#pragma once

#include "mpi/Layout.h"
#include "mpi/Relayed.h"

namespace contraflow::mpi {

/// Of those of collectives, on the lane: behind the tags of the edges.
constexpr int LaneTag = (1 << 15) - 1;

/// Where they go, or come from.
struct LayerRoute {
  int Peer, Tag;
  MPI_Comm Comm;
};

/// What lies above the bytes of a view, packed, one layer behind the other; nothing does any more.
std::vector<std::byte> takeLayers(const View &V);
/// Does not block.
void sendLayers(const std::vector<std::byte> &Copies, const LayerRoute &To);

/// What has come says that layers follow. With a word behind the numbers of a view without bytes.
bool areLayersComing(const View &V, const std::byte *Packed, bool WordBehind);
/// Waits for them. Each is as long as what has come, in units of the carrier.
void addLayers(const View &V, PassedOn How, int Units, const LayerRoute &From);

} // namespace contraflow::mpi
