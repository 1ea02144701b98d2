// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times the primal and the gradient of a program side by side in one process.
//
// A round times the primal, the gradient, and the primal again, each after the arguments were put
// back; on several ranks a time is that of the slowest. The ratio of a program is the median over
// rounds, and how far two primals of one round differ says how noisy the machine is.
#ifndef CONTRAFLOW_BENCH_MEASURE_H
#define CONTRAFLOW_BENCH_MEASURE_H

#include "Registry.h"

namespace contraflow::bench {

struct Measurement {
  double PrimalSeconds = 0, GradientSeconds = 0;
  double Ratio = 0;
  double Noise = 0;  ///< median relative difference of two primals
  double Spread = 0; ///< distance of the quartiles of the ratio, relative to it
  std::int64_t TapeBytes = 0;
};

Measurement measure(const test::Program &P, int Rounds, const test::Ranks &R);

/// One line of JSON on standard output, from rank 0.
void print(const test::Program &P, const Measurement &M, const test::Ranks &R);

/// Measures all programs of the executable; the words are [rounds] [name].
int run(int Count, char **Words, const test::Ranks &R);

} // namespace contraflow::bench

#endif
