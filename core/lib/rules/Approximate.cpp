// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What they give is off by up to 3.7e-4 of it (Intel's manual, RCPPS and RSQRTPS), in steps that
// nobody means: the value stays, the derivative is that of the function.
//
//   r = llvm.x86.sse.rsqrt.ps(x)     r' = smooth(1 / sqrt(x), r)
//   r = llvm.x86.sse.rcp.ss(x)       r' = smooth({1 / x0, x1, x2, x3}, r)

#include "Approximate.h"
#include "Smooth.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

#include <optional>

using namespace llvm;

namespace contraflow {

namespace {

enum class Lanes { All, First };

struct Approximation {
  bool OfRoot;
  Lanes Which;
};

} // namespace

static std::optional<Approximation> approximationOf(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::x86_sse_rcp_ps:
  case Intrinsic::x86_avx_rcp_ps_256:
    return Approximation{false, Lanes::All};
  case Intrinsic::x86_sse_rsqrt_ps:
  case Intrinsic::x86_avx_rsqrt_ps_256:
    return Approximation{true, Lanes::All};
  case Intrinsic::x86_sse_rcp_ss:
    return Approximation{false, Lanes::First};
  case Intrinsic::x86_sse_rsqrt_ss:
    return Approximation{true, Lanes::First};
  default:
    return std::nullopt;
  }
}

static Value *exactly(IRBuilderBase &B, Value *X, bool OfRoot) {
  Value *Below = OfRoot ? B.CreateUnaryIntrinsic(Intrinsic::sqrt, X) : X;
  return B.CreateFDiv(ConstantFP::get(X->getType(), 1), Below);
}

static Value *lineOf(IRBuilderBase &B, CallInst &Call, Approximation A) {
  Value *X = Call.getArgOperand(0);
  if (A.Which == Lanes::All)
    return exactly(B, X, A.OfRoot);
  Value *First = B.CreateExtractElement(X, uint64_t(0));
  return B.CreateInsertElement(X, exactly(B, First, A.OfRoot), uint64_t(0));
}

bool isFollowed(const CallBase &Call) {
  return approximationOf(Call.getIntrinsicID()) && all_of(Call.users(), [](const User *U) {
           auto *By = dyn_cast<CallBase>(U);
           return By && isSmooth(*By);
         });
}

bool followApproximated(CallInst &Call) {
  const auto A = approximationOf(Call.getIntrinsicID());
  if (!A || isFollowed(Call))
    return false;
  IRBuilder<> B(Call.getNextNode());
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  CallInst *Followed = createSmooth(B, lineOf(B, Call, *A), &Call);
  Call.replaceUsesWithIf(Followed, [&](const Use &U) { return U.getUser() != Followed; });
  return true;
}

} // namespace contraflow
