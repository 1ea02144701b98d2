// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checker over OpenMP programs with teams of 1, 2 and 4, and compares the gradients, those
// of teams of 3 and 8 as well. Where a parallel reduction adds in another order, results agree to
// rounding and not to the bit.

#include "Registry.h"

#include <cstdio>
#include <omp.h>

using namespace contraflow::test;

namespace {

bool checkTeams(const Program &P, std::uint64_t Base) {
  Settings S;
  S.Seed = seedFor(Base, P);
  S.PrimalBound = 1e-13;
  bool Bad = false;
  std::vector<double> OneThread;
  for (const int Threads : {1, 2, 4, 3, 8}) {
    omp_set_num_threads(Threads);
    const std::string Where = " with " + std::to_string(Threads) + " threads";
    if (Threads != 3 && Threads != 8)
      Bad |= report(P, check(P, S, OneRank()), Base, Where);
    const std::vector<double> Gradient = gradient(P, S, OneRank());
    if (Threads == 1)
      OneThread = Gradient;
    const std::string Difference = compareGradients(OneThread, Gradient, 1e-12);
    if (!Difference.empty())
      Bad |= report(P, {{"team size", "the gradient is not that of one thread: " + Difference}},
                    Base, Where);
  }
  return Bad;
}

} // namespace

int main(int Count, char **Words) {
  const CommandLine Line = parseCommandLine(Count, Words);
  const auto Chosen = programs(Line.Source);
  const std::uint64_t Base = chooseSeed(Line);
  bool Failed = Chosen.empty();
  omp_set_dynamic(0);
  for (const Program *P : Chosen) {
    if (Line.List) {
      std::printf("%s\n", P->name);
      continue;
    }
    const bool Bad = checkTeams(*P, Base);
    std::printf("%s %s\n", Bad ? "failed" : "passed", P->name);
    Failed |= Bad;
  }
  return Failed;
}
