// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expansions, which give the same values to the bit (reductions: one of the orders allowed):
//
//   sincos(x, s, c)              *s = sin(x); *c = cos(x)
//   {s, c} = llvm.sincos(x)      s = sin(x); c = cos(x)
//   llvm.convert.to.fp16(x)      bitcast (fptrunc x to half)
//   f = modf(x, i)               *i = trunc(x); f = x - trunc(x)       (sign of zero, infinity:
//   below) {f, i} = llvm.modf(x)        the same {m, e} = llvm.frexp(x)       m = ldexp(x, -e)
//   llvm.x86.sse2.max.pd         select(a > b, a, b)                   (and min; .sd: lane 0 only)
//   llvm.x86.sse3.hadd.pd        shuffles and an addition     (and hsub, addsub, blendv, round)
//   llvm.masked.load(p, m, w)     a load per lane              (MaskedAccess.cpp; and gathers)
//   llvm.x86.sse.rsqrt.ps(x)      with the slope of 1 / sqrt(x)       (Approximate.cpp; and rcp)
//   asm("" : "+x"(v))             v                               (Assembly.cpp)
//   cabsf(<2 x float>)           hypotf of the parts          (and cargf: atan2f)
//   conj(re, im)                 {re, -im}                    (and creal, cimag; of floats, too)
//   llvm.vector.reduce.fadd      ((start + v0) + v1) + ...             (and fmul, fmax, fmin)
//   {a, b} = vector.deinterleave2(v)    shuffles                       (Shapes.cpp; and matrices)
//   vp.fadd(a, b, mask, n)       a + b                        (Predicated.cpp)

#include "Expand.h"
#include "../callee/Math.h"
#include "Approximate.h"
#include "Assembly.h"
#include "MaskedAccess.h"
#include "Predicated.h"
#include "Rounding.h"
#include "Shapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

class Expander {
public:
  explicit Expander(CallInst &Call) : Call(Call), B(&Call) {
    if (isa<FPMathOperator>(Call))
      B.setFastMathFlags(Call.getFastMathFlags());
  }

  /// Replaces the call if there is an expansion for it.
  bool run() {
    if (Call.isInlineAsm())
      return expandAssembly(Call);
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
      return false;
    return Callee->isIntrinsic() ? expandIntrinsic(Callee->getIntrinsicID())
                                 : expandLibrary(*Callee);
  }

private:
  bool expandLibrary(const Function &Callee);
  bool expandIntrinsic(Intrinsic::ID Id);
  bool expandX86(Intrinsic::ID Id);
  bool expandX86Extreme(Intrinsic::ID Id);
  bool expandHorizontal(Instruction::BinaryOps Op);
  bool expandAddSub();
  bool expandFmaAddSub();
  bool expandDot();
  bool expandBlend();
  bool expandRound();
  bool expandPair(CompoundFn Fn);
  bool expandPart(CompoundFn Fn);
  Value *unary(Intrinsic::ID Id, Value *X) { return B.CreateUnaryIntrinsic(Id, X); }
  Value *fraction(Value *X, Value *Whole);
  bool expandFrexp();
  bool expandOverflow(const WithOverflowInst &Checked);
  Value *reduce(Value *Vector, Value *Start, function_ref<Value *(Value *, Value *)> Combine);
  void replaceBy(Value *First, Value *Second);
  bool replaceBy(Value *V);

  CallInst &Call;
  IRBuilder<> B;
};

bool Expander::expandLibrary(const Function &Callee) {
  const std::optional<CompoundFn> Fn = compoundFunction(Callee);
  if (!Fn)
    return false;
  if (*Fn == CompoundFn::SizeOfPair || *Fn == CompoundFn::AngleOfPair)
    return expandPair(*Fn);
  if (*Fn != CompoundFn::Sincos && *Fn != CompoundFn::Modf)
    return expandPart(*Fn);
  Value *X = Call.getArgOperand(0);
  if (*Fn == CompoundFn::Sincos) {
    Value *Sine = unary(Intrinsic::sin, X), *Cosine = unary(Intrinsic::cos, X);
    B.CreateStore(Sine, Call.getArgOperand(1));
    B.CreateStore(Cosine, Call.getArgOperand(2));
    Call.eraseFromParent();
    return true;
  }
  Value *Whole = unary(Intrinsic::trunc, X);
  B.CreateStore(Whole, Call.getArgOperand(1));
  return replaceBy(fraction(X, Whole));
}

/// The library's own functions of the two parts.
bool Expander::expandPair(CompoundFn Fn) {
  Value *Pair = Call.getArgOperand(0);
  Value *Re = B.CreateExtractElement(Pair, uint64_t(0)), *Im = B.CreateExtractElement(Pair, 1);
  const bool Size = Fn == CompoundFn::SizeOfPair;
  const MathFn Of = Size ? MathFn::Hypot : MathFn::Atan2;
  FunctionCallee F = Call.getModule()->getOrInsertFunction(mathSpelling(Of, Call.getType()),
                                                           mathType(Of, Call.getType()));
  return replaceBy(Size ? B.CreateCall(F, {Re, Im}) : B.CreateCall(F, {Im, Re}));
}

/// creal, cimag and conj where the front end has left them calls.
bool Expander::expandPart(CompoundFn Fn) {
  Value *Z = Call.getArgOperand(0);
  const bool Pair = Z->getType()->isVectorTy();
  Value *Re = Pair ? B.CreateExtractElement(Z, uint64_t(0)) : Z;
  Value *Im = Pair ? B.CreateExtractElement(Z, 1) : Call.getArgOperand(1);
  switch (Fn) {
  case CompoundFn::RealPart:
  case CompoundFn::RealOfPair:
    return replaceBy(Re);
  case CompoundFn::ImaginaryPart:
  case CompoundFn::ImaginaryOfPair:
    return replaceBy(Im);
  case CompoundFn::ConjugateOfPair:
    return replaceBy(B.CreateInsertElement(Z, B.CreateFNeg(Im), 1));
  case CompoundFn::Conjugate: {
    Value *Out = B.CreateInsertValue(PoisonValue::get(Call.getType()), Re, 0);
    return replaceBy(B.CreateInsertValue(Out, B.CreateFNeg(Im), 1));
  }
  default:
    return false;
  }
}

bool Expander::expandIntrinsic(Intrinsic::ID Id) {
  Value *X = Call.arg_empty() ? nullptr : Call.getArgOperand(0);
  switch (Id) {
  case Intrinsic::ptr_annotation: // what somebody noted beside an address
    return replaceBy(X);
  case Intrinsic::var_annotation:
  case Intrinsic::fake_use: // -Og: what a debugger would like to see alive
    Call.eraseFromParent();
    return true;
  case Intrinsic::is_constant: // __builtin_constant_p
    return replaceBy(B.getInt1(isa<Constant>(X)));
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
    return expandOverflow(cast<WithOverflowInst>(Call));
  case Intrinsic::convert_to_fp16:
    return replaceBy(B.CreateBitCast(B.CreateFPTrunc(X, B.getHalfTy()), Call.getType()));
  case Intrinsic::convert_from_fp16:
    return replaceBy(B.CreateFPExt(B.CreateBitCast(X, B.getHalfTy()), Call.getType()));
  case Intrinsic::sincos:
    replaceBy(unary(Intrinsic::sin, X), unary(Intrinsic::cos, X));
    return true;
  case Intrinsic::modf: {
    Value *Whole = unary(Intrinsic::trunc, X);
    replaceBy(fraction(X, Whole), Whole);
    return true;
  }
  case Intrinsic::frexp:
    return expandFrexp();
  case Intrinsic::vector_reduce_fadd:
    return replaceBy(
        reduce(Call.getArgOperand(1), X, [&](Value *L, Value *R) { return B.CreateFAdd(L, R); }));
  case Intrinsic::vector_reduce_fmul:
    return replaceBy(
        reduce(Call.getArgOperand(1), X, [&](Value *L, Value *R) { return B.CreateFMul(L, R); }));
  case Intrinsic::vector_reduce_fmax:
    return replaceBy(reduce(X, nullptr, [&](Value *L, Value *R) { return B.CreateMaxNum(L, R); }));
  case Intrinsic::vector_reduce_fmin:
    return replaceBy(reduce(X, nullptr, [&](Value *L, Value *R) { return B.CreateMinNum(L, R); }));
  case Intrinsic::vector_reduce_fmaximum:
    return replaceBy(reduce(X, nullptr, [&](Value *L, Value *R) { return B.CreateMaximum(L, R); }));
  case Intrinsic::vector_reduce_fminimum:
    return replaceBy(reduce(X, nullptr, [&](Value *L, Value *R) { return B.CreateMinimum(L, R); }));
  default:
    return expandMaskedAccess(Call) || expandShape(Call) || expandCompress(Call) || expandX86(Id);
  }
}

/// Instructions of x86 that clang keeps as intrinsics.
bool Expander::expandX86(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::x86_sse3_hadd_pd:
  case Intrinsic::x86_sse3_hadd_ps:
  case Intrinsic::x86_avx_hadd_pd_256:
  case Intrinsic::x86_avx_hadd_ps_256:
    return expandHorizontal(Instruction::FAdd);
  case Intrinsic::x86_sse3_hsub_pd:
  case Intrinsic::x86_sse3_hsub_ps:
  case Intrinsic::x86_avx_hsub_pd_256:
  case Intrinsic::x86_avx_hsub_ps_256:
    return expandHorizontal(Instruction::FSub);
  case Intrinsic::x86_sse3_addsub_pd:
  case Intrinsic::x86_sse3_addsub_ps:
  case Intrinsic::x86_avx_addsub_pd_256:
  case Intrinsic::x86_avx_addsub_ps_256:
    return expandAddSub();
  case Intrinsic::x86_sse41_blendvpd:
  case Intrinsic::x86_sse41_blendvps:
  case Intrinsic::x86_avx_blendv_pd_256:
  case Intrinsic::x86_avx_blendv_ps_256:
    return expandBlend();
  case Intrinsic::x86_sse41_round_pd:
  case Intrinsic::x86_sse41_round_ps:
  case Intrinsic::x86_avx_round_pd_256:
  case Intrinsic::x86_avx_round_ps_256:
    return expandRound();
  case Intrinsic::x86_fma_vfmaddsub_pd:
  case Intrinsic::x86_fma_vfmaddsub_ps:
  case Intrinsic::x86_fma_vfmaddsub_pd_256:
  case Intrinsic::x86_fma_vfmaddsub_ps_256:
    return expandFmaAddSub();
  case Intrinsic::x86_avx_cvt_pd2_ps_256:
    return replaceBy(B.CreateFPTrunc(Call.getArgOperand(0), Call.getType()));
  case Intrinsic::x86_sse41_dppd:
  case Intrinsic::x86_sse41_dpps:
  case Intrinsic::x86_avx_dp_ps_256:
    return expandDot();
  default:
    return expandX86Extreme(Id) || followApproximated(Call);
  }
}

/// {a0 b0 - c0, a1 b1 + c1, ...}, each rounded once.
bool Expander::expandFmaAddSub() {
  Value *Summand = Call.getArgOperand(2);
  const int Lanes = cast<FixedVectorType>(Call.getType())->getNumElements();
  SmallVector<int, 8> Mask;
  for (int Lane = 0; Lane < Lanes; ++Lane)
    Mask.push_back(Lane % 2 ? Lanes + Lane : Lane);
  Summand = B.CreateShuffleVector(B.CreateFNeg(Summand), Summand, Mask);
  return replaceBy(B.CreateIntrinsic(Intrinsic::fma, {Call.getType()},
                                     {Call.getArgOperand(0), Call.getArgOperand(1), Summand}));
}

/// Sums of products within 128 bits: of which lanes, and to which, say four bits each.
bool Expander::expandDot() {
  auto *Choice = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  auto *Ty = cast<FixedVectorType>(Call.getType());
  if (!Choice)
    return false;
  const uint64_t Bits = Choice->getZExtValue();
  const unsigned Group = 128 / Ty->getScalarSizeInBits();
  Value *Products = B.CreateFMul(Call.getArgOperand(0), Call.getArgOperand(1));
  Value *Result = Constant::getNullValue(Ty), *Zero = Constant::getNullValue(Ty->getElementType());
  for (unsigned First = 0; First < Ty->getNumElements(); First += Group) {
    auto Product = [&](unsigned I) {
      const bool Counts = I < Group && (Bits >> (4 + I) & 1);
      return Counts ? B.CreateExtractElement(Products, First + I) : Zero;
    };
    Value *Sum =
        B.CreateFAdd(B.CreateFAdd(Product(0), Product(1)), B.CreateFAdd(Product(2), Product(3)));
    for (unsigned I = 0; I < Group; ++I)
      if (Bits >> I & 1)
        Result = B.CreateInsertElement(Result, Sum, First + I);
  }
  return replaceBy(Result);
}

/// Pairs of neighbours within 128 bits: {a0 + a1, b0 + b1}.
bool Expander::expandHorizontal(Instruction::BinaryOps Op) {
  auto *Ty = cast<FixedVectorType>(Call.getType());
  const unsigned Lanes = Ty->getNumElements(), Group = 128 / Ty->getScalarSizeInBits();
  SmallVector<int, 8> Even, Odd;
  for (unsigned First = 0; First < Lanes; First += Group)
    for (unsigned Operand : {0u, Lanes})
      for (unsigned I = 0; I < Group; I += 2) {
        Even.push_back(Operand + First + I);
        Odd.push_back(Operand + First + I + 1);
      }
  Value *A = Call.getArgOperand(0), *C = Call.getArgOperand(1);
  return replaceBy(
      B.CreateBinOp(Op, B.CreateShuffleVector(A, C, Even), B.CreateShuffleVector(A, C, Odd)));
}

/// {a0 - b0, a1 + b1, ...}
bool Expander::expandAddSub() {
  Value *A = Call.getArgOperand(0), *C = Call.getArgOperand(1);
  const int Lanes = cast<FixedVectorType>(Call.getType())->getNumElements();
  SmallVector<int, 8> Mask;
  for (int Lane = 0; Lane < Lanes; ++Lane)
    Mask.push_back(Lane % 2 ? Lanes + Lane : Lane);
  return replaceBy(B.CreateShuffleVector(B.CreateFSub(A, C), B.CreateFAdd(A, C), Mask));
}

/// The second operand where the sign of the mask is set.
bool Expander::expandBlend() {
  Value *Mask = Call.getArgOperand(2);
  Type *Bits = VectorType::getInteger(cast<VectorType>(Mask->getType()));
  Value *Second = B.CreateICmpSLT(B.CreateBitCast(Mask, Bits), Constant::getNullValue(Bits));
  return replaceBy(B.CreateSelect(Second, Call.getArgOperand(1), Call.getArgOperand(0)));
}

bool Expander::expandRound() {
  auto *Mode = dyn_cast<ConstantInt>(Call.getArgOperand(1));
  if (!Mode)
    return false;
  constexpr Intrinsic::ID How[] = {Intrinsic::roundeven, Intrinsic::floor, Intrinsic::ceil,
                                   Intrinsic::trunc, Intrinsic::rint};
  const uint64_t Direction = Mode->getZExtValue() & 7; // bit 3: no exception
  return replaceBy(unary(How[std::min<uint64_t>(Direction, 4)], Call.getArgOperand(0)));
}

/// Largest and smallest: the second operand where the comparison is false, be it for a NaN.
bool Expander::expandX86Extreme(Intrinsic::ID Id) {
  bool Max = is_contained({Intrinsic::x86_sse_max_ps, Intrinsic::x86_sse_max_ss,
                           Intrinsic::x86_sse2_max_pd, Intrinsic::x86_sse2_max_sd,
                           Intrinsic::x86_avx_max_ps_256, Intrinsic::x86_avx_max_pd_256,
                           Intrinsic::x86_avx512_max_ps_512, Intrinsic::x86_avx512_max_pd_512},
                          Id);
  bool Min = is_contained({Intrinsic::x86_sse_min_ps, Intrinsic::x86_sse_min_ss,
                           Intrinsic::x86_sse2_min_pd, Intrinsic::x86_sse2_min_sd,
                           Intrinsic::x86_avx_min_ps_256, Intrinsic::x86_avx_min_pd_256,
                           Intrinsic::x86_avx512_min_ps_512, Intrinsic::x86_avx512_min_pd_512},
                          Id);
  if (!Max && !Min)
    return false;
  bool Scalar = is_contained({Intrinsic::x86_sse_max_ss, Intrinsic::x86_sse2_max_sd,
                              Intrinsic::x86_sse_min_ss, Intrinsic::x86_sse2_min_sd},
                             Id);
  Value *A = Call.getArgOperand(0), *C = Call.getArgOperand(1), *Rest = A;
  if (Scalar) {
    A = B.CreateExtractElement(A, uint64_t(0));
    C = B.CreateExtractElement(C, uint64_t(0));
  }
  Value *First = Max ? B.CreateFCmpOGT(A, C) : B.CreateFCmpOLT(A, C);
  Value *Chosen = B.CreateSelect(First, A, C);
  return replaceBy(Scalar ? B.CreateInsertElement(Rest, Chosen, uint64_t(0)) : Chosen);
}

/// x - trunc(x), with the sign of x also when it is zero, and zero for an infinity.
Value *Expander::fraction(Value *X, Value *Whole) {
  Type *Ty = X->getType();
  Value *Zero = ConstantFP::get(Ty, 0.0);
  Value *Sign = B.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(Ty, 1.0), X);
  Value *Finite = B.CreateSelect(B.CreateFCmpOLT(Sign, Zero), B.CreateFNeg(B.CreateFSub(Whole, X)),
                                 B.CreateFSub(X, Whole));
  Value *IsInfinite = B.CreateFCmpOEQ(unary(Intrinsic::fabs, X), ConstantFP::getInfinity(Ty));
  return B.CreateSelect(IsInfinite, B.CreateBinaryIntrinsic(Intrinsic::copysign, Zero, X), Finite);
}

/// The exponent stays with the intrinsic, whose other result nobody reads any more. It is undefined
/// for an infinity or a NaN, which are their own mantissas.
bool Expander::expandFrexp() {
  SmallVector<ExtractValueInst *, 2> Mantissas;
  for (User *U : Call.users())
    if (auto *Extract = dyn_cast<ExtractValueInst>(U); Extract && Extract->getIndices()[0] == 0)
      Mantissas.push_back(Extract);
  if (Mantissas.empty())
    return false;
  Value *X = Call.getArgOperand(0);
  B.SetInsertPoint(Call.getNextNode());
  Value *Exponent = B.CreateExtractValue(&Call, 1);
  Value *Mantissa = B.CreateIntrinsic(Intrinsic::ldexp, {X->getType(), Exponent->getType()},
                                      {X, B.CreateNeg(Exponent)});
  for (ExtractValueInst *Extract : Mantissas) {
    Extract->replaceAllUsesWith(Mantissa);
    Extract->eraseFromParent();
  }
  return true;
}

Value *Expander::reduce(Value *Vector, Value *Start,
                        function_ref<Value *(Value *, Value *)> Combine) {
  Value *Sum = Start;
  const unsigned Lanes = cast<FixedVectorType>(Vector->getType())->getNumElements();
  for (unsigned Lane = 0; Lane < Lanes; ++Lane) {
    Value *Element = B.CreateExtractElement(Vector, Lane);
    Sum = Sum ? Combine(Sum, Element) : Element;
  }
  return Sum;
}

/// Replaces a pair; whoever takes it apart gets the parts themselves.
void Expander::replaceBy(Value *First, Value *Second) {
  for (User *U : make_early_inc_range(Call.users()))
    if (auto *Extract = dyn_cast<ExtractValueInst>(U)) {
      Extract->replaceAllUsesWith(Extract->getIndices()[0] == 0 ? First : Second);
      Extract->eraseFromParent();
    }
  if (Call.use_empty()) {
    Call.eraseFromParent();
    return;
  }
  Value *Pair = B.CreateInsertValue(PoisonValue::get(Call.getType()), First, 0);
  replaceBy(B.CreateInsertValue(Pair, Second, 1));
}

/// The number is what wraps around; whether it did is left to the intrinsic.
bool Expander::expandOverflow(const WithOverflowInst &Checked) {
  const bool IsAsked = any_of(Call.users(), [](const User *U) {
    auto *Extract = dyn_cast<ExtractValueInst>(U);
    return !Extract || Extract->getIndices()[0] == 0;
  });
  if (!IsAsked)
    return false;
  Value *Number = B.CreateBinOp(Checked.getBinaryOp(), Checked.getLHS(), Checked.getRHS());
  replaceBy(Number, B.CreateExtractValue(B.Insert(Call.clone()), 1));
  return true;
}

bool Expander::replaceBy(Value *V) {
  Call.replaceAllUsesWith(V);
  Call.eraseFromParent();
  return true;
}

} // namespace

bool hasBarriers(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    return Asm && Asm->getAsmString().empty();
  });
}

bool expandCompounds(Function &F) {
  const bool Matrices = expandMatrices(F), Predicated = expandPredicated(F);
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      Calls.push_back(Call);
  F.removeFnAttr(Attribute::StrictFP);
  const bool Any = llvm::count_if(Calls, [](CallInst *Call) { return Expander(*Call).run(); }) != 0;
  return expandRoundings(F) || Any || Matrices || Predicated;
}

} // namespace contraflow
