// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owners are elected with MPI_MINLOC and MPI_MAXLOC on (value, rank), which break ties towards the
// lowest rank. The product of the others is (product of those before) * (product of those behind):
// two exclusive prefix products, no division, so zeros are nothing special.

#include "mpi/Reduction.h"

#include "mpi/Absolute.h"
#include "mpi/Chain.h"
#include "mpi/Outbox.h"
#include "mpi/Refuse.h"
#include "mpi/Watch.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace contraflow::mpi {
namespace {

using Weight = Reduction::Weight;

template <class Action> void withType(Leaf Kind, Action Do) {
  switch (Kind) {
  case Leaf::Byte: // only in the user's own operators, which see items
    return;
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

/// How a predefined operator is a chain; nothing for operators without a derivative.
std::optional<Combination> chainOf(const ReductionCall &C, const Layout &L) {
  using Kind = Combination::Kind;
  Combination Found;
  Found.Leaves = L.Widest;
  Found.Count = static_cast<int>(C.Count * L.Leaves);
  Found.Bytes = C.Count * L.LeafBytes;
  if (C.Op == MPI_SUM)
    Found.How = Kind::Sum;
  else if (C.Op == MPI_PROD)
    Found.How = L.Complex ? Kind::ComplexProduct : Kind::Product;
  else if (C.Op == MPI_MIN || C.Op == MPI_MINLOC)
    Found.How = Kind::Least;
  else if (C.Op == MPI_MAX || C.Op == MPI_MAXLOC)
    Found.How = Kind::Most;
  else
    return std::nullopt;
  if (C.Op == MPI_MINLOC || C.Op == MPI_MAXLOC) // the place may be a float, too
    Found.Group = static_cast<int>(L.Leaves);
  return Found;
}

/// The user's operator on whole items.
std::optional<Combination> userChainOf(const ReductionCall &C, const Layout &L) {
  const auto User = userOperator(C.Op);
  MPI_Aint Lower = 0, Length = 0;
  PMPI_Type_get_true_extent(C.Type, &Lower, &Length);
  if (!User || Lower < 0 || L.Extent < Lower + Length)
    return std::nullopt;
  Combination Found;
  Found.How = Combination::Kind::User;
  Found.Count = C.Count;
  Found.Bytes = C.Count * L.Extent;
  Found.User = *User;
  Found.Type = C.Type;
  return Found;
}

/// Chooses how the derivative is found; false for operators without one. Between groups all are
/// chains.
bool choose(Reduction &R, const ReductionCall &C, const Layout &L) {
  const bool Prefix = C.To == Reach::Prefix || C.To == Reach::PrefixBefore;
  const bool Extreme =
      C.Op == MPI_MIN || C.Op == MPI_MAX || C.Op == MPI_MINLOC || C.Op == MPI_MAXLOC;
  R.Factor = Weight::Chain;
  if (Communicator::of(C.Comm).isInter())
    ;
  else if (C.Op == MPI_SUM)
    R.Factor = Weight::One;
  else if (C.Op == MPI_PROD && !L.Complex && !Prefix && C.Blocks)
    R.Factor = Weight::Others;
  else if (Extreme && L.Leaves == 1 && !Prefix && C.Blocks)
    R.Factor = Weight::Owner;
  if (R.Factor != Weight::Chain)
    return true;
  const auto Chain = combinationOf(C, L);
  if (Chain)
    R.Chain = *Chain;
  return Chain.has_value();
}

/// The datatype of a user's items must outlive what the user may do to it.
void keepType(Reduction &R) {
  int I = 0, A = 0, T = 0, Kind = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(R.Chain.Type, &I, &A, &T, &Kind);
  R.OwnsType = Kind != MPI_COMBINER_NAMED;
  if (R.OwnsType)
    PMPI_Type_dup(R.Chain.Type, &R.Chain.Type);
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

/// A product and its tangent.
template <class T> struct WithDot {
  T *Value, *Dot;
  void multiply(int I, T Factor, T FactorDot) const {
    Dot[I] = Dot[I] * Factor + Value[I] * FactorDot;
    Value[I] *= Factor;
  }
};

/// The same with tangents: of what all contribute, gathered. The tangents come behind the weights.
template <class T>
void productOfOthersWithDots(const T *Values, const T *Dots, T *Others, int Count, Reduction &R) {
  const MPI_Datatype Type = datatypeOf(R.Leaves);
  const auto Many = static_cast<std::size_t>(Count),
             Ranks = static_cast<std::size_t>(R.Comm->size());
  std::vector<T> All(Ranks * Many), AllDots(Ranks * Many);
  PMPI_Allgather(Values, Count, Type, All.data(), Count, Type, R.Comm->carrier());
  PMPI_Allgather(Dots, Count, Type, AllDots.data(), Count, Type, R.Comm->carrier());
  const WithDot<T> Product = {Others, Others + Count};
  std::fill_n(Product.Value, Count, T{1});
  std::fill_n(Product.Dot, Count, T{0});
  for (std::size_t P = 0; P < Ranks; ++P)
    for (int I = 0; I < Count && static_cast<int>(P) != R.Comm->rank(); ++I) {
      const std::size_t At = P * Many + static_cast<std::size_t>(I);
      Product.multiply(I, All[At], AllDots[At]);
    }
}

/// Values[i] += (tangent of weight i) * Factors[i].
void addWithWeightDots(const Reduction &R, const std::byte *Factors, std::byte *Values) {
  withType(R.Leaves, [&]<class T>(T *, MPI_Datatype) {
    const T *F = reinterpret_cast<const T *>(Factors);
    const T *Dots = reinterpret_cast<const T *>(R.WeightDots);
    for (std::int64_t I = 0; I < R.Input.Leaves; ++I)
      reinterpret_cast<T *>(Values)[I] += Dots[I] * F[I];
  });
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
  case Reach::All: {
    const std::byte *Here = R.Result.direct();
    if (!Here)
      R.Result.pack(To);
    PMPI_Allreduce(Here ? Here : MPI_IN_PLACE, To, Count, Type, MPI_SUM, Comm);
    return;
  }
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

/// Items of the result that this rank gets.
std::int64_t itemsHere(const Reduction &R, const ReductionCall &C) {
  const int Rank = R.Comm->rank();
  switch (C.To) {
  case Reach::Root:
    return (R.isInter() ? !R.contributes() : Rank == C.Root) ? C.Count : 0;
  case Reach::Blocks:
    return C.BlockCounts[Rank];
  case Reach::PrefixBefore:
    return Rank > 0 ? C.Count : 0;
  case Reach::All:
  case Reach::Prefix:
    return C.Count;
  }
  return 0;
}

} // namespace

std::optional<Combination> combinationOf(const ReductionCall &C, const Layout &L) {
  const auto Found = chainOf(C, L);
  return Found ? Found : userChainOf(C, L);
}

bool isOfBits(const ReductionCall &C, const Layout &L) {
  if (!L.Raw || (C.Op != MPI_BAND && C.Op != MPI_BOR && C.Op != MPI_BXOR))
    return false;
  const auto Unknown = [&](const void *Primal, void *Shadow) {
    return !Shadow || Primal == MPI_IN_PLACE ||
           viewOf({Primal, Shadow, C.Count, C.Type}).L->Inside.Count == -1;
  };
  return Unknown(C.Send, C.SendShadow) && Unknown(C.Receive, C.ReceiveShadow);
}

bool describe(Reduction &R, const ReductionCall &C) {
  // Ranks beside the root do not know whether anything is active.
  if (Communicator::of(C.Comm).isInter())
    Communicator::collective(C.Comm);
  if (C.To == Reach::Root && C.Root == MPI_PROC_NULL)
    return false;
  const Layout &L = layoutOf(C.Type);
  if (C.Count == 0 || L.Leaves == 0)
    return false;
  if (!choose(R, C, L)) {
    if ((C.SendShadow || C.ReceiveShadow) && !isOfBits(C, L))
      refuse(Refusal::Operator, C.Name);
    return false; // a rank for which it is active refuses
  }
  const bool Known = R.Factor != Weight::Chain || R.Chain.How != Combination::Kind::User ||
                     (R.Chain.User.TangentDot && R.Chain.User.AdjointDot);
  if (!Known && isNested() && (C.SendShadow || C.ReceiveShadow))
    refuse(Refusal::Nested, C.Name);
  const bool Prefix = C.To == Reach::Prefix || C.To == Reach::PrefixBefore;
  R.Comm = &(Prefix ? Communicator::withinGroup(C.Comm, C.Name) : Communicator::collective(C.Comm));
  R.To = C.To;
  R.Root = C.Root;
  R.Leaves = L.Widest;
  R.Blocking = C.Blocks;
  const bool InPlace = C.Send == MPI_IN_PLACE;
  if (!R.contributes())
    R.Input = viewOf({C.Receive, nullptr, C.Count, C.Type});
  else
    R.Input = ownViewOf(InPlace ? Buffer{C.Receive, C.ReceiveShadow, C.Count, C.Type}
                                : Buffer{C.Send, C.SendShadow, C.Count, C.Type},
                        C.Name);
  asCount(R.Input.Leaves, C.Name);
  R.Result = {};
  if (const std::int64_t Here = itemsHere(R, C); Here > 0)
    R.Result = ownViewOf({C.Receive, C.ReceiveShadow, Here, C.Type}, C.Name);
  return true;
}

namespace {

/// The tangents of what this rank contributes come behind it.
bool keepsDots(const Reduction &R) {
  return R.Factor == Weight::Chain && R.Chain.isCurved() && isNested();
}

std::int64_t weightBytes(const Reduction &R) {
  switch (R.Factor) {
  case Weight::One:
    return 0;
  case Weight::Owner:
    return R.Input.Leaves;
  case Weight::Others:
    return R.Input.direction(0).bytes() * (isNested() ? 2 : 1);
  case Weight::Chain:
    return R.keepsContribution() ? R.Chain.Bytes * (keepsDots(R) ? 2 : 1) : 0;
  }
  return 0;
}

/// The image of what this rank contributes.
void keepContribution(Reduction &R, const void *Primal, const View &Contribution,
                      std::byte *Space) {
  const bool User = R.Chain.How == Combination::Kind::User;
  if (User)
    keepType(R);
  if (keepsDots(R))
    R.WeightDots = Space; // says so on ranks that contribute nothing, too
  if (!R.keepsContribution())
    return;
  if (User)
    std::memcpy(Space, Primal, static_cast<std::size_t>(R.Chain.Bytes));
  else
    Contribution.pack(Space);
  if (!keepsDots(R))
    return;
  std::byte *const Image = Space + R.Chain.Bytes;
  R.WeightDots = Image;
  const View Dots = R.Input.direction(directionCount() - 1); // of the primal buffer
  if (!User)
    return Dots.pack(Image);
  const Packed Mine = packedBuffer(Dots.bytes());
  Dots.pack(Mine.get());
  std::memset(Image, 0, static_cast<std::size_t>(R.Chain.Bytes));
  View{reinterpret_cast<char *>(Image), R.Input.L, R.Input.Leaves}.store(Mine.get());
}

void findWeights(Reduction &R, const ReductionCall &C, std::byte *Space) {
  R.Weights = Space;
  if (R.Factor == Weight::One)
    return;
  const void *Primal = C.Send == MPI_IN_PLACE ? C.Receive : C.Send;
  const View Contribution = {static_cast<char *>(const_cast<void *>(Primal)), R.Input.L,
                             R.Input.Leaves};
  if (R.Factor == Weight::Chain)
    return keepContribution(R, Primal, Contribution, Space);
  const Packed Values = packedBuffer(Contribution.bytes());
  Contribution.pack(Values.get());
  const auto Count = static_cast<int>(R.Input.Leaves);
  const bool Least = C.Op == MPI_MIN || C.Op == MPI_MINLOC;
  withType(R.Leaves, [&]<class T>(T *, MPI_Datatype PairType) {
    const T *V = reinterpret_cast<const T *>(Values.get());
    T *Others = reinterpret_cast<T *>(Space);
    if (R.Factor == Weight::Owner)
      return electOwners(V, Space, Count, PairType, {Least ? MPI_MINLOC : MPI_MAXLOC, R.Comm});
    if (!isNested())
      return productOfOthers(V, Others, Count, R);
    const Packed Dots = packedBuffer(Contribution.bytes());
    R.Input.direction(directionCount() - 1).pack(Dots.get()); // of the primal buffer
    productOfOthersWithDots(V, reinterpret_cast<const T *>(Dots.get()), Others, Count, R);
    R.WeightDots = Space + Contribution.bytes();
  });
}

/// Weights need their alignment, counts less: weights come first.
std::int64_t weightSpace(const Reduction &R) { return (weightBytes(R) + 15) / 16 * 16; }

} // namespace

std::int64_t spaceOf(const Reduction &R) {
  const std::int64_t Counts = R.To == Reach::Blocks ? R.Comm->size() : 0;
  return weightSpace(R) + Counts * static_cast<std::int64_t>(sizeof(int));
}

void fillSpace(Reduction &R, const ReductionCall &C, std::byte *Space) {
  findWeights(R, C, Space);
  if (R.To != Reach::Blocks)
    return;
  int *Counts = reinterpret_cast<int *>(Space + weightSpace(R));
  std::transform(C.BlockCounts, C.BlockCounts + R.Comm->size(), Counts,
                 [&](int Items) { return static_cast<int>(Items * R.Input.L->Leaves); });
  R.BlockCounts = Counts;
}

Reduction oneDirection(const Reduction &R, int D) {
  Reduction One = R;
  One.Input = R.Input.direction(D);
  One.Result = R.Result.direction(D);
  One.OwnsType = R.OwnsType && D + 1 == R.Input.directions(); // the last one frees it
  return One;
}

namespace {

void runNow(const Reduction &R, Operation &O) {
  O.start(R.isInter() ? R.Comm->lane() : R.Comm->carrier());
  O.finish();
}

} // namespace

/// The result is the sum of what all ranks have in `In`.
static void sum(const Reduction &R, const std::byte *In) {
  const auto Count = static_cast<int>(R.Input.Leaves);
  const MPI_Datatype Type = datatypeOf(R.Leaves);
  const MPI_Comm Comm = R.Comm->carrier();
  const Packed Out = packedBuffer(R.Input.bytes());
  switch (R.To) {
  case Reach::Root:
    PMPI_Reduce(In, Out.get(), Count, Type, MPI_SUM, R.Root, Comm);
    break;
  case Reach::All:
    PMPI_Allreduce(In, Out.get(), Count, Type, MPI_SUM, Comm);
    break;
  case Reach::Blocks:
    PMPI_Reduce_scatter(In, Out.get(), R.BlockCounts, Type, MPI_SUM, Comm);
    break;
  case Reach::Prefix:
    PMPI_Scan(In, Out.get(), Count, Type, MPI_SUM, Comm);
    break;
  case Reach::PrefixBefore:
    PMPI_Exscan(In, Out.get(), Count, Type, MPI_SUM, Comm);
    break;
  }
  R.Result.store(Out.get());
}

/// One direction after the other. If weights have tangents, the second direction is that of the
/// first one's tangent, and comes before anything is done to the first one: they may be in place.
template <class Action> static void inTurn(const Reduction &R, Action Do) {
  const int First = R.WeightDots ? 2 : 0;
  if (R.WeightDots) {
    Reduction Itself = oneDirection(R, 0), OfTangent = oneDirection(R, 1);
    Itself.OwnsType |= std::exchange(OfTangent.OwnsType, false);
    Do(OfTangent, Itself);
    Do(Itself, Reduction());
  }
  for (int D = First; D < R.Input.directions(); ++D)
    Do(oneDirection(R, D), Reduction());
}

/// R: one direction; of which: the first one if R is of its tangent, else nothing.
static void tangentOf(const Reduction &R, const Reduction &First) {
  if (R.Factor == Weight::Chain)
    return runNow(R, *chainTangent(R, First));
  const Packed In = packedBuffer(R.Input.bytes());
  R.Input.pack(In.get());
  applyWeights(R, In.get());
  if (First.WeightDots) {
    const Packed Factors = packedBuffer(R.Input.bytes());
    First.Input.pack(Factors.get());
    addWithWeightDots(R, Factors.get(), In.get());
  }
  sum(R, In.get());
}

void tangent(const Reduction &R) {
  const Watch Waits(R.Comm->carrier());
  if (R.Input.All)
    inTurn(R, tangentOf);
  else
    tangentOf(R, Reduction());
}

static void adjointOf(const Reduction &R, const Reduction &First) {
  if (R.Factor == Weight::Chain)
    return runNow(R, *chainAdjoint(R, First));
  const Packed Values = packedBuffer(R.Input.bytes());
  bringBack(R, Values.get());
  R.Result.zero();
  applyWeights(R, Values.get());
  if (First.WeightDots) {
    const Packed Factors = packedBuffer(R.Input.bytes());
    bringBack(First, Factors.get());
    addWithWeightDots(R, Factors.get(), Values.get());
  }
  R.Input.add(Values.get());
}

void adjoint(const Reduction &R) {
  const Watch Waits(R.Comm->carrier());
  if (R.Input.All)
    inTurn(R, adjointOf);
  else
    adjointOf(R, Reduction());
}

namespace {

/// The tangent of a sum.
class SumTangent : public Operation {
public:
  explicit SumTangent(const Reduction &R)
      : R(R), In(packedBuffer(R.Input.bytes())), Out(packedBuffer(R.Input.bytes())) {
    R.Input.pack(In.get());
  }
  void start(MPI_Comm Comm) override {
    const auto Count = static_cast<int>(R.Input.Leaves);
    const MPI_Datatype Type = datatypeOf(R.Leaves);
    switch (R.To) {
    case Reach::Root:
      PMPI_Ireduce(In.get(), Out.get(), Count, Type, MPI_SUM, R.Root, Comm, request());
      return;
    case Reach::All:
      PMPI_Iallreduce(In.get(), Out.get(), Count, Type, MPI_SUM, Comm, request());
      return;
    case Reach::Blocks:
      PMPI_Ireduce_scatter(In.get(), Out.get(), R.BlockCounts, Type, MPI_SUM, Comm, request());
      return;
    case Reach::Prefix:
      PMPI_Iscan(In.get(), Out.get(), Count, Type, MPI_SUM, Comm, request());
      return;
    case Reach::PrefixBefore:
      PMPI_Iexscan(In.get(), Out.get(), Count, Type, MPI_SUM, Comm, request());
      return;
    }
  }

protected:
  void deliver() override { R.Result.store(Out.get()); }

private:
  Reduction R;
  Packed In, Out;
};

/// The adjoint of a sum. The suffix sums that belong to prefix sums are taken from all seeds: there
/// is no communicator with the ranks in reverse order to be had without blocking.
class SumAdjoint : public Operation {
public:
  explicit SumAdjoint(const Reduction &R) : R(R), Bytes(R.Input.bytes()) {
    const bool Prefix = R.To == Reach::Prefix || R.To == Reach::PrefixBefore;
    const std::int64_t Most = Prefix ? Bytes * R.Comm->size() : Bytes;
    Mine = packedBuffer(Bytes);
    All = packedBuffer(Most);
    std::memset(Mine.get(), 0, static_cast<std::size_t>(Bytes));
    R.Result.pack(Mine.get());
    R.Result.zero();
  }
  void start(MPI_Comm Comm) override {
    const auto Count = static_cast<int>(R.Input.Leaves);
    const MPI_Datatype Type = datatypeOf(R.Leaves);
    switch (R.To) {
    case Reach::Root:
      std::memcpy(All.get(), Mine.get(), static_cast<std::size_t>(Bytes));
      PMPI_Ibcast(All.get(), Count, Type, R.Root, Comm, request());
      return;
    case Reach::All:
      PMPI_Iallreduce(Mine.get(), All.get(), Count, Type, MPI_SUM, Comm, request());
      return;
    case Reach::Blocks:
      Starts = blockStarts(R);
      PMPI_Iallgatherv(Mine.get(), R.BlockCounts[R.Comm->rank()], Type, All.get(), R.BlockCounts,
                       Starts.data(), Type, Comm, request());
      return;
    case Reach::Prefix:
    case Reach::PrefixBefore:
      PMPI_Iallgather(Mine.get(), Count, Type, All.get(), Count, Type, Comm, request());
      return;
    }
  }

protected:
  void deliver() override {
    if (R.To != Reach::Prefix && R.To != Reach::PrefixBefore)
      return R.Input.add(All.get());
    for (int P = R.Comm->rank() + (R.To == Reach::PrefixBefore); P < R.Comm->size(); ++P)
      R.Input.add(All.get() + P * Bytes);
  }

private:
  Reduction R;
  std::int64_t Bytes;
  Packed Mine, All;
  std::vector<int> Starts;
};

} // namespace

static std::unique_ptr<Operation> tangentOperation(const Reduction &R, const Reduction &First) {
  if (R.Factor == Weight::Chain)
    return chainTangent(R, First);
  return std::make_unique<SumTangent>(R);
}

static std::unique_ptr<Operation> adjointOperation(const Reduction &R, const Reduction &First) {
  if (R.Factor == Weight::Chain)
    return chainAdjoint(R, First);
  return std::make_unique<SumAdjoint>(R);
}

/// Of one direction after the other.
template <class Maker>
static std::unique_ptr<Operation> eachDirection(const Reduction &R, Maker Make) {
  if (!R.Input.All)
    return Make(R, Reduction());
  auto All = std::make_unique<OneByOne>();
  inTurn(R, [&](const Reduction &One, const Reduction &First) { All->add(Make(One, First)); });
  return All;
}

std::unique_ptr<Operation> tangentOperation(const Reduction &R) {
  return eachDirection(
      R, [](const Reduction &One, const Reduction &First) { return tangentOperation(One, First); });
}

std::unique_ptr<Operation> adjointOperation(const Reduction &R) {
  return eachDirection(
      R, [](const Reduction &One, const Reduction &First) { return adjointOperation(One, First); });
}

} // namespace contraflow::mpi
