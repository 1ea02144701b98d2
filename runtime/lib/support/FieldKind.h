// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a field of an object holds. A field of kind 4 is a double at one time and a pointer at
// another. Read as a double an address of user space is below 1e-309: what is that small is an
// address, and no adjoint.

#pragma once

#include "support/Fail.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace contraflow {

/// Offsets that are no places: the first address that is a multiple of the period; bytes of which
/// nobody knows what they are.
constexpr int64_t AtAlignment = -1, Anywhere = -2;

enum FieldKind : int32_t { Float = 0, Double = 1, LongDouble = 2, Pointer = 3, Either = 4 };

inline int64_t widthOf(int32_t K) {
  switch (K) {
  case Float:
    return sizeof(float);
  case Double:
  case Pointer:
  case Either:
    return sizeof(double);
  case LongDouble:
    return 10; // the rest is padding
  default:
    fail(ErrorId::Internal, "unknown kind of field " + std::to_string(K));
  }
}

inline bool isAddress(uint64_t Bits) { return Bits != 0 && Bits < (uint64_t{1} << 48); }

template <typename T> T read(const char *From) {
  T Value;
  std::memcpy(&Value, From, sizeof Value);
  return Value;
}

template <typename T> void write(char *To, T Value) { std::memcpy(To, &Value, sizeof Value); }

} // namespace contraflow
