// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a program's arguments, or their shadows, occupy: one block per argument between
// two guards that catch writes beyond its ends.
#ifndef CONTRAFLOW_TEST_ARGUMENTS_H
#define CONTRAFLOW_TEST_ARGUMENTS_H

#include "GradientCheck.h"
#include "Ranks.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace contraflow::test {

using Argument = cf_test_argument;
using Program = cf_test_program;

bool isActive(const Argument &A);
bool isArray(const Argument &A);
std::span<const Argument> argumentsOf(const Program &P);
bool isSinglePrecision(const Program &P);

/// How many values of A this rank holds.
std::size_t countOf(const Argument &A, const Ranks &R);

class Arguments {
public:
  Arguments(const Program &P, const Ranks &R);

  /// Values to differentiate at, drawn from each argument's range.
  void sample(std::uint64_t Seed, const Ranks &R);
  /// A direction or a weight: active values in [-1, 1] away from zero.
  void direction(std::uint64_t Seed, const Ranks &R);
  void clear();

  double get(std::size_t Index, std::size_t Element) const;
  void set(std::size_t Index, std::size_t Element, double Value);
  std::size_t count(std::size_t Index) const { return Counts[Index]; }

  /// this += Step * Direction, over active arguments.
  void advance(double Step, const Arguments &Direction);
  /// The addresses of the blocks.
  std::vector<void *> pointers();
  /// Active values in order; arrays only, or scalars as well.
  std::vector<double> activeArrays() const;
  std::vector<double> activeValues() const;
  /// Name and element of the first array value that differs by more than Bound relatively, or "".
  std::string firstDifference(const Arguments &Other, double Bound, bool SkipNoNeed) const;
  /// The argument whose guard was overwritten, or -1.
  int brokenGuard() const;

private:
  template <typename Function> void forEachActive(Function &&Do) const;
  double draw(std::uint64_t Seed, std::size_t Index, std::size_t Element, double Low, double High,
              const Ranks &R) const;

  const Program *P;
  std::vector<std::size_t> Counts;
  std::vector<std::vector<std::uint64_t>> Blocks;
};

} // namespace contraflow::test

#endif
