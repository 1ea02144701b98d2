// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs that registered themselves at start-up, and what to do with them.
#ifndef CONTRAFLOW_TEST_REGISTRY_H
#define CONTRAFLOW_TEST_REGISTRY_H

#include "Checker.h"

#include <cstdint>
#include <string>
#include <vector>

namespace contraflow::test {

/// Programs in the order of their names, those of one source file or all if Source is "".
std::vector<const Program *> programs(const std::string &Source);

/// The command line of a test driver: [--source FILE] [--seed N] [--gradients FILE] [--list].
struct CommandLine {
  std::string Source, GradientFile;
  std::uint64_t Seed = 0; ///< 0: none given
  bool List = false;
};
CommandLine parseCommandLine(int Count, char **Words);

/// Base mixed with the program's name. Base comes from --seed, from CONTRAFLOW_TEST_SEED, or is
/// random.
std::uint64_t chooseSeed(const CommandLine &Line);
std::uint64_t seedFor(std::uint64_t Base, const Program &P);

/// Prints what failed and how to repeat it; returns whether anything did.
bool report(const Program &P, const std::vector<Failure> &Failures, std::uint64_t Base,
            const std::string &Where);

} // namespace contraflow::test

#endif
