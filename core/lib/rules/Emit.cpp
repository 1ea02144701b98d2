// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a formula into IR. The product Seed * formula is formed from the outside in, so that
// factors of one and branches cost nothing and a quotient needs no extra multiplication:
//
//   scale(s, 1)       = s                 scale(s, select(c, 1, 0)) = select c, s, 0
//   scale(s, 1 / x1)  = s / x1            scale(s, -(1 / x1 * r))   = -((s / x1) * r)
//
// In the last line the quotient is the one of the first operand: both partial derivatives of a
// division share it. Functions become intrinsics where LLVM has them, otherwise calls of the C
// library that are free of side effects.

#include "Row.h"
#include "contraflow/core/Rule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

/// What is folded into a quotient must allow as much as the quotient does.
Value *asFactor(Value *V) {
  if (auto *I = dyn_cast<Instruction>(V); I && isa<FPMathOperator>(I))
    I->setHasAllowReciprocal(true);
  return V;
}

class FormulaEmitter {
public:
  FormulaEmitter(IRBuilderBase &B, Type *Ty, const RuleValues &Values)
      : B(B), Ty(Ty), Values(Values) {}

  /// Seed * Node.
  Value *scaled(const FormulaNode *Node, Value *Seed);

private:
  /// The value of a node; constants take the type Want.
  Value *value(const FormulaNode *Node, Type *Want);
  Value *compute(const FormulaNode *Node, Type *Want);
  Value *arithmetic(NodeKind Kind, Value *Left, Value *Right);
  Value *toFloat(const FormulaNode *Integer);
  Value *select(const FormulaNode *Node, function_ref<Value *(const FormulaNode *)> Branch);
  Value *callWith(MathFn Fn, ArrayRef<Value *> Args);
  Value *callLibrary(MathFn Fn, ArrayRef<Value *> Args);
  Value *multiply(Value *Left, Value *Right);
  Type *typeOf(const FormulaNode *Node) const;

  IRBuilderBase &B;
  Type *Ty; ///< the type in which the formula is computed
  const RuleValues &Values;
  SmallDenseMap<const FormulaNode *, Value *> Done;
};

/// s * (y * 2^n) = (s * y) * 2^n: these functions pass a factor through their first argument.
bool isLinearInFirst(MathFn Fn) {
  return Fn == MathFn::Ldexp || Fn == MathFn::Scalbn || Fn == MathFn::Scalbln;
}

bool isZeroConstant(const FormulaNode *Node) {
  return Node->Kind == NodeKind::Constant && Node->Number == 0;
}

Value *FormulaEmitter::scaled(const FormulaNode *Node, Value *Seed) {
  if (isZeroConstant(Node) || match(Seed, m_PosZeroFP()))
    return Constant::getNullValue(Ty);
  switch (Node->Kind) {
  case NodeKind::Neg:
    return asFactor(B.CreateFNeg(scaled(Node->Args[0], Seed)));
  case NodeKind::Mul:
    return scaled(Node->Args[1], scaled(Node->Args[0], Seed));
  case NodeKind::Div:
    return divideAsFactor(B, scaled(Node->Args[0], Seed), value(Node->Args[1], Ty));
  case NodeKind::Select:
    return select(Node, [&](const FormulaNode *Branch) { return scaled(Branch, Seed); });
  case NodeKind::Call:
    if (isLinearInFirst(Node->Fn)) {
      Value *First = scaled(Node->Args[0], Seed);
      return callWith(Node->Fn, {First, value(Node->Args[1], typeOf(Node->Args[1]))});
    }
    return multiply(Seed, value(Node, Ty));
  default:
    return multiply(Seed, value(Node, Ty));
  }
}

Value *FormulaEmitter::value(const FormulaNode *Node, Type *Want) {
  if (Node->Kind == NodeKind::Constant)
    return compute(Node, Want);
  if (Value *Known = Done.lookup(Node))
    return Known;
  Value *V = compute(Node, Want);
  Done[Node] = V;
  return V;
}

Value *FormulaEmitter::compute(const FormulaNode *Node, Type *Want) {
  switch (Node->Kind) {
  case NodeKind::Constant:
    if (Want->isIntOrIntVectorTy())
      return ConstantInt::getSigned(Want, static_cast<int64_t>(Node->Number));
    return Node->Digits ? ConstantFP::get(Want, StringRef(Node->Digits))
                        : ConstantFP::get(Want, Node->Number);
  case NodeKind::Operand:
    return Values.Operands[Node->Index];
  case NodeKind::Result:
    return Values.Result;
  case NodeKind::ToFloat:
    return toFloat(Node->Args[0]);
  case NodeKind::Neg:
    return B.CreateFNeg(value(Node->Args[0], Want));
  case NodeKind::Add:
  case NodeKind::Sub:
  case NodeKind::Mul:
  case NodeKind::Div: {
    Value *Left = value(Node->Args[0], Want);
    return arithmetic(Node->Kind, Left, value(Node->Args[1], Want));
  }
  case NodeKind::Compare: {
    Value *Left = value(Node->Args[0], Ty);
    return B.CreateFCmp(Node->Predicate, Left, value(Node->Args[1], Ty));
  }
  case NodeKind::Select:
    return select(Node, [&](const FormulaNode *Branch) { return value(Branch, Want); });
  case NodeKind::Call: {
    const FunctionType *Prototype = mathType(Node->Fn, Ty);
    SmallVector<Value *, 2> Args;
    for (unsigned I = 0; I < Prototype->getNumParams(); ++I) {
      Type *ArgTy = typeOf(Node->Args[I]);
      Args.push_back(value(Node->Args[I], ArgTy ? ArgTy : Prototype->getParamType(I)));
    }
    return callWith(Node->Fn, Args);
  }
  }
  llvm_unreachable("all kinds of nodes are handled");
}

/// The type a node has by itself; null for what consists of constants only.
Type *FormulaEmitter::typeOf(const FormulaNode *Node) const {
  switch (Node->Kind) {
  case NodeKind::Constant:
    return nullptr;
  case NodeKind::Operand:
    return Values.Operands[Node->Index]->getType();
  case NodeKind::Add:
  case NodeKind::Sub: {
    Type *Left = typeOf(Node->Args[0]);
    return Left ? Left : typeOf(Node->Args[1]);
  }
  default:
    return Ty;
  }
}

Value *FormulaEmitter::arithmetic(NodeKind Kind, Value *Left, Value *Right) {
  if (Left->getType()->isIntOrIntVectorTy())
    return Kind == NodeKind::Add ? B.CreateAdd(Left, Right) : B.CreateSub(Left, Right);
  switch (Kind) {
  case NodeKind::Add:
    return B.CreateFAdd(Left, Right);
  case NodeKind::Sub:
    return B.CreateFSub(Left, Right);
  case NodeKind::Mul:
    return multiply(Left, Right);
  default:
    return B.CreateFDiv(Left, Right);
  }
}

Value *FormulaEmitter::multiply(Value *Left, Value *Right) {
  if (match(Left, m_FPOne()))
    return Right;
  if (match(Right, m_FPOne()))
    return Left;
  if (match(Right, m_SpecificFP(-1.0)))
    return B.CreateFNeg(Left);
  return B.CreateFMul(Left, Right);
}

/// One exponent may serve all lanes of a vector (powi).
Value *FormulaEmitter::toFloat(const FormulaNode *Integer) {
  Value *V = value(Integer, typeOf(Integer));
  if (V->getType()->isVectorTy() || !Ty->isVectorTy())
    return B.CreateSIToFP(V, Ty);
  return B.CreateVectorSplat(cast<VectorType>(Ty)->getElementCount(),
                             B.CreateSIToFP(V, Ty->getScalarType()));
}

Value *FormulaEmitter::select(const FormulaNode *Node,
                              function_ref<Value *(const FormulaNode *)> Branch) {
  Value *Test = value(Node->Args[0], Ty);
  if (match(Test, m_One()))
    return Branch(Node->Args[1]);
  if (match(Test, m_Zero()))
    return Branch(Node->Args[2]);
  Value *Then = Branch(Node->Args[1]);
  return B.CreateSelect(Test, Then, Branch(Node->Args[2]));
}

Value *FormulaEmitter::callWith(MathFn Fn, ArrayRef<Value *> Args) {
  const Intrinsic::ID Id = intrinsicFor(Fn);
  if (Id == Intrinsic::not_intrinsic)
    return callLibrary(Fn, Args);
  SmallVector<Type *, 2> Types = {Ty};
  if (Fn == MathFn::Powi || Fn == MathFn::Ldexp)
    Types.push_back(Args[1]->getType());
  return B.CreateIntrinsic(Id, Types, Args);
}

/// Only functions that are themselves of the library have such formulas, so Ty is a scalar.
Value *FormulaEmitter::callLibrary(MathFn Fn, ArrayRef<Value *> Args) {
  Module *M = B.GetInsertBlock()->getModule();
  CallInst *Call =
      B.CreateCall(M->getOrInsertFunction(mathSpelling(Fn, Ty), mathType(Fn, Ty)), Args);
  Call->setDoesNotAccessMemory();
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::WillReturn);
  return Call;
}

} // namespace

unsigned Rule::operands() const { return Row->operands(); }

bool Rule::isZero(unsigned I) const {
  return I >= Row->operands() || isZeroConstant(Row->partial(I));
}

bool Rule::readsOperand(unsigned I, unsigned J) const {
  return !isZero(I) && J < FormulaNode::ResultBit && (Row->partial(I)->Reads >> J & 1U) != 0;
}

bool Rule::readsResult(unsigned I) const {
  return !isZero(I) && (Row->partial(I)->Reads >> FormulaNode::ResultBit & 1U) != 0;
}

bool Rule::isDear() const { return Row->isDear(); }

/// True if a constant second operand keeps the slope finite: a divisor, an exponent from one up.
static bool isTamed(const RuleRow &Row, const RuleValues &Values) {
  const std::optional<MathFn> Fn = Row.key().function();
  Value *Second = Values.Operands.size() > 1 ? Values.Operands[1] : nullptr;
  const APFloat *Number = nullptr;
  const APInt *Power = nullptr;
  if (Second && Fn == MathFn::Powi)
    return match(Second, m_APInt(Power)) && Power->isStrictlyPositive();
  if (!Second || !match(Second, m_APFloat(Number)))
    return false;
  if (Fn == MathFn::Pow)
    return *Number >= APFloat::getOne(Number->getSemantics());
  return !Fn && !Number->isZero();
}

Value *divideAsFactor(IRBuilderBase &B, Value *Dividend, Value *Divisor) {
  return asFactor(B.CreateFDiv(Dividend, Divisor));
}

Value *Rule::scale(IRBuilderBase &B, unsigned I, Value *Seed, const RuleValues &Values) const {
  Type *From = Seed->getType();
  Type *To = From == ResultTy ? OperandTy : ResultTy;
  if (isZero(I))
    return Constant::getNullValue(To);
  Value *Scaled = FormulaEmitter(B, From, Values).scaled(Row->partial(I), Seed);
  if (Row->isSingular() && Scaled != Seed && !isTamed(*Row, Values)) {
    Value *Zero = Constant::getNullValue(From);
    Scaled = B.CreateSelect(B.CreateFCmpOEQ(Seed, Zero), Zero, Scaled);
  }
  return From == To ? Scaled : B.CreateFPCast(Scaled, To);
}

} // namespace contraflow
