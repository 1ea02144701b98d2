// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of one or two bytes go through archives of bytes, beside numbers that nothing aligns:
//
//   struct Particle {int id; double at[3]; short kind;};
//   archive.put(&p.kind, 2)        %k = load i16, ptr (p + 32) ; store i16 %k, ptr %end
//
// To the memory graph, these may be two bytes of a number that is moved in pieces, of which the
// derivative would be lost. But the pieces of a number lie side by side. In a structure, all that
// is loaded or stored piece by piece around the member is the member: too few bytes for a number.
// So no number leaves that place by such loads, and none comes there by such stores, whatever lies
// at the other end. Where the graph has folded the structures, too, the code says where in a local
// or allocated array a piece lies: modulo all steps that lead to pieces of it. Asked only of stores
// that would be refused.

#include "ShortPieces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <numeric>

using namespace llvm;

namespace contraflow {

/// Pieces are shorter than a number: than this one, where floats may be among what is moved.
constexpr int64_t Limits[] = {sizeof(float), sizeof(double)};
constexpr int64_t Longest = sizeof(double);

static int64_t sizeOf(const MemoryGraph &G, const Type *T) {
  return G.layout().getTypeStoreSize(const_cast<Type *>(T)).getFixedValue();
}

/// A number that V is a multiple of.
static int64_t factorOf(const Value *V) {
  if (auto *C = dyn_cast<ConstantInt>(V))
    return std::abs(C->getSExtValue());
  const auto *I = dyn_cast<BinaryOperator>(V);
  const auto *By = I ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
  if (!By || By->getValue().getActiveBits() > 31)
    return 1;
  return I->getOpcode() == Instruction::Mul   ? By->getZExtValue()
         : I->getOpcode() == Instruction::Shl ? int64_t{1} << (By->getZExtValue() % 31)
                                              : 1;
}

/// True of the beginning of an object, whichever of several, or null: a vector may be empty.
static bool beginsObject(const Value *Pointer) {
  constexpr unsigned Most = 16;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{Pointer};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val()->stripPointerCasts();
    if (isa<ConstantPointerNull>(Next) || isIdentifiedObject(Next) || !Seen.insert(Next).second)
      continue;
    if (!isa<PHINode, SelectInst>(Next) || Seen.size() > Most)
      return false;
    append_range(Todo, drop_begin(cast<User>(Next)->operand_values(), isa<SelectInst>(Next)));
  }
  return true;
}

std::optional<ShortPieces::Piece> ShortPieces::inObject(const Value *Pointer) const {
  Piece Out;
  while (auto *Step = dyn_cast<GEPOperator>(Pointer->stripPointerCasts())) {
    SmallMapVector<Value *, APInt, 4> Variable;
    const unsigned Bits = G.layout().getIndexTypeSizeInBits(Step->getType());
    APInt Constant(Bits, 0);
    if (!Step->collectOffset(G.layout(), Bits, Variable, Constant))
      return std::nullopt;
    Out.Offset += Constant.getSExtValue();
    for (const auto &[Index, Scale] : Variable)
      Out.Step = std::gcd(Out.Step, Scale.getSExtValue() * factorOf(Index));
    Pointer = Step->getPointerOperand();
  }
  return beginsObject(Pointer) ? std::optional(Out) : std::nullopt;
}

ShortPieces::ShortPieces(ArrayRef<Function *> Closure, const MemoryGraph &Graph) : G(Graph) {
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      if (const Value *Pointer = getLoadStorePointerOperand(&I);
          Pointer && getLoadStoreType(&I)->isIntOrIntVectorTy())
        if (const int64_t Size = sizeOf(G, getLoadStoreType(&I)); Size < Longest)
          add(Pointer, Size);
      const auto *Copy = dyn_cast<MemTransferInst>(&I);
      const auto *Size = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
      if (Size && Size->getValue().ult(Longest)) {
        add(Copy->getRawSource(), Size->getSExtValue());
        add(Copy->getRawDest(), Size->getSExtValue());
      }
    }
}

std::optional<ShortPieces::Piece> ShortPieces::find(const Value *Pointer) const {
  const Location At = G.find(Pointer);
  if (!At)
    return std::nullopt;
  const int64_t Period = G.period(At.Node);
  if (!At.Stride && (!Period || Period >= Longest))
    return Piece{At.Offset, Period};
  return inObject(Pointer);
}

void ShortPieces::add(const Value *Pointer, int64_t Size) {
  const Location At = G.find(Pointer);
  if (!At)
    return;
  const std::optional<Piece> P = find(Pointer);
  for (const int64_t Limit : Limits) {
    if (Size >= Limit)
      continue;
    Pieces &All = OfNode[{At.Node, Limit}];
    All.Known &= P.has_value();
    if (!P)
      continue;
    All.Step = std::gcd(All.Step, P->Step);
    for (int64_t Byte = 0; Byte < Size; ++Byte)
      All.Bytes.insert(P->Offset + Byte);
  }
}

/// True if all pieces that touch one another there are shorter together than Limit.
bool ShortPieces::areFewAt(const Value *Pointer, int64_t Limit) const {
  const Location At = G.find(Pointer);
  const auto Found = At ? OfNode.find({At.Node, Limit}) : OfNode.end();
  const std::optional<Piece> Here = find(Pointer);
  if (Found == OfNode.end() || !Here || !Found->second.Known)
    return false;
  const int64_t Step = Found->second.Step;
  if (Step && Step < Longest)
    return false;
  const auto Within = [Step](int64_t Offset) {
    return Step ? (Offset % Step + Step) % Step : Offset;
  };
  std::set<int64_t> Bytes;
  for (const int64_t Byte : Found->second.Bytes)
    Bytes.insert(Within(Byte));
  int64_t Count = 1;
  for (int64_t Next = Here->Offset + 1; Count < Limit && Bytes.count(Within(Next)); ++Next)
    ++Count;
  for (int64_t Last = Here->Offset - 1; Count < Limit && Bytes.count(Within(Last)); --Last)
    ++Count;
  return Count < Limit;
}

bool ShortPieces::moves(const StoreInst &I) const {
  const auto *Load = dyn_cast<LoadInst>(I.getValueOperand());
  if (!Load || !Load->getType()->isIntegerTy() || sizeOf(G, Load->getType()) >= Limits[0])
    return false;
  const Value *To = I.getPointerOperand(), *From = Load->getPointerOperand();
  const Location There = G.find(To), Here = G.find(From);
  if (!There || !Here || !(G.kindsAt(There, sizeOf(G, Load->getType())) & SK_Int))
    return false;
  const unsigned Kinds = G.kindsOf(There.Node) | G.kindsOf(Here.Node);
  const int64_t Limit = Limits[Kinds & SK_Float ? 0 : 1];
  return !(Kinds & SK_Half) && (areFewAt(From, Limit) || areFewAt(To, Limit));
}

} // namespace contraflow
