// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of objects whose shadows hold more than floats. Forward, the addresses in the shadow move;
// in reverse the adjoints. A record that the copy cuts off moves as far as its fields are inside.
// Where a program has packed numbers into bytes, nobody knows the fields: bytes move as they are.
//
//   struct { double *p; double v; } a, b;  b = a     forward: b'.p = a'.p
//                                                    reverse: a'.v += b'.v, b'.v = 0

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"
#include "accumulate/Layers.h"
#include "support/FieldKind.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

namespace contraflow {
namespace {

template <typename T> void moveBar(char *Dst, char *Src, bool Atomic) {
  const T Bar = read<T>(Dst);
  write<T>(Dst, 0);
  if (!Src || Bar == 0)
    return;
  if (Atomic)
    addAtomically(*reinterpret_cast<T *>(Src), Bar);
  else
    write<T>(Src, read<T>(Src) + Bar);
}

/// Others may add to the word meanwhile, unless it is an address.
void dropAddress(char *At) {
  const std::atomic_ref<uint64_t> Word(*wordOf(At));
  uint64_t Bits = Word.load();
  if (isAddressNotFloats(Bits))
    Word.compare_exchange_strong(Bits, 0);
}

void moveFloat(char *Dst, char *Src, bool Atomic) {
  if (liesInAddress(Dst))
    return;
  if (Src && read<float>(Dst) != 0)
    dropAddress(Src);
  moveBar<float>(Dst, Src, Atomic);
}

uint64_t sumOfNumbers(uint64_t A, uint64_t B) {
  if (!isFloatOnly(A) || !isFloatOnly(B))
    return std::bit_cast<uint64_t>(std::bit_cast<double>(A) + std::bit_cast<double>(B));
  const float Sum = std::bit_cast<float>(static_cast<uint32_t>(A)) +
                    std::bit_cast<float>(static_cast<uint32_t>(B));
  return std::bit_cast<uint32_t>(Sum);
}

// What is asked of both places is of the number that both held, and so of one width.
void moveNumber(char *Dst, char *Src, bool Atomic, bool MayBeAddress) {
  const auto Bar = read<uint64_t>(Dst);
  if (MayBeAddress && isAddressNotFloats(Bar))
    return;
  write<uint64_t>(Dst, 0);
  if (!Src || Bar == 0)
    return;
  auto After = [&](uint64_t Before) {
    const bool Empty = Before == 0 || (MayBeAddress && isAddressNotFloats(Before));
    return Empty ? Bar : sumOfNumbers(Before, Bar);
  };
  if (!Atomic)
    return write(Src, After(read<uint64_t>(Src)));
  const std::atomic_ref<uint64_t> Word(*reinterpret_cast<uint64_t *>(Src));
  uint64_t Before = Word.load();
  while (!Word.compare_exchange_weak(Before, After(Before)))
    ;
}

void moveAdjoint(char *Dst, char *Src, bool Atomic, int32_t K) {
  switch (K) {
  case Number:
  case NumberOrAddress:
    return moveNumber(Dst, Src, Atomic, K == NumberOrAddress);
  case FloatOfWord:
    return moveFloat(Dst, Src, Atomic);
  case NoAddress:
    return dropAddress(Dst);
  case Float:
    return moveBar<float>(Dst, Src, Atomic);
  case Double:
    return moveBar<double>(Dst, Src, Atomic);
  case LongDouble:
    return moveBar<long double>(Dst, Src, Atomic);
  default:
    if (!isAddress(read<uint64_t>(Dst)))
      moveBar<double>(Dst, Src, Atomic);
  }
}

// Zero where there is no source.
void copyBar(char *Dst, const char *Src, int32_t K) {
  if (K == NoAddress)
    return;
  if (Src)
    std::memmove(Dst, Src, static_cast<size_t>(widthOf(K)));
  else
    std::memset(Dst, 0, static_cast<size_t>(widthOf(K)));
}

// An address stays.
void copyUnlessAddress(char *Dst, const char *Src, int32_t K) {
  if (K == Either && (isAddress(read<uint64_t>(Dst)) || (Src && isAddress(read<uint64_t>(Src)))))
    return;
  copyBar(Dst, Src, K);
}

bool wasAddress(const char *Kept, int32_t K) {
  switch (K) {
  case FloatOfWord:
    return liesInAddress(Kept);
  case Either:
    return isAddress(read<uint64_t>(Kept));
  case NumberOrAddress:
    return isAddressNotFloats(read<uint64_t>(Kept));
  default:
    return false;
  }
}

// What was an address has not moved. Addresses of the forward sweep may be left where a number was.
void copyBarKept(char *Dst, char *Src, const char *Kept, int32_t K) {
  if (wasAddress(Kept, K))
    return;
  if (K == FloatOfWord) {
    dropAddress(Dst);
    if (Src)
      dropAddress(Src);
  }
  copyBar(Dst, Src && wasAddress(Src, K) ? nullptr : Src, K);
}

bool isZero(const char *At, int64_t Bytes) {
  return std::all_of(At, At + Bytes, [](char C) { return C == 0; });
}

/// Others may write to Src as well: they write other bytes, or it is seen.
bool writeAmong(char *Src, const std::vector<char> &Bars) {
  static std::mutex Writing;
  const std::scoped_lock Lock(Writing);
  if (!isZero(Src, static_cast<int64_t>(Bars.size())))
    return false;
  bool Alone = true;
  for (const char &Bar : Bars) {
    char Zero = 0;
    if (Bar != 0)
      Alone &= std::atomic_ref<char>(Src[&Bar - Bars.data()]).compare_exchange_strong(Zero, Bar);
  }
  return Alone;
}

[[noreturn]] void refuseSum(int64_t Bytes) { fail(ErrorId::BytesAdded, std::to_string(Bytes)); }

/// Of bytes whose numbers may be anywhere: they can be added to nothing but zeros, and lie above
/// others until it is known where the numbers are.
void moveBytes(char *Dst, char *Src, int64_t Bytes, bool Atomic) {
  moveLayers(Dst, Src, Bytes);
  if (isZero(Dst, Bytes))
    return;
  const std::vector<char> Bars(Dst, Src ? Dst + Bytes : Dst); // the two may overlap
  std::memset(Dst, 0, static_cast<std::size_t>(Bytes));
  if (!Src)
    return;
  if (Atomic ? writeAmong(Src, Bars) : isZero(Src, Bytes)) {
    if (!Atomic)
      std::copy(Bars.begin(), Bars.end(), Src);
    return;
  }
  if (Atomic)
    refuseSum(Bytes);
  addLayer(Src, Bars.data(), Bytes, refuseSum);
}

/// Half a word that is a number of either width is a float.
int32_t cutOff(int32_t Kind, int64_t Bytes) {
  if (Bytes >= static_cast<int64_t>(sizeof(double)))
    return Kind;
  return Kind == Number ? Float : Kind == NumberOrAddress ? FloatOfWord : Kind;
}

struct Fields {
  const void *Base, *AlignedAs;
  int64_t Bytes, Period;
  const cf_field *Table;
  int32_t Count;

  bool areAt(int64_t Place) const { return Count > 0 && Table->offset == Place; }
};

Fields fieldsOf(const void *Dst, const void *Src, int64_t Bytes, int64_t Period,
                const cf_field *Table, int32_t Count) {
  Fields All = {Dst, Dst, Bytes, Period, Table, Count};
  if (All.areAt(AtSource))
    All.AlignedAs = Src;
  return All;
}

/// Nobody knows where the numbers are, or all of it was overwritten by what has no shadow.
bool areBytes(const Fields &All) {
  return All.areAt(Anywhere) || (All.areAt(AtSource) && !All.AlignedAs);
}

// Visits every field that lies inside, upwards or downwards, as memmove would copy in reverse.
template <typename Visitor> void forEachField(const Fields &All, bool Upwards, Visitor Visit) {
  const int64_t Period = All.Period > 0 ? All.Period : All.Bytes;
  if (Period <= 0)
    return;
  const int64_t Aligned =
      -static_cast<int64_t>(reinterpret_cast<uintptr_t>(All.AlignedAs)) & (Period - 1);
  const int64_t Records = (All.Bytes + Period - 1) / Period;
  for (int64_t R = 0; R < Records; ++R)
    for (int32_t F = 0; F < All.Count; ++F) {
      const cf_field &Field = All.Table[Upwards ? F : All.Count - 1 - F];
      const bool ByAddress = Field.offset == AtAlignment || Field.offset == AtSource;
      const int64_t Offset = ByAddress ? Aligned : Field.offset;
      const int64_t At = (Upwards ? R : Records - 1 - R) * Period + Offset;
      const int32_t Kind = cutOff(Field.kind, All.Bytes - At);
      if (Offset >= 0 && At + widthOf(Kind) <= All.Bytes)
        Visit(At, Kind);
    }
}

void settleFields(const Fields &All) {
  char *Base = const_cast<char *>(static_cast<const char *>(All.Base));
  forEachField(All, true, [&](int64_t At, int32_t K) {
    if (K == Float || K == LongDouble)
      settle(Base + At, K, 1);
    else if (K != Pointer && K != WordOfFloats && widthOf(K) == sizeof(double))
      settle(Base + At, Double, 1);
  });
}

} // namespace
} // namespace contraflow

using namespace contraflow;

void cf_v1_copy_fields_forward(void *dst, void *src, int64_t bytes, int64_t period,
                               const struct cf_field *fields, int32_t n) {
  if (!dst || !src || dst == src)
    return;
  forEachField(fieldsOf(dst, src, bytes, period, fields, n), dst < src, [&](int64_t At, int32_t K) {
    const auto Bits = read<uint64_t>(static_cast<char *>(src) + At);
    if (K == Pointer || (K == WordOfFloats ? isAddressNotFloats(Bits) : isAddress(Bits)))
      write(static_cast<char *>(dst) + At, Bits);
  });
}

void cf_v1_copy_fields_adjoint(void *dst_bar, void *src_bar, int64_t bytes, int32_t atomic,
                               int64_t period, const struct cf_field *fields, int32_t n) {
  if (!dst_bar || dst_bar == src_bar)
    return;
  const Fields All = fieldsOf(dst_bar, src_bar, bytes, period, fields, n);
  if (areBytes(All))
    return moveBytes(static_cast<char *>(dst_bar), static_cast<char *>(src_bar), bytes,
                     atomic != 0);
  if (areLayers())
    settleFields(All);
  forEachField(All, dst_bar > src_bar, [&](int64_t At, int32_t K) {
    moveAdjoint(static_cast<char *>(dst_bar) + At,
                src_bar ? static_cast<char *>(src_bar) + At : nullptr, atomic != 0, K);
  });
}

// The reverse of copy_fields_adjoint, as of copy_adjoint_back: the adjoint of a place in dst_bar is
// that of the same place in src_bar.
void cf_v1_copy_fields_back(void *dst_bar, const void *src_bar, int64_t bytes, int64_t period,
                            const struct cf_field *fields, int32_t n) {
  if (!dst_bar || dst_bar == src_bar)
    return;
  const Fields All = fieldsOf(dst_bar, src_bar, bytes, period, fields, n);
  if (areBytes(All))
    return src_bar ? static_cast<void>(std::memmove(dst_bar, src_bar, static_cast<size_t>(bytes)))
                   : static_cast<void>(std::memset(dst_bar, 0, static_cast<size_t>(bytes)));
  forEachField(All, dst_bar < src_bar, [&](int64_t At, int32_t K) {
    copyUnlessAddress(static_cast<char *>(dst_bar) + At,
                      src_bar ? static_cast<const char *>(src_bar) + At : nullptr, K);
  });
}

int32_t cf_v1_is_address_not_floats(int64_t bits) {
  return isAddressNotFloats(static_cast<uint64_t>(bits)) ? 1 : 0;
}

// Whole words are kept, behind where dst begins in its first one: a float may be in the middle of
// an address.
void *cf_v1_copy_fields_keep(const void *dst_bar, int64_t bytes, struct cf_tape *tape) {
  constexpr auto Word = static_cast<int64_t>(sizeof(uint64_t));
  const int64_t Begin = static_cast<int64_t>(reinterpret_cast<uintptr_t>(dst_bar) % Word);
  const int64_t Words = bytes > 0 ? (Begin + bytes + Word - 1) / Word : 0;
  auto *Kept = static_cast<char *>(cf_v1_tape_reserve(tape, (Words + 1) * Word));
  write(Kept, Begin);
  if (dst_bar)
    std::memcpy(Kept + Word, wordOf(static_cast<const char *>(dst_bar)),
                static_cast<size_t>(Words * Word));
  return Kept;
}

void cf_v1_copy_fields_back_kept(void *dst_bar, void *src_bar, int64_t bytes, const void *kept,
                                 int64_t period, const struct cf_field *fields, int32_t n) {
  if (!dst_bar || dst_bar == src_bar)
    return;
  const char *First = static_cast<const char *>(kept) + sizeof(uint64_t) +
                      read<int64_t>(static_cast<const char *>(kept));
  forEachField(fieldsOf(dst_bar, src_bar, bytes, period, fields, n), dst_bar < src_bar,
               [&](int64_t At, int32_t K) {
                 copyBarKept(static_cast<char *>(dst_bar) + At,
                             src_bar ? static_cast<char *>(src_bar) + At : nullptr, First + At, K);
               });
}
