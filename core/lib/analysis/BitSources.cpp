// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk back over integers. What is found has no derivative that could be followed, but the way is
// there: activity takes it, so that what lies on it is refused and not taken for constant.

#include "BitSources.h"
#include "Activity.h"
#include "Integers.h"
#include "rules/Rounding.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace contraflow {

bool dropsDigits(const BinaryOperator &I) {
  const unsigned Width = I.getType()->getScalarSizeInBits();
  if (Width != 32 && Width != 64)
    return false;
  const unsigned Digits =
      APFloat::semanticsPrecision(Width == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble()) - 1;
  const APInt *C = nullptr;
  return (match(&I, m_c_And(m_Value(), m_APInt(C))) && C->countr_zero() >= Digits) ||
         (match(&I, m_LShr(m_Value(), m_APInt(C))) && C->uge(Digits));
}

/// The values that the bits of I come from directly.
static void addOperands(const Instruction &I, SmallVectorImpl<const Value *> &Out) {
  if (auto *Logic = dyn_cast<BinaryOperator>(&I)) {
    if (!dropsDigits(*Logic))
      append_range(Out, Logic->operand_values());
  } else if (auto *Select = dyn_cast<SelectInst>(&I)) {
    Out.append({Select->getTrueValue(), Select->getFalseValue()});
  } else if (isa<TruncInst, ZExtInst, SExtInst, BitCastInst, FreezeInst, PHINode, ShuffleVectorInst,
                 InsertElementInst, ExtractElementInst, IntrinsicInst>(I)) {
    for (const Value *V : I.operand_values())
      if (V->getType()->isIntOrIntVectorTy() || isa<BitCastInst>(I))
        Out.push_back(V);
  }
}

SmallVector<const Value *, 4> bitSources(const Value *V) {
  SmallVector<const Value *, 4> Out;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (isa<Constant>(Next) || !Seen.insert(Next).second)
      continue;
    auto *I = dyn_cast<Instruction>(Next);
    if (Next->getType()->isFPOrFPVectorTy()) {
      if (!isRoundingSum(Next))
        Out.push_back(Next);
    } else if (I && isa<LoadInst>(I)) {
      Out.push_back(I);
    } else if (I) {
      addOperands(*I, Todo);
    }
  }
  return Out;
}

/// V and what is chosen for it.
static SmallVector<const Instruction *, 4> choicesFor(const Value *V) {
  SmallVector<const Instruction *, 4> Out;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{V};
  while (!Todo.empty()) {
    const auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    Out.push_back(I);
    if (isa<PHINode, SelectInst, FreezeInst>(I))
      append_range(Todo, I->operand_values());
  }
  return Out;
}

/// True if V, or what is chosen for it, is put together from halves of a word, which the memory
/// graph does not follow: of a double that shares its place with a smaller integer, in registers.
static bool joinsHalves(const Value *V) {
  return any_of(choicesFor(V), [](const Instruction *I) {
    return I->getOpcode() == Instruction::Or && any_of(I->operand_values(), [](const Value *Part) {
             const Value *Half = nullptr;
             return match(Part, m_CombineOr(m_ZExt(m_Value(Half)),
                                            m_Shl(m_ZExt(m_Value(Half)), m_ConstantInt()))) &&
                    any_of(choicesFor(Half),
                           [](const Instruction *From) { return isa<TruncInst>(From); });
           });
  });
}

const Value *calculatedBits(const Instruction &I, const MemoryGraph &Graph) {
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const Value *V = Store->getValueOperand();
    return V->getType()->isIntOrIntVectorTy() && V->getType()->isVectorTy() ? V : nullptr;
  }
  if (!isa<BitCastInst, ExtractElementInst>(I) || !floatTypeOf(&I, Graph))
    return nullptr;
  const Value *From = I.getOperand(0);
  return From->getType()->isIntOrIntVectorTy() && (!floatTypeOf(From, Graph) || joinsHalves(From))
             ? From
             : nullptr;
}

std::optional<StringRef> typeAccessed(const Instruction &I) {
  const MDNode *Tag = I.getMetadata(LLVMContext::MD_tbaa);
  const auto *Type =
      Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  const auto *Name =
      Type && Type->getNumOperands() > 1 ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  const auto *Parent = Name ? dyn_cast<MDNode>(Type->getOperand(1)) : nullptr;
  if (!Parent || Parent->getNumOperands() < 2) // not below char, which is below the root
    return std::nullopt;
  return Name->getString();
}

bool accessesFloat(const Instruction &I) {
  static constexpr StringLiteral Floats[] = {"float", "double"};
  const std::optional<StringRef> T = typeAccessed(I);
  return T && is_contained(Floats, *T);
}

/// True for addition and subtraction of what may be a count: an exponent, k << 52, lies higher.
static bool countsUp(const Instruction &I) {
  if (I.getOpcode() != Instruction::Add && I.getOpcode() != Instruction::Sub)
    return false;
  const unsigned CountBits = I.getType()->getScalarSizeInBits() <= 32 ? 23 : 48;
  return none_of(I.operands(), [&](const Use &V) {
    const APInt *C = nullptr;
    return match(V.get(), m_Shl(m_Value(), m_APInt(C)))
               ? C->uge(CountBits)
               : match(V.get(), m_APInt(C)) && C->getSignificantBits() > CountBits;
  });
}

/// True for what is done to numbers, and to the bits of a float hardly ever.
static bool isArithmetic(const Instruction &I) {
  constexpr unsigned MostBits = 6; // of the size of an element
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return countsUp(I);
  case Instruction::Mul:
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return true;
  case Instruction::Shl: {
    auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
    return By && By->getValue().ule(MostBits);
  }
  default:
    return false;
  }
}

/// True if I divides by V, or calculates an address with it, times the size of an element or not:
/// nobody does so with bits of floats.
static bool tellsNumber(const Instruction &I, const Value *V) {
  switch (I.getOpcode()) {
  case Instruction::Mul:
  case Instruction::Shl:
    return isa<ConstantInt>(I.getOperand(1)) &&
           any_of(I.users(), [](const User *U) { return isa<GetElementPtrInst>(U); });
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return I.getOperand(1) == V;
  default:
    return isa<GetElementPtrInst>(I);
  }
}

/// True if V, or a copy of it, is calculated with other than by counting, as hash functions do; of
/// a declared integer, other than as numbers are; of one beside floats or pointers, flags as well.
static bool isMixed(const LoadInst *V, const MemoryGraph &Graph) {
  const bool IsDeclared = Graph.isDeclaredInteger(V), IsBeside = Graph.isIntegerBeside(V);
  bool Mixed = false;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 8> Todo{V};
  while (!Todo.empty()) {
    const Value *Next = Todo.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    for (const User *U : Next->users()) {
      auto *Arithmetic = dyn_cast<BinaryOperator>(U);
      if (tellsNumber(*cast<Instruction>(U), Next))
        return false;
      if (isa<PHINode, SelectInst, FreezeInst>(U))
        Todo.push_back(U);
      else
        Mixed |= Arithmetic && !countsUp(*Arithmetic) &&
                 !(IsDeclared && isArithmetic(*Arithmetic)) &&
                 !(IsBeside && Arithmetic->isBitwiseLogicOp());
    }
  }
  return Mixed;
}

namespace {
enum How { Copied, Counted, Calculated, Masked, Changed };
} // namespace

/// One bit is a bool, whatever it was read from.
static bool isBool(const Instruction &I) {
  return I.getType()->isIntegerTy(1) ||
         (I.getOpcode() == Instruction::And && match(I.getOperand(1), PatternMatch::m_One()));
}

/// How many bits are set, or in front of one that is: of a number that varies, the exponent at
/// most.
static bool countsBits(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call &&
         is_contained({Intrinsic::ctlz, Intrinsic::cttz, Intrinsic::ctpop}, Call->getIntrinsicID());
}

/// What becomes of an operand of I, on its way to something that is How.
static std::optional<How> handedOn(const Instruction &I, How H) {
  if (isBool(I))
    return std::nullopt;
  if (isa<MinMaxIntrinsic>(I)) // a choice
    return H;
  if (countsBits(I))
    return std::nullopt;
  if (isa<ExtractElementInst, InsertElementInst, ShuffleVectorInst, IntrinsicInst>(I))
    return Changed;
  if (isa<BinaryOperator>(I) && H <= Counted && countsUp(I))
    return Counted;
  if (I.isBitwiseLogicOp())
    return H <= Masked ? Masked : Changed;
  if (isa<BinaryOperator>(I))
    return H <= Calculated && isArithmetic(I) ? Calculated : Changed;
  if (isa<PHINode, SelectInst, FreezeInst, TruncInst, ZExtInst, SExtInst, BitCastInst>(I))
    return H;
  return std::nullopt;
}

/// True if something is divided by V, or a copy of it, or it is an index.
static bool isUsedAsNumber(const LoadInst &V) {
  SmallSetVector<const Value *, 8> Copies;
  Copies.insert(&V);
  for (size_t Next = 0; Next < Copies.size(); ++Next)
    for (const User *U : Copies[Next]->users()) {
      if (tellsNumber(*cast<Instruction>(U), Copies[Next]))
        return true;
      if (isa<PHINode, SelectInst, FreezeInst>(U))
        Copies.insert(U);
    }
  return false;
}

/// True if the bits that Load reads may be a float's and have become something else. The number of
/// buckets of a hash table is none, by its type and by what else is done with it.
static bool losesFloat(const LoadInst &Load, How H, const MemoryGraph &Graph) {
  if (H > Counted && Graph.isDeclaredInteger(&Load) && isUsedAsNumber(Load))
    return false;
  if (H == Changed || (H == Masked && !Graph.isIntegerBeside(&Load)) ||
      (H == Calculated && !Graph.isDeclaredInteger(&Load)) ||
      (H == Copied && isMixed(&Load, Graph)))
    return true;
  return H == Counted && !Graph.isCount(&Load) &&
         (floatTypeOf(&Load, Graph) || accessesFloat(Load));
}

SmallVector<const Value *, 4> changedBits(const Value *V, const MemoryGraph &Graph) {
  SmallVector<const Value *, 4> Out;
  DenseSet<std::pair<const Value *, unsigned>> Seen;
  SmallVector<std::pair<const Value *, How>, 8> Todo{{V, Copied}};
  while (!Todo.empty()) {
    const auto [Next, H] = Todo.pop_back_val();
    auto *I = dyn_cast<Instruction>(Next);
    if (!I || !I->getType()->isIntOrIntVectorTy() || !Seen.insert({I, H}).second)
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I); Load && losesFloat(*Load, H, Graph))
      Out.push_back(Load);
    if (isa<BitCastInst>(I) && H != Copied && I->getOperand(0)->getType()->isFPOrFPVectorTy())
      Out.push_back(I->getOperand(0));
    std::optional<How> Before = handedOn(*I, H);
    if (!Before)
      continue;
    if (*Before > Counted &&
        measures(*I)) // the next place of an arena: a number, also if rounded up
      Before = Counted;
    for (const Value *Operand : I->operand_values())
      Todo.push_back({Operand, *Before});
  }
  return Out;
}

bool isAmongDigits(const MemoryGraph &Graph, Location At, int64_t Size) {
  bool Inside = At && !At.Stride, Known = false;
  if (!Inside)
    return false;
  for (auto [Begin, Cell] : Graph.fields(At.Node)) {
    const unsigned Kinds = Graph.kindsOfCell(Cell) & SK_AnyFloat;
    if (Kinds & ~(SK_Float | SK_Double))
      return false;
    auto Check = [&](int64_t Width, int64_t Digits) {
      const int64_t Period = Graph.period(At.Node), Step = Period ? Period : Width;
      int64_t Away = At.Offset - Begin;
      if (Period)
        Away = (Away % Period + Period) % Period;
      else if (Away < 0) // no step before the last one decides anything
        Away = (Away % Width + Width) % Width - Width;
      for (; Away < Width; Away += Step) {
        Inside &= Away + Size <= 0 || (Away >= 0 && Away + Size <= Digits);
        Known |= Away >= 0;
      }
    };
    if (Kinds & SK_Float)
      Check(4, 2);
    if (Kinds & SK_Double)
      Check(8, 6);
  }
  return Inside && Known;
}

bool changesFlags(const StoreInst &Store, const MemoryGraph &Graph) {
  constexpr int64_t MostBytes = 3; // of a float
  const Value *V = Store.getValueOperand();
  const int64_t Size = Graph.layout().getTypeStoreSize(V->getType()).getFixedValue();
  const Location At = Graph.find(Store.getPointerOperand());
  SmallVector<const Value *, 4> Todo{V};
  SmallPtrSet<const Value *, 8> Seen;
  bool Reads = false, Changes = false;
  while (!Todo.empty()) {
    auto *I = dyn_cast<Instruction>(Todo.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I); Load && Load->getType() == V->getType()) {
      if (Load->getPointerOperand() != Store.getPointerOperand())
        return false;
      Reads = true;
    } else if (I->isBitwiseLogicOp() || isa<PHINode, SelectInst>(I)) {
      Changes |= I->isBitwiseLogicOp();
      append_range(Todo, I->operand_values());
    } else if (!changedBits(I, Graph).empty()) {
      return false;
    }
  }
  return Reads && Changes && Size <= MostBytes && isAmongDigits(Graph, At, Size);
}

} // namespace contraflow
