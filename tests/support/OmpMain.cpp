// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checker over OpenMP programs with teams of 1, 2 and 4, and compares the gradients, those
// of teams of 3 and 8 as well. Where a parallel reduction adds in another order, results agree to
// rounding and not to the bit.
//
// Teams only grow: in libomp 19 (built with assertions, as Debian does) a thread that is still
// looking for tasks of a larger team can end the program when a smaller one starts
// (kmp_tasking.cpp, victim_tid < tt_nproc), with any program that has tasks.

#include "Registry.h"

#include <cstdio>
#include <omp.h>

using namespace contraflow::test;

namespace {

struct Result {
  std::vector<double> OneThread; // the gradient of a team of one
  bool Bad = false;
};

void checkTeam(const Program &P, std::uint64_t Base, int Threads, Result &R) {
  Settings S;
  S.Seed = seedFor(Base, P);
  S.PrimalBound = 1e-13;
  omp_set_num_threads(Threads); // a program may have set another
  const std::string Where = " with " + std::to_string(Threads) + " threads";
  if (Threads != 3 && Threads != 8)
    R.Bad |= report(P, check(P, S, OneRank()), Base, Where);
  const std::vector<double> Gradient = gradient(P, S, OneRank());
  if (Threads == 1)
    R.OneThread = Gradient;
  const std::string Difference = compareGradients(R.OneThread, Gradient, 1e-11);
  if (!Difference.empty())
    R.Bad |= report(P, {{"team size", "the gradient is not that of one thread: " + Difference}},
                    Base, Where);
}

std::vector<Result> checkTeams(const std::vector<const Program *> &Chosen, std::uint64_t Base) {
  std::vector<Result> Results(Chosen.size());
  omp_set_dynamic(0);
  for (const int Threads : {1, 2, 3, 4, 8})
    for (std::size_t I = 0; I < Chosen.size(); I++)
      checkTeam(*Chosen[I], Base, Threads, Results[I]);
  return Results;
}

} // namespace

int main(int Count, char **Words) {
  const CommandLine Line = parseCommandLine(Count, Words);
  const auto Chosen = programs(Line.Source);
  const std::uint64_t Base = chooseSeed(Line);
  if (Line.List) {
    for (const Program *P : Chosen)
      std::printf("%s\n", P->name);
    return Chosen.empty();
  }
  const std::vector<Result> Results = checkTeams(Chosen, Base);
  bool Failed = Chosen.empty();
  for (std::size_t I = 0; I < Chosen.size(); I++) {
    std::printf("%s %s\n", Results[I].Bad ? "failed" : "passed", Chosen[I]->name);
    Failed |= Results[I].Bad;
  }
  return Failed;
}
