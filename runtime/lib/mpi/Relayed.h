// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are passed on. A rank may receive what another one has packed into memory of its own
// numbers, and send it on as it is. The compiler says where its own numbers lie, and the packed
// ones lie elsewhere. The ranks at both ends know where, or that nobody knows: they say so behind
// the bytes that they send (View.cpp), and who only passes them on keeps the bytes whole.

#pragma once

#include "mpi/Layout.h"

namespace contraflow::mpi {

/// Memory into which bytes are received. Only what has been received is passed on, in the same call
/// of a derivative.
void noteArrival(const View &V);

/// A piece of shadow memory.
struct Bytes {
  const char *From;
  std::int64_t Count;
};
bool hasArrived(Bytes Of);

/// The bytes hold adjoints or tangents that may lie anywhere.
void noteRelayed(Bytes Of);
bool isRelayed(Bytes Of);
void forgetRelayed(Bytes Of);

// What arrives in memory without a shadow (text) has its derivatives dropped. If they were not zero
// and the bytes are sent on as they are, they would be missing elsewhere (CF311). In what follows,
// `Primal` is the beginning of such a buffer, and `V` what would be its shadow; of other leaves
// than bytes nothing is noted.

/// The primal buffer if bytes of it have no shadow; else null.
const char *withoutShadow(const void *Primal, const View &V);

/// Whether bytes that are sent were received before.
enum class PassedOn : std::uint8_t { No, Copied, Here };

/// Forward sweep: bytes are received there, which a later send may pass on.
void noteUnseen(const char *Primal, const View &V);
/// They have arrived: a later send may pass on what they were copied to.
void noteUnseenWords(const char *Primal, const View &V);
PassedOn passedOn(const char *Primal, const View &V);
/// Refuses adjoints of bytes that were received into this memory, unless all are zero. If others
/// like them were received, who has sent those hears of it (isLost), and refuses if they have a
/// shadow there.
void checkReturn(const View &V, PassedOn How, const std::byte *Adjoints);
/// What came behind the numbers of a view, of which the other side had bytes, says that some of
/// their adjoints have been dropped there.
bool saysLostBehind(const View &V, const std::byte *Adjoints);
/// Reverse sweep: adjoints of bytes that look like some that were received have been dropped.
bool hasLost();
[[noreturn]] void refusePassedOn();

/// Tangent: those of what is there now are dropped.
void noteDropped(const char *Primal, const View &V, const std::byte *Tangents);
/// Refuses to send what is still there of bytes whose tangents were not zero.
void checkDropped(const char *Primal, const View &V);

} // namespace contraflow::mpi
