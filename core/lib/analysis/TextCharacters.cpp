// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk along integers, from use to use or from operand to operand. What is compared, or is a
// truth value, is no character.

#include "TextCharacters.h"
#include "BitSources.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {
namespace {

bool isCharacter(const Type &T) { return T.isIntegerTy(8) || T.isIntegerTy(32); }

/// True if I is calculated from its integer operands: toupper and the like as well. What is at most
/// one is a truth value.
bool passesOn(const Instruction &I) {
  if (!I.getType()->isIntOrIntVectorTy() || I.getType()->getScalarSizeInBits() == 1 ||
      match(&I, m_And(m_Value(), m_One())))
    return false;
  const auto *Call = dyn_cast<CallBase>(&I);
  return isa<CastInst, BinaryOperator, PHINode, SelectInst, FreezeInst, IntrinsicInst>(I) ||
         (Call && lookupCallee(*Call).Kind == CalleeKind::Inactive &&
          all_of(Call->args(), [](const Use &V) { return V->getType()->isIntegerTy(); }));
}

/// True if the code of '0' is subtracted from a float, or from a sum with it.
bool losesZero(const Instruction &I) {
  SmallVector<const User *, 8> Sums(I.user_begin(), I.user_end());
  for (const User *U : I.users())
    Sums.append(U->user_begin(), U->user_end());
  return any_of(Sums, [](const User *U) {
    return any_of(U->operands(), [](const Use &V) {
      const auto *C = dyn_cast<ConstantFP>(V);
      return C && (C->isExactlyValue(48.0) || C->isExactlyValue(-48.0));
    });
  });
}

LostFlow::End floatsAt(const Value &Pointer, const Type *T, const MemoryGraph &G) {
  LostFlow::End Out;
  const int64_t Size = G.layout().getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
  G.overlapping(G.find(&Pointer), Size, [&](unsigned C) {
    const unsigned Kinds = G.kindsOfCell(C);
    if ((Kinds & SK_AnyFloat) && !(Kinds & SK_Pointer))
      Out.Places.push_back(C);
  });
  return Out;
}

} // namespace

SmallVector<const Instruction *, 2> charactersIn(const Value &V) {
  SmallVector<const Instruction *, 2> Out;
  const auto *Moved = dyn_cast<LoadInst>(&V);
  if (!V.getType()->isIntOrIntVectorTy() || (!Moved && !isCharacter(*V.getType())))
    return Out;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{&V};
  while (!Todo.empty()) {
    const auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    const auto *Load = dyn_cast<LoadInst>(I);
    if (Load && (Load == Moved || isCharacter(*Load->getType())))
      Out.push_back(Load);
    else if (passesOn(*I))
      append_range(Todo, I->operand_values());
    else if (isa<CallBase>(I))
      Out.push_back(I);
  }
  return Out;
}

SmallVector<LostFlow::End, 2> floatsMadeOf(const Value &V, const MemoryGraph &G, IntegerOf What) {
  SmallVector<LostFlow::End, 2> Out;
  // A value, and whether it is calculated: the code of a character is no digit.
  using State = PointerIntPair<const Value *, 1, bool>;
  SmallSet<State, 16> Seen;
  SmallVector<State, 16> Todo{{&V, What == IntegerOf::Text}};
  while (!Todo.empty()) {
    const State Now = Todo.pop_back_val();
    if (!Seen.insert(Now).second)
      continue;
    const Value *Next = Now.getPointer();
    const bool IsDigit = Now.getInt();
    for (const Use &U : Next->uses()) {
      const auto *I = dyn_cast<Instruction>(U.getUser());
      const auto *Store = dyn_cast_or_null<StoreInst>(I);
      if (!I || (isa<SelectInst>(I) && U.getOperandNo() == 0))
        continue;
      if (isa<CastInst>(I) && I->getType()->isFPOrFPVectorTy()) {
        if (IsDigit || losesZero(*I))
          Out.push_back({I, {}});
      } else if (Store && U.getOperandNo() == 0) {
        if (What == IntegerOf::Text)
          Out.push_back(floatsAt(*Store->getPointerOperand(), Next->getType(), G));
      } else if (passesOn(*I)) {
        Todo.push_back({I, IsDigit || isa<BinaryOperator>(I)});
      }
    }
  }
  erase_if(Out, [](const LostFlow::End &E) { return !E.Float && E.Places.empty(); });
  return Out;
}

SmallVector<LostFlow::End, 2> floatsBehind(const Value &V, const MemoryGraph &G) {
  SmallVector<LostFlow::End, 2> Out;
  for (const Value *Source : bitSources(&V)) {
    const auto *Load = dyn_cast<LoadInst>(Source);
    if (!Load) {
      Out.push_back({Source, {}});
      continue;
    }
    LostFlow::End Places = floatsAt(*Load->getPointerOperand(), Load->getType(), G);
    if (Places.Places.empty()) // numbers, if the caller says so
      Places.Float = dyn_cast<Argument>(getUnderlyingObject(Load->getPointerOperand()));
    if (Places.Float || !Places.Places.empty())
      Out.push_back(std::move(Places));
  }
  return Out;
}

} // namespace contraflow
