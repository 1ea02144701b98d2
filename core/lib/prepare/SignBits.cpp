// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks that concern the sign of a float and nothing else say the same as an operation on floats,
// which has a derivative. The optimiser knows that of casts, but not of bits that come from memory:
//
//   %b = load i64, ptr %p                             %b = load i64, ptr %p
//   %m = xor i64 %b, 1 << 63                    ->    %c = bitcast i64 %b to double
//   %d = bitcast i64 %m to double                     %d = fneg double %c
//
// What is changed in memory, where nothing but floats lies, is loaded and stored as bits:
//
//   store (xor i64 %b, 1 << 63), ptr %q         ->    store (fneg double %c), ptr %q

#include "SignBits.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
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
  Value *asFloat(Value *Bits) { return bitsOf(changed(Bits), Bits); }
  Value *bitsOf(Value *Known, Value *Bits) { return Known ? Known : B.CreateBitCast(Bits, Float); }
  Value *flipped(Value *Bits, Value *By);
  Value *changedSelect(SelectInst &Select);
  Value *changedPhi(PHINode &Phi);
  Value *magnitude(Value *Bits) { return B.CreateUnaryIntrinsic(Intrinsic::fabs, asFloat(Bits)); }

  IRBuilder<> &B;
  Type *Float;
  SmallPtrSet<const PHINode *, 4> Phis; ///< that have been looked at
  unsigned Steps = 0;
};

/// True if nothing but the sign may be set: (uint64_t)(k & 1) << 63.
static bool isSign(const Value *Bits) {
  const auto *I = dyn_cast<Instruction>(Bits);
  const unsigned Width = Bits->getType()->getScalarSizeInBits();
  return I && MaskedValueIsZero(I, APInt::getSignedMaxValue(Width), I->getDataLayout());
}

Value *Signs::flipped(Value *Bits, Value *By) {
  Value *Same = asFloat(Bits);
  Value *Negative = B.CreateICmpSLT(By, Constant::getNullValue(By->getType()));
  return B.CreateSelect(Negative, B.CreateFNeg(Same), Same);
}

Value *Signs::changed(Value *Bits) {
  constexpr unsigned MostSteps = 64; // what two choices have in common is looked at twice
  Value *X, *Y;
  if (++Steps > MostSteps)
    return nullptr;
  if (match(Bits, m_Xor(m_Value(X), m_SignMask())))
    return B.CreateFNeg(asFloat(X));
  if (match(Bits, m_And(m_Value(X), m_MaxSignedValue())))
    return magnitude(X);
  if (match(Bits, m_Or(m_Value(X), m_SignMask())))
    return B.CreateFNeg(magnitude(X));
  if (match(Bits, m_c_Or(m_And(m_Value(X), m_MaxSignedValue()), m_And(m_Value(Y), m_SignMask()))))
    return B.CreateBinaryIntrinsic(Intrinsic::copysign, asFloat(X), asFloat(Y));
  if (match(Bits, m_c_Xor(m_And(m_Value(Y), m_SignMask()), m_Value(X))))
    return flipped(X, Y);
  if (match(Bits, m_Xor(m_Value(X), m_Value(Y))) && (isSign(X) || isSign(Y)))
    return isSign(Y) ? flipped(X, Y) : flipped(Y, X);
  if (auto *Select = dyn_cast<SelectInst>(Bits))
    return changedSelect(*Select);
  if (auto *Phi = dyn_cast<PHINode>(Bits); Phi && Phis.insert(Phi).second)
    return changedPhi(*Phi);
  return nullptr;
}

Value *Signs::changedSelect(SelectInst &Select) {
  Value *True = changed(Select.getTrueValue()), *False = changed(Select.getFalseValue());
  if (!True && !False)
    return nullptr;
  return B.CreateSelect(Select.getCondition(), bitsOf(True, Select.getTrueValue()),
                        bitsOf(False, Select.getFalseValue()));
}

Value *Signs::changedPhi(PHINode &Phi) {
  const IRBuilderBase::InsertPointGuard Guard(B);
  SmallMapVector<BasicBlock *, Value *, 4> In; // a switch may lead here twice
  for (auto [From, Bits] : zip(Phi.blocks(), Phi.incoming_values())) {
    B.SetInsertPoint(From->getTerminator());
    if (auto [Known, IsNew] = In.try_emplace(From, nullptr); IsNew)
      Known->second = changed(Bits);
  }
  if (all_of(In, [](const auto &Known) { return !Known.second; }))
    return nullptr;
  PHINode *New = PHINode::Create(Float, Phi.getNumIncomingValues(), "", Phi.getIterator());
  New->setDebugLoc(Phi.getDebugLoc());
  for (auto [From, Bits] : zip(Phi.blocks(), Phi.incoming_values())) {
    B.SetInsertPoint(From->getTerminator());
    Value *&Known = In[From];
    New->addIncoming(Known = bitsOf(Known, Bits), From);
  }
  return New;
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

bool restoreStoredSigns(Function &F, function_ref<bool(const StoreInst &)> IsNumber) {
  SmallVector<StoreInst *, 8> Stores;
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    const Value *Bits = Store ? Store->getValueOperand() : nullptr;
    if (Store && Store->isSimple() && isa<BinaryOperator, SelectInst, PHINode>(Bits) &&
        (Bits->getType()->isIntegerTy(64) || Bits->getType()->isIntegerTy(32)) && IsNumber(*Store))
      Stores.push_back(Store);
  }
  bool Any = false;
  for (StoreInst *Store : Stores) {
    Value *Bits = Store->getValueOperand();
    IRBuilder<> B(Store);
    Type *Float = Bits->getType()->isIntegerTy(64) ? B.getDoubleTy() : B.getFloatTy();
    Value *New = Signs(B, Float).changed(Bits);
    if (!New)
      continue;
    Store->setOperand(0, New);
    RecursivelyDeleteTriviallyDeadInstructions(Bits);
    Any = true;
  }
  return Any;
}

} // namespace contraflow
