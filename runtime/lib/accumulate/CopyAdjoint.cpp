// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reverse of a copy dst <- src: what is asked of the copy is asked of the original, and the old
// contents of dst no longer matter:
//
//   t = dst_bar[i];  dst_bar[i] = 0;  src_bar[i] += t        for every i
//
// memmove lets src and dst overlap. It copies as if element by element from the end that keeps what
// is still to be read intact: downwards in i if dst lies above src, upwards if below. The reverse
// undoes these steps in the opposite order, which makes the three assignments above right without a
// temporary. If src and dst are the same nothing was copied and nothing changes.

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"
#include "accumulate/Layers.h"
#include "support/FieldKind.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace contraflow {
namespace {

struct AddPlainly {
  template <typename T> void operator()(T &XBar, T Value) const { XBar += Value; }
};

// Most adjoints of a sparse seed are zero, and an atomic is dear.
struct AddAtomically {
  template <typename T> void operator()(T &XBar, T Value) const {
    if (Value != 0)
      addAtomically(XBar, Value);
  }
};

enum class Layout { Same, Disjoint, DstAbove, DstBelow };

Layout layoutOf(const void *Dst, const void *Src, int64_t Bytes) {
  const auto D = reinterpret_cast<uintptr_t>(Dst);
  const auto S = reinterpret_cast<uintptr_t>(Src);
  if (D == S)
    return Layout::Same;
  const uintptr_t Distance = D > S ? D - S : S - D;
  if (Distance >= static_cast<uintptr_t>(Bytes))
    return Layout::Disjoint;
  return D > S ? Layout::DstAbove : Layout::DstBelow;
}

template <typename T, typename Add> void moveOne(T *DstBar, T *SrcBar, Add Accumulate) {
  const T Value = *DstBar;
  *DstBar = 0;
  Accumulate(*SrcBar, Value);
}

// Kept apart so that the promise of no overlap reaches the vectoriser.
template <typename T, typename Add>
void moveDisjoint(T *__restrict DstBar, T *__restrict SrcBar, int64_t N, Add Accumulate) {
  for (int64_t I = 0; I < N; ++I)
    moveOne(DstBar + I, SrcBar + I, Accumulate);
}

template <typename T, typename Add>
void copyAdjoint(T *DstBar, T *SrcBar, int64_t N, Add Accumulate) {
  switch (layoutOf(DstBar, SrcBar, N * static_cast<int64_t>(sizeof(T)))) {
  case Layout::Same:
    return;
  case Layout::Disjoint:
    return moveDisjoint(DstBar, SrcBar, N, Accumulate);
  case Layout::DstAbove:
    for (int64_t I = 0; I < N; ++I)
      moveOne(DstBar + I, SrcBar + I, Accumulate);
    return;
  case Layout::DstBelow:
    for (int64_t I = N - 1; I >= 0; --I)
      moveOne(DstBar + I, SrcBar + I, Accumulate);
    return;
  }
}

template <typename T> void copyAdjoint(T *DstBar, T *SrcBar, int64_t N, int32_t Atomic) {
  if (N <= 0 || !DstBar)
    return;
  if (!SrcBar)
    std::fill_n(DstBar, N, T{0});
  else if (Atomic)
    copyAdjoint(DstBar, SrcBar, N, AddAtomically{});
  else
    copyAdjoint(DstBar, SrcBar, N, AddPlainly{});
}

// One field of one record. Without a source the adjoint is only cleared.
template <typename T> void moveField(char *DstBar, char *SrcBar, bool Atomic) {
  auto *Dst = reinterpret_cast<T *>(DstBar);
  auto *Src = reinterpret_cast<T *>(SrcBar);
  if (!Src)
    *Dst = 0;
  else if (Atomic)
    moveOne(Dst, Src, AddAtomically{});
  else
    moveOne(Dst, Src, AddPlainly{});
}

void moveField(const cf_copy_adjoint &Copy, int64_t Record, const cf_field &Field) {
  const int64_t Offset = Record * Copy.period + Field.offset;
  char *Dst = static_cast<char *>(Copy.dst_bar) + Offset;
  char *Src = Copy.src_bar ? static_cast<char *>(Copy.src_bar) + Offset : nullptr;
  switch (Field.kind) {
  case 0:
    return moveField<float>(Dst, Src, Copy.atomic != 0);
  case 1:
    return moveField<double>(Dst, Src, Copy.atomic != 0);
  case 2:
    return moveField<long double>(Dst, Src, Copy.atomic != 0);
  default:
    fail(ErrorId::Internal, "unknown kind of field " + std::to_string(Field.kind));
  }
}

} // namespace
} // namespace contraflow

using namespace contraflow;

void cf_v1_copy_adjoint_f64(double *dst_bar, double *src_bar, int64_t n, int32_t atomic) {
  settle(reinterpret_cast<char *>(dst_bar), Double, n);
  copyAdjoint(dst_bar, src_bar, n, atomic);
}

void cf_v1_copy_adjoint_f32(float *dst_bar, float *src_bar, int64_t n, int32_t atomic) {
  settle(reinterpret_cast<char *>(dst_bar), Float, n);
  copyAdjoint(dst_bar, src_bar, n, atomic);
}

// Of the three assignments above: dst_bar_bar[i] = src_bar_bar[i], in the order of the copy.
void cf_v1_copy_adjoint_back(void *dst_bar, const void *src_bar, int64_t bytes) {
  if (bytes <= 0 || !dst_bar)
    return;
  if (src_bar)
    std::memmove(dst_bar, src_bar, static_cast<size_t>(bytes));
  else
    std::memset(dst_bar, 0, static_cast<size_t>(bytes));
}

void cf_v1_copy_adjoint_strided(const struct cf_copy_adjoint *copy) {
  if (!copy->dst_bar || copy->dst_bar == copy->src_bar)
    return;
  const bool Upwards = copy->dst_bar > copy->src_bar;
  for (int64_t R = 0; R < copy->count; ++R)
    for (int32_t F = 0; F < copy->nfields; ++F)
      moveField(*copy, Upwards ? R : copy->count - 1 - R,
                copy->fields[Upwards ? F : copy->nfields - 1 - F]);
}
