// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a field of an object holds. A field of kind 4 is a double at one time and a pointer at
// another. Read as a double an address of user space is below 1e-309: what is that small is an
// address, and no adjoint. So are two floats, the upper one of which would be below 1e-41: the
// kinds 7 and 8 are of words that hold one or two floats at one time and a pointer at another; 10
// and 11 of words that are a double at one time and a float with nothing behind it at another, the
// latter ones an address at a third. In a program that is not position independent, addresses have
// no upper half, and end with the heap.

#pragma once

#include "support/Fail.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <unistd.h>

namespace contraflow {

/// Offsets that are no places: the first address that is a multiple of the period; bytes of which
/// nobody knows what they are; of a copy, what is a multiple of the period where it comes from.
constexpr int64_t AtAlignment = -1, Anywhere = -2, AtSource = -3;

enum FieldKind : int32_t {
  Float = 0,
  Double = 1,
  LongDouble = 2,
  Pointer = 3,
  Either = 4,
  FloatOfWord = 7,
  WordOfFloats = 8,
  NoAddress = 9,
  Number = 10,
  NumberOrAddress = 11
};

inline int64_t widthOf(int32_t K) {
  switch (K) {
  case Float:
  case FloatOfWord:
  case NoAddress:
    return sizeof(float);
  case Double:
  case Pointer:
  case Either:
  case WordOfFloats:
  case Number:
  case NumberOrAddress:
    return sizeof(double);
  case LongDouble:
    return 10; // the rest is padding
  default:
    fail(ErrorId::Internal, "unknown kind of field " + std::to_string(K));
  }
}

inline bool isAddress(uint64_t Bits) { return Bits != 0 && Bits < (uint64_t{1} << 48); }

/// The same where floats may be.
inline bool isAddressNotFloats(uint64_t Bits) {
  constexpr uint64_t Half = uint64_t{1} << 32, FirstPages = 1 << 16;
  if (Bits >= Half)
    return Bits < (uint64_t{1} << 48);
  const auto HeapEnd = reinterpret_cast<uint64_t>(sbrk(0));
  return HeapEnd < Half && Bits >= FirstPages && Bits < HeapEnd;
}

/// Of a word that is a double, or a float with zeros behind it (sumOfNumbers in emit/Recall.cpp
/// adds values in registers by the same rule).
inline bool isFloatOnly(uint64_t Bits) { return Bits < (uint64_t{1} << 32); }

/// The word that a float is a part of.
inline uint64_t *wordOf(const char *Float) {
  return reinterpret_cast<uint64_t *>(reinterpret_cast<uintptr_t>(Float) & ~uintptr_t{7});
}

inline bool liesInAddress(const char *Float) { return isAddressNotFloats(*wordOf(Float)); }

template <typename T> T read(const char *From) {
  T Value;
  std::memcpy(&Value, From, sizeof Value);
  return Value;
}

template <typename T> void write(char *To, T Value) { std::memcpy(To, &Value, sizeof Value); }

} // namespace contraflow
