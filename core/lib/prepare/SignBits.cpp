// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks that concern the sign of a float and nothing else say the same as an operation on floats,
// which has a derivative. The optimiser knows that of casts, but not of bits that come from memory:
//
//   %b = load i64, ptr %p                             %b = load i64, ptr %p
//   %m = xor i64 %b, 1 << 63                    ->    %c = bitcast i64 %b to double
//   %d = bitcast i64 %m to double                     %d = fneg double %c

#include "SignBits.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

class Signs {
public:
  Signs(IRBuilder<> &B, Type *Float) : B(B), Float(Float) {}
  /// The float with these bits; null if they are not made by changing a sign.
  Value *changed(Value *Bits);

private:
  Value *asFloat(Value *Bits) {
    Value *Known = changed(Bits);
    return Known ? Known : B.CreateBitCast(Bits, Float);
  }
  Value *magnitude(Value *Bits) { return B.CreateUnaryIntrinsic(Intrinsic::fabs, asFloat(Bits)); }

  IRBuilder<> &B;
  Type *Float;
};

Value *Signs::changed(Value *Bits) {
  Value *X, *Y;
  if (match(Bits, m_Xor(m_Value(X), m_SignMask())))
    return B.CreateFNeg(asFloat(X));
  if (match(Bits, m_And(m_Value(X), m_MaxSignedValue())))
    return magnitude(X);
  if (match(Bits, m_Or(m_Value(X), m_SignMask())))
    return B.CreateFNeg(magnitude(X));
  if (match(Bits, m_c_Or(m_And(m_Value(X), m_MaxSignedValue()), m_And(m_Value(Y), m_SignMask()))))
    return B.CreateBinaryIntrinsic(Intrinsic::copysign, asFloat(X), asFloat(Y));
  if (match(Bits, m_c_Xor(m_And(m_Value(Y), m_SignMask()), m_Value(X)))) {
    Value *Same = asFloat(X);
    Value *Negative = B.CreateICmpSLT(Y, Constant::getNullValue(Y->getType()));
    return B.CreateSelect(Negative, B.CreateFNeg(Same), Same);
  }
  return nullptr;
}

/// The cast keeps the number of elements, so that the sign of each is the sign of an element.
bool keepsElements(const BitCastInst &I) {
  return I.getType()->isFPOrFPVectorTy() && I.getSrcTy()->isIntOrIntVectorTy() &&
         I.getType()->getScalarSizeInBits() == I.getSrcTy()->getScalarSizeInBits() &&
         !I.getType()->getScalarType()->isPPC_FP128Ty();
}

} // namespace

bool restoreSigns(Function &F) {
  SmallVector<BitCastInst *, 8> Casts;
  for (Instruction &I : instructions(F))
    if (auto *Cast = dyn_cast<BitCastInst>(&I); Cast && keepsElements(*Cast))
      Casts.push_back(Cast);
  bool Any = false;
  for (BitCastInst *Cast : Casts) {
    IRBuilder<> B(Cast);
    Value *Bits = Cast->getOperand(0);
    Value *New = Signs(B, Cast->getType()).changed(Bits);
    if (!New)
      continue;
    Cast->replaceAllUsesWith(New);
    Cast->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(Bits);
    Any = true;
  }
  return Any;
}

} // namespace contraflow
