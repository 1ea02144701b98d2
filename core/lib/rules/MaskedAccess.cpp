// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   v = masked.load(p, m, w)       if (m[0]) v[0] = p[0] else v[0] = w[0] ; ...
//   masked.store(v, p, m)     ->   if (m[0]) p[0] = v[0] ; ...
//   gather(w, p, i, m, s)          if (m[0]) v[0] = *(p + i[0] s) ; ...
//   expandload(p, m, w)            the same from p on without gaps; compressstore(v, p, m)
//
// and the instructions of AVX, AVX2 and AVX-512 that do so. The sign of a lane is its mask where
// the mask is no vector of bits. Lanes with a constant mask have no branch.

#include "MaskedAccess.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr int None = -1;

/// Which operands are what. Lanes are neighbours, or Index times Scale away, or Address is a
/// vector.
struct Access {
  int Address = None, Mask = None;
  int Value = None; ///< of a store: what is stored; of a load: lanes that are not loaded
  int Index = None, Scale = None;
  bool Packed = false; ///< the lanes that are on follow each other
};

constexpr Access MaskLoad{0, 1, None, None, None}, MaskStore{0, 1, 2, None, None};
constexpr Access Gather{1, 3, 0, 2, 4}, Scatter{0, 1, 3, 2, 4};

std::optional<Access> accessOf(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    return Access{0, 1, 2, None, None};
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return Access{1, 2, 0, None, None};
  case Intrinsic::masked_expandload:
    return Access{0, 1, 2, None, None, true};
  case Intrinsic::masked_compressstore:
    return Access{1, 2, 0, None, None, true};
  case Intrinsic::x86_avx_maskload_pd:
  case Intrinsic::x86_avx_maskload_ps:
  case Intrinsic::x86_avx_maskload_pd_256:
  case Intrinsic::x86_avx_maskload_ps_256:
    return MaskLoad;
  case Intrinsic::x86_avx_maskstore_pd:
  case Intrinsic::x86_avx_maskstore_ps:
  case Intrinsic::x86_avx_maskstore_pd_256:
  case Intrinsic::x86_avx_maskstore_ps_256:
    return MaskStore;
  case Intrinsic::x86_avx2_gather_d_pd:
  case Intrinsic::x86_avx2_gather_d_pd_256:
  case Intrinsic::x86_avx2_gather_q_pd:
  case Intrinsic::x86_avx2_gather_q_pd_256:
  case Intrinsic::x86_avx2_gather_d_ps:
  case Intrinsic::x86_avx2_gather_d_ps_256:
  case Intrinsic::x86_avx2_gather_q_ps:
  case Intrinsic::x86_avx2_gather_q_ps_256:
  case Intrinsic::x86_avx512_mask_gather_dpd_512:
  case Intrinsic::x86_avx512_mask_gather_qpd_512:
  case Intrinsic::x86_avx512_mask_gather_dps_512:
  case Intrinsic::x86_avx512_mask_gather_qps_512:
    return Gather;
  case Intrinsic::x86_avx512_mask_scatter_dpd_512:
  case Intrinsic::x86_avx512_mask_scatter_qpd_512:
  case Intrinsic::x86_avx512_mask_scatter_dps_512:
  case Intrinsic::x86_avx512_mask_scatter_qps_512:
    return Scatter;
  default:
    return std::nullopt;
  }
}

class Lanes {
public:
  Lanes(CallInst &Call, Access A) : Call(Call), A(A), B(&Call) {}
  bool run();

private:
  Value *operand(int I) { return Call.getArgOperand(I); }
  Value *addressOf(unsigned Lane);
  Value *isOn(unsigned Lane);
  bool knowsAddresses();
  Align alignment(unsigned Lane) const;
  Value *load(unsigned Lane, Value *Before);
  void store(unsigned Lane);

  CallInst &Call;
  Access A;
  IRBuilder<> B;
  FixedVectorType *Vector = nullptr;
  Value *Next = nullptr; ///< how many lanes before were on, if packed
};

/// A vector of addresses is one that was calculated for all lanes at once.
bool Lanes::knowsAddresses() {
  Value *Address = operand(A.Address);
  auto *Step = dyn_cast<GetElementPtrInst>(Address);
  if (!Address->getType()->isVectorTy())
    return true;
  Value *Base = Step ? Step->getPointerOperand() : nullptr;
  return Base && (!Base->getType()->isVectorTy() || getSplatValue(Base));
}

Value *Lanes::addressOf(unsigned Lane) {
  Value *Address = operand(A.Address);
  if (A.Index != None) {
    Value *Index = B.CreateSExt(B.CreateExtractElement(operand(A.Index), Lane), B.getInt64Ty());
    Value *Scale = B.CreateSExt(operand(A.Scale), B.getInt64Ty());
    return B.CreatePtrAdd(Address, B.CreateMul(Index, Scale));
  }
  if (A.Packed) {
    Value *Before = Next ? Next : B.getInt64(0);
    Next = B.CreateAdd(Before, B.CreateZExt(isOn(Lane), B.getInt64Ty()));
    return B.CreateGEP(Vector->getElementType(), Address, Before);
  }
  if (!Address->getType()->isVectorTy())
    return B.CreateConstGEP1_64(Vector->getElementType(), Address, Lane);
  auto *Step = cast<GetElementPtrInst>(Address);
  Value *Base = Step->getPointerOperand();
  SmallVector<Value *, 4> Indices;
  for (Value *Index : Step->indices())
    Indices.push_back(Index->getType()->isVectorTy() ? B.CreateExtractElement(Index, Lane) : Index);
  return B.CreateGEP(Step->getSourceElementType(),
                     Base->getType()->isVectorTy() ? getSplatValue(Base) : Base, Indices);
}

Value *Lanes::isOn(unsigned Lane) {
  Value *Mask = B.CreateExtractElement(operand(A.Mask), Lane);
  if (Mask->getType()->isIntegerTy(1))
    return Mask;
  Type *Bits = B.getIntNTy(Mask->getType()->getScalarSizeInBits());
  return B.CreateICmpSLT(B.CreateBitCast(Mask, Bits), ConstantInt::get(Bits, 0));
}

Align Lanes::alignment(unsigned Lane) const {
  const uint64_t Size = Vector->getScalarSizeInBits() / 8;
  const Align Known = Call.getParamAlign(A.Address).valueOrOne();
  const bool Neighbours =
      A.Index == None && !Call.getArgOperand(A.Address)->getType()->isVectorTy();
  if (A.Packed)
    return commonAlignment(Known, Size);
  return Neighbours ? commonAlignment(Known, Lane * Size) : Known;
}

/// The vector with this lane, where it is loaded.
Value *Lanes::load(unsigned Lane, Value *Before) {
  Value *On = isOn(Lane), *Address = addressOf(Lane);
  auto Loaded = [&] {
    Value *Element = B.CreateAlignedLoad(Vector->getElementType(), Address, alignment(Lane));
    return B.CreateInsertElement(Before, Element, Lane);
  };
  if (auto *Known = dyn_cast<ConstantInt>(On))
    return Known->isOne() ? Loaded() : Before;
  BasicBlock *Head = Call.getParent();
  Instruction *Then = SplitBlockAndInsertIfThen(On, Call.getIterator(), /*Unreachable=*/false);
  B.SetInsertPoint(Then);
  Value *After = Loaded();
  B.SetInsertPoint(&Call);
  PHINode *Either = B.CreatePHI(Vector, 2);
  Either->addIncoming(Before, Head);
  Either->addIncoming(After, Then->getParent());
  return Either;
}

void Lanes::store(unsigned Lane) {
  Value *On = isOn(Lane), *Address = addressOf(Lane);
  Value *Element = B.CreateExtractElement(operand(A.Value), Lane);
  if (auto *Known = dyn_cast<ConstantInt>(On); Known && Known->isZero())
    return;
  if (!isa<ConstantInt>(On))
    B.SetInsertPoint(SplitBlockAndInsertIfThen(On, Call.getIterator(), /*Unreachable=*/false));
  B.CreateAlignedStore(Element, Address, alignment(Lane));
  B.SetInsertPoint(&Call);
}

bool Lanes::run() {
  const bool Stores = Call.getType()->isVoidTy();
  Vector = dyn_cast<FixedVectorType>(Stores ? operand(A.Value)->getType() : Call.getType());
  if (!Vector || !knowsAddresses())
    return false;
  const unsigned All = Vector->getNumElements();
  unsigned Count = All;
  if (A.Index != None)
    Count = std::min(Count, cast<FixedVectorType>(operand(A.Index)->getType())->getNumElements());
  Value *Result = Stores || A.Value == None ? Constant::getNullValue(Vector) : operand(A.Value);
  for (unsigned Lane = 0; Lane < Count; ++Lane)
    if (Stores)
      store(Lane);
    else
      Result = load(Lane, Result);
  for (unsigned Lane = Count; Lane < All && !Stores; ++Lane)
    Result = B.CreateInsertElement(Result, Constant::getNullValue(Vector->getElementType()), Lane);
  if (!Stores)
    Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
  return true;
}

} // namespace

bool expandMaskedAccess(CallInst &Call) {
  const std::optional<Access> A = accessOf(Call.getIntrinsicID());
  return A && Lanes(Call, *A).run();
}

} // namespace contraflow
