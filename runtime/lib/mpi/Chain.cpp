// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   acc_0 = s_0,  acc_k = acc_(k-1) o s_k;   rank p gets acc_(P-1), part of it, acc_p or acc_(p-1)

#include "mpi/Chain.h"

#include "mpi/Outbox.h"

#include <algorithm>
#include <cstring>
#include <numeric>

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
  explicit Chain(const Reduction &R)
      : R(R), Size(R.Comm->size()), Rank(R.Comm->rank()), Values(Size, R.Chain.Bytes),
        Seeds(Size, R.Input.bytes()), Mine(packedBuffer(R.Input.bytes())) {
    std::memset(Mine.get(), 0, static_cast<std::size_t>(R.Input.bytes()));
  }
  void start(MPI_Comm Comm) override {
    const Combination &C = R.Chain;
    const bool Typed = C.How == Combination::Kind::User;
    const int Count = Typed ? C.Count : carrierCount(C.Bytes);
    const MPI_Datatype Type = Typed ? C.Type : carrierUnit();
    PMPI_Iallgather(R.Weights, Count, Type, Values[0], Count, Type, Comm, request());
    const int Units = carrierCount(R.Input.bytes());
    PMPI_Iallgather(Mine.get(), Units, carrierUnit(), Seeds[0], Units, carrierUnit(), Comm,
                    request());
  }

protected:
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
    if (R.To == Reach::Root && P != R.Root)
      return -1;
    return R.To == Reach::Prefix ? P : R.To == Reach::PrefixBefore ? P - 1 : Size - 1;
  }

  Reduction R;
  int Size, Rank;
  Images Values, Seeds;
  Packed Mine;
};

class Tangent : public Chain {
public:
  explicit Tangent(const Reduction &R) : Chain(R) { R.Input.pack(Mine.get()); }

protected:
  void deliver() override {
    if (const int Wanted = resultOf(Rank); Wanted >= 0)
      take(Wanted);
    freeType();
  }

private:
  void take(int Wanted) {
    const Images Dots(Size, R.Chain.Bytes);
    for (int K = 0; K <= Wanted; ++K) {
      leaves(Dots[K]).store(Seeds[K]);
      if (K > 0)
        R.Chain.tangent({Values[K - 1], Dots[K - 1], Values[K], Dots[K]});
    }
    leaves(Dots[Wanted]).pack(Mine.get());
    R.Result.store(Mine.get() + resultOffset());
  }
};

class Adjoint : public Chain {
public:
  explicit Adjoint(const Reduction &R) : Chain(R) {
    R.Result.pack(Mine.get() + resultOffset());
    R.Result.zero();
  }

protected:
  void deliver() override {
    const Images Sums(Size, R.Chain.Bytes), Bars(Size, R.Chain.Bytes);
    const Images Copies(2, R.Chain.Bytes);
    Sums.copy(0, Values[0]);
    for (int K = 1; K < Size; ++K) {
      Sums.copy(K, Values[K]);
      Copies.copy(0, Sums[K - 1]); // operators may write to what they only read
      R.Chain.primal({Copies[0], nullptr, Sums[K], nullptr});
    }
    for (int P = 0; P < Size; ++P)
      if (const int Result = resultOf(P); Result >= 0)
        leaves(Bars[Result]).add(Seeds[P]);
    for (int K = Size - 1; K > std::max(Rank - 1, 0); --K) {
      Copies.copy(0, Sums[K - 1]);
      Copies.copy(1, Values[K]);
      R.Chain.adjoint({Copies[0], Bars[K - 1], Copies[1], Bars[K]});
    }
    leaves(Bars[Rank]).pack(Mine.get());
    R.Input.add(Mine.get());
    freeType();
  }
};

} // namespace

std::unique_ptr<Operation> chainTangent(const Reduction &R) { return std::make_unique<Tangent>(R); }

std::unique_ptr<Operation> chainAdjoint(const Reduction &R) { return std::make_unique<Adjoint>(R); }

} // namespace contraflow::mpi
