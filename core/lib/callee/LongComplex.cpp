// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <complex.h> for long double. x86 passes such a number in memory, so that its parts are no
// operands of the call. A function between has them as values, and is what has a derivative:
//
//   cexpl(ptr byval %z)   ->   cf.complex.cexpl(re, im):  alloca, store, store, call cexpl
//   cabsl(ptr byval %z)   ->   hypotl(re, im)             cargl   ->   atan2l(im, re)

#include "LongComplex.h"
#include "Bodies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral Names[] = {
#define CF_LONG_COMPLEX(Fn, Name) Name,
#include "Complex.def"
};

Type *partOf(LLVMContext &Context) { return Type::getX86_FP80Ty(Context); }
StructType *pairOf(LLVMContext &Context) {
  return StructType::get(partOf(Context), partOf(Context));
}

/// As x86 passes them: one number or two, each by a pointer to a copy.
bool passesInMemory(const Function &F) {
  return F.arg_size() > 0 && F.arg_size() <= 2 && all_of(F.args(), [&](const Argument &A) {
           const Type *T = A.getParamByValType();
           const auto *Pair = dyn_cast_or_null<StructType>(T);
           return Pair && Pair->getNumElements() == 2 &&
                  all_of(Pair->elements(), [](Type *Part) { return Part->isX86_FP80Ty(); });
         });
}

/// The parts of what the parameters point to.
SmallVector<Value *, 4> loadParts(IRBuilder<> &B, Function &F) {
  SmallVector<Value *, 4> Parts;
  for (Argument &A : F.args())
    for (unsigned I : {0u, 1u})
      Parts.push_back(
          B.CreateLoad(partOf(F.getContext()), B.CreateStructGEP(pairOf(F.getContext()), &A, I)));
  return Parts;
}

/// Functions that are simple ones of the parts.
enum class Simple { None, Real, Imaginary, Size, Angle, Conjugate };

Simple simpleNamed(StringRef Name) {
  return StringSwitch<Simple>(Name)
      .Case("creall", Simple::Real)
      .Case("cimagl", Simple::Imaginary)
      .Case("cabsl", Simple::Size)
      .Case("cargl", Simple::Angle)
      .Case("conjl", Simple::Conjugate)
      .Default(Simple::None);
}

Value *simpleResult(IRBuilder<> &B, Simple Which, Value *Re, Value *Im) {
  Type *T = Re->getType();
  auto Real = [&](StringRef Name, Value *X, Value *Y) {
    return B.CreateCall(B.GetInsertBlock()->getModule()->getOrInsertFunction(
                            Name, FunctionType::get(T, {T, T}, false)),
                        {X, Y});
  };
  switch (Which) {
  case Simple::Real:
    return Re;
  case Simple::Imaginary:
    return Im;
  case Simple::Size:
    return Real("hypotl", Re, Im);
  case Simple::Angle:
    return Real("atan2l", Im, Re);
  default:
    Value *None = PoisonValue::get(pairOf(B.getContext()));
    return B.CreateInsertValue(B.CreateInsertValue(None, Re, 0), B.CreateFNeg(Im), 1);
  }
}

} // namespace

Function *longComplex(Module &M, StringRef Name, unsigned Numbers) {
  LLVMContext &Context = M.getContext();
  StructType *Pair = pairOf(Context);
  auto *T = FunctionType::get(Pair, SmallVector<Type *, 4>(2 * Numbers, partOf(Context)), false);
  Function *F = ownFunction(M, LongComplex + Name, T);
  if (!F->empty())
    return F;
  F->addFnAttr(Attribute::NoInline);
  F->setDoesNotThrow();
  IRBuilder<> B(BasicBlock::Create(Context, "entry", F));
  SmallVector<Value *, 2> Args;
  AttributeList Attributes;
  for (unsigned I = 0; I < Numbers; ++I) {
    AllocaInst *Room = B.CreateAlloca(Pair);
    Room->setAlignment(Align(16));
    for (unsigned Part : {0u, 1u})
      B.CreateStore(F->getArg(2 * I + Part), B.CreateStructGEP(Pair, Room, Part));
    Args.push_back(Room);
    Attributes =
        Attributes.addParamAttribute(Context, I, Attribute::getWithByValType(Context, Pair))
            .addParamAttribute(Context, I, Attribute::getWithAlignment(Context, Align(16)));
  }
  FunctionCallee Library = M.getOrInsertFunction(
      Name, FunctionType::get(Pair, SmallVector<Type *, 2>(Numbers, B.getPtrTy()), false),
      Attributes);
  CallInst *Call = B.CreateCall(Library, Args);
  Call->setAttributes(Attributes);
  B.CreateRet(Call);
  return F;
}

Function *longComplexBodyOf(const Function &F) {
  const Simple Which = simpleNamed(F.getName());
  const bool Pair = Which == Simple::None || Which == Simple::Conjugate;
  Type *Result = Pair ? pairOf(F.getContext()) : partOf(F.getContext());
  if (!F.isDeclaration() || (Which == Simple::None && !is_contained(Names, F.getName())) ||
      !passesInMemory(F) || F.getReturnType() != Result)
    return nullptr;
  // The module is changed, the function is not: it stays what the program itself calls.
  Module &M = *const_cast<Module *>(F.getParent());
  Function *Body = ownFunction(M, "cf.body." + F.getName(), F.getFunctionType());
  if (!Body->empty())
    return Body;
  Body->setAttributes(F.getAttributes());
  IRBuilder<> B(BasicBlock::Create(F.getContext(), "entry", Body));
  const SmallVector<Value *, 4> Parts = loadParts(B, *Body);
  B.CreateRet(Which == Simple::None ? B.CreateCall(longComplex(M, F.getName(), F.arg_size()), Parts)
                                    : simpleResult(B, Which, Parts[0], Parts[1]));
  return Body;
}

} // namespace contraflow
