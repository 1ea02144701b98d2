// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kinds are understood, both from numerical libraries such as Eigen:
//
//   asm("" : "+x"(v))                               a barrier for the optimiser: v stays
//   asm("minpd %1, %0" : "+x"(r) : "x"(a))          r = r < a ? r : a     (one instruction on
//   packed asm("vfmadd231pd %1, %2, %0" : "+x"(r) : ...)   r = %1 * %2 + r        registers, no
//   memory)
//
// Operands of instructions are in AT&T order: the destination is the last one.

#include "Assembly.h"
#include "../callee/Packed.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {
namespace {

using Constraints = InlineAsm::ConstraintInfoVector;

/// The output that an input shares its register with, or -1.
int tiedOutput(const InlineAsm::ConstraintInfo &Input) {
  auto Tie = [](const std::vector<std::string> &Codes) {
    unsigned Output = 0;
    return Codes.size() == 1 && !StringRef(Codes[0]).getAsInteger(10, Output) ? int(Output) : -1;
  };
  if (!Input.isMultipleAlternative)
    return Tie(Input.Codes);
  int Output = Tie(Input.multipleAlternatives.front().Codes);
  for (const InlineAsm::SubConstraintInfo &Other : Input.multipleAlternatives)
    if (Tie(Other.Codes) != Output)
      return -1;
  return Output;
}

/// What each output of an empty text is: the operand that lies in its register. Memory operands
/// are left as they are.
bool findTies(const Constraints &All, CallInst &Call, SmallVectorImpl<Value *> &Results) {
  SmallVector<int, 4> ResultOf; // per output: its place in the result, or -1 for one in memory
  for (const InlineAsm::ConstraintInfo &C : All)
    if (C.Type == InlineAsm::isOutput) {
      ResultOf.push_back(C.isIndirect ? -1 : int(Results.size()));
      if (!C.isIndirect)
        Results.push_back(nullptr);
    }
  unsigned Operand = 0;
  for (const InlineAsm::ConstraintInfo &C : All) {
    if (C.Type == InlineAsm::isLabel)
      return false;
    if (C.Type == InlineAsm::isOutput && C.isIndirect)
      ++Operand;
    if (C.Type != InlineAsm::isInput)
      continue;
    int Output = tiedOutput(C);
    if (Output >= 0 && unsigned(Output) < ResultOf.size() && ResultOf[Output] >= 0)
      Results[ResultOf[Output]] = Call.getArgOperand(Operand);
    ++Operand;
  }
  return !is_contained(Results, nullptr);
}

bool expandBarrier(CallInst &Call, const Constraints &All) {
  SmallVector<Value *, 4> Results;
  if (!findTies(All, Call, Results))
    return false;
  auto *Struct = dyn_cast<StructType>(Call.getType());
  if (Results.size() == 1 && Results[0]->getType() == Call.getType()) {
    Call.replaceAllUsesWith(Results[0]);
  } else if (Results.size() > 1 && Struct && Struct->getNumElements() == Results.size()) {
    IRBuilder<> B(&Call);
    Value *All = PoisonValue::get(Struct);
    for (unsigned I = 0; I < Results.size(); ++I) {
      if (Results[I]->getType() != Struct->getElementType(I))
        return false;
      All = B.CreateInsertValue(All, Results[I], I);
    }
    Call.replaceAllUsesWith(All);
  } else if (!Results.empty()) {
    return false;
  }
  Call.eraseFromParent();
  return true;
}

/// One instruction on packed numbers: operands in the order of the text, the destination last.
class Packed {
public:
  Packed(CallInst &Call, const Constraints &All) : Call(Call), All(All), B(&Call) {}
  bool run(StringRef Text);

private:
  Value *operand(StringRef Name) const;
  bool typeFits(bool IsDouble) const;
  Value *result(PackedFn Fn, ArrayRef<Value *> Sources);

  CallInst &Call;
  const Constraints &All;
  IRBuilder<> B;
};

/// The operand that $n stands for: of an output what is in its register before, or null.
Value *Packed::operand(StringRef Name) const {
  unsigned Number = 0;
  if (!Name.consume_front("$") || Name.getAsInteger(10, Number) || Number >= All.size())
    return nullptr;
  unsigned Operand = 0;
  for (unsigned I = 0; I < All.size(); ++I) {
    if (All[I].Type != InlineAsm::isInput)
      continue;
    Value *V = Call.getArgOperand(Operand++);
    if (I == Number || (Number == 0 && tiedOutput(All[I]) == 0))
      return V->getType() == Call.getType() ? V : nullptr;
  }
  return nullptr;
}

bool Packed::typeFits(bool IsDouble) const {
  auto *T = dyn_cast<FixedVectorType>(Call.getType());
  return T && (IsDouble ? T->getElementType()->isDoubleTy() : T->getElementType()->isFloatTy());
}

/// Sources in Intel's order: the first, the second, and what the destination holds.
Value *Packed::result(PackedFn Fn, ArrayRef<Value *> Sources) {
  Value *X = Sources[0], *Y = Sources[1];
  switch (Fn) {
  case PackedFn::Add:
    return B.CreateFAdd(X, Y);
  case PackedFn::Subtract:
    return B.CreateFSub(X, Y);
  case PackedFn::Multiply:
    return B.CreateFMul(X, Y);
  case PackedFn::Divide:
    return B.CreateFDiv(X, Y);
  case PackedFn::Least:
    return B.CreateSelect(B.CreateFCmpOLT(X, Y), X, Y);
  case PackedFn::Greatest:
    return B.CreateSelect(B.CreateFCmpOGT(X, Y), X, Y);
  case PackedFn::MultiplyAdd:
    return B.CreateIntrinsic(Intrinsic::fma, Call.getType(), {X, Y, Sources[2]});
  }
  llvm_unreachable("all are listed");
}

bool Packed::run(StringRef Text) {
  auto [Name, Rest] = Text.trim().split(' ');
  const std::optional<PackedInstruction> Known = packedInstruction(Name);
  SmallVector<StringRef, 4> Places;
  Rest.split(Places, ',');
  for (StringRef &Place : Places)
    Place = Place.trim();
  if (!Known || Places.size() != Known->Operands || Places.back() != "$0" ||
      !typeFits(Known->IsDouble) ||
      cast<InlineAsm>(Call.getCalledOperand())->getDialect() != InlineAsm::AD_ATT)
    return false;
  SmallVector<Value *, 3> Sources;
  for (StringRef Place : reverse(ArrayRef(Places).drop_back()))
    Sources.push_back(operand(Place));
  if (Known->Fn == PackedFn::MultiplyAdd)
    Sources.push_back(operand("$0"));
  else if (Known->Operands == 2)
    Sources.insert(Sources.begin(), operand("$0"));
  if (is_contained(Sources, nullptr))
    return false;
  Call.replaceAllUsesWith(result(Known->Fn, Sources));
  Call.eraseFromParent();
  return true;
}

} // namespace

bool expandAssembly(CallInst &Call) {
  const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  const Constraints All = Asm->ParseConstraints();
  const StringRef Text = Asm->getAsmString();
  return Text.trim().empty() ? expandBarrier(Call, All) : Packed(Call, All).run(Text);
}

} // namespace contraflow
