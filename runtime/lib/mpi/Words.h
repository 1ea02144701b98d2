// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory without a shadow has received, word by word of eight bytes, to find it in what is
// sent later from other memory: text that was copied. A table of bits, so a word may be found that
// was never there; one that was is always found.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace contraflow::mpi {

class Words {
public:
  void note(const char *From, std::size_t Bytes);
  /// True if one of the words there was noted, wherever it was.
  bool finds(const char *From, std::size_t Bytes);

private:
  std::mutex Lock;
  std::vector<bool> Bits; ///< two for each word; empty if there are none
};

} // namespace contraflow::mpi
