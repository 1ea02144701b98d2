// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions in a fixed order. Where several threads of a team add to one adjoint, each keeps what
// it adds in a ledger of its own; where the team meets, the ledgers are added to memory, thread 0's
// first. The same team then computes the same bits, however its threads are scheduled.
//
//   thread 0   x-bar += a; x-bar += b            ledger 0:  x-bar: a + b
//   thread 1   x-bar += c                        ledger 1:  x-bar: c
//   barrier                                      x-bar = (x-bar + (a + b)) + c
//
// A ledger holds pages of 512 bytes in the layout of the memory they stand for, one page for each
// type of number.

#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace contraflow::omp {

class Ledger {
public:
  template <typename T> void add(T *Where, T Value);
  /// Adds what is kept for these bytes to memory: the thread is about to read them.
  void take(char *Where, int64_t Bytes);
  /// Share Share of Shares of what is kept, added to memory. Shares of different numbers never
  /// meet, whatever the ledgers.
  void settle(int Share, int Shares);
  /// Adds everything to memory that other threads may be adding to.
  void flush();

private:
  enum Kind : uint32_t { F32, F64, F80 };
  static constexpr uintptr_t PageBytes = 512;
  struct Page {
    uintptr_t Number;
    Kind What;
    bool Used = false; ///< since it was last settled
    alignas(16) char Sums[PageBytes] = {};
  };
  template <typename T> static constexpr Kind kindOf();
  Page *find(uintptr_t Number, Kind What);
  Page &pageOf(uintptr_t Number, Kind What);
  void grow();
  /// The bytes of a page that are wanted.
  struct Part {
    uintptr_t Begin = 0, End = PageBytes;
  };
  template <typename T, typename Add> static void each(Page &P, Part Bytes, Add &&To);
  template <typename Add> static void empty(Page &P, Part Bytes, Add &&To);

  std::deque<Page> Pages;
  std::vector<Page *> Table; ///< open addressing; the size is a power of two
  Page *Last = nullptr;
};

/// The ledger of the calling thread, or null: it adds to memory.
Ledger *ledger();
/// At a barrier of the team: what its threads keep is added to memory. Another barrier has to
/// follow.
void settleLedgers();
/// True while the thread is in the reverse of a critical section: its additions are ordered.
bool holdsTurn();

} // namespace contraflow::omp
