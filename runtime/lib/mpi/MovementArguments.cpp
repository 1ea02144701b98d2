// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/MovementArguments.h"

#include "mpi/Absolute.h"
#include "mpi/Refuse.h"
#include "mpi/Relayed.h"
#include "mpi/Watch.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace contraflow::mpi {
namespace {

/// The layout of a block, whose memory is known unless the buffer is MPI_BOTTOM.
const Layout *layoutIn(const Side &S, int Count, MPI_Datatype Type) {
  if (S.Primal == MPI_BOTTOM)
    return &layoutOf(Type, Characters::Moved);
  return viewOf({S.Primal, S.Shadow, Count, Type}, Characters::Moved).L;
}

/// Of blocks that lie in other objects than the buffer's, or at absolute addresses.
void lookElsewhere(const Side &S, Blocks &B, std::vector<View> &Views) {
  if (!mayLeadElsewhere(S.Primal))
    return;
  std::vector<Block> All;
  for (int I = 0; I < B.Size; ++I)
    All.push_back(
        {{S.Primal, S.Shadow, S.Counts ? S.Counts[I] : S.Count, S.Types ? S.Types[I] : S.Type},
         B.start(I),
         B.at(I)});
  Views = blockViewsOf(All);
  if (Views.empty())
    return;
  B.Views = Views.data();
  B.Primal = nullptr;
}

Blocks blocksOf(const Side &S, int Size, BlockViews &Kept) {
  Blocks B;
  B.Size = Size;
  B.Count = S.Count;
  B.Counts = S.Counts;
  B.Displs = S.Displs;
  B.Places = S.Places;
  const Shadows Found = shadowsOf(S.Shadow);
  B.Base = Found.First;
  B.All = Found.All;
  B.Primal = B.Base ? nullptr : static_cast<const char *>(S.Primal);
  if (S.Types) {
    for (int I = 0; I < Size; ++I)
      Kept.Layouts.push_back(layoutIn(S, S.Counts[I], S.Types[I]));
    B.Layouts = Kept.Layouts.data();
  } else {
    const bool Counted = S.Counts && Size > 0;
    B.L = layoutIn(S, Counted ? *std::max_element(S.Counts, S.Counts + Size) : S.Count, S.Type);
  }
  lookElsewhere(S, B, Kept.Views);
  return B;
}

/// What a buffer of which only one block belongs to this rank, in place.
Blocks oneBlock(const Blocks &All, int Block) {
  const View V = All.at(Block);
  const int Count = All.Counts ? All.Counts[Block] : All.Count;
  Blocks One = {V.Base, V.L, 1, Count};
  One.All = V.All;
  One.Primal = All.unseenAt(Block);
  One.Views = All.Views ? All.Views + Block : nullptr;
  return One;
}

template <class T> void copyArray(const T *&Array, int Count, std::byte *&To) {
  if (!Array)
    return;
  const std::size_t Bytes = static_cast<std::size_t>(Count) * sizeof(T);
  std::memcpy(To, Array, Bytes);
  Array = reinterpret_cast<const T *>(To);
  To += Bytes;
}

int viewsOf(const Blocks &B) { return B.Same ? std::min(B.Size, 1) : B.Size; }

std::int64_t arrayBytes(const Blocks &B) {
  const std::size_t Each = (B.Counts ? sizeof(int) : 0) + (B.Displs ? sizeof(int) : 0) +
                           (B.Places ? sizeof(MPI_Aint) : 0) + (B.Layouts ? sizeof(B.L) : 0);
  return B.Size * static_cast<std::int64_t>(Each) +
         (B.Views ? viewsOf(B) * std::int64_t{sizeof(View)} : 0);
}

/// What came back is added to the same memory again and again.
Blocks sameForAll(const Blocks &One, int Size, int Skip) {
  Blocks B = One;
  B.Size = Size;
  B.Skip = Skip;
  B.Same = true;
  return B;
}

bool isRaw(const Blocks &B) { return B.L && B.L->Raw; }

/// Refuses what all get if some ranks take it for bytes, and others do not. Calls that do not block
/// may not wait for other ranks.
void agree(const Described &D, const MovementCall &C) {
  using Kind = Agreement::Kind;
  const Movement &M = D.M;
  if (!M.Blocking || (C.How != Pattern::Bcast && C.How != Pattern::Allgather))
    return;
  const bool Bytes = isRaw(C.How == Pattern::Bcast && M.Comm->rank() == M.Root ? M.Given : M.Got);
  const Kind Moved = !D.Active ? Kind::Nothing : Bytes ? Kind::Bytes : Kind::Numbers;
  const Watch Waits(M.Comm->carrier());
  if (!M.Comm->agreement().holds(Moved, M.Comm->carrier()))
    refuse(Refusal::Datatype,
           std::string("bytes on some ranks and as something else on others in ") + C.Name);
}

/// Bytes cannot be summed on the way: every rank gets a block of its own, so that what comes back
/// arrives block by block.
void spreadBytes(Movement &M) {
  const int Size = M.Comm->size();
  if (M.How == Pattern::Bcast && (isRaw(M.Given) || isRaw(M.Got))) {
    M.How = Pattern::Scatter;
    if (M.Comm->rank() == M.Root)
      M.Given = sameForAll(M.Given, Size, M.Root);
  } else if (M.How == Pattern::Allgather && isRaw(M.Got)) {
    M.How = Pattern::Alltoall;
    M.Given = sameForAll(M.Given, Size, -1);
  }
}

/// From one group to the other, along an edge for each block. What all get is given to each.
void describeBetweenGroups(Described &D, const MovementCall &C, const Side &Send,
                           const Side &Receive) {
  Movement &M = D.M;
  const std::vector<Edge> &All = M.Comm->groups().Remote;
  const auto Size = static_cast<int>(All.size());
  const auto give = [&](int Blocks, const Edge *Edges) {
    M.Given = blocksOf(Send, Blocks, D.Given);
    M.Given.Edges = Edges;
  };
  const auto get = [&](int Blocks, const Edge *Edges) {
    M.Got = blocksOf(Receive, Blocks, D.Got);
    M.Got.Edges = Edges;
  };
  const auto giveAll = [&] {
    give(1, All.data());
    M.Given = sameForAll(M.Given, Size, -1);
  };
  const bool Rooted =
      C.How == Pattern::Bcast || C.How == Pattern::Gather || C.How == Pattern::Scatter;
  M.How = Pattern::Neighbours;
  if (Rooted && C.Root == MPI_PROC_NULL)
    return; // beside the root
  const bool IsRoot = C.Root == MPI_ROOT;
  const Edge *ToRoot = Rooted && !IsRoot ? &All[static_cast<std::size_t>(C.Root)] : nullptr;
  switch (C.How) {
  case Pattern::Bcast:
    IsRoot ? giveAll() : get(1, ToRoot);
    break;
  case Pattern::Gather:
    IsRoot ? get(Size, All.data()) : give(1, ToRoot);
    break;
  case Pattern::Scatter:
    IsRoot ? give(Size, All.data()) : get(1, ToRoot);
    break;
  case Pattern::Allgather:
    get(Size, All.data());
    giveAll();
    break;
  case Pattern::Alltoall:
    get(Size, All.data());
    give(Size, All.data());
    break;
  case Pattern::Neighbours:
    break; // not of intercommunicators
  }
  for (int I = 0; I < M.Got.Size; ++I)
    noteArrival(M.Got.at(I));
  D.Active = M.Given.leaves() + M.Got.leaves() > 0;
}

Neighbouring orderOf(const Side &Send, const Movement &M) {
  if (M.Blocking)
    return Send.Counts ? Neighbouring::Counted : Neighbouring::Equal;
  return Send.Counts ? Neighbouring::CountedNonblocking : Neighbouring::EqualNonblocking;
}

} // namespace

void describe(Described &D, const MovementCall &C, const Side &Send, const Side &Receive) {
  Movement &M = D.M;
  M.How = C.How;
  M.Root = C.Root;
  const bool WithinGroup = C.How == Pattern::Neighbours;
  M.Comm =
      &(WithinGroup ? Communicator::withinGroup(C.Comm, C.Name) : Communicator::collective(C.Comm));
  if (M.Comm->isInter())
    return describeBetweenGroups(D, C, Send, Receive);
  const int Size = M.Comm->size(), Rank = M.Comm->rank();
  const bool IsRoot = Rank == C.Root;
  const auto give = [&](int Blocks) { M.Given = blocksOf(Send, Blocks, D.Given); };
  const auto get = [&](int Blocks) { M.Got = blocksOf(Receive, Blocks, D.Got); };
  switch (C.How) {
  case Pattern::Bcast:
    IsRoot ? give(1) : get(1);
    break;
  case Pattern::Gather:
    if (IsRoot)
      get(Size);
    if (Send.Primal != MPI_IN_PLACE)
      give(1);
    else
      M.Got.Skip = Rank;
    break;
  case Pattern::Scatter:
    if (IsRoot)
      give(Size);
    if (Receive.Primal != MPI_IN_PLACE)
      get(1);
    else
      M.Given.Skip = Rank;
    break;
  case Pattern::Allgather:
    get(Size);
    if (Send.Primal == MPI_IN_PLACE)
      M.Given = oneBlock(M.Got, Rank);
    else
      give(1);
    break;
  case Pattern::Alltoall:
    get(Size);
    if (Send.Primal == MPI_IN_PLACE)
      M.Given = M.Got;
    else
      give(Size);
    break;
  case Pattern::Neighbours: {
    const Neighbours &N = M.Comm->neighbours(orderOf(Send, M));
    give(static_cast<int>(N.Out.size()));
    get(static_cast<int>(N.In.size()));
    M.Given.Same = C.OneForAll;
    M.Given.Edges = N.Out.data();
    M.Got.Edges = N.In.data();
    break;
  }
  }
  D.Active = C.OwnBlocksOnly || M.Given.leaves() + M.Got.leaves() > 0;
  agree(D, C);
  spreadBytes(M);
  for (int I = 0; I < M.Got.Size; ++I)
    noteArrival(M.Got.at(I));
}

void describeUnseen(Movement &M) {
  M.Given.PassesOn = PassedOn::No;
  for (int I = 0; I < M.Given.Size; ++I)
    if (const char *Primal = M.Given.unseenAt(I)) {
      M.Given.PassesOn = std::max(M.Given.PassesOn, passedOn(Primal, M.Given.at(I)));
      checkDropped(Primal, M.Given.at(I));
    }
  for (int I = 0; I < M.Got.Size; ++I)
    if (const char *Primal = M.Got.unseenAt(I))
      noteUnseen(Primal, M.Got.at(I));
}

void noteUnseenWords(const Movement &M) {
  for (int I = 0; I < M.Got.Size; ++I)
    if (const char *Primal = M.Got.unseenAt(I))
      noteUnseenWords(Primal, M.Got.at(I));
}

std::int64_t arrayBytes(const Movement &M) { return arrayBytes(M.Given) + arrayBytes(M.Got); }

/// Those of wide elements first: all are aligned then.
void copyArrays(Movement &M, std::byte *To) {
  for (Blocks *B : {&M.Given, &M.Got}) {
    copyArray(B->Views, viewsOf(*B), To);
    copyArray(B->Places, B->Size, To);
    copyArray(B->Layouts, B->Size, To);
  }
  for (Blocks *B : {&M.Given, &M.Got}) {
    copyArray(B->Counts, B->Size, To);
    copyArray(B->Displs, B->Size, To);
  }
}

} // namespace contraflow::mpi
