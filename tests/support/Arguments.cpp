// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random value depends on the seed, the argument and the element's number alone: on the number
// within the whole field for a block of a distributed field, and on the rank only for values that
// each rank has for itself. So a problem is the same on any number of ranks.

#include "Arguments.h"

#include <cmath>
#include <cstring>

namespace contraflow::test {

namespace {

constexpr std::size_t GuardWords = 8;
constexpr std::uint64_t GuardPattern = 0xC0FFEE5EEDC0FFEEull;

std::size_t sizeOf(const Argument &A) {
  switch (A.type) {
  case cf_test_double:
  case cf_test_size:
    return 8;
  case cf_test_float:
  case cf_test_int:
    return 4;
  }
  return 8;
}

/// Steele, Lea, Flood 2014: a well mixed function of its argument.
std::uint64_t splitMix(std::uint64_t X) {
  X += 0x9E3779B97F4A7C15ull;
  X = (X ^ (X >> 30)) * 0xBF58476D1CE4E5B9ull;
  X = (X ^ (X >> 27)) * 0x94D049BB133111EBull;
  return X ^ (X >> 31);
}

std::uint64_t mix(std::uint64_t Hash, std::uint64_t Value) { return splitMix(Hash ^ Value); }

} // namespace

bool isActive(const Argument &A) { return A.kind != cf_test_const && A.kind != cf_test_integer; }

bool isArray(const Argument &A) { return A.kind != cf_test_scalar && A.kind != cf_test_integer; }

std::span<const Argument> argumentsOf(const Program &P) {
  return {P.arguments, static_cast<std::size_t>(P.count)};
}

bool isSinglePrecision(const Program &P) {
  for (const Argument &A : argumentsOf(P))
    if (isActive(A) && A.type == cf_test_float)
      return true;
  return P.result == cf_test_Float;
}

std::size_t countOf(const Argument &A, const Ranks &R) {
  if (A.kind == cf_test_integer)
    return 1;
  return static_cast<std::size_t>(A.place == cf_test_block ? A.count / R.size() : A.count);
}

Arguments::Arguments(const Program &P, const Ranks &R) : P(&P) {
  for (const Argument &A : argumentsOf(P)) {
    Counts.push_back(countOf(A, R));
    const std::size_t Words = (Counts.back() * sizeOf(A) + 7) / 8;
    std::vector<std::uint64_t> Block(Words + 2 * GuardWords, GuardPattern);
    std::memset(Block.data() + GuardWords, 0, Words * 8);
    Blocks.push_back(std::move(Block));
    if (A.kind == cf_test_integer)
      set(Blocks.size() - 1, 0,
          static_cast<double>(A.place == cf_test_block ? A.count / R.size() : A.count));
  }
}

double Arguments::draw(std::uint64_t Seed, std::size_t Index, std::size_t Element, double Low,
                       double High, const Ranks &R) const {
  const Argument &A = P->arguments[Index];
  std::uint64_t Hash = mix(Seed, Index);
  if (A.place == cf_test_local)
    Hash = mix(Hash, static_cast<std::uint64_t>(R.rank()) + 1);
  if (A.place == cf_test_block)
    Element += static_cast<std::size_t>(R.rank()) * Counts[Index];
  const double Unit = static_cast<double>(mix(Hash, Element) >> 11) * 0x1p-53;
  return Low + (High - Low) * Unit;
}

void Arguments::sample(std::uint64_t Seed, const Ranks &R) {
  for (std::size_t I = 0; I < Blocks.size(); ++I) {
    const Argument &A = P->arguments[I];
    if (A.kind == cf_test_integer)
      continue;
    for (std::size_t E = 0; E < Counts[I]; ++E)
      set(I, E, draw(Seed, I, E, A.low, A.high, R));
  }
}

void Arguments::direction(std::uint64_t Seed, const Ranks &R) {
  for (std::size_t I = 0; I < Blocks.size(); ++I) {
    if (!isActive(P->arguments[I]))
      continue;
    for (std::size_t E = 0; E < Counts[I]; ++E) {
      const double Value = draw(Seed, I, E, -1, 1, R);
      set(I, E, std::copysign(0.1 + 0.9 * std::fabs(Value), Value));
    }
  }
}

void Arguments::clear() {
  for (std::size_t I = 0; I < Blocks.size(); ++I)
    for (std::size_t E = 0; isActive(P->arguments[I]) && E < Counts[I]; ++E)
      set(I, E, 0);
}

double Arguments::get(std::size_t Index, std::size_t Element) const {
  const void *Block = Blocks[Index].data() + GuardWords;
  switch (P->arguments[Index].type) {
  case cf_test_double:
    return static_cast<const double *>(Block)[Element];
  case cf_test_float:
    return static_cast<const float *>(Block)[Element];
  case cf_test_int:
    return static_cast<const int *>(Block)[Element];
  case cf_test_size:
    return static_cast<double>(static_cast<const unsigned long *>(Block)[Element]);
  }
  return 0;
}

void Arguments::set(std::size_t Index, std::size_t Element, double Value) {
  void *Block = Blocks[Index].data() + GuardWords;
  switch (P->arguments[Index].type) {
  case cf_test_double:
    static_cast<double *>(Block)[Element] = Value;
    break;
  case cf_test_float:
    static_cast<float *>(Block)[Element] = static_cast<float>(Value);
    break;
  case cf_test_int:
    static_cast<int *>(Block)[Element] = static_cast<int>(Value);
    break;
  case cf_test_size:
    static_cast<unsigned long *>(Block)[Element] = static_cast<unsigned long>(Value);
    break;
  }
}

template <typename Function> void Arguments::forEachActive(Function &&Do) const {
  for (std::size_t I = 0; I < Blocks.size(); ++I)
    for (std::size_t E = 0; isActive(P->arguments[I]) && E < Counts[I]; ++E)
      Do(I, E);
}

void Arguments::advance(double Step, const Arguments &Direction) {
  forEachActive(
      [&](std::size_t I, std::size_t E) { set(I, E, get(I, E) + Step * Direction.get(I, E)); });
}

std::vector<void *> Arguments::pointers() {
  std::vector<void *> Result;
  for (auto &Block : Blocks)
    Result.push_back(Block.data() + GuardWords);
  return Result;
}

std::vector<double> Arguments::activeArrays() const {
  std::vector<double> Result;
  forEachActive([&](std::size_t I, std::size_t E) {
    if (isArray(P->arguments[I]))
      Result.push_back(get(I, E));
  });
  return Result;
}

std::vector<double> Arguments::activeValues() const {
  std::vector<double> Result;
  forEachActive([&](std::size_t I, std::size_t E) { Result.push_back(get(I, E)); });
  return Result;
}

std::string Arguments::firstDifference(const Arguments &Other, double Bound,
                                       bool SkipNoNeed) const {
  for (std::size_t I = 0; I < Blocks.size(); ++I) {
    if (!isArray(P->arguments[I]) || (SkipNoNeed && P->arguments[I].kind == cf_test_noneed))
      continue;
    for (std::size_t E = 0; E < Counts[I]; ++E) {
      const double Mine = get(I, E), Theirs = Other.get(I, E);
      const bool Same = Bound == 0 ? std::memcmp(&Mine, &Theirs, sizeof Mine) == 0
                                   : std::fabs(Mine - Theirs) <= Bound * (1 + std::fabs(Mine));
      if (!Same)
        return "argument " + std::to_string(I) + "[" + std::to_string(E) +
               "]: " + std::to_string(Mine) + " and " + std::to_string(Theirs);
    }
  }
  return "";
}

int Arguments::brokenGuard() const {
  for (std::size_t I = 0; I < Blocks.size(); ++I)
    for (std::size_t W = 0; W < GuardWords; ++W)
      if (Blocks[I][W] != GuardPattern || Blocks[I][Blocks[I].size() - 1 - W] != GuardPattern)
        return static_cast<int>(I);
  return -1;
}

} // namespace contraflow::test
