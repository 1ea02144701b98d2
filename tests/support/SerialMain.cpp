// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checker over serial programs.

#include "Registry.h"

#include <cstdio>

using namespace contraflow::test;

int main(int Count, char **Words) {
  const CommandLine Line = parseCommandLine(Count, Words);
  const auto Chosen = programs(Line.Source);
  const std::uint64_t Base = chooseSeed(Line);
  bool Failed = Chosen.empty();
  for (const Program *P : Chosen) {
    if (Line.List) {
      std::printf("%s\n", P->name);
      continue;
    }
    Settings S;
    S.Seed = seedFor(Base, *P);
    const bool Bad = report(*P, check(*P, S, OneRank()), Base, "");
    std::printf("%s %s\n", Bad ? "failed" : "passed", P->name);
    Failed |= Bad;
  }
  return Failed;
}
