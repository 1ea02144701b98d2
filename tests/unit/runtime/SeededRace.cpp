// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stencil's reverse in one phase instead of two: a race that ThreadSanitizer must see, or its
// silence on the other tests would mean nothing. With an argument it runs in two phases.

#include "contraflow/abi.h"

#include <cstdio>
#include <omp.h>

namespace {

constexpr int Chunk = 1000;
double XBar[2 * Chunk + 1];

void reverseIteration(int I) {
  XBar[I] += 1;
  XBar[I + 1] += 1;
}

} // namespace

int main(int NumArgs, char **) {
  const bool TwoPhases = NumArgs > 1;
#pragma omp parallel num_threads(2)
  {
    const int First = Chunk * omp_get_thread_num();
    for (int I = First; I < First + Chunk - 1; ++I)
      reverseIteration(I);
    if (TwoPhases)
      cf_v1_omp_barrier();
    reverseIteration(First + Chunk - 1);
  }
  std::printf("where the chunks meet: %g\n", XBar[Chunk]);
  return 0;
}
