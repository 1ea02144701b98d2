// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors of sends and receives.
//
//   start of a send     reverse: s-bar += what came back        (tmp is received, then added)
//   its completion      reverse: the receive of tmp is posted
//   start of a receive  reverse: nothing is left to do
//   its completion      reverse: what was received, and only that, of r-bar is sent back and set to
//   zero
//
// Blocking calls are a start and its completion. Between start and completion the primal neither
// touches a receive buffer nor writes a send buffer, so r-bar may be cleared early and s-bar may
// grow meanwhile.

#pragma once

#include "mpi/Communicator.h"
#include "mpi/Layout.h"
#include "mpi/Message.h"

namespace contraflow::mpi {

/// The arguments of a send or receive.
struct Transfer {
  Buffer Data;
  int Peer, Tag;
  MPI_Comm Comm;
};

/// Gives M its arguments. False: with MPI_PROC_NULL, there is no message.
bool describe(Message &M, cf_mpi_record::Role Kind, const Transfer &T);

/// M, whose shadow is known: bytes that may only be passed on, in memory without a shadow.
void describeUnseen(Message &M, const Buffer &Data);

/// The primal request of M has completed.
void complete(Message &M, const MPI_Status &Status);
/// M, a completed receive, receives its tangent. What completed in the same call is complete.
void receiveTangent(const Message &M);

/// Reverse of a completion.
void openAdjoint(Message &M);
/// Reverse of a start.
void closeAdjoint(Message &M);

/// Sends the tangent of M, a started send.
void sendTangent(const Message &M);

/// M, recorded: keeps its directions. If a tangent of this adjoint is asked for, a send sends the
/// tangent of its buffer.
void keepOnTape(Message &M, cf_tape *Tape);

} // namespace contraflow::mpi
