// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of addresses, in one block of memory: a slot is looked for from where the address
// hashes to, up to the first empty one. What is taken out leaves no gap behind:
//
//   slot   3   4   5   6   7                    3   4   5   6   7
//          a   b   b'  c'           take a:     b   b'      c'            b' hashes to 4, c' to 6

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace contraflow {

/// Of consecutive addresses, neighbours are far apart; the upper bits are the better ones.
inline uint64_t hashOf(const void *Address) {
  return uint64_t{reinterpret_cast<uintptr_t>(Address)} * 0x9E3779B97F4A7C15u;
}

/// Null is no address.
template <typename T> class AddressTable {
public:
  /// False if the address is there already.
  bool insert(void *Address, const T &What) {
    if (2 * (Count + 1) > Slots.size())
      resize(Slots.empty() ? 16 : 2 * Slots.size());
    Slot &S = Slots[find(Address)];
    if (S.Address)
      return false;
    S = {Address, What};
    ++Count;
    return true;
  }

  bool contains(const void *Address) const { return Count && Slots[find(Address)].Address; }

  std::optional<T> take(const void *Address) {
    if (!Count)
      return std::nullopt;
    size_t Gap = find(Address);
    if (!Slots[Gap].Address)
      return std::nullopt;
    const T What = Slots[Gap].What;
    // Whoever is behind, and hashes to the gap or before it, moves there.
    for (size_t I = next(Gap); Slots[I].Address; I = next(I))
      if (distance(home(Slots[I].Address), I) >= distance(Gap, I))
        Slots[std::exchange(Gap, I)] = Slots[I];
    Slots[Gap].Address = nullptr;
    if (--Count == 0 && Slots.size() > MostKept)
      Slots = {};
    return What;
  }

  template <typename Visitor> void each(Visitor Visit) const {
    for (size_t I = 0; Count && I < Slots.size(); ++I)
      if (Slots[I].Address)
        Visit(Slots[I].Address, Slots[I].What);
  }

private:
  struct Slot {
    void *Address = nullptr;
    T What = {};
  };
  static constexpr size_t MostKept = 1024; ///< empty slots

  /// The upper six bits choose between tables.
  size_t home(const void *Address) const {
    return (hashOf(Address) << 6) >> (64 - std::countr_zero(Slots.size()));
  }
  size_t next(size_t I) const { return (I + 1) & (Slots.size() - 1); }
  size_t distance(size_t From, size_t To) const { return (To - From) & (Slots.size() - 1); }

  /// Where the address is, or would be.
  size_t find(const void *Address) const {
    size_t I = home(Address);
    while (Slots[I].Address && Slots[I].Address != Address)
      I = next(I);
    return I;
  }

  void resize(size_t Size) {
    std::vector<Slot> Old(Size);
    std::swap(Old, Slots);
    for (const Slot &S : Old)
      if (S.Address)
        Slots[find(S.Address)] = S;
  }

  std::vector<Slot> Slots; ///< a power of two, at most half full
  size_t Count = 0;
};

} // namespace contraflow
