// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks are packed one after the other into a parcel, moved by the v-version of the collective,
// and unpacked block by block (blocks that were given may overlap).

#include "mpi/Movement.h"

#include "accumulate/Layers.h"
#include "mpi/Layered.h"
#include "mpi/Parcel.h"
#include "mpi/PlainMovement.h"
#include "mpi/Refuse.h"
#include "mpi/Relayed.h"
#include "mpi/Watch.h"

#include <climits>
#include <vector>

namespace contraflow::mpi {

std::int64_t Blocks::start(int Block) const {
  if (Places)
    return Places[Block];
  if (Displs)
    return Displs[Block] * (Layouts ? 1 : L->Extent);
  return Same ? 0 : std::int64_t{Block} * Count * L->Extent;
}

View Blocks::at(int Block) const {
  const View *There = Views ? &Views[Same ? 0 : Block] : nullptr;
  const Layout *Here = There ? There->L : Layouts ? Layouts[Block] : L;
  if (Block == Skip || (Edges && Edges[Block].Rank == MPI_PROC_NULL))
    return {nullptr, Here, 0};
  if (There)
    return *There;
  const std::int64_t Items = Counts ? Counts[Block] : Count;
  if (Here->Pieces && start(Block) != 0)
    Here = Here->Plain;
  // A description belongs to the beginning of the buffer.
  const Description &Inside = Here->Inside;
  if (Base && Items > 0 && Inside.Count > 0 && start(Block) != 0 &&
      (Inside.Period == 0 || start(Block) % Inside.Period != 0))
    Here = &layoutBehind(*Here, start(Block));
  return {Base ? Base + start(Block) : nullptr, Here, Items * Here->Leaves, All};
}

const char *Blocks::unseenAt(int Block) const {
  return Primal ? withoutShadow(Primal + start(Block), at(Block)) : nullptr;
}

std::int64_t Blocks::leaves() const {
  std::int64_t Sum = 0;
  for (int I = 0; I < Size; ++I)
    Sum += at(I).Leaves;
  return Sum;
}

int leafCount(std::int64_t Leaves, const char *Function) {
  if (Leaves > INT_MAX)
    refuse(Refusal::TooLarge, Function);
  return static_cast<int>(Leaves);
}

namespace {

void move(Pattern How, const Movement &M, const Parcel &Out, const Parcel &In) {
  const MPI_Datatype Unit = carrierUnit();
  const MPI_Comm Comm = M.Comm->carrier();
  switch (How) {
  case Pattern::Bcast:
  case Pattern::Neighbours:
    break; // see below
  case Pattern::Gather:
    PMPI_Gatherv(Out.Data, Out.Units, Unit, In.Data, In.counts(), In.starts(), Unit, M.Root, Comm);
    break;
  case Pattern::Scatter:
    PMPI_Scatterv(Out.Data, Out.counts(), Out.starts(), Unit, In.Data, In.Units, Unit, M.Root,
                  Comm);
    break;
  case Pattern::Allgather:
    PMPI_Allgatherv(Out.Data, Out.Units, Unit, In.Data, In.counts(), In.starts(), Unit, Comm);
    break;
  case Pattern::Alltoall:
    In.takeOwn(Out, M.Comm->rank());
    PMPI_Alltoallv(Out.Data, Out.counts(), Out.starts(), Unit, In.Data, In.counts(), In.starts(),
                   Unit, Comm);
    break;
  }
}

void tangentBcast(const Movement &M) {
  const View V = broadcastView(M);
  const std::int64_t Bytes = V.bytes();
  if (std::byte *Here = V.direct()) {
    PMPI_Bcast(Here, carrierCount(Bytes), carrierUnit(), M.Root, M.Comm->carrier());
    return;
  }
  const Packed Data = packedBuffer(Bytes);
  if (isRoot(M))
    V.pack(Data.get());
  PMPI_Bcast(Data.get(), carrierCount(Bytes), carrierUnit(), M.Root, M.Comm->carrier());
  if (!isRoot(M))
    V.store(Data.get());
}

void adjointBcast(const Movement &M) {
  const View V = broadcastView(M);
  const Leaf Kind = V.L->Widest;
  const int Count = leafCount(V.Leaves, "MPI_Bcast");
  std::byte *Here = V.direct();
  const Packed Space = packedBuffer(Here ? 0 : V.bytes(Kind));
  std::byte *Data = Here ? Here : Space.get();
  if (!Here)
    V.packAs(Kind, Data);
  PMPI_Reduce(isRoot(M) ? MPI_IN_PLACE : Data, Data, Count, datatypeOf(Kind), MPI_SUM, M.Root,
              M.Comm->carrier());
  if (isRoot(M) && Here)
    return;
  if (isRoot(M))
    V.storeAs(Kind, Data);
  else
    V.zero();
}

void adjointAllgather(const Movement &M) {
  const Leaf Kind = M.Got.L->Widest;
  const Packed Numbers = packedBuffer(M.Got.Size * std::int64_t{sizeof(int)});
  int *Counts = reinterpret_cast<int *>(Numbers.get());
  const Packed Data = packedBuffer(M.Got.leaves() * sizeOf(Kind));
  std::byte *At = Data.get();
  for (int I = 0; I < M.Got.Size; ++I) {
    const View V = M.Got.at(I);
    Counts[I] = leafCount(V.Leaves, "MPI_Allgather");
    V.packAs(Kind, At);
    V.zero();
    At += V.bytes(Kind);
  }
  const View Mine = M.Given.at(0);
  const Packed Sum = packedBuffer(Mine.bytes(Kind));
  PMPI_Reduce_scatter(Data.get(), Sum.get(), Counts, datatypeOf(Kind), MPI_SUM, M.Comm->carrier());
  Mine.addAs(Kind, Sum.get());
}

/// Messages along the edges, on the lane, which has no others.
void runNow(const Movement &M, Operation &O) {
  O.start(M.Comm->lane());
  O.finish();
}

} // namespace

void tangent(const Movement &M) {
  const Watch Waits(M.Comm->carrier());
  if (M.How == Pattern::Neighbours)
    return runNow(M, *tangentOperation(M));
  if (M.How == Pattern::Bcast)
    return tangentBcast(M);
  const Parcel Out = Parcel::from(M.Given), In = Parcel::arrivingAt(M.Got, M.How);
  move(M.How, M, Out, In);
  In.storeTo(M.Got);
}

Movement oneDirection(const Movement &M, int D) {
  Movement One = M;
  for (Blocks *B : {&One.Given, &One.Got}) {
    B->Base = B->All ? B->All->from(B->Base, D) : B->Base;
    B->All = nullptr;
  }
  return One;
}

namespace {

/// Adjoints of bytes that were got and lie in layers.
class Above {
public:
  explicit Above(const Movement &M) : M(M) {
    for (int I = 0; areLayers() && I < M.Got.Size; ++I)
      Layers.push_back(takeLayers(M.Got.at(I)));
  }
  void announce(const Parcel &Out) const {
    forEach([&](int I) { Out.at(I).markLayered(Out.block(I)); });
  }
  void send() const {
    forEach([&](int I) {
      sendLayers(Layers[static_cast<std::size_t>(I)], route(M.How == Pattern::Scatter, I));
    });
  }
  /// Of others, to what was given.
  void receive(const Parcel &In) const {
    for (int I = 0; I < In.Size; ++I)
      if (const View &V = In.at(I); areLayersComing(V, In.block(I), !V.L->Raw))
        addLayers(V, M.Given.PassesOn, carrierCount(V.bytes() + (V.L->Raw ? 0 : WordBytes)),
                  route(M.How == Pattern::Gather, I));
  }

private:
  const Movement &M;
  std::vector<std::vector<std::byte>> Layers;

  template <class Action> void forEach(Action Do) const {
    for (std::size_t I = 0; I < Layers.size(); ++I)
      if (!Layers[I].empty())
        Do(static_cast<int>(I));
  }
  LayerRoute route(bool IsRoots, int Block) const {
    return {IsRoots ? M.Root : Block, LaneTag, M.Comm->lane()};
  }
};

} // namespace

void adjoint(const Movement &M) {
  const Watch Waits(M.Comm->carrier());
  if (const Directions *All = M.Given.All ? M.Given.All : M.Got.All) {
    for (int D = 0; D < All->Count; ++D)
      adjoint(oneDirection(M, D));
    return;
  }
  if (M.How == Pattern::Neighbours)
    return runNow(M, *adjointOperation(M));
  if (M.How == Pattern::Bcast)
    return adjointBcast(M);
  if (M.How == Pattern::Allgather)
    return adjointAllgather(M);
  if (M.How == Pattern::Alltoall && adjointOfPlain(M))
    return;
  const Above Layers(M);
  const Parcel Out = Parcel::from(M.Got), In = Parcel::arrivingAt(M.Given, M.How);
  Layers.announce(Out);
  const Pattern Mirror = M.How == Pattern::Gather    ? Pattern::Scatter
                         : M.How == Pattern::Scatter ? Pattern::Gather
                                                     : Pattern::Alltoall;
  move(Mirror, M, Out, In);
  Out.zero();
  Layers.send();
  In.addTo(M.Given);
  Layers.receive(In);
}

} // namespace contraflow::mpi
