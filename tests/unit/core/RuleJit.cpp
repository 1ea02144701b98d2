// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuleJit.h"
#include "contraflow/core/Rule.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace contraflow::test {
namespace {

constexpr unsigned Lanes = 2;

Type *floatType(LLVMContext &Context, Precision P) {
  switch (P) {
  case Precision::Float:
    return Type::getFloatTy(Context);
  case Precision::Double:
    return Type::getDoubleTy(Context);
  case Precision::LongDouble:
    return Type::getX86_FP80Ty(Context);
  case Precision::Vector:
    return FixedVectorType::get(Type::getDoubleTy(Context), Lanes);
  }
  llvm_unreachable("all precisions are handled");
}

/// What FPTrunc to Ty starts from: the next wider type.
Type *widerThan(Type *Ty) {
  LLVMContext &Context = Ty->getContext();
  return Ty->getWithNewType(Ty->getScalarType()->isFloatTy() ? Type::getDoubleTy(Context)
                                                             : Type::getX86_FP80Ty(Context));
}

/// The types of one operation: its operands and what it returns.
struct Signature {
  SmallVector<Type *, 3> Operands;
  Type *Result = nullptr;
  Type *Floating = nullptr; ///< the type under test
};

Signature signatureOfInstruction(unsigned Opcode, Type *Ty, unsigned Operands) {
  Signature S{SmallVector<Type *, 3>(Operands, Ty), Ty, Ty};
  Type *Int = Ty->getWithNewType(Type::getInt32Ty(Ty->getContext()));
  switch (Opcode) {
  case Instruction::FPTrunc:
    S.Operands[0] = widerThan(Ty);
    break;
  case Instruction::FPExt:
    S.Operands[0] = Ty->getWithNewType(Type::getFloatTy(Ty->getContext()));
    break;
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    S.Operands[0] = Int;
    break;
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    S.Result = Int;
    break;
  default:
    break;
  }
  return S;
}

bool returnsInteger(MathFn Fn) {
  switch (Fn) {
  case MathFn::Lround:
  case MathFn::Llround:
  case MathFn::Lrint:
  case MathFn::Llrint:
  case MathFn::FptosiSat:
  case MathFn::FptouiSat:
    return true;
  default:
    return false;
  }
}

Signature signatureOfIntrinsic(MathFn Fn, Type *Ty, unsigned Operands) {
  Signature S{SmallVector<Type *, 3>(Operands, Ty), Ty, Ty};
  Type *Int = Type::getInt32Ty(Ty->getContext());
  if (Fn == MathFn::Powi)
    S.Operands[1] = Int;
  if (Fn == MathFn::Ldexp)
    S.Operands[1] = Ty->getWithNewType(Int);
  if (returnsInteger(Fn))
    S.Result = Ty->getWithNewType(Type::getInt64Ty(Ty->getContext()));
  return S;
}

Signature signatureOf(const RuleRow &Row, Form F, Type *Ty) {
  if (F == Form::Instruction)
    return signatureOfInstruction(Row.key().opcode(), Ty, Row.operands());
  if (F == Form::Intrinsic)
    return signatureOfIntrinsic(*Row.key().function(), Ty, Row.operands());
  FunctionType *Prototype = mathType(*Row.key().function(), Ty);
  return {SmallVector<Type *, 3>(Prototype->params().take_front(Row.operands())),
          Prototype->getReturnType(), Ty};
}

Value *emitInstruction(IRBuilderBase &B, unsigned Opcode, ArrayRef<Value *> X, Type *Result) {
  if (Instruction::isBinaryOp(Opcode))
    return B.CreateBinOp(static_cast<Instruction::BinaryOps>(Opcode), X[0], X[1]);
  if (Instruction::isUnaryOp(Opcode))
    return B.CreateUnOp(static_cast<Instruction::UnaryOps>(Opcode), X[0]);
  if (Instruction::isCast(Opcode))
    return B.CreateCast(static_cast<Instruction::CastOps>(Opcode), X[0], Result);
  return B.CreateFreeze(X[0]);
}

Value *emitIntrinsic(IRBuilderBase &B, MathFn Fn, ArrayRef<Value *> X, Type *Result) {
  SmallVector<Type *, 2> Overloads = {X[0]->getType()};
  if (returnsInteger(Fn))
    Overloads.insert(Overloads.begin(), Result);
  if (Fn == MathFn::Powi || Fn == MathFn::Ldexp)
    Overloads.push_back(X[1]->getType());
  return B.CreateIntrinsic(intrinsicFor(Fn), Overloads, X);
}

Value *emitOperation(IRBuilderBase &B, const RuleRow &Row, Form F, ArrayRef<Value *> X,
                     const Signature &S) {
  if (F == Form::Instruction)
    return emitInstruction(B, Row.key().opcode(), X, S.Result);
  const MathFn Fn = *Row.key().function();
  if (F == Form::Intrinsic)
    return emitIntrinsic(B, Fn, X, S.Result);
  FunctionType *Prototype = mathType(Fn, S.Floating);
  SmallVector<Value *, 3> Args(X);
  while (Args.size() < Prototype->getNumParams()) // what is no operand points to a further result
    Args.push_back(B.CreateAlloca(B.getInt64Ty()));
  Module *M = B.GetInsertBlock()->getModule();
  return B.CreateCall(M->getOrInsertFunction(mathSpelling(Fn, S.Floating), Prototype), Args);
}

/// Loads value I of an array of long doubles as a value of type Ty.
Value *load(IRBuilderBase &B, Value *Array, unsigned I, Type *Ty) {
  Type *Wide = Type::getX86_FP80Ty(B.getContext());
  Value *V = B.CreateLoad(Wide, B.CreateConstGEP1_32(Wide, Array, I));
  Type *Scalar = Ty->getScalarType();
  V = Scalar->isIntegerTy() ? B.CreateFPToSI(V, Scalar) : B.CreateFPCast(V, Scalar);
  if (auto *Vector = dyn_cast<VectorType>(Ty))
    return B.CreateVectorSplat(Vector->getElementCount(), V);
  return V;
}

/// Stores a value as a long double: the last lane of a vector.
void store(IRBuilderBase &B, Value *V, Value *Array) {
  if (V->getType()->isVectorTy())
    V = B.CreateExtractElement(V, Lanes - 1);
  Type *Wide = Type::getX86_FP80Ty(B.getContext());
  B.CreateStore(V->getType()->isIntegerTy() ? B.CreateSIToFP(V, Wide) : B.CreateFPCast(V, Wide),
                Array);
}

Function *beginEntry(Module &M, IRBuilderBase &B, const Twine &Name) {
  Type *Ptr = B.getPtrTy();
  auto *F = Function::Create(FunctionType::get(B.getVoidTy(), {Ptr, Ptr, Ptr}, false),
                             Function::ExternalLinkage, Name, M);
  B.SetInsertPoint(BasicBlock::Create(M.getContext(), "entry", F));
  return F;
}

} // namespace

std::string nameOf(Precision P) {
  static const char *const Names[] = {"float", "double", "long double", "vector"};
  return Names[static_cast<unsigned>(P)];
}

std::string nameOf(Form F) {
  static const char *const Names[] = {"instruction", "intrinsic", "library"};
  return Names[static_cast<unsigned>(F)];
}

/// There is nothing wider than a long double to truncate, and nothing narrower than a float.
static bool isConvertible(unsigned Opcode, Precision P) {
  return !(Opcode == Instruction::FPTrunc && P == Precision::LongDouble) &&
         !(Opcode == Instruction::FPExt && P == Precision::Float);
}

/// Operations that LLVM 22 cannot compile for x86's long double.
static bool isSelectable(MathFn Fn, Precision P) {
  return P != Precision::LongDouble || (Fn != MathFn::Fmaximum && Fn != MathFn::Fminimum);
}

std::vector<Form> formsOf(const RuleRow &Row, Precision P) {
  const std::optional<MathFn> Fn = Row.key().function();
  if (!Fn)
    return isConvertible(Row.key().opcode(), P) ? std::vector{Form::Instruction}
                                                : std::vector<Form>();
  std::vector<Form> Forms;
  LLVMContext Context;
  if (P != Precision::Vector && !mathSpelling(*Fn, floatType(Context, P)).empty())
    Forms.push_back(Form::Library);
  if (intrinsicFor(*Fn) != Intrinsic::not_intrinsic && isSelectable(*Fn, P))
    Forms.push_back(Form::Intrinsic);
  return Forms;
}

CompiledRow::CompiledRow(const RuleRow &Row, Form F, Precision P) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto Context = std::make_unique<LLVMContext>();
  auto M = std::make_unique<Module>("rule", *Context);
  auto Made = orc::LLJITBuilder().create();
  if (!Made) {
    Problem = toString(Made.takeError());
    return;
  }
  Jit = std::move(*Made);
  M->setDataLayout(Jit->getDataLayout());
  build(Row, F, P, *M);
  raw_string_ostream Text(Problem);
  if (!Problem.empty() || verifyModule(*M, &Text))
    return;
  if (Error E = Jit->addIRModule(orc::ThreadSafeModule(std::move(M), std::move(Context)))) {
    Problem = toString(std::move(E));
    return;
  }
  lookUp(Row.operands());
}

void CompiledRow::build(const RuleRow &Row, Form F, Precision P, Module &M) {
  IRBuilder<> B(M.getContext());
  const Signature S = signatureOf(Row, F, floatType(M.getContext(), P));
  for (Type *Ty : S.Operands)
    Integers.push_back(Ty->isIntOrIntVectorTy());
  ResultIsInteger = S.Result->isIntOrIntVectorTy();

  auto begin = [&](const Twine &Name, SmallVectorImpl<Value *> &X) {
    Function *Entry = beginEntry(M, B, Name);
    for (auto [I, Ty] : enumerate(S.Operands))
      X.push_back(load(B, Entry->getArg(0), I, Ty));
    return Entry;
  };

  SmallVector<Value *, 3> X;
  Function *PrimalEntry = begin("primal", X);
  auto *Operation = cast<Instruction>(emitOperation(B, Row, F, X, S));
  store(B, Operation, PrimalEntry->getArg(2));
  B.CreateRetVoid();
  const Rule Found = findRule(*Operation);
  if (!Found || Found.operands() != Row.operands()) {
    Problem = "no rule is found for the operation";
    return;
  }
  for (unsigned I = 0; I < Row.operands(); ++I) {
    SmallVector<Value *, 3> Y;
    Function *Entry = begin("partial" + Twine(I), Y);
    RuleValues Values;
    if (Found.readsResult(I))
      Values.Result = emitOperation(B, Row, F, Y, S);
    for (unsigned J = 0; J < Y.size(); ++J)
      if (!Found.readsOperand(I, J))
        Y[J] = nullptr;
    Values.Operands = Y;
    Value *Seed = load(B, Entry->getArg(1), 0, S.Result);
    Value *XBar = Found.scale(B, I, Seed, Values);
    Zeros.push_back(Found.isZero(I));
    if (Found.isZero(I) ? !cast<Constant>(XBar)->isNullValue() : XBar->getType() != S.Operands[I])
      Problem = "the adjoint has not the type of its operand";
    store(B, XBar, Entry->getArg(2));
    B.CreateRetVoid();
  }
}

void CompiledRow::lookUp(unsigned Operands) {
  auto find = [&](const Twine &Name) -> Entry * {
    auto Address = Jit->lookup(Name.str());
    if (Address)
      return Address->toPtr<Entry *>();
    Problem += toString(Address.takeError());
    return nullptr;
  };
  Primal = find("primal");
  for (unsigned I = 0; I < Operands; ++I)
    Partials.push_back(find("partial" + Twine(I)));
}

long double CompiledRow::primal(const std::vector<long double> &X) const {
  long double Result = 0;
  Primal(X.data(), nullptr, &Result);
  return Result;
}

long double CompiledRow::partial(unsigned I, long double Seed,
                                 const std::vector<long double> &X) const {
  long double Result = 0;
  Partials[I](X.data(), &Seed, &Result);
  return Result;
}

} // namespace contraflow::test
