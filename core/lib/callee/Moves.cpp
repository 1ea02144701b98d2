// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table from names to rows of Moves.def.

#include "Moves.h"

#include "contraflow/core/Callee.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {

static const StringMap<ByteMove> &moves() {
  static const StringMap<ByteMove> Map = {
#define CF_MOVES(Name, Kind, To, What, Size, Room, Result)                                         \
  {Name, ByteMove{MoveKind::Kind, To, What, Size, Room, MoveResult::Result}},
#include "Moves.def"
  };
  return Map;
}

std::optional<ByteMove> byteMove(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->isDeclarationForLinker())
    return std::nullopt;
  auto It = moves().find(calleeName(*F));
  if (It == moves().end())
    return std::nullopt;
  const ByteMove &M = It->second;
  auto IsInteger = [&](int Operand) {
    return Operand < 0 || Call.getArgOperand(Operand)->getType()->isIntegerTy();
  };
  auto IsPointer = [&](int Operand) {
    return Call.getArgOperand(Operand)->getType()->isPointerTy();
  };
  const unsigned Count = 1 + std::max({M.To, M.What, M.Size, M.Room});
  const bool Fits = Call.arg_size() == Count && IsPointer(M.To) && IsInteger(M.Size) &&
                    IsInteger(M.Room) &&
                    (M.Kind == MoveKind::Fill ? IsInteger(M.What) : IsPointer(M.What)) &&
                    (M.Result == MoveResult::None || Call.getType()->isPointerTy());
  return Fits ? std::optional(M) : std::nullopt;
}

} // namespace contraflow
