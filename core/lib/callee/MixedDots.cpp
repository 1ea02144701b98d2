// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routines of BLAS whose result is of another precision than their arrays, written out:
//
//   cblas_dsdot(n, x, incx, y, incy)        s = 0, for (i < n) s += (double)x[i] * (double)y[i]
//   cblas_sdsdot(n, b, x, incx, y, incy)    the same from b, (float)s
//
// and dsdot_, sdsdot_ of Fortran, whose arguments are addresses. A vector with a negative
// increment begins at its end.

#include "MixedDots.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

struct Spelling {
  bool Fortran, Single; ///< Single: with a number to begin with, and a float as result
};

bool readName(StringRef Name, Spelling &Out) {
  Out.Fortran = !Name.consume_front("cblas_");
  if (Out.Fortran && !Name.consume_back("_"))
    return false;
  Out.Single = Name.consume_front("s");
  return Name == "dsdot";
}

bool fits(const FunctionType &T, Spelling S) {
  Type *Result = T.getReturnType();
  if (T.isVarArg() || T.getNumParams() != (S.Single ? 6 : 5) ||
      !(S.Single ? Result->isFloatTy() : Result->isDoubleTy()))
    return false;
  Type *Integer = T.getParamType(0);
  for (auto [I, P] : enumerate(T.params())) {
    const bool IsFloat = S.Single && I == 1;
    const unsigned Role = I - (S.Single && I > 1);
    const bool IsArray = !IsFloat && (Role == 1 || Role == 3);
    if (S.Fortran || IsArray ? !P->isPointerTy() : IsFloat ? !P->isFloatTy() : P != Integer)
      return false;
  }
  return S.Fortran || Integer->isIntegerTy(32) || Integer->isIntegerTy(64);
}

class Writer {
public:
  Writer(Function &F, Spelling S)
      : F(F), S(S), Entry(BasicBlock::Create(F.getContext(), "entry", &F)),
        Loop(BasicBlock::Create(F.getContext(), "loop", &F)),
        Done(BasicBlock::Create(F.getContext(), "done", &F)), B(Entry) {}
  void run();

private:
  Value *integer(unsigned Operand) {
    Value *V = F.getArg(Operand);
    V = S.Fortran ? B.CreateLoad(B.getInt32Ty(), V) : V;
    return B.CreateSExtOrTrunc(V, B.getInt64Ty());
  }
  /// Where the first number is; Step is the increment.
  Value *first(unsigned Operand, Value *Step, Value *N) {
    Value *Back = B.CreateMul(Step, B.CreateSub(B.getInt64(1), N));
    Value *Begin = B.CreateSelect(B.CreateICmpSLT(Step, B.getInt64(0)), Back, B.getInt64(0));
    return B.CreateGEP(B.getFloatTy(), F.getArg(Operand), Begin);
  }
  Value *element(Value *Begin, Value *Step, Value *I) {
    Value *At = B.CreateGEP(B.getFloatTy(), Begin, B.CreateMul(I, Step));
    return B.CreateFPExt(B.CreateLoad(B.getFloatTy(), At), B.getDoubleTy());
  }

  Function &F;
  const Spelling S;
  BasicBlock *const Entry, *const Loop, *const Done;
  IRBuilder<> B;
};

void Writer::run() {
  Value *Start = ConstantFP::get(B.getDoubleTy(), 0);
  if (S.Single) {
    Value *From = F.getArg(1);
    From = S.Fortran ? B.CreateLoad(B.getFloatTy(), From) : From;
    Start = B.CreateFPExt(From, B.getDoubleTy());
  }
  const unsigned X = S.Single ? 2 : 1, Y = X + 2;
  Value *N = integer(0), *StepX = integer(X + 1), *StepY = integer(Y + 1);
  Value *FirstX = first(X, StepX, N), *FirstY = first(Y, StepY, N);
  B.CreateCondBr(B.CreateICmpSGT(N, B.getInt64(0)), Loop, Done);

  B.SetInsertPoint(Loop);
  PHINode *I = B.CreatePHI(B.getInt64Ty(), 2), *Sum = B.CreatePHI(B.getDoubleTy(), 2);
  Value *Product = B.CreateFMul(element(FirstX, StepX, I), element(FirstY, StepY, I));
  Value *NextSum = B.CreateFAdd(Sum, Product), *Next = B.CreateAdd(I, B.getInt64(1));
  I->addIncoming(B.getInt64(0), Entry);
  I->addIncoming(Next, Loop);
  Sum->addIncoming(Start, Entry);
  Sum->addIncoming(NextSum, Loop);
  B.CreateCondBr(B.CreateICmpSLT(Next, N), Loop, Done);

  B.SetInsertPoint(Done);
  PHINode *Result = B.CreatePHI(B.getDoubleTy(), 2);
  Result->addIncoming(Start, Entry);
  Result->addIncoming(NextSum, Loop);
  B.CreateRet(S.Single ? B.CreateFPTrunc(Result, B.getFloatTy()) : Result);
}

} // namespace

Function *mixedDotBodyOf(const Function &F) {
  Spelling S;
  if (!F.isDeclaration() || !readName(F.getName(), S) || !fits(*F.getFunctionType(), S))
    return nullptr;
  // The module is changed, the function is not: it stays what the program itself calls.
  Module &M = *const_cast<Module *>(F.getParent());
  const std::string Name = ("cf.body." + F.getName()).str();
  if (Function *Known = M.getFunction(Name))
    return Known;
  Function *Body = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, Name, M);
  Writer(*Body, S).run();
  return Body;
}

} // namespace contraflow
