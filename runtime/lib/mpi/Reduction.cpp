// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owners are elected with MPI_MINLOC and MPI_MAXLOC on (value, rank), which break ties towards the
// lowest rank. The product of the others is (product of those before) * (product of those behind):
// two exclusive prefix products, no division, so zeros are nothing special.

#include "mpi/Reduction.h"

#include "mpi/Outbox.h"
#include "mpi/Refuse.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

namespace contraflow::mpi {
namespace {

using Weight = Reduction::Weight;

template <class Action> void withType(Leaf Kind, Action Do) {
  switch (Kind) {
  case Leaf::F32:
    return Do(static_cast<float *>(nullptr), MPI_FLOAT_INT);
  case Leaf::F64:
    return Do(static_cast<double *>(nullptr), MPI_DOUBLE_INT);
  case Leaf::F80:
    return Do(static_cast<long double *>(nullptr), MPI_LONG_DOUBLE_INT);
  }
}

int asCount(std::int64_t Leaves, const char *Name) {
  if (Leaves > INT_MAX)
    refuse(Refusal::TooLarge, Name);
  return static_cast<int>(Leaves);
}

/// The weight that an operator asks for; nothing for operators without a derivative.
std::optional<Weight> weightOf(const ReductionCall &C, const Layout &L) {
  if (C.Op == MPI_SUM)
    return Weight::One;
  if (C.To == Reach::Prefix || C.To == Reach::PrefixBefore)
    return std::nullopt;
  if (C.Op == MPI_PROD && !L.Complex)
    return Weight::Others;
  const bool Extreme =
      C.Op == MPI_MIN || C.Op == MPI_MAX || C.Op == MPI_MINLOC || C.Op == MPI_MAXLOC;
  return Extreme && L.Leaves == 1 ? std::optional(Weight::Owner) : std::nullopt;
}

struct Extremes {
  MPI_Op Op;
  const Communicator *Comm;
};

template <class T>
void electOwners(const T *Values, std::byte *Owner, int Count, MPI_Datatype PairType, Extremes E) {
  struct Pair {
    T Value;
    int Rank;
  };
  std::vector<Pair> Pairs(static_cast<std::size_t>(Count));
  for (int I = 0; I < Count; ++I)
    Pairs[static_cast<std::size_t>(I)] = {Values[I], E.Comm->rank()};
  PMPI_Allreduce(MPI_IN_PLACE, Pairs.data(), Count, PairType, E.Op, E.Comm->carrier());
  for (int I = 0; I < Count; ++I)
    Owner[I] = std::byte{Pairs[static_cast<std::size_t>(I)].Rank == E.Comm->rank()};
}

template <class T> void productOfOthers(const T *Values, T *Others, int Count, Reduction &R) {
  const MPI_Datatype Type = datatypeOf(R.Leaves);
  std::fill_n(Others, Count, T{1}); // kept where there is nobody before
  PMPI_Exscan(Values, Others, Count, Type, MPI_PROD, R.Comm->carrier());
  if (R.Comm->rank() == 0)
    std::fill_n(Others, Count, T{1});
  std::vector<T> Behind(static_cast<std::size_t>(Count), T{1});
  PMPI_Exscan(Values, Behind.data(), Count, Type, MPI_PROD, R.Comm->reversed());
  if (R.Comm->rank() + 1 < R.Comm->size())
    for (int I = 0; I < Count; ++I)
      Others[I] *= Behind[static_cast<std::size_t>(I)];
}

/// Values[i] *= weight i.
void applyWeights(const Reduction &R, std::byte *Values) {
  if (R.Factor == Weight::One)
    return;
  withType(R.Leaves, [&]<class T>(T *, MPI_Datatype) {
    T *V = reinterpret_cast<T *>(Values);
    const T *Others = reinterpret_cast<const T *>(R.Weights);
    for (std::int64_t I = 0; I < R.Input.Leaves; ++I)
      if (R.Factor == Weight::Others)
        V[I] *= Others[I];
      else if (R.Weights[I] == std::byte{0})
        V[I] = 0; // not a product: the value may be infinite
  });
}

/// Leaves of the result on this rank, and how many of them there are before it over all ranks.
std::vector<int> blockStarts(const Reduction &R) {
  std::vector<int> Starts(static_cast<std::size_t>(R.Comm->size()));
  std::exclusive_scan(R.BlockCounts, R.BlockCounts + R.Comm->size(), Starts.begin(), 0);
  return Starts;
}

/// To = what r-bar amounts to for the contribution of this rank, before weighting.
void bringBack(const Reduction &R, std::byte *To) {
  const auto Count = static_cast<int>(R.Input.Leaves);
  const MPI_Datatype Type = datatypeOf(R.Leaves);
  const MPI_Comm Comm = R.Comm->carrier();
  switch (R.To) {
  case Reach::Root:
    R.Result.pack(To);
    PMPI_Bcast(To, Count, Type, R.Root, Comm);
    return;
  case Reach::All:
    R.Result.pack(To);
    PMPI_Allreduce(MPI_IN_PLACE, To, Count, Type, MPI_SUM, Comm);
    return;
  case Reach::Blocks: {
    const std::vector<int> Starts = blockStarts(R);
    const auto Me = static_cast<std::size_t>(R.Comm->rank());
    R.Result.pack(To + Starts[Me] * sizeOf(R.Leaves));
    PMPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, To, R.BlockCounts, Starts.data(), Type,
                    Comm);
    return;
  }
  case Reach::Prefix:
    R.Result.pack(To);
    PMPI_Scan(MPI_IN_PLACE, To, Count, Type, MPI_SUM, R.Comm->reversed());
    return;
  case Reach::PrefixBefore: {
    const Packed RBar = packedBuffer(R.Input.bytes());
    std::memset(RBar.get(), 0, static_cast<std::size_t>(R.Input.bytes()));
    R.Result.pack(RBar.get());
    std::memset(To, 0, static_cast<std::size_t>(R.Input.bytes()));
    PMPI_Exscan(RBar.get(), To, Count, Type, MPI_SUM, R.Comm->reversed());
    if (R.Comm->rank() + 1 == R.Comm->size()) // nobody behind
      std::memset(To, 0, static_cast<std::size_t>(R.Input.bytes()));
    return;
  }
  }
}

} // namespace

bool describe(Reduction &R, const ReductionCall &C) {
  const Layout &L = layoutOf(C.Type);
  if (C.Count == 0 || L.Leaves == 0)
    return false;
  const auto Factor = weightOf(C, L);
  if (!Factor) {
    if (C.SendShadow || C.ReceiveShadow)
      refuse(Refusal::Operator, C.Name);
    return false; // a rank for which it is active refuses
  }
  R.Comm = &Communicator::collective(C.Comm, C.Name);
  R.Factor = *Factor;
  R.To = C.To;
  R.Root = C.Root;
  R.Leaves = L.Widest;
  const bool InPlace = C.Send == MPI_IN_PLACE;
  R.Input = viewOf(InPlace ? Buffer{C.Receive, C.ReceiveShadow, C.Count, C.Type}
                           : Buffer{C.Send, C.SendShadow, C.Count, C.Type});
  asCount(R.Input.Leaves, C.Name);
  std::int64_t Here = C.Count;
  if (C.To == Reach::Blocks)
    Here = C.BlockCounts[R.Comm->rank()];
  else if ((C.To == Reach::Root && R.Comm->rank() != C.Root) ||
           (C.To == Reach::PrefixBefore && R.Comm->rank() == 0))
    Here = 0;
  R.Result = {static_cast<char *>(Here ? C.ReceiveShadow : nullptr), &L, Here * L.Leaves};
  return true;
}

std::int64_t weightBytes(const Reduction &R) {
  switch (R.Factor) {
  case Weight::One:
    return 0;
  case Weight::Owner:
    return R.Input.Leaves;
  case Weight::Others:
    return R.Input.bytes();
  }
  return 0;
}

void findWeights(Reduction &R, const ReductionCall &C, std::byte *Space) {
  R.Weights = Space;
  if (R.Factor == Weight::One)
    return;
  const Packed Values = packedBuffer(R.Input.bytes());
  const void *Primal = C.Send == MPI_IN_PLACE ? C.Receive : C.Send;
  View Contribution = R.Input;
  Contribution.Base = static_cast<char *>(const_cast<void *>(Primal));
  Contribution.pack(Values.get());
  const auto Count = static_cast<int>(R.Input.Leaves);
  const bool Least = C.Op == MPI_MIN || C.Op == MPI_MINLOC;
  withType(R.Leaves, [&]<class T>(T *, MPI_Datatype PairType) {
    const T *V = reinterpret_cast<const T *>(Values.get());
    if (R.Factor == Weight::Owner)
      electOwners(V, Space, Count, PairType, {Least ? MPI_MINLOC : MPI_MAXLOC, R.Comm});
    else
      productOfOthers(V, reinterpret_cast<T *>(Space), Count, R);
  });
}

void tangent(const Reduction &R) {
  const auto Count = static_cast<int>(R.Input.Leaves);
  const MPI_Datatype Type = datatypeOf(R.Leaves);
  const MPI_Comm Comm = R.Comm->carrier();
  const Packed In = packedBuffer(R.Input.bytes());
  const Packed Out = packedBuffer(R.Input.bytes());
  R.Input.pack(In.get());
  applyWeights(R, In.get());
  switch (R.To) {
  case Reach::Root:
    PMPI_Reduce(In.get(), Out.get(), Count, Type, MPI_SUM, R.Root, Comm);
    break;
  case Reach::All:
    PMPI_Allreduce(In.get(), Out.get(), Count, Type, MPI_SUM, Comm);
    break;
  case Reach::Blocks:
    PMPI_Reduce_scatter(In.get(), Out.get(), R.BlockCounts, Type, MPI_SUM, Comm);
    break;
  case Reach::Prefix:
    PMPI_Scan(In.get(), Out.get(), Count, Type, MPI_SUM, Comm);
    break;
  case Reach::PrefixBefore:
    PMPI_Exscan(In.get(), Out.get(), Count, Type, MPI_SUM, Comm);
    break;
  }
  R.Result.store(Out.get());
}

void adjoint(const Reduction &R) {
  const Packed Values = packedBuffer(R.Input.bytes());
  bringBack(R, Values.get());
  R.Result.zero();
  applyWeights(R, Values.get());
  R.Input.add(Values.get());
}

} // namespace contraflow::mpi
