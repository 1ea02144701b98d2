// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many programs send numbers as MPI_CHAR, and many more send text. Messages of text have no
// derivative messages beside them, and whether those come both sides have to know. So it is one
// thing for the whole program: a module that moves active memory as characters says so among its
// constructors, and then characters travel like MPI_BYTE everywhere.
//
//   MPI_Send(x, n * sizeof *x, MPI_CHAR, ...)   ->   constructor: cf_v1_mpi_characters()
//
// A datatype that is not known may be made of characters; in modules that name such a datatype
// elsewhere than in messages of their own, that is taken for granted.

#include "parallel/mpi/Characters.h"

#include "parallel/mpi/Announce.h"
#include "parallel/mpi/Arguments.h"
#include "parallel/mpi/Fortran.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::mpi {

void carry(CallFacts &Facts, const Row &R, const CallBase &Call, Role Buffer, unsigned Argument) {
  const ScalarKind Kind = kindOfDatatype(Call, Buffer.Datatype);
  const bool MayBeText = Kind == SK_Int && kindOfBuffer(R, Call, Buffer) == SK_Unknown;
  if (Buffer.What != Role::Cell && (Kind != SK_Int || MayBeText))
    Facts.Carries.push_back({Argument, Kind});
}

/// True if an argument is the datatype of a message.
static bool isDatatypeOfMessage(const CallBase &Call, unsigned Argument) {
  const Function *F = Call.getCalledFunction();
  const Row *R = F ? rowsByName().lookup(F->getName()) : nullptr;
  return R && any_of(R->Roles, [&](Role A) { return A.Datatype == static_cast<int>(Argument); });
}

/// A datatype of characters, or not, where datatypes are numbers: large ones.
static bool isNumberOfCharacters(const Value *V) {
  auto *Number = dyn_cast<ConstantInt>(V);
  return Number && Number->getBitWidth() == 32 && Number->getValue().ugt(0xffff) &&
         isCharacters(Number);
}

/// True if a value of the module is a datatype of characters and not that of a message.
static bool namesCharacters(const Module &M) {
  for (const GlobalVariable &G : M.globals())
    if (isCharacters(&G) && any_of(G.uses(), [](const Use &U) {
          auto *Call = dyn_cast<CallBase>(U.getUser());
          return !Call || !Call->isArgOperand(&U) ||
                 !isDatatypeOfMessage(*Call, Call->getArgOperandNo(&U));
        }))
      return true;
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      for (const Use &U : I.operands())
        if (isNumberOfCharacters(U)) {
          auto *Call = dyn_cast<CallBase>(&I);
          if (!Call ||
              (Call->isArgOperand(&U) && !isDatatypeOfMessage(*Call, Call->getArgOperandNo(&U))))
            return true;
        }
  return false;
}

/// Characters that a function with one buffer moves at most; null if that is not a constant.
static const ConstantInt *countOfCharacters(const CallBase &Call, Role Buffer) {
  const Row *R = rowsByName().lookup(Call.getCalledFunction()->getName());
  const bool IsOne = R && count_if(R->Roles, [](Role A) { return A.hasShadow(); }) == 1;
  return IsOne && isOfCharacters(Call, Buffer.Datatype)
             ? dyn_cast<ConstantInt>(Call.getArgOperand(Buffer.Argument + 1))
             : nullptr;
}

/// False if what is moved, as far as that is known and not guessed, holds no active float.
static bool holdsNumbers(const CallBase &Call, Role Buffer, const MemoryLayout &Layout) {
  if (Layout.Packed || Layout.Fields.empty())
    return true;
  const ConstantInt *Count = countOfCharacters(Call, Buffer);
  return any_of(Layout.Fields, [&](const MemoryLayout::Field &F) {
    const bool Reached = !Count || F.Offset < Count->getSExtValue();
    return F.Active && Reached && (F.Kinds & SK_AnyFloat) && !(F.Kinds & SK_Guessed);
  });
}

void announceCharacters(SweepBuilder &B, CallBase &Call, Role Buffer, const MemoryLayout &Layout) {
  constexpr StringLiteral Name = "cf.mpi.characters";
  Module &M = *Call.getFunction()->getParent();
  if (M.getFunction(Name) || !holdsNumbers(Call, Buffer, Layout))
    return;
  const bool Known =
      Buffer.Datatype < 0 || isa<Constant>(datatypeBehind(Call.getArgOperand(Buffer.Datatype)));
  if (!isOfCharacters(Call, Buffer.Datatype) && (Known || !namesCharacters(M)))
    return;
  announce(B, M, Name, "mpi_characters");
}

} // namespace contraflow::mpi
