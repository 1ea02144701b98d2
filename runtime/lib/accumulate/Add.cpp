// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a buffer of contributions to a stretch of a shadow. The reverse of a stencil adds to several
// neighbours per iteration; collected per neighbour first, both its arithmetic and the adding
// vectorise:
//
//   for i: to[i] += a_i; to[i+n] += b_i      ->   for i: A[i] = a_i; B[i] = b_i
//                                                 add(to, A); add(to + n, B)

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"

namespace {

template <class Real>
[[gnu::always_inline]] inline void addAll(Real *__restrict To, const Real *__restrict From,
                                          int64_t N) {
  for (int64_t I = 0; I < N; ++I)
    To[I] += From[I];
}

#ifdef __x86_64__
template <class Real>
[[gnu::target("avx2")]] void addWide(Real *__restrict To, const Real *__restrict From, int64_t N) {
  addAll(To, From, N);
}
#endif

/// The sums are the same for every width of the vectors.
template <class Real> void add(Real *__restrict To, const Real *__restrict From, int64_t N) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2"))
    return addWide(To, From, N);
#endif
  addAll(To, From, N);
}

} // namespace

void cf_v1_add_f64(double *to, const double *from, int64_t n) { add(to, from, n); }
void cf_v1_add_f32(float *to, const float *from, int64_t n) { add(to, from, n); }

void cf_v1_add_f80(void *to, long double value) {
  contraflow::addAtomically(*static_cast<long double *>(to), value);
}
