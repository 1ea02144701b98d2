// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the checker over MPI programs; dot products and norms go over all ranks. With --gradients
// FILE the gradients of programs that are the same on any number of ranks are compared with those
// in FILE, or written there if this is the first run (one rank).

#include "MpiLeaks.h"
#include "Registry.h"
#include "WorldRanks.h"

#include <cstdio>
#include <cstdlib>
#include <map>

using namespace contraflow::test;

namespace {

using GradientTable = std::map<std::string, std::vector<double>>;

/// One line per program: its name, then its gradient as hexadecimal floats.
GradientTable readGradients(std::FILE *File) {
  GradientTable Table;
  char Name[200];
  int Length = 0;
  while (std::fscanf(File, "%199s %d", Name, &Length) == 2) {
    std::vector<double> Values(static_cast<std::size_t>(Length));
    for (double &X : Values)
      if (std::fscanf(File, "%la", &X) != 1)
        return {};
    Table[Name] = Values;
  }
  return Table;
}

void writeGradients(std::FILE *File, const GradientTable &Table) {
  for (const auto &[Name, Values] : Table) {
    std::fprintf(File, "%s %zu", Name.c_str(), Values.size());
    for (const double X : Values)
      std::fprintf(File, " %a", X);
    std::fputc('\n', File);
  }
}

/// Every rank computes the gradients; rank 0 compares or writes them.
bool checkAgainstFile(const std::vector<const Program *> &Chosen, const std::string &Path,
                      std::uint64_t Base, const WorldRanks &R) {
  GradientTable Mine;
  for (const Program *P : Chosen)
    if (isRankInvariant(*P)) {
      Settings S;
      S.Seed = seedFor(Base, *P);
      Mine[P->name] = gradient(*P, S, R);
    }
  if (R.rank() != 0)
    return false;
  std::FILE *File = std::fopen(Path.c_str(), R.size() == 1 ? "w" : "r");
  if (!File) {
    std::fprintf(stderr, "cannot open %s: run on one rank first\n", Path.c_str());
    return true;
  }
  bool Bad = false;
  if (R.size() == 1)
    writeGradients(File, Mine);
  else
    for (const GradientTable Table = readGradients(File); const Program *P : Chosen)
      if (isRankInvariant(*P)) {
        const auto Row = Table.find(P->name);
        const std::string Difference = Row == Table.end()
                                           ? "there is none"
                                           : compareGradients(Row->second, Mine[P->name], 1e-11);
        if (!Difference.empty())
          Bad |= report(*P, {{"rank number", "not the gradient of one rank: " + Difference}}, Base,
                        "");
      }
  std::fclose(File);
  return Bad;
}

/// What a derivative leaves behind each time; what it keeps for the next time is there already.
std::string leaks(const Program &P, Settings S, const Ranks &R) {
  S.Directions = 1;
  const MpiObjects Before = mpiObjects();
  check(P, S, R);
  return mpiLeaks(Before);
}

} // namespace

int main(int Count, char **Words) {
  int Provided = 0;
  // Not every library has windows then.
  const bool Threads = std::getenv("CONTRAFLOW_TEST_THREADS") != nullptr;
  MPI_Init_thread(&Count, &Words, Threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &Provided);
  bool Failed = false;
  {
    const WorldRanks R;
    const CommandLine Line = parseCommandLine(Count, Words);
    const auto Chosen = programs(Line.Source);
    Failed = Chosen.empty();
    const std::uint64_t Base = R.same(chooseSeed(Line));
    const std::string Where =
        " on rank " + std::to_string(R.rank()) + " of " + std::to_string(R.size());
    if (!Line.GradientFile.empty())
      Failed |= checkAgainstFile(Chosen, Line.GradientFile, Base, R);
    else
      for (const Program *P : Chosen) {
        Settings S;
        S.Seed = seedFor(Base, *P);
        S.PrimalBound = 1e-13;
        std::vector<Failure> Failures = check(*P, S, R);
        const std::string Leaks = leaks(*P, S, R);
        if (!Leaks.empty())
          Failures.push_back({"leaks", Leaks});
        const bool Bad = report(*P, Failures, Base, Where);
        if (R.rank() == 0)
          std::printf("%s %s\n", Bad ? "failed" : "passed", P->name);
        Failed |= Bad;
      }
    Failed = R.max(Failed) > 0;
  }
  MPI_Finalize();
  return Failed;
}
