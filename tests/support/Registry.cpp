// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration from constructors of C and C++ sources, choice of seed, and the report.

#include "Registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace contraflow::test {

namespace {

std::vector<const Program *> &registered() {
  static std::vector<const Program *> All;
  return All;
}

} // namespace

std::vector<const Program *> programs(const std::string &Source) {
  std::vector<const Program *> Chosen;
  for (const Program *P : registered())
    if (Source.empty() || Source == P->source)
      Chosen.push_back(P);
  std::ranges::sort(Chosen, {}, [](const Program *P) { return std::string_view(P->name); });
  return Chosen;
}

CommandLine parseCommandLine(int Count, char **Words) {
  CommandLine Line;
  for (int I = 1; I < Count; ++I) {
    const std::string Word = Words[I];
    const char *Value = I + 1 < Count ? Words[I + 1] : nullptr;
    if (Word == "--list") {
      Line.List = true;
      continue;
    }
    if (Word == "--source" && Value)
      Line.Source = Value;
    else if (Word == "--gradients" && Value)
      Line.GradientFile = Value;
    else if (Word == "--seed" && Value)
      Line.Seed = std::strtoull(Value, nullptr, 0);
    else {
      std::fprintf(stderr, "usage: %s [--source FILE] [--seed N] [--gradients FILE] [--list]\n",
                   Words[0]);
      std::exit(2);
    }
    ++I;
  }
  return Line;
}

std::uint64_t chooseSeed(const CommandLine &Line) {
  if (Line.Seed)
    return Line.Seed;
  if (const char *Given = std::getenv("CONTRAFLOW_TEST_SEED"))
    return std::strtoull(Given, nullptr, 0);
  return std::random_device()();
}

std::uint64_t seedFor(std::uint64_t Base, const Program &P) {
  std::uint64_t Hash = Base ^ 0xCBF29CE484222325ull; // FNV-1a
  for (const char C : std::string_view(P.name))
    Hash = (Hash ^ static_cast<unsigned char>(C)) * 0x100000001B3ull;
  return Hash;
}

bool report(const Program &P, const std::vector<Failure> &Failures, std::uint64_t Base,
            const std::string &Where) {
  for (const Failure &F : Failures)
    std::fprintf(stderr, "FAIL %s (%s)%s: %s: %s\n", P.name, P.source, Where.c_str(),
                 F.Check.c_str(), F.Text.c_str());
  if (!Failures.empty())
    std::fprintf(stderr, "     repeat with CONTRAFLOW_TEST_SEED=%llu\n",
                 static_cast<unsigned long long>(Base));
  return !Failures.empty();
}

} // namespace contraflow::test

extern "C" void cf_test_register(const cf_test_program *Program) {
  contraflow::test::registered().push_back(Program);
}
