// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a datatype's construction (MPI_Type_get_envelope, _get_contents) once and keeps the list of
// runs as an attribute of the datatype. Runs that touch are joined, so that a block of a vector is
// one run.

#include "mpi/Layout.h"

#include "mpi/PackedPieces.h"
#include "mpi/Refuse.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>

namespace contraflow::mpi {
namespace {

struct Predefined {
  MPI_Datatype Type;
  Leaf Kind;
  int Count; ///< leaves of one item
  bool Complex;
};

/// Datatypes with one kind of leaf at their start. Not a constant: Open MPI's handles are
/// addresses.
std::span<const Predefined> predefinedTypes() {
  using enum Leaf;
  static const Predefined Table[] = {
      {MPI_DOUBLE, F64, 1, false},
      {MPI_FLOAT, F32, 1, false},
      {MPI_LONG_DOUBLE, F80, 1, false},
      {MPI_C_DOUBLE_COMPLEX, F64, 2, true},
      {MPI_C_FLOAT_COMPLEX, F32, 2, true},
      {MPI_C_LONG_DOUBLE_COMPLEX, F80, 2, true},
      {MPI_CXX_DOUBLE_COMPLEX, F64, 2, true},
      {MPI_CXX_FLOAT_COMPLEX, F32, 2, true},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, F80, 2, true},
      {MPI_DOUBLE_INT, F64, 1, false},
      {MPI_FLOAT_INT, F32, 1, false},
      {MPI_LONG_DOUBLE_INT, F80, 1, false},
      {MPI_DOUBLE_PRECISION, F64, 1, false},
      {MPI_REAL, F32, 1, false},
      {MPI_REAL4, F32, 1, false},
      {MPI_REAL8, F64, 1, false},
      {MPI_COMPLEX, F32, 2, true},
      {MPI_DOUBLE_COMPLEX, F64, 2, true},
      {MPI_COMPLEX8, F32, 2, true},
      {MPI_COMPLEX16, F64, 2, true},
      {MPI_2REAL, F32, 2, false},
      {MPI_2DOUBLE_PRECISION, F64, 2, false},
  };
  return Table;
}

const Layout &layoutAs(MPI_Datatype Type, Characters What);

/// The name of a predefined datatype that may carry floating-point values we cannot find.
const char *opaqueName(MPI_Datatype Type) {
  return Type != MPI_DATATYPE_NULL && Type == MPI_REAL16 ? "MPI_REAL16" : nullptr;
}

/// True if it was joined with the last of those behind the first ones.
bool append(std::vector<Run> &Runs, Run R, std::size_t First = 0) {
  if (Runs.size() > First) {
    Run &Last = Runs.back();
    const std::int64_t Bytes = Last.Count * sizeOf(Last.Kind);
    if (Last.Kind == R.Kind && Last.Offset + Bytes == R.Offset && Last.Behind + Bytes == R.Behind) {
      Last.Count += R.Count;
      return true;
    }
  }
  Runs.push_back(R);
  return false;
}

/// The same of a block, if not all of `Item` is in one object.
void appendPlaced(Layout &L, const Layout &Item, std::int64_t Count, std::int64_t Offset) {
  const bool Inner = !Item.Placed.empty();
  const std::vector<Run> &Blocks = Inner ? Item.Placed : Item.Runs;
  const std::size_t First = L.Placed.size();
  for (std::int64_t I = 0, At = Offset, Behind = L.Size; I < Count; ++I) {
    for (std::size_t K = 0; K < Blocks.size(); ++K) {
      const Run &R = Blocks[K];
      if (!append(L.Placed, {At + R.Offset, R.Count, Behind + R.Behind, R.Kind}, First))
        L.Starts.push_back(Inner && !L.Places ? At + Item.Starts[K] : Offset);
    }
    At += Item.Extent;
    Behind += Item.Size;
  }
}

/// `Count` items of `Item` from `Offset` on.
void appendItems(Layout &L, const Layout &Item, std::int64_t Count, std::int64_t Offset) {
  if (Item.Opaque && Count > 0)
    L.Opaque = Item.Opaque;
  if (L.Places || !Item.Placed.empty())
    appendPlaced(L, Item, Count, Offset);
  for (std::int64_t I = 0; I < Count; ++I) {
    for (const Run &R : Item.Runs)
      append(L.Runs, {Offset + I * Item.Extent + R.Offset, R.Count, L.Size + R.Behind, R.Kind});
    L.Size += Item.Size;
  }
}

bool AreBytes = false; // characters; once true, it stays

bool isOfCharacters(MPI_Datatype Type) {
  const MPI_Datatype All[] = {MPI_CHAR,   MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR,
                              MPI_INT8_T, MPI_UINT8_T,     MPI_CHARACTER};
  return Type != MPI_DATATYPE_NULL && std::ranges::find(All, Type) != std::end(All);
}

Layout readPredefined(MPI_Datatype Type, Characters What) {
  Layout L;
  for (const Predefined &P : predefinedTypes())
    if (P.Type == Type && Type != MPI_DATATYPE_NULL) {
      L.Runs.push_back({0, P.Count, 0, P.Kind});
      L.Complex = P.Complex;
      break;
    }
  L.Opaque = opaqueName(Type);
  int Size = 0;
  PMPI_Type_size(Type, &Size);
  L.Size = Size;
  const bool Bytes = What == Characters::Moved && isOfCharacters(Type);
  if (Type == MPI_BYTE || Type == MPI_PACKED || Bytes)
    L.Runs.push_back({0, 1, 0, Leaf::Byte});
  return L;
}

/// The arguments with which a datatype was constructed.
struct Contents {
  int Combiner = MPI_COMBINER_NAMED;
  std::vector<int> Integers;
  std::vector<MPI_Aint> Addresses;
  std::vector<MPI_Datatype> Types;

  explicit Contents(MPI_Datatype Type) {
    int NumIntegers = 0, NumAddresses = 0, NumTypes = 0;
    PMPI_Type_get_envelope(Type, &NumIntegers, &NumAddresses, &NumTypes, &Combiner);
    if (Combiner == MPI_COMBINER_NAMED)
      return;
    Integers.resize(static_cast<std::size_t>(NumIntegers));
    Addresses.resize(static_cast<std::size_t>(NumAddresses));
    Types.resize(static_cast<std::size_t>(NumTypes));
    PMPI_Type_get_contents(Type, NumIntegers, NumAddresses, NumTypes, Integers.data(),
                           Addresses.data(), Types.data());
  }
  ~Contents() {
    for (MPI_Datatype &Type : Types) {
      int I = 0, A = 0, T = 0, Kind = MPI_COMBINER_NAMED;
      PMPI_Type_get_envelope(Type, &I, &A, &T, &Kind);
      if (Kind != MPI_COMBINER_NAMED)
        PMPI_Type_free(&Type);
    }
  }
  Contents(const Contents &) = delete;
  Contents &operator=(const Contents &) = delete;

  std::int64_t integer(std::size_t I) const { return Integers[I]; }
};

/// MPI_Type_vector and _hvector: `Stride` in bytes.
void appendVector(Layout &L, const Layout &Item, const Contents &C, std::int64_t Stride) {
  for (std::int64_t Block = 0; Block < C.integer(0); ++Block)
    appendItems(L, Item, C.integer(1), Block * Stride);
}

/// MPI_Type_indexed and its relatives. Integers: count, block lengths (one for all: a block type),
/// then displacements in items unless there are addresses.
void appendIndexed(Layout &L, const Layout &Item, const Contents &C, bool OneLength) {
  const auto Count = static_cast<std::size_t>(C.integer(0));
  for (std::size_t Block = 0; Block < Count; ++Block) {
    const std::int64_t Length = C.integer(OneLength ? 1 : 1 + Block);
    const std::int64_t Offset = C.Addresses.empty()
                                    ? C.integer((OneLength ? 2 : 1 + Count) + Block) * Item.Extent
                                    : C.Addresses[Block];
    appendItems(L, Item, Length, Offset);
  }
}

void appendStruct(Layout &L, const Contents &C, Characters What) {
  for (std::size_t Member = 0; Member < C.Types.size(); ++Member)
    appendItems(L, layoutAs(C.Types[Member], What), C.integer(1 + Member), C.Addresses[Member]);
}

/// MPI_Type_create_subarray. Integers: dimensions, sizes, subsizes, starts, order.
void appendSubarray(Layout &L, const Layout &Item, const Contents &C) {
  const auto Dims = static_cast<std::size_t>(C.integer(0));
  const bool FirstFastest = C.integer(1 + 3 * Dims) == MPI_ORDER_FORTRAN;
  std::vector<std::int64_t> Index(Dims, 0);
  for (;;) {
    std::int64_t Position = 0;
    for (std::size_t K = 0; K < Dims; ++K) { // slowest dimension first
      const std::size_t D = FirstFastest ? Dims - 1 - K : K;
      if (C.integer(1 + Dims + D) == 0)
        return;
      Position = Position * C.integer(1 + D) + C.integer(1 + 2 * Dims + D) + Index[D];
    }
    appendItems(L, Item, 1, Position * Item.Extent);
    std::size_t K = 0;
    for (; K < Dims; ++K) { // fastest dimension first
      const std::size_t D = FirstFastest ? K : Dims - 1 - K;
      if (++Index[D] < C.integer(1 + Dims + D))
        break;
      Index[D] = 0;
    }
    if (K == Dims)
      return;
  }
}

/// MPI_Type_create_darray: which elements it takes is shown by MPI, on an array of the elements'
/// numbers. Integers: size, rank, dimensions, four per dimension, order.
void appendDistributed(Layout &L, const Layout &Item, const Contents &C) {
  const int *I = C.Integers.data(), Dims = I[2], *Sizes = I + 3;
  MPI_Datatype Numbers = MPI_DATATYPE_NULL;
  PMPI_Type_create_darray(I[0], I[1], Dims, Sizes, Sizes + Dims, Sizes + 2 * Dims, Sizes + 3 * Dims,
                          Sizes[4 * Dims], MPI_INT32_T, &Numbers);
  PMPI_Type_commit(&Numbers);
  int Bytes = 0, Position = 0;
  PMPI_Type_size(Numbers, &Bytes);
  const auto Elements =
      std::accumulate(Sizes, Sizes + Dims, std::size_t{1}, std::multiplies<std::size_t>());
  std::vector<std::int32_t> All(Elements), Mine(static_cast<std::size_t>(Bytes) / sizeof(int));
  std::iota(All.begin(), All.end(), 0);
  if (Bytes > 0) // some ranks may have no elements
    PMPI_Pack(All.data(), 1, Numbers, Mine.data(), Bytes, &Position, MPI_COMM_SELF);
  PMPI_Type_free(&Numbers);
  for (const std::int32_t Element : Mine)
    appendItems(L, Item, 1, Element * Item.Extent);
}

/// MPI_Type_create_f90_real and relatives: what the library has chosen for so many digits is told
/// by its size.
Layout readParameterised(MPI_Datatype Type, int Combiner) {
  Layout L;
  const bool Complex = Combiner == MPI_COMBINER_F90_COMPLEX;
  int Size = 0;
  PMPI_Type_size(Type, &Size);
  L.Size = Size;
  if (Combiner == MPI_COMBINER_F90_INTEGER)
    return L;
  const std::int64_t Numbers = Complex ? 2 : 1, Bytes = L.Size / Numbers;
  L.Complex = Complex;
  if (Bytes == sizeof(float) || Bytes == sizeof(double))
    L.Runs.push_back({0, Numbers, 0, Bytes == sizeof(float) ? Leaf::F32 : Leaf::F64});
  else
    L.Opaque = "a Fortran parameterised type of more than 64 bits";
  return L;
}

Layout readDerived(MPI_Datatype Type, const Contents &C, Characters What) {
  Layout L;
  L.Places = !C.Addresses.empty() && C.Combiner != MPI_COMBINER_RESIZED;
  if (C.Combiner == MPI_COMBINER_STRUCT) {
    appendStruct(L, C, What);
    return L;
  }
  if (C.Types.size() != 1)
    return readParameterised(Type, C.Combiner);
  const Layout &Item = layoutAs(C.Types[0], What);
  switch (C.Combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    appendItems(L, Item, 1, 0);
    break;
  case MPI_COMBINER_CONTIGUOUS:
    appendItems(L, Item, C.integer(0), 0);
    break;
  case MPI_COMBINER_VECTOR:
    appendVector(L, Item, C, C.integer(2) * Item.Extent);
    break;
  case MPI_COMBINER_HVECTOR:
    appendVector(L, Item, C, C.Addresses[0]);
    break;
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED:
    appendIndexed(L, Item, C, false);
    break;
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK:
    appendIndexed(L, Item, C, true);
    break;
  case MPI_COMBINER_SUBARRAY:
    appendSubarray(L, Item, C);
    break;
  case MPI_COMBINER_DARRAY:
    appendDistributed(L, Item, C);
    break;
  default:
    if (!Item.Runs.empty() || Item.Opaque)
      L.Opaque = "a datatype of an unknown construction";
  }
  return L;
}

void summarise(Layout &L, MPI_Datatype Type) {
  MPI_Aint Lower = 0, Extent = 0;
  PMPI_Type_get_extent(Type, &Lower, &Extent);
  int Size = 0;
  PMPI_Type_size(Type, &Size);
  L.Extent = Extent;
  L.Size = Size;
  for (const Run &R : L.Runs) {
    L.Leaves += R.Count;
    L.LeafBytes += R.Count * sizeOf(R.Kind);
    L.Widest = std::max(L.Widest, R.Kind);
    L.Raw |= R.Kind == Leaf::Byte;
  }
  L.Dense =
      L.Runs.size() == 1 && L.Runs[0].Offset == 0 && L.LeafBytes == L.Extent && L.Size == L.Extent;
}

Layout read(MPI_Datatype Type, Characters What) {
  const Contents C(Type);
  Layout L =
      C.Combiner == MPI_COMBINER_NAMED ? readPredefined(Type, What) : readDerived(Type, C, What);
  summarise(L, Type);
  const bool HasNumbers = std::ranges::any_of(L.Runs, [](Run R) { return R.Kind != Leaf::Byte; });
  return What == Characters::Moved && HasNumbers ? layoutAs(Type, Characters::Integers) : L;
}

bool same(const Layout &A, const Layout &B) {
  const auto SameRun = [](const Run &X, const Run &Y) {
    return X.Offset == Y.Offset && X.Count == Y.Count && X.Behind == Y.Behind && X.Kind == Y.Kind;
  };
  return A.Extent == B.Extent && A.Size == B.Size && A.Complex == B.Complex &&
         A.Opaque == B.Opaque && A.Pieces == B.Pieces && A.Inside.Fields == B.Inside.Fields &&
         A.Inside.Period == B.Inside.Period && A.Inside.Count == B.Inside.Count &&
         std::ranges::equal(A.Runs, B.Runs, SameRun) &&
         std::ranges::equal(A.Placed, B.Placed, SameRun) && A.Starts == B.Starts;
}

int newKey() {
  int New = MPI_KEYVAL_INVALID;
  PMPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &New, nullptr);
  return New;
}

int layoutKey(Characters What) {
  static const int Keys[] = {newKey(), newKey()};
  return Keys[static_cast<int>(What)];
}

const Layout &layoutAs(MPI_Datatype Type, Characters What) {
  if (Type == MPI_DOUBLE) { // nearly all messages
    static const Layout &Doubles = intern(read(MPI_DOUBLE, Characters::Integers));
    return Doubles;
  }
  if (Type == MPI_DATATYPE_NULL) { // the primal call says what is wrong, and to whom
    static const Layout &Nothing = intern(Layout{});
    return Nothing;
  }
  void *Known = nullptr;
  int Found = 0;
  PMPI_Type_get_attr(Type, layoutKey(What), &Known, &Found);
  if (Found)
    return *static_cast<const Layout *>(Known);
  const Layout &New = intern(read(Type, What));
  PMPI_Type_set_attr(Type, layoutKey(What), const_cast<Layout *>(&New));
  return New;
}

/// The last buffers that the compiler has described on this thread; a call has two at most.
struct DescribedShadow {
  const void *Shadow = nullptr;
  Description Inside;
};
thread_local DescribedShadow LastDescribed[2];

Description descriptionOf(const void *Shadow) {
  for (const DescribedShadow &D : LastDescribed)
    if (D.Shadow == Shadow)
      return D.Inside;
  return {};
}

/// True if floats are known to lie among the characters of an item.
bool hidesNumbers(const Layout &L, const Description &Inside) {
  return std::ranges::any_of(L.Runs, [&](const Run &R) {
    for (int I = 0; I < Inside.Count; ++I) {
      std::int64_t At = Inside.Fields[I].offset;
      if (Inside.Period > 0 && At < R.Offset)
        At += (R.Offset - At + Inside.Period - 1) / Inside.Period * Inside.Period;
      if (Inside.Fields[I].kind < Description::Unknown && At >= R.Offset && At < R.Offset + R.Count)
        return true;
    }
    return false;
  });
}

/// Where the program has not said that characters are bytes, those of numbers would be lost.
void checkCharacters(const Buffer &B, const void *Shadow) {
  const Description Inside = descriptionOf(Shadow);
  if (Inside.Count > 0 && B.Type != MPI_DATATYPE_NULL &&
      hidesNumbers(layoutAs(B.Type, Characters::Moved), Inside))
    refuse(Refusal::Datatype, "characters of a datatype that was made elsewhere");
}

/// The same datatype in memory of which more is known.
const Layout &layoutIn(const Layout &L, const Description &Inside) {
  if (Inside.Count < 0)
    return L;
  Layout New = L;
  New.Inside = Inside;
  return intern(std::move(New));
}

/// The same of what has been packed.
const Layout &layoutOfPacked(const Layout &L, const Buffer &B, const char *Shadow) {
  if (!L.Dense || B.Primal == MPI_IN_PLACE)
    return L;
  Layout New = L;
  New.Pieces = packedIn(Shadow, B.Primal, B.Count * L.Size);
  New.Plain = &L;
  return New.Pieces ? intern(std::move(New)) : L;
}

const Layout &layoutIn(const Layout &L, const Buffer &B, const char *Shadow) {
  const Description Inside = descriptionOf(Shadow);
  return Inside.Count == Description::OnlyPacked ? layoutOfPacked(L, B, Shadow)
                                                 : layoutIn(L, Inside);
}

} // namespace

// All layouts ever seen. A program that makes the same datatype again and again adds none.
const Layout &intern(Layout &&New) {
  static std::mutex Lock;
  static std::vector<std::unique_ptr<const Layout>> All;
  const std::scoped_lock Guard(Lock);
  for (const auto &Known : All)
    if (same(*Known, New))
      return *Known;
  return *All.emplace_back(std::make_unique<const Layout>(std::move(New)));
}

MPI_Datatype datatypeOf(Leaf Kind) {
  return Kind == Leaf::Byte  ? MPI_BYTE
         : Kind == Leaf::F32 ? MPI_FLOAT
         : Kind == Leaf::F64 ? MPI_DOUBLE
                             : MPI_LONG_DOUBLE;
}

const Layout &layoutOf(MPI_Datatype Type, Characters What) {
  return layoutAs(Type, AreBytes ? What : Characters::Integers);
}

void agreeOnCharacters() {
  int Any = AreBytes;
  PMPI_Allreduce(MPI_IN_PLACE, &Any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  AreBytes = Any != 0;
}

MPI_Datatype leafTypeOf(const Layout &L) {
  static std::mutex Lock;
  static auto *Made = new std::map<const Layout *, MPI_Datatype>;
  if (L.Dense && L.Leaves == 1)
    return datatypeOf(L.Widest);
  const std::scoped_lock Guard(Lock);
  MPI_Datatype &Type = Made->try_emplace(&L, MPI_DATATYPE_NULL).first->second;
  if (Type != MPI_DATATYPE_NULL)
    return Type;
  std::vector<int> Counts;
  std::vector<MPI_Aint> Offsets;
  for (const Run &R : L.Runs) {
    Counts.push_back(static_cast<int>(R.Count));
    Offsets.push_back(R.Offset);
  }
  MPI_Datatype Leaves = MPI_DATATYPE_NULL;
  PMPI_Type_create_hindexed(static_cast<int>(Counts.size()), Counts.data(), Offsets.data(),
                            datatypeOf(L.Widest), &Leaves);
  PMPI_Type_create_resized(Leaves, 0, L.Extent, &Type);
  PMPI_Type_free(&Leaves);
  PMPI_Type_commit(&Type);
  return Type;
}

static Layout numbersOf(const Layout &L, Leaf Kind) {
  Layout Part;
  Part.Extent = L.Extent;
  Part.Complex = L.Complex;
  Part.Widest = Kind;
  for (Run R : L.Runs) {
    if (R.Kind != Kind)
      continue;
    R.Behind = Part.LeafBytes;
    Part.Leaves += R.Count;
    Part.LeafBytes += R.Count * sizeOf(Kind);
    Part.Runs.push_back(R);
  }
  Part.Size = Part.LeafBytes;
  return Part;
}

const Layout &partOf(const Layout &L, Leaf Kind) {
  static std::mutex Lock;
  static auto *Made = new std::map<std::pair<const Layout *, Leaf>, const Layout *>;
  const std::scoped_lock Guard(Lock);
  const Layout *&Part = Made->try_emplace({&L, Kind}, nullptr).first->second;
  if (!Part)
    Part = &intern(numbersOf(L, Kind));
  return *Part;
}

const Layout &packedLayoutOf(const Layout &L) {
  Layout P = L;
  P.Runs.clear();
  P.Placed.clear();
  P.Starts.clear();
  for (Run R : L.Runs) {
    R.Offset = R.Behind;
    append(P.Runs, R);
  }
  P.Extent = P.Size;
  P.Dense = P.Runs.size() == 1 && P.Runs[0].Offset == 0 && P.LeafBytes == P.Size;
  return intern(std::move(P));
}

std::int64_t leavesIn(const Layout &L, std::int64_t Bytes) {
  if (L.Leaves == 0 || L.Size == 0)
    return 0;
  std::int64_t Leaves = Bytes / L.Size * L.Leaves;
  const std::int64_t Rest = Bytes % L.Size;
  for (const Run &R : L.Runs)
    if (R.Behind < Rest)
      Leaves += std::min(R.Count, (Rest - R.Behind) / sizeOf(R.Kind));
  return Leaves;
}

View viewOf(const Buffer &B, Characters What) {
  const Layout &Plain = B.Known ? *B.Known : layoutOf(B.Type, What);
  const Shadows Found =
      B.Known ? Shadows{static_cast<char *>(B.Shadow), B.All} : shadowsOf(B.Shadow);
  const Layout &L = Plain.Raw && B.Shadow && !B.Known ? layoutIn(Plain, B, Found.First) : Plain;
  if (B.Count > 0 && B.Shadow && !B.Known && L.Leaves == 0 && What == Characters::Moved)
    checkCharacters(B, Found.First);
  if (B.Count > 0 && B.Shadow && L.Opaque)
    refuse(Refusal::Datatype, L.Opaque);
  if (B.Count > 0 && !B.Known && B.Primal == MPI_BOTTOM && L.Leaves > 0)
    refuse(Refusal::Datatype, "MPI_BOTTOM with absolute addresses");
  return {Found.First, &L, B.Count * L.Leaves, Found.All};
}

} // namespace contraflow::mpi

void cf_v1_mpi_characters() { contraflow::mpi::AreBytes = true; }

void cf_v1_mpi_describe(void *shadow, std::int64_t period, const cf_field *fields,
                        std::int32_t nfields) {
  using namespace contraflow::mpi;
  if (LastDescribed[0].Shadow != shadow)
    LastDescribed[1] = LastDescribed[0];
  LastDescribed[0] = {shadow, {fields, period, nfields}};
}

void cf_v1_mpi_integers(std::int64_t bytes, std::int64_t offset) {
  using namespace contraflow::mpi;
  if (bytes > offset)
    refuse(Refusal::Datatype, "integers");
}
