// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves leaves between shadow memory and packed buffers. The common case, dense items of one kind,
// is one copy or one vectorised loop.
//
// Behind packed bytes there is a word that says where the numbers among them lie, for the other
// side, whose memory may be of other numbers (Relayed.h):
//
//   layout with bytes:  leaves of the first direction | of the next one | ... | places

#include "mpi/Layout.h"

#include "accumulate/Atomic.h"
#include "accumulate/Layers.h"
#include "mpi/PackedPieces.h"
#include "mpi/Refuse.h"
#include "mpi/Relayed.h"

#include <algorithm>
#include <cstring>

namespace contraflow::mpi {
namespace {

/// Calls Do(address, kind, count) for every run of leaves in the order of the signature.
template <class Action> void forEachRun(const View &V, Action Do) {
  if (V.Leaves <= 0)
    return;
  if (V.L->Dense) {
    Do(V.Base, V.L->Runs[0].Kind, V.Leaves);
    return;
  }
  std::int64_t Left = V.Leaves;
  for (char *Item = V.Base; Left > 0; Item += V.L->Extent)
    for (const Run &R : V.L->Runs) {
      const std::int64_t Count = std::min(Left, R.Count);
      if (Count <= 0)
        break;
      Do(Item + R.Offset, R.Kind, Count);
      Left -= Count;
    }
}

/// Calls Do with a null pointer to the C type of a leaf.
template <class Action> void withType(Leaf Kind, Action Do) {
  switch (Kind) {
  case Leaf::Byte:
    return Do(static_cast<unsigned char *>(nullptr));
  case Leaf::F32:
    return Do(static_cast<float *>(nullptr));
  case Leaf::F64:
    return Do(static_cast<double *>(nullptr));
  case Leaf::F80:
    return Do(static_cast<long double *>(nullptr));
  }
}

/// Packed leaves of different kinds need not be aligned.
template <class T> T load(const void *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  return Value;
}

/// Calls Do(address, bytes from From, kind, number) for every floating-point value that lies in a
/// run of bytes, and for bytes of which nothing is known.
template <class Action>
void forEachField(const View &V, char *From, std::int64_t Bytes, Action Do) {
  const Description &D = V.L->Inside;
  const std::int64_t Start = From - V.Base, End = Start + Bytes;
  const std::int64_t Period = D.Period ? D.Period : End;
  for (std::int64_t Item = Start / Period * Period; Item < End; Item += Period)
    for (int F = 0; F < D.Count; ++F) {
      const std::int64_t At = Item + D.Fields[F].offset;
      if (D.Fields[F].kind == Description::Unknown) {
        const std::int64_t First = std::max(At, Start);
        const std::int64_t Last = D.Period || D.endOfUnknown(F) ? Item + D.endOfUnknown(F) : End;
        if (First < std::min(Last, End))
          Do(V.Base + First, First - Start, Leaf::Byte, std::min(Last, End) - First);
      } else if (D.Fields[F].kind != Description::UnknownEnd) {
        const Leaf Kind = FieldKinds[D.Fields[F].kind];
        if (At >= Start && At + sizeOf(Kind) <= End)
          Do(V.Base + At, At - Start, Kind, 1);
      }
    }
}

/// Of a run of bytes.
bool mayLieAnywhere(const View &V, const char *At, std::int64_t Count) {
  return V.L->Inside.Count < 0 || isRelayed({At, Count});
}

bool isZero(const char *At, std::int64_t Bytes) {
  return std::all_of(At, At + Bytes, [](char C) { return C == 0; });
}

[[noreturn]] void refuseBytes(std::int64_t) { refuse(Refusal::Datatype, "bytes"); }

/// Bytes of which nothing is known can be added to nothing: they lie above others until it is known
/// where the numbers are.
void addUnknown(char *To, const std::byte *From, std::int64_t Bytes) {
  if (std::all_of(From, From + Bytes, [](std::byte B) { return B == std::byte{0}; }))
    return;
  if (isZero(To, Bytes))
    std::memcpy(To, From, static_cast<std::size_t>(Bytes));
  else
    addLayer(To, reinterpret_cast<const char *>(From), Bytes, refuseBytes);
}

int fieldKindOf(Leaf Kind) {
  return static_cast<int>(std::find(std::begin(FieldKinds), std::end(FieldKinds), Kind) -
                          std::begin(FieldKinds));
}

/// Before the adjoints of a run are taken: in one message, bytes can be sent in one layer only.
void settleRun(char *At, Leaf Kind, std::int64_t Count) {
  if (Kind != Leaf::Byte)
    settle(At, fieldKindOf(Kind), Count);
  else if (liesUnderLayers(At, Count))
    refuseBytes(Count);
}

template <class T>
[[gnu::always_inline]] inline void addEach(T *Out, const std::byte *From, std::int64_t Count) {
  for (std::int64_t I = 0; I < Count; ++I)
    Out[I] += load<T>(From + I * static_cast<std::int64_t>(sizeof(T)));
}

#ifdef __x86_64__
/// The same sums, four numbers at a time: half the time in the caches.
template <class T>
[[gnu::target("avx2")]] void addEachWide(T *Out, const std::byte *From, std::int64_t Count) {
  addEach(Out, From, Count);
}
#endif

template <class T> void addAll(T *Out, const std::byte *From, std::int64_t Count) {
#ifdef __x86_64__
  static const bool Wide = __builtin_cpu_supports("avx2");
  if (Wide)
    return addEachWide(Out, From, Count);
#endif
  addEach(Out, From, Count);
}

void addRun(char *To, const std::byte *From, Leaf Kind, std::int64_t Count) {
  withType(Kind, [&]<class T>(T *) { addAll(reinterpret_cast<T *>(To), From, Count); });
}

/// A run of bytes some of which are packed values.
void addPieces(const PackedPieces &Pieces, char *To, const std::byte *From, std::int64_t Bytes) {
  std::int64_t Done = 0;
  for (const PackedPiece &P : Pieces.All) {
    if (P.End > Bytes)
      break; // of a message that was shorter
    addUnknown(To + Done, From + Done, P.Begin - Done);
    forEachRun({To + P.Begin, P.L, P.Leaves}, [&](char *At, Leaf Kind, std::int64_t Count) {
      addRun(At, From + (At - To), Kind, Count);
    });
    Done = P.End;
  }
  addUnknown(To + Done, From + Done, Bytes - Done);
}

void addRunAtomically(char *To, const std::byte *From, Leaf Kind, std::int64_t Count) {
  withType(Kind, [&]<class T>(T *) {
    for (std::int64_t I = 0; I < Count; ++I)
      contraflow::addAtomically(reinterpret_cast<T *>(To)[I],
                                load<T>(From + I * static_cast<std::int64_t>(sizeof(T))));
  });
}

/// Out[i] = combine(Out[i], In[i]) over two runs of possibly different kinds.
template <class Combine>
void convert(void *To, Leaf ToKind, const void *From, Leaf FromKind, std::int64_t Count,
             Combine combine) {
  withType(ToKind, [&]<class Out>(Out *) {
    withType(FromKind, [&]<class In>(In *) {
      for (std::int64_t I = 0; I < Count; ++I)
        static_cast<Out *>(To)[I] =
            combine(static_cast<Out *>(To)[I], static_cast<Out>(static_cast<const In *>(From)[I]));
    });
  });
}

/// Where numbers lie among packed bytes: a bit for each remainder of their places by their size,
/// kind by kind (4 + 8 + 16), and these.
using Places = std::uint32_t;
constexpr Places Anywhere = Places{1} << 31;
constexpr Places AlsoUnknown = Places{1} << 30; ///< nothing is known of some of the bytes
constexpr Places Lost = Places{1} << 29;        ///< of who has no shadow: see Relayed.h
constexpr Places Layered = Places{1} << 28;     ///< more adjoints of the same bytes are coming

constexpr Places placeOf(Leaf Kind, std::int64_t At) {
  const int Before = Kind == Leaf::F32 ? 0 : Kind == Leaf::F64 ? 4 : 12;
  return Kind == Leaf::Byte ? AlsoUnknown : Places{1} << (Before + At % sizeOf(Kind));
}

/// Of one direction. The beginning of each run tells, as far as it tells the other side.
Places placesIn(const View &V) {
  constexpr std::int64_t Beginning = 1024;
  Places All = 0;
  std::int64_t Before = 0;
  forEachRun(V, [&](char *At, Leaf Kind, std::int64_t Count) {
    if (Kind == Leaf::Byte && mayLieAnywhere(V, At, Count))
      All |= Anywhere;
    else if (Kind == Leaf::Byte)
      forEachField(V, At, std::min(Count, Beginning),
                   [&](char *, std::int64_t Behind, Leaf Field, std::int64_t) {
                     All |= placeOf(Field, Before + Behind);
                   });
    Before += Count * sizeOf(Kind);
  });
  return All;
}

/// True if the other side has packed numbers where V has none.
bool liesElsewhere(const View &V, const std::byte *Packed) {
  if (!V.Base || !V.L->Raw || V.Leaves <= 0)
    return false;
  const auto Theirs = load<Places>(Packed + V.bytes() - WordBytes);
  const Places Ours = Theirs & Anywhere ? 0 : placesIn(V.direction(0));
  return !(Ours & AlsoUnknown) && (Theirs & ~AlsoUnknown & ~Lost & ~Layered & ~Ours) != 0;
}

/// Calls Do(view of one direction, packed bytes before it).
template <class Action> void forEachDirection(const View &V, Action Do) {
  const std::int64_t Bytes = V.direction(0).leafBytes();
  for (int D = 0; D < V.directions(); ++D)
    Do(V.direction(D), D * Bytes);
}

constexpr auto Replace = [](auto, auto New) { return New; };
constexpr auto Plus = [](auto Old, auto New) { return Old + New; };

} // namespace

std::int64_t View::bytesOfRuns() const {
  if (All)
    return All->Count * direction(0).leafBytes();
  std::int64_t Left = Leaves % L->Leaves;
  std::int64_t Bytes = Leaves / L->Leaves * L->LeafBytes;
  for (const Run &R : L->Runs) {
    const std::int64_t Count = std::min(Left, R.Count);
    Bytes += Count * sizeOf(R.Kind);
    Left -= Count;
  }
  if (L->Raw)
    Bytes = (Bytes + 3) / 4 * 4;
  return Bytes;
}

void View::settleLayers() const {
  for (int D = 0; areLayers() && D < directions(); ++D)
    if (const View V = direction(D); V.Base)
      forEachRun(V, settleRun);
}

bool View::takeLayer(std::byte *To) const {
  if (!areLayers() || !L->Raw || Leaves <= 0 || !Base)
    return false;
  bool Any = false;
  std::memset(To, 0, static_cast<std::size_t>(leafBytes()));
  forEachDirection(*this, [&](const View &V, std::int64_t Behind) {
    forEachRun(V, [&](const char *At, Leaf Kind, std::int64_t Count) {
      Any |= Kind == Leaf::Byte &&
             contraflow::takeLayer(At, reinterpret_cast<char *>(To) + Behind, Count);
      Behind += Count * sizeOf(Kind);
    });
  });
  packWord(To);
  return Any;
}

void View::markLayered(std::byte *Packed) const {
  std::byte *Word = Packed + bytes() - WordBytes;
  const Places Now = load<Places>(Word) | Layered;
  std::memcpy(Word, &Now, WordBytes);
}

bool View::isLayered(const std::byte *WordBehind) { return load<Places>(WordBehind) & Layered; }

void View::pack(std::byte *To) const {
  settleLayers();
  packLeaves(To);
  if (Leaves > 0 && L->Raw)
    packWord(To);
}

void View::packWord(std::byte *To) const {
  Places All = !Base && hasLost() ? Lost : 0;
  for (int D = 0; D < directions() && Base; ++D)
    All |= placesIn(direction(D));
  std::memcpy(To + bytes() - WordBytes, &All, WordBytes);
}

void View::packLeaves(std::byte *To) const {
  if (All)
    return forEachDirection(*this,
                            [&](const View &V, std::int64_t Behind) { V.packLeaves(To + Behind); });
  if (!Base) {
    std::memset(To, 0, static_cast<std::size_t>(leafBytes()));
    return;
  }
  forEachRun(*this, [&](const char *At, Leaf Kind, std::int64_t Count) {
    const std::int64_t Bytes = Count * sizeOf(Kind);
    std::memcpy(To, At, static_cast<std::size_t>(Bytes));
    To += Bytes;
  });
}

std::byte *View::direct() const {
  const bool Same = Base && isPlain();
  settleLayers();
  return Same ? reinterpret_cast<std::byte *>(Base) : nullptr;
}

void View::take(std::byte *To) const {
  constexpr std::int64_t Piece = 1 << 14; // stays in the first cache
  if (All || !Base || L->Raw) {
    pack(To);
    return zero();
  }
  settleLayers();
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    for (std::int64_t Left = Count * sizeOf(Kind), Now = 0; Left > 0; Left -= Now) {
      Now = std::min(Left, Piece);
      std::memcpy(To, At, static_cast<std::size_t>(Now));
      std::memset(At, 0, static_cast<std::size_t>(Now));
      To += Now;
      At += Now;
    }
  });
}

void View::store(const std::byte *From) const { storeLeaves(From, liesElsewhere(*this, From)); }

void View::storeLeaves(const std::byte *From, bool Elsewhere) const {
  if (All)
    return forEachDirection(*this, [&](const View &V, std::int64_t Behind) {
      V.storeLeaves(From + Behind, Elsewhere);
    });
  if (!Base)
    return;
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    const std::int64_t Bytes = Count * sizeOf(Kind);
    if (Kind == Leaf::Byte)
      Elsewhere && L->Inside.Count >= 0 ? noteRelayed({At, Bytes}) : forgetRelayed({At, Bytes});
    if (Kind != Leaf::Byte || L->Inside.Count < 0 || Elsewhere)
      std::memcpy(At, From, static_cast<std::size_t>(Bytes));
    else
      forEachField(
          *this, At, Bytes, [&](char *To, std::int64_t Behind, Leaf Field, std::int64_t Number) {
            std::memcpy(To, From + Behind, static_cast<std::size_t>(Number * sizeOf(Field)));
          });
    From += Bytes;
  });
}

bool View::isLost(const std::byte *WordBehind) { return load<Places>(WordBehind) & Lost; }

bool View::saysLost(const std::byte *Packed) const {
  return Leaves > 0 && L->Raw && isLost(Packed + bytes() - WordBytes);
}

void View::add(const std::byte *From) const {
  if (Base && isPlain())
    return addRun(Base, From, L->Runs[0].Kind, Leaves);
  if (Base && saysLost(From))
    refusePassedOn();
  addLeaves(From, liesElsewhere(*this, From));
}

void View::addLeaves(const std::byte *From, bool Elsewhere) const {
  if (All)
    return forEachDirection(
        *this, [&](const View &V, std::int64_t Behind) { V.addLeaves(From + Behind, Elsewhere); });
  if (!Base)
    return;
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    const bool PassedOn = Kind == Leaf::Byte && Elsewhere && hasArrived({At, Count});
    if (PassedOn)
      noteRelayed({At, Count});
    if (Kind != Leaf::Byte)
      addRun(At, From, Kind, Count);
    else if (L->Pieces && !PassedOn)
      addPieces(*L->Pieces, At, From, Count);
    else if (PassedOn || L->Inside.Count < 0)
      addUnknown(At, From, Count);
    else
      forEachField(*this, At, Count,
                   [&](char *To, std::int64_t Behind, Leaf Field, std::int64_t Number) {
                     if (Field == Leaf::Byte)
                       addUnknown(To, From + Behind, Number);
                     else
                       addRun(To, From + Behind, Field, Number);
                   });
    From += Count * sizeOf(Kind);
  });
}

void View::addAtomically(const std::byte *From) const {
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    addRunAtomically(At, From, Kind, Count);
    From += Count * sizeOf(Kind);
  });
}

void View::zero() const {
  if (All)
    return forEachDirection(*this, [](const View &V, std::int64_t) { V.zero(); });
  if (!Base)
    return;
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    const bool Whole = Kind != Leaf::Byte || mayLieAnywhere(*this, At, Count);
    if (Kind == Leaf::Byte)
      forgetRelayed({At, Count});
    moveLayers(At, nullptr, Count * sizeOf(Kind));
    if (Whole)
      std::memset(At, 0, static_cast<std::size_t>(Count * sizeOf(Kind)));
    else
      forEachField(*this, At, Count,
                   [](char *Field, std::int64_t, Leaf Inner, std::int64_t Number) {
                     std::memset(Field, 0, static_cast<std::size_t>(Number * sizeOf(Inner)));
                   });
  });
}

void View::packAs(Leaf As, std::byte *To) const {
  if (!Base) {
    std::memset(To, 0, static_cast<std::size_t>(bytes(As)));
    return;
  }
  settleLayers();
  forEachRun(*this, [&](const char *At, Leaf Kind, std::int64_t Count) {
    convert(To, As, At, Kind, Count, Replace);
    To += Count * sizeOf(As);
  });
}

void View::storeAs(Leaf As, const std::byte *From) const {
  if (!Base)
    return;
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    convert(At, Kind, From, As, Count, Replace);
    From += Count * sizeOf(As);
  });
}

void View::addAs(Leaf As, const std::byte *From) const {
  if (!Base)
    return;
  forEachRun(*this, [&](char *At, Leaf Kind, std::int64_t Count) {
    Kind == As ? addRun(At, From, As, Count) : convert(At, Kind, From, As, Count, Plus);
    From += Count * sizeOf(As);
  });
}

} // namespace contraflow::mpi
