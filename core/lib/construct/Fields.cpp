// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of one kind of float move as arrays. Others are described to the runtime by a table of
// their fields, which repeat with the period of the memory graph's node:
//
//   struct { double *p; double v; }    ->    {{0, pointer}} forward, {{8, double}} in reverse
//
// A place that is a double at one time and a pointer at another is in both tables. So is one of two
// floats, or one float, and a pointer: the runtime looks at the whole word then.

#include "Fields.h"
#include "contraflow/core/Diag.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

constexpr int64_t ByAlignment = -1; ///< offset: the first aligned address
constexpr int64_t Anywhere = -2;    ///< offset: numbers lie wherever the program put them
constexpr int64_t BySource = -3;    ///< offset: the first address that is aligned at the source

constexpr int64_t Word = 8, HalfWord = 4;

unsigned allKinds(const MemoryLayout &Layout) {
  unsigned Kinds = 0;
  for (auto &F : Layout.Fields)
    Kinds |= F.Kinds;
  return Kinds;
}

/// Two kinds of float, a kind that is a guess, or addresses where they cannot be told from floats.
/// An integer has no shadow.
static bool ambiguous(unsigned Kinds) {
  unsigned Floats = Kinds & SK_AnyFloat;
  return (Floats & (Floats - 1)) || (Floats & SK_Half) || (Floats && (Kinds & SK_Guessed)) ||
         ((Kinds & SK_Pointer) && (Floats & ~(SK_Double | SK_Float)));
}

/// An array of floats and nothing else.
static bool isFloatOnly(unsigned Kinds) { return Kinds == SK_Double || Kinds == SK_Float; }

static int64_t widthOf(unsigned Kinds) {
  return Kinds & SK_LongDouble ? 10 : Kinds & (SK_Double | SK_Pointer) ? 8 : 4;
}

/// Pointer arithmetic has blurred the places of floats of one kind.
static bool isBlurred(const MemoryLayout &Layout) {
  unsigned Kinds = allKinds(Layout), Floats = Kinds & SK_AnyFloat;
  bool Wide = Floats == SK_Double;
  return Layout.Period && Layout.Period < (Wide ? 8 : 4) &&
         (Wide || (Floats == SK_Float && !(Kinds & SK_Pointer)));
}

/// Numbers of two sizes, wherever the program had come to.
static bool mixesSizes(const MemoryLayout &Layout) {
  const unsigned Kinds = allKinds(Layout), Floats = Kinds & (SK_AnyFloat | SK_Guessed);
  return Layout.Period && Layout.Period < Word && Floats == (SK_Double | SK_Float) &&
         !(Kinds & SK_Pointer);
}

/// The same among bytes: archives.
static bool isMixture(const MemoryLayout &Layout) { return mixesSizes(Layout) && !Layout.Aligned; }

/// Nothing tells where in a blurred object the floats are.
static bool isAnywhere(const MemoryLayout &Layout) {
  return isBlurred(Layout) && !Layout.Aligned && !(allKinds(Layout) & SK_Pointer);
}

/// The same, and addresses may lie there as well.
static bool liesBesideAddresses(const MemoryLayout &Layout) {
  const unsigned Kinds = allKinds(Layout);
  return !Layout.Aligned && Layout.Period && Layout.Period < Word && (Kinds & SK_Pointer) &&
         (Kinds & SK_AnyFloat) == SK_Double &&
         any_of(Layout.Fields, [](auto &F) { return F.Active && (F.Kinds & SK_Double); });
}

bool isGuess(const MemoryLayout &Layout) {
  unsigned Kinds = allKinds(Layout);
  if (Layout.Packed)
    return (Kinds & SK_AnyFloat) && !(Kinds & SK_Pointer);
  return (Kinds & SK_AnyFloat) == SK_Double && !(Kinds & SK_Pointer) &&
         all_of(Layout.Fields,
                [](auto &F) { return !(F.Kinds & SK_Double) || (F.Kinds & SK_Guessed); });
}

/// True if these kinds at two places of a layout meet, in one record or two.
static bool meet(const MemoryLayout &Layout, const MemoryLayout::Field &A, unsigned KindsOfA,
                 const MemoryLayout::Field &B, unsigned KindsOfB) {
  return any_of(ArrayRef<int64_t>{-Layout.Period, 0, Layout.Period}, [&](int64_t Shift) {
    const int64_t BeginOfB = B.Offset + Shift;
    return BeginOfB < A.Offset + widthOf(KindsOfA) && A.Offset < BeginOfB + widthOf(KindsOfB);
  });
}

/// True if the field is a double at one time and a float at another, with nothing behind the float.
/// An integer there is nothing in a shadow of our own; in one of the caller's it may be anything.
static bool isNumber(const MemoryLayout &Layout, const MemoryLayout::Field &F) {
  return (F.Kinds & (SK_AnyFloat | SK_Guessed)) == (SK_Double | SK_Float) &&
         Layout.Period % Word == 0 && !Layout.Packed && none_of(Layout.Fields, [&](auto &Other) {
           const bool IsNothing = Other.Kinds == SK_Int && !Other.Active && !Layout.Outside;
           return &Other != &F && !IsNothing && meet(Layout, F, SK_Double, Other, Other.Kinds);
         });
}

/// True if the field is a float where an address lies at another time, or a part of one.
static bool isBesideAddress(const MemoryLayout &Layout, const MemoryLayout::Field &F) {
  return (F.Kinds & SK_Float) && any_of(Layout.Fields, [&](auto &Other) {
           return (Other.Kinds & SK_Pointer) && meet(Layout, F, SK_Float, Other, SK_Pointer);
         });
}

/// Floats and addresses lie anywhere in records of which every other one begins within a word.
/// Which a word holds is seen at its own, aligned place. In the shadows of a caller numbers may lie
/// where the program has integers, and would make an address of the float beside them.
static bool isWordwise(const MemoryLayout &Layout) {
  const unsigned Kinds = allKinds(Layout);
  return Layout.Period % Word != 0 && Layout.Period % HalfWord == 0 && !Layout.Packed &&
         !Layout.Outside && (Kinds & (SK_AnyFloat | SK_Guessed)) == SK_Float &&
         (Kinds & SK_Pointer) && all_of(Layout.Fields, [](auto &F) {
           return F.Offset % HalfWord == 0 || !(F.Kinds & (SK_Float | SK_Pointer));
         });
}

/// True if the active field meets another one with a shadow, or itself in the next record.
static bool overlaps(const MemoryLayout &Layout, const MemoryLayout::Field &F) {
  if (isWordwise(Layout))
    return false;
  if (Layout.Period && widthOf(F.Kinds) > Layout.Period && !isFloatOnly(allKinds(Layout)))
    return true;
  const bool Evenly = Layout.Period % Word == 0;
  const unsigned Floats = F.Kinds & SK_AnyFloat;
  if (Floats == SK_Float && !Evenly && isBesideAddress(Layout, F))
    return true;
  return any_of(Layout.Fields, [&](auto &Other) {
    const unsigned Others = Other.Kinds & SK_AnyFloat;
    if (&Other == &F)
      return false;
    if (Other.Active && meet(Layout, F, Floats, Other, Others ? Others : Other.Kinds))
      return true;
    return Floats != SK_Float && (Other.Kinds & SK_Pointer) &&
           meet(Layout, F, Floats, Other, SK_Pointer);
  });
}

/// True if a number reaches into the next one, or is of two kinds: a quick answer, since fields are
/// in the order of their places.
static bool mayMeet(const MemoryLayout &Layout) {
  int64_t End = INT64_MIN, First = INT64_MAX;
  for (auto &F : Layout.Fields) {
    const unsigned Floats = F.Kinds & SK_AnyFloat;
    if (!Floats)
      continue;
    if (F.Offset < End || (Floats & (Floats - 1)))
      return true;
    First = std::min(First, F.Offset);
    End = F.Offset + widthOf(Floats);
  }
  return Layout.Period && First != INT64_MAX && End - Layout.Period > First;
}

/// A record of floats here and of doubles there (the members of a union), or some such: which it is
/// shows where a number is read or written, and nowhere else.
static bool isOverlay(const MemoryLayout &Layout) {
  const unsigned Kinds = allKinds(Layout);
  if (Layout.Packed || isBlurred(Layout) || (Kinds & (SK_Pointer | SK_Guessed)) ||
      (Kinds & SK_AnyFloat & ~(SK_Double | SK_Float)) || !mayMeet(Layout))
    return false;
  return any_of(Layout.Fields, [&](auto &F) {
    return F.Active && !isNumber(Layout, F) && (ambiguous(F.Kinds) || overlaps(Layout, F));
  });
}

bool liesAnywhere(const MemoryLayout &Layout) {
  return isGuess(Layout) || isMixture(Layout) || isAnywhere(Layout) || isOverlay(Layout);
}

bool movesAsBytes(const MemoryLayout &Layout) { return liesAnywhere(Layout) || mixesSizes(Layout); }

/// Where places are blurred, the alignment of the floats tells, or that of addresses beside them;
/// bytes that a program has packed itself say nothing.
static MemoryLayout sharpened(const MemoryLayout &Layout) {
  bool Active = any_of(Layout.Fields, [](auto &F) { return F.Active; });
  if (isGuess(Layout) || isMixture(Layout) || isOverlay(Layout))
    return {8, Layout.Aligned, {{Anywhere, SK_Double, Active}}};
  unsigned Kinds = allKinds(Layout);
  if (isWordwise(Layout))
    return {HalfWord, Layout.Aligned, {{0, Kinds, Active}}};
  if (!isBlurred(Layout))
    return Layout;
  int64_t Place = isAnywhere(Layout) ? Anywhere : Layout.OfSource ? BySource : ByAlignment;
  return {Kinds & SK_Double ? 8 : 4, Layout.Aligned, {{Place, Kinds, Active}}};
}

MemoryLayout firstBytes(const MemoryLayout &Layout, int64_t Bytes) {
  if (isGuess(Layout) || isBlurred(Layout) || isMixture(Layout) ||
      (Layout.Period && Bytes > Layout.Period))
    return Layout;
  MemoryLayout Out = Layout;
  erase_if(Out.Fields, [&](auto &F) {
    const int64_t End = F.Offset + widthOf(F.Kinds);
    const bool Wraps = Layout.Period && End > Layout.Period;
    return !Wraps && (F.Offset >= Bytes || End <= 0);
  });
  const bool HoldsActive = any_of(Out.Fields, [](auto &F) { return F.Active; });
  return HoldsActive && !isGuess(Out) ? Out : Layout;
}

/// True if it is known where numbers are, and nothing else is there.
static bool isPlain(const MemoryLayout &Layout) {
  return !isBlurred(Layout) && !Layout.Packed && !(allKinds(Layout) & SK_Pointer) &&
         none_of(Layout.Fields,
                 [&](auto &F) { return F.Active && (ambiguous(F.Kinds) || overlaps(Layout, F)); });
}

/// What is put among bytes is known where it comes from: a structure with other members, too, or
/// numbers that lie as their alignment there says.
MemoryLayout sharper(const MemoryLayout &To, const MemoryLayout &From) {
  const bool Lies =
      isBlurred(From) && From.Aligned && !From.Packed && !(allKinds(From) & SK_Pointer);
  const bool AmongBytes = liesAnywhere(To) && (isPlain(From) || Lies);
  const bool OneKind = isFloatOnly(allKinds(From)) && !isBlurred(From) && !From.Packed;
  const bool Tells =
      (AmongBytes || OneKind) && any_of(From.Fields, [](auto &F) { return F.Active; });
  if (!Tells || !(isBlurred(To) || isMixture(To) || isGuess(To)))
    return To;
  MemoryLayout Out = From;
  Out.OfSource = true;
  return Out;
}

bool holdsNoNumbers(const MemoryLayout &Layout) {
  return !Layout.Fields.empty() && !Layout.Packed && all_of(Layout.Fields, [](auto &F) {
    return (F.Kinds == SK_Int || F.Kinds == SK_Pointer) && !F.Active;
  });
}

Error checkLayout(const MemoryLayout &Blurred, CallBase &Call) {
  if (Blurred.Packed && (allKinds(Blurred) & SK_Pointer))
    return diffError(DiagId::UnknownType, Call, "the object holds packed bytes beside addresses");
  if (liesBesideAddresses(Blurred))
    return diffError(DiagId::UnknownType, Call,
                     "the object holds numbers that nothing aligns beside addresses");
  const MemoryLayout Layout = sharpened(Blurred);
  bool Any = false;
  for (auto &F : Layout.Fields) {
    Any |= F.Active;
    if (F.Active && !isNumber(Layout, F) && (ambiguous(F.Kinds) || overlaps(Layout, F)))
      return diffError(DiagId::UnknownType, Call, "the object holds different things at one place");
  }
  return Any ? Error::success()
             : diffError(DiagId::UnknownType, Call, "nothing is known of the object copied");
}

Error checkCleared(const MemoryLayout &Layout, CallBase &Call) {
  return allKinds(Layout) & SK_Pointer ? checkLayout(Layout, Call) : Error::success();
}

bool canBeCleared(const MemoryLayout &Layout, CallBase &Call) {
  Error E = checkCleared(Layout, Call);
  const bool Can = !E;
  consumeError(std::move(E));
  return Can;
}

SmallVector<FieldRow, 8> activeFields(const MemoryLayout &Layout) {
  SmallVector<FieldRow, 8> Rows;
  const MemoryLayout Sharp = sharpened(Layout);
  for (auto &F : Sharp.Fields) {
    if (!F.Active)
      continue;
    FieldKind Kind = F.Kinds & SK_Pointer  ? KindEither
                     : F.Kinds & SK_Float  ? KindFloat
                     : F.Kinds & SK_Double ? KindDouble
                                           : KindLongDouble;
    if (isNumber(Sharp, F))
      Kind = F.Kinds & SK_Pointer ? KindNumberOrAddress : KindNumber;
    else if (isBesideAddress(Sharp, F))
      Kind = KindFloatOfWord;
    Rows.push_back({F.Offset, Kind});
  }
  return Rows;
}

bool isPointerRow(const FieldRow &Row) { return Row.Kind == KindPointer || Row.Kind == KindEither; }

SmallVector<FieldRow, 8> pointerFields(const MemoryLayout &Layout) {
  SmallVector<FieldRow, 8> Rows;
  const MemoryLayout Sharp = sharpened(Layout);
  for (auto &F : Sharp.Fields) {
    if (!(F.Kinds & SK_Pointer))
      continue;
    const bool HasFloats = any_of(Sharp.Fields, [&](auto &Other) {
      return (Other.Kinds & SK_Float) && meet(Sharp, F, SK_Pointer, Other, SK_Float);
    });
    Rows.push_back({isWordwise(Sharp) ? ByAlignment : F.Offset, HasFloats ? KindWord
                                                                : F.Kinds & SK_AnyFloat
                                                                    ? KindEither
                                                                    : KindPointer});
  }
  return Rows;
}

bool looksAtWords(const MemoryLayout &Layout) {
  return any_of(Layout.Fields, [&](auto &F) { return isBesideAddress(Layout, F); });
}

void callFields(SweepBuilder &B, StringRef Name, ArrayRef<Value *> Places,
                const MemoryLayout &Layout, ArrayRef<FieldRow> Rows) {
  auto &IR = B.ir();
  auto *Field = StructType::get(IR.getContext(), {IR.getInt64Ty(), IR.getInt32Ty()});
  SmallVector<Constant *, 8> Table;
  for (auto &Row : Rows)
    Table.push_back(ConstantStruct::get(Field, {IR.getInt64(Row.Offset), IR.getInt32(Row.Kind)}));
  auto *Type = ArrayType::get(Field, Table.size());
  auto *Global =
      new GlobalVariable(*IR.GetInsertBlock()->getModule(), Type, true, GlobalValue::PrivateLinkage,
                         ConstantArray::get(Type, Table), "cf.fields");
  SmallVector<Value *, 8> Args(Places);
  const bool ByWords = isWordwise(Layout) && Rows.front().Offset == ByAlignment;
  Args.append(
      {IR.getInt64(ByWords ? Word : sharpened(Layout).Period), Global, IR.getInt32(Rows.size())});
  B.runtime(Name, IR.getVoidTy(), Args);
}

void dropAddress(SweepBuilder &B, Value *Float) {
  const MemoryLayout Layout{Word, true, {}};
  callFields(B, "copy_fields_adjoint",
             {Float, ConstantPointerNull::get(B.ir().getPtrTy()), B.ir().getInt64(Word),
              B.ir().getInt32(0)},
             Layout, {{0, KindNoAddress}});
}

void copyPointers(SweepBuilder &B, const MemoryLayout &Layout, Value *Dst, Value *Src,
                  Value *Bytes) {
  if (!(allKinds(Layout) & SK_Pointer))
    return;
  if (none_of(Layout.Fields, [](auto &F) { return F.Active; }))
    B.ir().CreateMemMove(Dst, MaybeAlign(), Src, MaybeAlign(), Bytes);
  else
    callFields(B, "copy_fields_forward", {Dst, Src, Bytes}, Layout, pointerFields(Layout));
}

/// No float begins in the middle of four bytes.
void copyIntegers(SweepBuilder &B, const MemoryLayout &Layout, Value *Dst, Value *Src,
                  uint64_t Bytes) {
  constexpr int64_t Word = 4;
  constexpr unsigned MaxIntegers = 64;
  SmallVector<int64_t, 16> Offsets;
  for (const auto &F : Layout.Fields)
    for (int64_t At = F.Offset; At >= 0 && !F.Active && !(F.Kinds & ~SK_Int); At += Layout.Period) {
      if (At + Word - At % Word > int64_t(Bytes))
        break;
      Offsets.push_back(At);
      if (Offsets.size() > MaxIntegers)
        return;
      if (Layout.Period <= 0)
        break;
    }
  for (const int64_t At : Offsets) {
    Type *T = B.ir().getIntNTy(8 * (Word - At % Word));
    Value *Integer = B.ir().CreateAlignedLoad(
        T, B.ir().CreateConstGEP1_64(B.ir().getInt8Ty(), Src, At), Align(1));
    B.ir().CreateAlignedStore(Integer, B.ir().CreateConstGEP1_64(B.ir().getInt8Ty(), Dst, At),
                              Align(1));
  }
}

/// False if the copy begins in the middle of a number, behind the padding of a structure.
static bool beginsEvenly(const MemoryLayout &Layout, int64_t Width) {
  return (Layout.Period < Width || Layout.Period % Width == 0) &&
         all_of(Layout.Fields, [&](auto &F) { return F.Offset % Width == 0; });
}

void copyAdjoints(SweepBuilder &B, const MemoryLayout &Layout, Value *Dst, Value *Src, Value *Bytes,
                  Value *Atomic) {
  auto &IR = B.ir();
  unsigned Kinds = allKinds(Layout);
  bool Wide = Kinds == SK_Double;
  if (isFloatOnly(Kinds) && !isAnywhere(Layout) && !isGuess(Layout) &&
      beginsEvenly(Layout, Wide ? 8 : 4))
    B.runtime(Wide ? "copy_adjoint_f64" : "copy_adjoint_f32", IR.getVoidTy(),
              {Dst, Src, IR.CreateLShr(Bytes, Wide ? 3 : 2), Atomic});
  else
    callFields(B, "copy_fields_adjoint", {Dst, Src, Bytes, Atomic}, Layout, activeFields(Layout));
  if (liesAnywhere(Layout))
    static_cast<void>(B.tape()); // where the call ends, it is asked what has been added to nothing
}

void clearFloats(SweepBuilder &B, const MemoryLayout &Layout, Value *Shadow, Value *Bytes) {
  auto &IR = B.ir();
  if ((allKinds(Layout) & SK_Pointer) || liesAnywhere(Layout))
    callFields(B, "copy_fields_adjoint",
               {Shadow, ConstantPointerNull::get(IR.getPtrTy()), Bytes, IR.getInt32(0)}, Layout,
               activeFields(Layout));
  else
    IR.CreateMemSet(Shadow, IR.getInt8(0), Bytes, MaybeAlign());
}

} // namespace contraflow
