// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   acc_0 = s_0,  acc_k = acc_(k-1) o s_k;   rank p gets acc_(P-1), part of it, acc_p or acc_(p-1)
//
// Where the tangent of a derivative is asked for, its direction gathers the tangents of the
// contributions as well, and the tangents or seeds of the first direction.

#include "mpi/Chain.h"

#include "mpi/Outbox.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

namespace contraflow::mpi {
namespace {

/// As many images as there are ranks, one after the other.
class Images {
public:
  Images(int Count, std::int64_t Bytes) : Bytes(Bytes), Data(packedBuffer(Count * Bytes)) {
    std::memset(Data.get(), 0, static_cast<std::size_t>(Count * Bytes));
  }
  std::byte *operator[](int I) const { return Data.get() + I * Bytes; }
  void copy(int To, const std::byte *From) const {
    std::memcpy((*this)[To], From, static_cast<std::size_t>(Bytes));
  }

private:
  std::int64_t Bytes;
  Packed Data;
};

class Chain : public Operation {
public:
  /// `Size` ranks contribute, `Seeded` ranks have tangents or seeds.
  Chain(const Reduction &R, const Reduction &First, int Size, int Seeded)
      : R(R), Size(Size), Rank(R.Comm->rank()), Nested(First.WeightDots),
        Values(Size, R.Chain.Bytes), Seeds(Seeded, R.Input.bytes()), Mine(1, R.Input.bytes()),
        Dots(Nested ? Size : 0, R.Chain.Bytes), FirstSeeds(Nested ? Seeded : 0, R.Input.bytes()),
        FirstMine(Nested ? 1 : 0, R.Input.bytes()) {}
  void start(MPI_Comm Comm) override {
    if (R.isInter())
      return exchange(Comm);
    PMPI_Iallgather(R.Weights, imageCount(), imageType(), Values[0], imageCount(), imageType(),
                    Comm, request());
    const int Units = carrierCount(R.Input.bytes());
    PMPI_Iallgather(Mine[0], Units, carrierUnit(), Seeds[0], Units, carrierUnit(), Comm, request());
    if (!Nested)
      return;
    PMPI_Iallgather(R.WeightDots, imageCount(), imageType(), Dots[0], imageCount(), imageType(),
                    Comm, request());
    PMPI_Iallgather(FirstMine[0], Units, carrierUnit(), FirstSeeds[0], Units, carrierUnit(), Comm,
                    request());
  }

protected:
  /// Between groups: messages on the lane from those who have something to those who need it.
  virtual void exchange(MPI_Comm Comm) = 0;
  void sendValues(int To, MPI_Comm Comm) {
    if (R.needsValues())
      PMPI_Isend(R.Weights, imageCount(), imageType(), To, tag(), Comm, request());
    if (Nested)
      PMPI_Isend(R.WeightDots, imageCount(), imageType(), To, tag(), Comm, request());
  }
  void receiveValues(int I, int From, MPI_Comm Comm) {
    if (R.needsValues())
      PMPI_Irecv(Values[I], imageCount(), imageType(), From, tag(), Comm, request());
    if (Nested)
      PMPI_Irecv(Dots[I], imageCount(), imageType(), From, tag(), Comm, request());
  }
  void sendMine(int To, MPI_Comm Comm) {
    const int Units = carrierCount(R.Input.bytes());
    PMPI_Isend(Mine[0], Units, carrierUnit(), To, tag(), Comm, request());
    if (Nested)
      PMPI_Isend(FirstMine[0], Units, carrierUnit(), To, tag(), Comm, request());
  }
  void receiveSeed(int I, int From, MPI_Comm Comm) {
    const int Units = carrierCount(R.Input.bytes());
    PMPI_Irecv(Seeds[I], Units, carrierUnit(), From, tag(), Comm, request());
    if (Nested)
      PMPI_Irecv(FirstSeeds[I], Units, carrierUnit(), From, tag(), Comm, request());
  }
  /// The ranks of the other group that get the result.
  std::span<const Edge> receivers() const {
    const std::span<const Edge> All = R.Comm->groups().Remote;
    return R.To == Reach::Root ? All.subspan(static_cast<std::size_t>(R.Root), 1) : All;
  }
  bool receives() const { return R.To != Reach::Root || !R.contributes(); }
  /// Those of collectives that block may come before or after others.
  int tag() const { return R.Blocking ? 0 : 1 << 14; }
  int imageCount() const {
    return R.Chain.How == Combination::Kind::User ? R.Chain.Count : carrierCount(R.Chain.Bytes);
  }
  MPI_Datatype imageType() const {
    return R.Chain.How == Combination::Kind::User ? R.Chain.Type : carrierUnit();
  }
  /// The leaves of an image.
  View leaves(std::byte *Image) const {
    return {reinterpret_cast<char *>(Image), layout(), R.Input.Leaves};
  }
  const Layout *layout() const {
    // Images of predefined operators are packed leaves of one kind.
    return R.Chain.How == Combination::Kind::User ? R.Input.L
                                                  : &layoutOf(datatypeOf(R.Chain.Leaves));
  }
  /// Where the result of this rank begins in packed leaves of the whole.
  std::int64_t resultOffset() const {
    if (R.To != Reach::Blocks)
      return 0;
    const std::int64_t Before =
        std::accumulate(R.BlockCounts, R.BlockCounts + Rank, std::int64_t{0});
    return Before / R.Input.L->Leaves * R.Input.L->LeafBytes;
  }
  /// The datatype was duplicated for the operation.
  void freeType() {
    if (R.Chain.How == Combination::Kind::User && R.OwnsType)
      PMPI_Type_free(&R.Chain.Type);
  }
  /// Which element of the chain rank p gets; -1: none.
  int resultOf(int P) const {
    if (R.isInter())
      return receives() ? Size - 1 : -1;
    if (R.To == Reach::Root && P != R.Root)
      return -1;
    return R.To == Reach::Prefix ? P : R.To == Reach::PrefixBefore ? P - 1 : Size - 1;
  }

  Reduction R;
  int Size, Rank;
  bool Nested;
  Images Values, Seeds, Mine;         ///< Mine: one
  Images Dots, FirstSeeds, FirstMine; ///< Nested
};

class Tangent : public Chain {
public:
  Tangent(const Reduction &R, const Reduction &First) : Tangent(R, First, contributors(R)) {}

protected:
  void exchange(MPI_Comm Comm) override {
    const std::vector<Edge> &Remote = R.Comm->groups().Remote;
    for (int I = 0; I < Size && receives(); ++I) {
      receiveValues(I, Remote[static_cast<std::size_t>(I)].Rank, Comm);
      receiveSeed(I, Remote[static_cast<std::size_t>(I)].Rank, Comm);
    }
    if (!R.contributes())
      return;
    for (const Edge &To : receivers()) {
      sendValues(To.Rank, Comm);
      sendMine(To.Rank, Comm);
    }
  }
  void deliver() override {
    if (const int Wanted = resultOf(Rank); Wanted >= 0)
      Nested ? takeNested(Wanted) : take(Wanted);
    freeType();
  }

private:
  Tangent(const Reduction &R, const Reduction &First, int Size) : Chain(R, First, Size, Size) {
    R.Input.pack(Mine[0]);
    if (Nested)
      First.Input.pack(FirstMine[0]);
  }
  static int contributors(const Reduction &R) {
    return R.isInter() ? static_cast<int>(R.Comm->groups().Remote.size()) : R.Comm->size();
  }
  void take(int Wanted) {
    const Images Tangents(Size, R.Chain.Bytes);
    for (int K = 0; K <= Wanted; ++K) {
      leaves(Tangents[K]).store(Seeds[K]);
      if (K > 0)
        R.Chain.tangent({Values[K - 1], Tangents[K - 1], Values[K], Tangents[K]});
    }
    deliver(Tangents[Wanted]);
  }
  void takeNested(int Wanted) {
    const Images Tangents(Size, R.Chain.Bytes), OfTangents(Size, R.Chain.Bytes);
    for (int K = 0; K <= Wanted; ++K) {
      leaves(Tangents[K]).store(FirstSeeds[K]);
      leaves(OfTangents[K]).store(Seeds[K]);
      if (K > 0)
        R.Chain.nestedTangent({{Values[K - 1], Tangents[K - 1], Values[K], Tangents[K]},
                               Dots[K - 1],
                               Dots[K],
                               OfTangents[K - 1],
                               OfTangents[K]});
    }
    deliver(OfTangents[Wanted]);
  }
  void deliver(std::byte *Image) {
    leaves(Image).pack(Mine[0]);
    R.Result.store(Mine[0] + resultOffset());
  }
};

class Adjoint : public Chain {
public:
  Adjoint(const Reduction &R, const Reduction &First) : Chain(R, First, R.Comm->size(), seeded(R)) {
    R.Result.pack(Mine[0] + resultOffset());
    R.Result.zero();
    if (Nested)
      First.Result.pack(FirstMine[0] + resultOffset());
  }

protected:
  void exchange(MPI_Comm Comm) override {
    if (receives())
      for (const Edge &To : R.Comm->groups().Remote)
        sendMine(To.Rank, Comm);
    if (!R.contributes())
      return;
    if (R.needsValues())
      Values.copy(Rank, R.Weights);
    if (Nested)
      Dots.copy(Rank, R.WeightDots);
    for (int I = 0; I < Size; ++I)
      if (const int There = R.Comm->groups().Local[static_cast<std::size_t>(I)]; I != Rank) {
        receiveValues(I, There, Comm);
        sendValues(There, Comm);
      }
    int I = 0;
    for (const Edge &From : receivers())
      receiveSeed(I++, From.Rank, Comm);
  }
  void deliver() override {
    if (R.contributes())
      Nested ? runNestedBackwards() : runBackwards();
    freeType();
  }

private:
  static int seeded(const Reduction &R) {
    if (!R.isInter())
      return R.Comm->size();
    return R.To == Reach::Root ? 1 : static_cast<int>(R.Comm->groups().Remote.size());
  }
  /// Where the seed of rank P belongs; -1: nowhere.
  int seededBy(int P) const { return R.isInter() ? Size - 1 : resultOf(P); }
  void runBackwards() {
    const Images Sums(Size, R.Chain.Bytes), Bars(Size, R.Chain.Bytes);
    const Images Copies(2, R.Chain.Bytes);
    Sums.copy(0, Values[0]);
    for (int K = 1; K < Size; ++K) {
      Sums.copy(K, Values[K]);
      Copies.copy(0, Sums[K - 1]); // operators may write to what they only read
      R.Chain.primal({Copies[0], nullptr, Sums[K], nullptr});
    }
    for (int P = 0; P < seeded(R); ++P)
      if (const int Result = seededBy(P); Result >= 0)
        leaves(Bars[Result]).add(Seeds[P]);
    for (int K = Size - 1; K > std::max(Rank - 1, 0); --K) {
      Copies.copy(0, Sums[K - 1]);
      Copies.copy(1, Values[K]);
      R.Chain.adjoint({Copies[0], Bars[K - 1], Copies[1], Bars[K]});
    }
    deliver(Bars[Rank]);
  }
  void runNestedBackwards() {
    const Images Sums(Size, R.Chain.Bytes), SumDots(Size, R.Chain.Bytes);
    const Images Bars(Size, R.Chain.Bytes), BarDots(Size, R.Chain.Bytes), Copies(2, R.Chain.Bytes);
    for (int K = 0; K < Size; ++K) {
      Sums.copy(K, Values[K]);
      SumDots.copy(K, Dots[K]);
      if (K == 0)
        continue;
      Copies.copy(0, Sums[K - 1]); // operators may write to what they only read
      Copies.copy(1, SumDots[K - 1]);
      R.Chain.tangent({Copies[0], Copies[1], Sums[K], SumDots[K]});
    }
    for (int P = 0; P < seeded(R); ++P)
      if (const int Result = seededBy(P); Result >= 0) {
        leaves(Bars[Result]).add(FirstSeeds[P]);
        leaves(BarDots[Result]).add(Seeds[P]);
      }
    for (int K = Size - 1; K > std::max(Rank - 1, 0); --K)
      R.Chain.nestedAdjoint({{Sums[K - 1], Bars[K - 1], Values[K], Bars[K]},
                             SumDots[K - 1],
                             Dots[K],
                             BarDots[K - 1],
                             BarDots[K]});
    deliver(BarDots[Rank]);
  }
  void deliver(std::byte *Image) {
    leaves(Image).pack(Mine[0]);
    R.Input.add(Mine[0]);
  }
};

} // namespace

std::unique_ptr<Operation> chainTangent(const Reduction &R, const Reduction &First) {
  return std::make_unique<Tangent>(R, First);
}

std::unique_ptr<Operation> chainAdjoint(const Reduction &R, const Reduction &First) {
  return std::make_unique<Adjoint>(R, First);
}

} // namespace contraflow::mpi
