// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of an integer may depend on digits of floats, operation by operation. Of vectors,
// the places of all lanes together.
//
//   b = bits(x)       digits 0..22 (float)        k = (int)x       converted 0..31
//   b >> 13           digits 0..9                 k << 23          converted 23..31
//   b >> 23           none: an exponent           k << 23 as a float: none of them digits

#pragma once

#include <cstdint>

namespace llvm {
class Instruction;
class Type;
} // namespace llvm

namespace contraflow {

struct DigitPlaces {
  uint64_t Digits = 0;    ///< of floats whose bits these are
  uint64_t Converted = 0; ///< of floats that were converted to integers
  bool Changed = false;   ///< calculated with, not only moved

  explicit operator bool() const { return Digits || Converted; }
  bool operator==(const DigitPlaces &) const = default;
  DigitPlaces &operator|=(const DigitPlaces &Other) {
    Digits |= Other.Digits;
    Converted |= Other.Converted;
    Changed |= Other.Changed;
    return *this;
  }
};

/// What lies beyond the word is not told apart.
constexpr unsigned MostPlaces = 64;

/// The places of the digits of floats of T's lanes in an integer of so many bits.
uint64_t digitsOfFloats(const llvm::Type *T, unsigned Width);

/// The bits of the lanes of one type, taken for lanes of the other.
uint64_t regrouped(uint64_t Places, unsigned From, unsigned To);

/// What the operation I, whose operands A and B (if there is one) are integers, makes of them.
DigitPlaces afterwards(const llvm::Instruction &I, DigitPlaces A, DigitPlaces B);

/// True if places of an integer that become those of a float are digits that vary: of bits any, of
/// a converted number so many that its steps are not what is meant.
bool becomeDigits(const DigitPlaces &P, unsigned Width, const llvm::Type *Float);

} // namespace contraflow
