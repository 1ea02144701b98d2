// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting that remembers where every element came from. Elements are compared in place and moved
// once, at the end:
//
//   y = c a b      order = 1 2 0      y = a b c       element i comes from order[i]
//
// The sort is stable, as glibc's is for arrays that fit into memory.

#include "contraflow/abi.h"

#include "support/FieldKind.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using Comparison = int (*)(const void *, const void *);

struct Sorter {
  const char *Base;
  int64_t Size;
  Comparison Compare;
  std::vector<int64_t> Room;

  bool inOrder(int64_t A, int64_t B) const {
    return Compare(Base + A * Size, Base + B * Size) <= 0;
  }

  // Halves as glibc makes them: comparators that are no order give what they give there.
  void sort(int64_t *Order, int64_t N) {
    if (N < 2)
      return;
    const int64_t Half = N / 2;
    sort(Order, Half);
    sort(Order + Half, N - Half);
    int64_t A = 0, B = Half, To = 0;
    while (A < Half && B < N)
      Room[static_cast<size_t>(To++)] = inOrder(Order[A], Order[B]) ? Order[A++] : Order[B++];
    std::copy_backward(Order + A, Order + Half, Order + N);
    std::copy_n(Room.begin(), To, Order);
  }
};

void findOrder(const char *Base, int64_t N, int64_t Size, Comparison Compare, int64_t *Order) {
  std::iota(Order, Order + N, int64_t{0});
  Sorter{Base, Size, Compare, std::vector<int64_t>(static_cast<size_t>(N))}.sort(Order, N);
}

void permute(char *Base, int64_t N, int64_t Size, const int64_t *Order) {
  const std::vector<char> Old(Base, Base + N * Size);
  for (int64_t I = 0; I < N; ++I)
    std::memcpy(Base + I * Size, Old.data() + Order[I] * Size, static_cast<size_t>(Size));
}

int64_t widthOf(const cf_field &Field) { return Field.kind == 0 ? 4 : Field.kind == 2 ? 16 : 8; }

struct Elements {
  char *Base;
  int64_t N, Size, Period;
};

// Move(I) says the element that the fields of element I go to.
template <typename Target>
void moveFields(const Elements &All, const cf_field *Fields, int32_t NFields, Target Move) {
  const std::vector<char> Old(All.Base, All.Base + All.N * All.Size);
  const int64_t Period = All.Period > 0 ? All.Period : All.Size;
  const int64_t Aligned =
      -static_cast<int64_t>(reinterpret_cast<uintptr_t>(All.Base)) & (Period - 1);
  for (int64_t I = 0; I < All.N; ++I)
    for (int32_t F = 0; F < NFields; ++F)
      if (Fields[F].offset == contraflow::Anywhere)
        std::memcpy(All.Base + Move(I) * All.Size, Old.data() + I * All.Size,
                    static_cast<size_t>(All.Size));
      else
        for (int64_t At = Fields[F].offset == contraflow::AtAlignment ? Aligned : Fields[F].offset;
             At >= 0 && At < All.Size; At += Period)
          std::memcpy(All.Base + Move(I) * All.Size + At, Old.data() + I * All.Size + At,
                      static_cast<size_t>(widthOf(Fields[F])));
}

// What qsort_r of this thread compares with; those behind it wait.
struct Ordering {
  int (*Compare)(const void *, const void *, void *);
  void *Context;
};
thread_local std::vector<Ordering> Orderings;

int compareWith(const void *A, const void *B) {
  const Ordering By = Orderings.back();
  return By.Compare(A, B, By.Context);
}

} // namespace

void *cf_v1_order_with(int (*compare)(const void *, const void *, void *), void *context) {
  Orderings.push_back({compare, context});
  return reinterpret_cast<void *>(compareWith);
}

void cf_v1_order_done(void) { Orderings.pop_back(); }

int64_t *cf_v1_sort_recorded(void *base, int64_t n, int64_t size,
                             int (*compare)(const void *, const void *), struct cf_tape *tape) {
  auto *Order = static_cast<int64_t *>(
      cf_v1_tape_reserve(tape, std::max<int64_t>(n, 1) * static_cast<int64_t>(sizeof(int64_t))));
  findOrder(static_cast<char *>(base), n, size, compare, Order);
  permute(static_cast<char *>(base), n, size, Order);
  return Order;
}

void cf_v1_sort_both(void *base, int64_t n, int64_t size,
                     int (*compare)(const void *, const void *), void *shadow) {
  std::vector<int64_t> Order(static_cast<size_t>(n));
  findOrder(static_cast<char *>(base), n, size, compare, Order.data());
  permute(static_cast<char *>(base), n, size, Order.data());
  if (shadow)
    permute(static_cast<char *>(shadow), n, size, Order.data());
}

void cf_v1_sort_again(void *shadow, int64_t n, int64_t size, const int64_t *order) {
  permute(static_cast<char *>(shadow), n, size, order);
}

void cf_v1_sort_all(void *base, int64_t n, int64_t size, int (*compare)(const void *, const void *),
                    void *const *shadows, int32_t count) {
  std::vector<int64_t> Order(static_cast<size_t>(n));
  findOrder(static_cast<char *>(base), n, size, compare, Order.data());
  permute(static_cast<char *>(base), n, size, Order.data());
  for (int32_t I = 0; I < count; ++I)
    if (shadows[I])
      permute(static_cast<char *>(shadows[I]), n, size, Order.data());
}

void cf_v1_permute_forward(void *shadow, int64_t n, int64_t size, const int64_t *order,
                           int64_t period, const struct cf_field *fields, int32_t nfields) {
  std::vector<int64_t> To(static_cast<size_t>(n));
  for (int64_t I = 0; I < n; ++I)
    To[static_cast<size_t>(order[I])] = I;
  moveFields({static_cast<char *>(shadow), n, size, period}, fields, nfields,
             [&](int64_t I) { return To[static_cast<size_t>(I)]; });
}

void cf_v1_permute_adjoint(void *shadow, int64_t n, int64_t size, const int64_t *order,
                           int64_t period, const struct cf_field *fields, int32_t nfields) {
  moveFields({static_cast<char *>(shadow), n, size, period}, fields, nfields,
             [&](int64_t I) { return order[I]; });
}
