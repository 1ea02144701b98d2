// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds a buffer of contributions to a stretch of a shadow. The reverse of a stencil adds to several
// neighbours per iteration; collected per neighbour first, both its arithmetic and the adding
// vectorise:
//
//   for i: to[i-1] += a_i; to[i] += b_i      ->   for i: A[i] = a_i; B[i] = b_i
//                                                 add(to - 1, A); add(to, B)

#include "contraflow/abi.h"

#include "accumulate/Atomic.h"

template <class Real> static void add(Real *__restrict To, const Real *__restrict From, int64_t N) {
  for (int64_t I = 0; I < N; ++I)
    To[I] += From[I];
}

void cf_v1_add_f64(double *to, const double *from, int64_t n) { add(to, from, n); }
void cf_v1_add_f32(float *to, const float *from, int64_t n) { add(to, from, n); }

void cf_v1_add_f80(void *to, long double value) {
  contraflow::addAtomically(*static_cast<long double *>(to), value);
}
