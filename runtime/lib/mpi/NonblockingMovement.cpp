// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors of Movement.h as operations that do not block.

#include "mpi/Parcel.h"

#include <cstring>

namespace contraflow::mpi {
namespace {

Pattern mirrorOf(Pattern How) {
  if (How == Pattern::Gather)
    return Pattern::Scatter;
  return How == Pattern::Scatter ? Pattern::Gather : How;
}

/// Blocks go from one parcel to the other.
class Transport : public Operation {
public:
  Transport(const Movement &M, Pattern How, const Blocks &From, const Blocks &To)
      : M(M), How(How), From(From), To(To), Out(From), In(Parcel::arrivingAt(To, How)) {
    Out.pack();
  }
  void start(MPI_Comm Comm) override {
    const MPI_Datatype Unit = carrierUnit();
    switch (How) {
    case Pattern::Bcast:
      return; // Broadcast
    case Pattern::Gather:
      PMPI_Igatherv(Out.Data, Out.Units, Unit, In.Data, In.counts(), In.starts(), Unit, M.Root,
                    Comm, request());
      return;
    case Pattern::Scatter:
      PMPI_Iscatterv(Out.Data, Out.counts(), Out.starts(), Unit, In.Data, In.Units, Unit, M.Root,
                     Comm, request());
      return;
    case Pattern::Allgather:
      PMPI_Iallgatherv(Out.Data, Out.Units, Unit, In.Data, In.counts(), In.starts(), Unit, Comm,
                       request());
      return;
    case Pattern::Alltoall:
      In.takeOwn(Out, M.Comm->rank());
      PMPI_Ialltoallv(Out.Data, Out.counts(), Out.starts(), Unit, In.Data, In.counts(), In.starts(),
                      Unit, Comm, request());
      return;
    case Pattern::Neighbours:
      return alongEdges(Comm);
    }
  }

protected:
  const Blocks &receiver() const { return To; }
  const Parcel &sent() const { return Out; }
  const Parcel &arrived() const { return In; }

private:
  /// Both ends name an edge by its place at the end that sends in the primal. Mirrors that block
  /// may come before or after others, on every rank as it likes.
  void alongEdges(MPI_Comm Comm) {
    constexpr int Nonblocking = 1 << 14;
    const int Class = M.Blocking ? 0 : Nonblocking;
    for (int I = 0; I < To.Size; ++I)
      if (const int Units = In.counts()[I]; Units > 0)
        PMPI_Irecv(In.block(I), Units, carrierUnit(), To.Edges[I].Rank, To.Edges[I].Tag + Class,
                   Comm, request());
    for (int I = 0; I < From.Size; ++I)
      if (const int Units = Out.counts()[I]; Units > 0)
        PMPI_Isend(Out.block(I), Units, carrierUnit(), From.Edges[I].Rank,
                   From.Edges[I].Tag + Class, Comm, request());
  }

  const Movement M;
  const Pattern How;
  const Blocks From, To;
  const Parcel Out, In;
};

class Tangent : public Transport {
public:
  explicit Tangent(const Movement &M) : Transport(M, M.How, M.Given, M.Got) {}

protected:
  void deliver() override { arrived().storeTo(receiver()); }
};

class Adjoint : public Transport {
public:
  explicit Adjoint(const Movement &M) : Transport(M, mirrorOf(M.How), M.Got, M.Given) {
    sent().zero();
  }

protected:
  void deliver() override { arrived().addTo(receiver()); }
};

class Broadcast : public Operation {
public:
  explicit Broadcast(const Movement &M) : M(M), V(broadcastView(M)), Data(packedBuffer(V.bytes())) {
    if (isRoot(M))
      V.pack(Data.get());
  }
  void start(MPI_Comm Comm) override {
    PMPI_Ibcast(Data.get(), carrierCount(V.bytes()), carrierUnit(), M.Root, Comm, request());
  }

protected:
  void deliver() override {
    if (!isRoot(M))
      V.store(Data.get());
  }

private:
  const Movement M;
  const View V;
  const Packed Data;
};

/// What the ranks got is summed and added to what was given, which may have grown meanwhile.
class BroadcastAdjoint : public Operation {
public:
  explicit BroadcastAdjoint(const Movement &M)
      : M(M), V(broadcastView(M)), Kind(V.L->Widest), Data(packedBuffer(V.bytes(Kind))) {
    if (isRoot(M)) {
      std::memset(Data.get(), 0, static_cast<std::size_t>(V.bytes(Kind)));
      return;
    }
    V.packAs(Kind, Data.get());
    V.zero();
  }
  void start(MPI_Comm Comm) override {
    PMPI_Ireduce(isRoot(M) ? MPI_IN_PLACE : Data.get(), Data.get(),
                 leafCount(V.Leaves, "MPI_Ibcast"), datatypeOf(Kind), MPI_SUM, M.Root, Comm,
                 request());
  }

protected:
  void deliver() override {
    if (isRoot(M))
      V.addAs(Kind, Data.get());
  }

private:
  const Movement M;
  const View V;
  const Leaf Kind;
  const Packed Data;
};

class AllgatherAdjoint : public Operation {
public:
  explicit AllgatherAdjoint(const Movement &M)
      : Mine(M.Given.at(0)), Kind(M.Got.L->Widest),
        Data(packedBuffer(M.Got.leaves() * sizeOf(Kind))), Sum(packedBuffer(Mine.bytes(Kind))) {
    std::byte *At = Data.get();
    for (int I = 0; I < M.Got.Size; ++I) {
      const View V = M.Got.at(I);
      Counts.push_back(leafCount(V.Leaves, "MPI_Iallgather"));
      V.packAs(Kind, At);
      V.zero();
      At += V.bytes(Kind);
    }
  }
  void start(MPI_Comm Comm) override {
    PMPI_Ireduce_scatter(Data.get(), Sum.get(), Counts.data(), datatypeOf(Kind), MPI_SUM, Comm,
                         request());
  }

protected:
  void deliver() override { Mine.addAs(Kind, Sum.get()); }

private:
  const View Mine;
  const Leaf Kind;
  const Packed Data, Sum;
  std::vector<int> Counts;
};

} // namespace

std::unique_ptr<Operation> tangentOperation(const Movement &M) {
  if (M.How == Pattern::Bcast)
    return std::make_unique<Broadcast>(M);
  return std::make_unique<Tangent>(M);
}

std::unique_ptr<Operation> adjointOperation(const Movement &M) {
  if (const Directions *All = M.Given.All ? M.Given.All : M.Got.All) {
    auto Each = std::make_unique<OneByOne>();
    for (int D = 0; D < All->Count; ++D)
      Each->add(adjointOperation(oneDirection(M, D)));
    return Each;
  }
  if (M.How == Pattern::Bcast)
    return std::make_unique<BroadcastAdjoint>(M);
  if (M.How == Pattern::Allgather)
    return std::make_unique<AllgatherAdjoint>(M);
  return std::make_unique<Adjoint>(M);
}

} // namespace contraflow::mpi
