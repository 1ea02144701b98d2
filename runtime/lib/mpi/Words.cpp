// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who copies text may copy a part of it, and to any place: words are looked at at every place of
// the beginning of a message, and at multiples of four behind it. Words of zeros are everywhere.

#include "mpi/Words.h"

#include <algorithm>
#include <cstring>

namespace contraflow::mpi {
namespace {

constexpr std::size_t Beginning = 1 << 12, Most = 1 << 16;
constexpr int BitsLog2 = 17, WordBits = 64;

struct Places {
  std::size_t First, Second;
};

Places placesOf(std::uint64_t Word) {
  const std::uint64_t Hash = (Word ^ Word >> 29) * 0x9e3779b97f4a7c15;
  return {Hash >> (WordBits - BitsLog2), Hash << BitsLog2 >> (WordBits - BitsLog2)};
}

/// Until Do(places of a word) is true.
template <class Action> bool anyWord(const char *From, std::size_t Bytes, Action Do) {
  std::uint64_t Word = 0;
  const std::size_t End = std::min(Bytes, Most);
  for (std::size_t At = 0; At + sizeof Word <= End; At += At < Beginning ? 1 : 4) {
    std::memcpy(&Word, From + At, sizeof Word);
    if (Word != 0 && Do(placesOf(Word)))
      return true;
  }
  return false;
}

} // namespace

void Words::note(const char *From, std::size_t Bytes) {
  const std::scoped_lock Guard(Lock);
  Bits.resize(std::size_t{1} << BitsLog2);
  anyWord(From, Bytes, [&](Places P) {
    Bits[P.First] = Bits[P.Second] = true;
    return false;
  });
}

bool Words::finds(const char *From, std::size_t Bytes) {
  const std::scoped_lock Guard(Lock);
  return !Bits.empty() &&
         anyWord(From, Bytes, [&](Places P) { return Bits[P.First] && Bits[P.Second]; });
}

} // namespace contraflow::mpi
