// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// z = f(x, y), complex and analytic, as a call: products and quotients by the compiler's helpers,
// elementary functions. With the complex partials D = df/dx, E = df/dy
//
//   tangent   z. = D x. + E y.
//   reverse   x- += conj(D) z- ;  y- += conj(E) z-          (w- holds both parts' adjoints)

#include "Memory.h"
#include "callee/LongComplex.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace contraflow {
namespace {

// clang-format off
enum class ComplexFn {
  Multiply, Divide, Exp, Log, Log10, Sqrt, Pow, Sin, Cos, Tan, Sinh, Cosh, Tanh,
  Asin, Acos, Atan, Asinh, Acosh, Atanh, Proj
};
// clang-format on

const StringMap<ComplexFn> &functions() {
  static const StringMap<ComplexFn> Map = [] {
    StringMap<ComplexFn> M = {
#define CF_COMPLEX(Fn, Name) {Name, ComplexFn::Fn},
#include "callee/Complex.def"
    };
#define CF_LONG_COMPLEX(Fn, Name) M[(LongComplex + StringRef(Name)).str()] = ComplexFn::Fn;
#include "callee/Complex.def"
    return M;
  }();
  return Map;
}

/// A complex number in IR.
struct Number {
  Value *Re, *Im;
};

class Arithmetic {
public:
  explicit Arithmetic(IRBuilder<> &B) : B(B) {}
  Number real(Type *T, double V) { return {ConstantFP::get(T, V), ConstantFP::get(T, 0)}; }
  Number add(Number X, Number Y) { return {B.CreateFAdd(X.Re, Y.Re), B.CreateFAdd(X.Im, Y.Im)}; }
  Number negate(Number X) { return {B.CreateFNeg(X.Re), B.CreateFNeg(X.Im)}; }
  Number conjugate(Number X) { return {X.Re, B.CreateFNeg(X.Im)}; }
  Number scale(Number X, double By) {
    Value *V = ConstantFP::get(X.Re->getType(), By);
    return {B.CreateFMul(X.Re, V), B.CreateFMul(X.Im, V)};
  }
  Number multiply(Number X, Number Y) {
    return {B.CreateFSub(B.CreateFMul(X.Re, Y.Re), B.CreateFMul(X.Im, Y.Im)),
            B.CreateFAdd(B.CreateFMul(X.Re, Y.Im), B.CreateFMul(X.Im, Y.Re))};
  }
  /// 1 / x, scaled so that squares do not overflow.
  Number invert(Number X) {
    Value *Size = B.CreateFAdd(B.CreateUnaryIntrinsic(Intrinsic::fabs, X.Re),
                               B.CreateUnaryIntrinsic(Intrinsic::fabs, X.Im));
    Value *Re = B.CreateFDiv(X.Re, Size), *Im = B.CreateFDiv(X.Im, Size);
    Value *Square = B.CreateFAdd(B.CreateFMul(Re, Re), B.CreateFMul(Im, Im));
    Value *Norm = B.CreateFMul(Square, Size);
    return {B.CreateFDiv(Re, Norm), B.CreateFNeg(B.CreateFDiv(Im, Norm))};
  }

private:
  IRBuilder<> &B;
};

/// Parts of one value: a pair in a struct or vector.
Number split(IRBuilder<> &B, Value *V) {
  if (V->getType()->isVectorTy())
    return {B.CreateExtractElement(V, uint64_t(0)), B.CreateExtractElement(V, 1)};
  return {B.CreateExtractValue(V, 0), B.CreateExtractValue(V, 1)};
}

Value *join(IRBuilder<> &B, Type *T, Number X) {
  Value *None = PoisonValue::get(T);
  if (T->isVectorTy())
    return B.CreateInsertElement(B.CreateInsertElement(None, X.Re, uint64_t(0)), X.Im, 1);
  return B.CreateInsertValue(B.CreateInsertValue(None, X.Re, 0), X.Im, 1);
}

/// The complex numbers that a list of operands holds.
SmallVector<Number, 2> numbers(IRBuilder<> &B, ArrayRef<Value *> Operands) {
  SmallVector<Number, 2> Out;
  for (unsigned I = 0; I < Operands.size(); ++I) {
    bool Pair = Operands[I]->getType()->isVectorTy();
    Out.push_back(Pair ? split(B, Operands[I]) : Number{Operands[I], Operands[I + 1]});
    I += Pair ? 0 : 1;
  }
  return Out;
}

class ComplexHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override {
    SmallVector<StringRef, 0> Names(functions().keys());
    llvm::sort(Names);
    return Names;
  }
  bool claims(const CallBase &Call) const override;
  bool severalDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  CallFacts facts(const CallBase &Call) const override {
    CallFacts Facts;
    for (unsigned I = 0; I < Call.arg_size(); ++I)
      Facts.Flows.push_back({Place::value(I), Place::result()});
    return Facts;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  /// The partial derivative with respect to operand I; Z is the result.
  static Number partial(IRBuilder<> &B, CallBase &Call, unsigned I, ArrayRef<Number> X, Number Z);
  static Number inversePartial(IRBuilder<> &B, CallBase &Call, Number X, Number Z);
  static Number twin(IRBuilder<> &B, CallBase &Call, ComplexFn Fn, Number X);
};

bool isPair(Type *T) {
  if (auto *V = dyn_cast<FixedVectorType>(T))
    return V->getNumElements() == 2 && V->getElementType()->isFloatTy();
  auto *S = dyn_cast<StructType>(T);
  return S && S->getNumElements() == 2 && S->getElementType(0)->isFloatingPointTy() &&
         S->getElementType(0) == S->getElementType(1);
}

bool ComplexHandler::claims(const CallBase &Call) const {
  ComplexFn Fn = functions().lookup(Call.getCalledFunction()->getName());
  bool Binary = is_contained({ComplexFn::Multiply, ComplexFn::Divide, ComplexFn::Pow}, Fn);
  unsigned Parts = 0;
  for (Value *V : Call.args()) {
    if (!isPair(V->getType()) && !V->getType()->isFloatingPointTy())
      return false;
    Parts += isPair(V->getType()) ? 2 : 1;
  }
  return isPair(Call.getType()) && Parts == (Binary ? 4 : 2);
}

/// Calls Fn in the precision of Call, an elementary function of one operand.
Number ComplexHandler::twin(IRBuilder<> &B, CallBase &Call, ComplexFn Fn, Number X) {
  FunctionType *Like = Call.getFunctionType();
  const bool Single = Like->getParamType(0)->isVectorTy();
  const bool Long = Like->getParamType(0)->isX86_FP80Ty();
  auto *T =
      FunctionType::get(Like->getReturnType(), Like->params().take_front(Single ? 1 : 2), false);
  SmallVector<StringRef, 2> Names;
  for (auto &E : functions())
    if (E.second == Fn && (E.first().back() == 'f') == Single &&
        E.first().starts_with(LongComplex) == Long)
      Names.push_back(E.first());
  Module &M = *Call.getModule();
  FunctionCallee F =
      Long ? FunctionCallee(longComplex(M, Names.front().drop_front(LongComplex.size()), 1))
           : M.getOrInsertFunction(Names.front(), T);
  SmallVector<Value *, 2> Args{X.Re, X.Im};
  if (Single)
    Args = {join(B, T->getParamType(0), X)};
  return split(B, B.CreateCall(F, Args));
}

/// Of the inverse of an elementary function; on which side of a cut X lies, the result knows.
Number ComplexHandler::inversePartial(IRBuilder<> &B, CallBase &Call, Number X, Number Z) {
  Arithmetic A(B);
  const Number One = A.real(Z.Re->getType(), 1);
  switch (functions().lookup(Call.getCalledFunction()->getName())) {
  case ComplexFn::Asin:
    return A.invert(twin(B, Call, ComplexFn::Cos, Z));
  case ComplexFn::Acos:
    return A.negate(A.invert(twin(B, Call, ComplexFn::Sin, Z)));
  case ComplexFn::Asinh:
    return A.invert(twin(B, Call, ComplexFn::Cosh, Z));
  case ComplexFn::Acosh:
    return A.invert(twin(B, Call, ComplexFn::Sinh, Z));
  case ComplexFn::Atan:
    return A.invert(A.add(One, A.multiply(X, X)));
  case ComplexFn::Atanh:
    return A.invert(A.add(One, A.negate(A.multiply(X, X))));
  default:
    llvm_unreachable("all functions are handled");
  }
}

Number ComplexHandler::partial(IRBuilder<> &B, CallBase &Call, unsigned I, ArrayRef<Number> X,
                               Number Z) {
  Arithmetic A(B);
  Number One = A.real(Z.Re->getType(), 1);
  switch (functions().lookup(Call.getCalledFunction()->getName())) {
  case ComplexFn::Multiply:
    return X[1 - I];
  case ComplexFn::Divide: {
    Number Inverse = A.invert(X[1]);
    return I == 0 ? Inverse : A.negate(A.multiply(Z, Inverse));
  }
  case ComplexFn::Exp:
    return Z;
  case ComplexFn::Log:
    return A.invert(X[0]);
  case ComplexFn::Sqrt:
    return A.scale(A.invert(Z), 0.5);
  case ComplexFn::Pow:
    return A.multiply(Z, I == 0 ? A.multiply(X[1], A.invert(X[0]))
                                : twin(B, Call, ComplexFn::Log, X[0]));
  case ComplexFn::Sin:
    return twin(B, Call, ComplexFn::Cos, X[0]);
  case ComplexFn::Cos:
    return A.negate(twin(B, Call, ComplexFn::Sin, X[0]));
  case ComplexFn::Tan:
    return A.add(One, A.multiply(Z, Z));
  case ComplexFn::Sinh:
    return twin(B, Call, ComplexFn::Cosh, X[0]);
  case ComplexFn::Cosh:
    return twin(B, Call, ComplexFn::Sinh, X[0]);
  case ComplexFn::Tanh:
    return A.add(One, A.negate(A.multiply(Z, Z)));
  case ComplexFn::Proj:
    return One;
  case ComplexFn::Log10:
    return A.scale(A.invert(X[0]), llvm::numbers::log10e);
  default:
    return inversePartial(B, Call, X[0], Z);
  }
}

Error ComplexHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  if (!B.activeValue(&Call))
    return Error::success();
  auto &IR = B.ir();
  IR.SetInsertPoint(Call.getNextNode());
  Arithmetic A(IR);
  SmallVector<Value *, 4> Operands(Call.args()), Dots;
  for (Value *V : Operands)
    Dots.push_back(B.tangent(V));
  auto X = numbers(IR, Operands), XDot = numbers(IR, Dots);
  Number Z = split(IR, &Call), ZDot = A.real(Z.Re->getType(), 0);
  for (unsigned I = 0; I < X.size(); ++I)
    if (!isa<Constant>(XDot[I].Re) || !isa<Constant>(XDot[I].Im))
      ZDot = A.add(ZDot, A.multiply(partial(IR, Call, I, X, Z), XDot[I]));
  B.setTangent(&Call, join(IR, Call.getType(), ZDot));
  return Error::success();
}

Error ComplexHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  if (!B.activeValue(&Call))
    return Error::success();
  B.ir().SetInsertPoint(Call.getNextNode());
  Number Z = split(B.ir(), &Call);
  Site.Recorded.assign(Site.Operands.begin(), Site.Operands.end());
  Site.Recorded.append({Z.Re, Z.Im});
  return Error::success();
}

Error ComplexHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                              ArrayRef<Value *> Recalled) const {
  if (Recalled.empty())
    return Error::success();
  auto &IR = B.ir();
  Arithmetic A(IR);
  Number ZBar = split(IR, B.takeAdjoint(Site.Anchor));
  auto X = numbers(IR, Recalled.drop_back(2));
  Number Z{Recalled[Recalled.size() - 2], Recalled.back()};
  unsigned Next = 0;
  for (unsigned I = 0; I < X.size(); ++I) {
    Value *V = Site.Operands[Next];
    bool Pair = V->getType()->isVectorTy();
    bool Active = B.activeValue(V) || (!Pair && B.activeValue(Site.Operands[Next + 1]));
    if (Active) {
      Number XBar = A.multiply(A.conjugate(partial(IR, *Site.Anchor, I, X, Z)), ZBar);
      B.addAdjoint(V, Pair ? join(IR, V->getType(), XBar) : XBar.Re);
      if (!Pair)
        B.addAdjoint(Site.Operands[Next + 1], XBar.Im);
    }
    Next += Pair ? 1 : 2;
  }
  return Error::success();
}

} // namespace

void registerComplexHandlers(HandlerRegistry &Registry) {
  Registry.add(std::make_unique<ComplexHandler>());
}

} // namespace contraflow
