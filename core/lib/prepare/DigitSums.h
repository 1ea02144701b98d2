// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that are calculated from the bits of floats, or from floats that were converted, as sums
// of these:
//
//   0x5f3759df - (bits(x) >> 1)          -1/2 bits(x)
//   (bits(x) & 0x007fffff) | 0x3f800000     1 bits(x), of which places 0 to 22 are kept
//
// A place is a power of two in the source; what the factor makes of it in the sum is its position.

#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class APInt;
class BinaryOperator;
class Function;
class Instruction;
class PHINode;
class SelectInst;
class StoreInst;
class Type;
class Value;
} // namespace llvm

namespace contraflow {

/// Factor times the places [Low, High) of a source.
struct DigitTerm {
  llvm::Value *Source; ///< a float; a load of an integer that is one
  bool Converted;      ///< to the next integer; else it is the bits
  double Factor;
  int Low, High;
  /// The term counts where these conditions are what is said; the bound of a number (llvm.smin)
  /// stands for the condition that it is not reached.
  llvm::SmallVector<std::pair<llvm::Value *, bool>, 2> Where;

  /// The exponent of the power of two that Factor is about.
  int shift() const;
};

struct DigitSum {
  llvm::SmallVector<DigitTerm, 2> Terms;
  llvm::SmallVector<llvm::Value *, 2> Lost; ///< sources whose bits are there in another form
  /// Sources whose bits were shifted by or multiplied with what is not constant.
  llvm::SmallVector<llvm::Value *, 2> Stray;
  bool Table = false;  ///< memory is read, too
  bool Merged = false; ///< bits of floats come in through a phi or a lane, too
  bool isConstant() const { return Terms.empty() && Lost.empty(); }
};

/// The digits behind the first one of a float of T, lane by lane.
int digitsOf(llvm::Type *T);

/// The float that a load of an integer moves, if that is known; else null.
llvm::Type *floatLoaded(const llvm::Value *V);

/// The float that a store of an integer makes, if that is known; else null.
llvm::Type *floatStored(const llvm::StoreInst &Store);

class DigitSums {
public:
  /// The sum that V, an integer or a vector of them, is.
  DigitSum of(llvm::Value *V);

private:
  DigitSum compute(llvm::Instruction &I);
  DigitSum ofBinary(llvm::BinaryOperator &I);
  DigitSum ofCall(llvm::Instruction &I);
  DigitSum converted(llvm::Instruction &I, llvm::Value *From);
  DigitSum added(llvm::Instruction &I, double Sign);
  DigitSum combined(llvm::BinaryOperator &I);
  DigitSum chosen(llvm::SelectInst &I);
  DigitSum ofPhi(llvm::PHINode &Phi);
  DigitSum lost(llvm::Instruction &I);
  DigitSum unknown(llvm::Instruction &I);

  llvm::DenseMap<llvm::Value *, DigitSum> Known;
  unsigned Depth = 0;
};

/// Marks loads of floats as such, where the language does not say it: the optimiser may read them
/// as integers. Marks of these stay.
void markFloatLoads(llvm::Function &F);
void unmarkFloatLoads(llvm::Function &F);

} // namespace contraflow
