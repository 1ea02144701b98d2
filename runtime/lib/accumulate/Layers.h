// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjoints of bytes that are to be added to others, where nobody knows where in them the numbers
// are. An archive that was broadcast comes back from every rank:
//
//   put(int), put(double), ..., Bcast(bytes, n, MPI_BYTE)
//
// The first adjoint that comes back is written to the shadow. Each other one is a layer above it,
// as bytes, until the reverse of what put a number there says that there is one: then the number's
// part of all layers is added to the shadow (settle), and taken from the layers. Copies of the
// bytes move the layers with them. Constants among the bytes have adjoints as well, which nobody
// reads; they are left when the shadow is given back, in all layers and below. What is left of a
// layer but not below, or when the derivative call ends, has been added to nothing, and is refused.

#pragma once

#include <atomic>
#include <cstdint>

namespace contraflow {

/// Lays a copy of `Bars` over the shadow memory from `At` on. If some of it is never settled,
/// `Refuse` is called with the number of these bytes, and does not return.
void addLayer(char *At, const char *Bars, int64_t Bytes, void (*Refuse)(int64_t Bytes));

extern std::atomic<int64_t> LayerCount;
inline bool areLayers() { return LayerCount.load(std::memory_order_relaxed) > 0; }

/// True if adjoints other than zero lie above the bytes.
bool liesUnderLayers(const char *At, int64_t Bytes);

/// Moves adjoints that lie above the bytes to zeros: of the layers there, those that do not touch
/// one another. False if there are none.
bool takeLayer(const char *At, char *To, int64_t Bytes);

/// Numbers of a kind of field, one behind the other: their parts of the layers are added to them.
void settle(char *At, int32_t Kind, int64_t Count);

/// What lies above `From` lies above `To` instead, or nowhere if that is null.
void moveLayers(const char *From, char *To, int64_t Bytes);

} // namespace contraflow
