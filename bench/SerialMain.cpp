// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures kernels on one rank; OMP_NUM_THREADS decides how many threads those with OpenMP use.

#include "Measure.h"

int main(int Count, char **Words) {
  return contraflow::bench::run(Count, Words, contraflow::test::OneRank());
}
