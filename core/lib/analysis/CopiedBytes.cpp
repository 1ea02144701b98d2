// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CopiedBytes.h"

#include "MemoryGraph.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace contraflow {

/// How far it is from an address to the end of the variable, an array, that it leads into; -1: it
/// leads to no such variable.
static int64_t restOfArray(const Value *Address, const DataLayout &DL) {
  const Value *Object = getUnderlyingObject(Address);
  const auto *Local = dyn_cast<AllocaInst>(Object);
  const auto *Global = dyn_cast<GlobalVariable>(Object);
  const Type *T = Local ? Local->getAllocatedType() : Global ? Global->getValueType() : nullptr;
  uint64_t Bytes = 0;
  const bool Known = T && T->isArrayTy() && getObjectSize(Address, Bytes, DL, nullptr);
  return Known ? static_cast<int64_t>(Bytes) : -1;
}

/// The bytes that a call copies at most; -1: nobody knows.
static int64_t bytesCopied(const CallBase &I, const CallFacts::Copy &C, const DataLayout &DL) {
  if (auto *Size = dyn_cast<ConstantInt>(I.getArgOperand(C.Size)))
    return Size->getSExtValue();
  const int64_t From = restOfArray(I.getArgOperand(C.From), DL);
  const int64_t To = restOfArray(I.getArgOperand(C.To), DL);
  return From < 0 || To < 0 ? std::max(From, To) : std::min(From, To);
}

/// True if a double is accessed at this address, where it should lie.
static bool isEvenAccess(const Use &Address) {
  const Align Wanted(sizeof(double));
  auto *I = cast<Instruction>(Address.getUser());
  if (auto *Move = dyn_cast<AnyMemTransferInst>(I))
    return Move->getParamAlign(Address.getOperandNo()).valueOrOne() >= Wanted;
  return getLoadStorePointerOperand(I) == Address.get() && getLoadStoreAlignment(I) >= Wanted;
}

/// The address that a step of some doubles leads from; null: it is no such step.
static const Value *beforeEvenStep(const Value &V, const DataLayout &DL) {
  auto *Step = dyn_cast<GEPOperator>(&V);
  SmallMapVector<Value *, APInt, 4> Indices;
  APInt Constant(DL.getIndexTypeSizeInBits(V.getType()), 0);
  if (!Step || !Step->collectOffset(DL, Constant.getBitWidth(), Indices, Constant))
    return nullptr;
  const auto IsEven = [](const APInt &By) { return By.srem(sizeof(double)) == 0; };
  const bool AllEven = all_of(Indices, [&](auto &Index) { return IsEven(Index.second); });
  return AllEven && IsEven(Constant) ? Step->getPointerOperand() : nullptr;
}

/// True if doubles that begin at Base lie as they should: an access shows it there, some doubles
/// away, or where Base may come from.
static bool isEven(const Value &Base, const DataLayout &DL) {
  constexpr unsigned MostAddresses = 16, MostUses = 64;
  SmallSetVector<const Value *, 8> Addresses;
  Addresses.insert(&Base);
  unsigned Uses = 0;
  for (unsigned Next = 0; Next < Addresses.size() && Next < MostAddresses; ++Next) {
    const Value *V = Addresses[Next];
    if (isa<ConstantData>(V))
      continue;
    if (V->getPointerAlignment(DL) >= Align(sizeof(double)))
      return true;
    if (const Value *Before = beforeEvenStep(*V, DL))
      Addresses.insert(Before);
    if (auto *Phi = dyn_cast<PHINode>(V))
      Addresses.insert_range(Phi->incoming_values());
    for (const Use &U : V->uses()) {
      if (!isa<Instruction>(U.getUser()) || ++Uses > MostUses)
        break;
      if (isEvenAccess(U))
        return true;
      if (beforeEvenStep(*U.getUser(), DL) == V)
        Addresses.insert(U.getUser());
    }
  }
  return false;
}

/// How far behind Pointer the next double may begin, as far as what is accessed from the same base
/// shows; 0 if that tells nothing. What is left of a structure whose first members have gone to
/// registers begins between two words:
///
///   %rest = alloca [12 x i8] ; memcpy(%rest, %item + 12, 12) ; load double, %item        4
static int64_t bytesToNumber(const Value &Pointer, const DataLayout &DL) {
  constexpr int64_t Width = sizeof(double);
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer.getType()), 0);
  const Value *Base =
      Pointer.stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  const int64_t Behind = Offset.getSExtValue() % Width;
  return Behind == 0 || !isEven(*Base, DL) ? 0 : (Width - Behind) % Width;
}

void addCopyOf(MemoryGraph &Graph, CallBase &I, const CallFacts::Copy &C) {
  Value *From = I.getArgOperand(C.From), *To = I.getArgOperand(C.To);
  const DataLayout &DL = Graph.layout();
  Graph.addCopy(Graph.locate(From), Graph.locate(To), bytesCopied(I, C, DL),
                bytesToNumber(*From, DL), bytesToNumber(*To, DL));
}

/// Nothing in the graph tells where in this object the numbers lie, and no addresses are among
/// them.
static bool areBytes(const MemoryGraph &Graph, Location At) {
  const unsigned Kinds = Graph.kindsOf(At.Node);
  const int64_t Period = Graph.period(At.Node);
  return (Kinds & (SK_Float | SK_Double)) && !(Kinds & SK_Pointer) && Period &&
         Period < widthOfKinds(Kinds & SK_AnyFloat);
}

void noteShiftedCopies(MemoryGraph &Graph, ArrayRef<Function *> Closure) {
  constexpr uint64_t Wanted = sizeof(double);
  auto IsEven = [&](const AnyMemTransferInst &I, unsigned Operand) {
    if (I.getParamAlign(Operand).valueOrOne() >= Wanted)
      return true;
    const KnownBits Bits = computeKnownBits(I.getArgOperand(Operand), Graph.layout());
    return Bits.countMinTrailingZeros() >= Log2_64(Wanted);
  };
  for (Function *F : Closure)
    for (Instruction &I : instructions(*F)) {
      auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
      if (!Copy)
        continue;
      for (const unsigned Operand : {0, 1}) {
        const Location At = Graph.find(Copy->getArgOperand(Operand));
        const Location Other = Graph.find(Copy->getArgOperand(1 - Operand));
        if (At && Other && Graph.canonical(At.Node) != Graph.canonical(Other.Node) &&
            areBytes(Graph, At) && !IsEven(*Copy, Operand) &&
            (!areBytes(Graph, Other) || IsEven(*Copy, 1 - Operand)))
          Graph.noteAlignment(At, /*AsWanted=*/false);
      }
    }
}

} // namespace contraflow
