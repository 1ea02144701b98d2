// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call has its number as an attribute, which stays where the call is inlined and may unwind.

#include "Numbered.h"
#include "Indirect.h"
#include "Virtual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {

static constexpr StringLiteral NumberMark = "cf.number";
static constexpr StringLiteral UnseenName = "cf.unseen";
static constexpr StringLiteral TableMark = "cf.unseen.virtual"; ///< of a virtual call

static void eachIndirectCall(Module &M, function_ref<void(CallBase &)> Visit) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && isIndirect(*Call))
        Visit(*Call);
}

NumberedCalls::NumberedCalls(Module &M) : M(M) {
  eachIndirectCall(M, [&](CallBase &Call) {
    Call.addFnAttr(Attribute::get(M.getContext(), NumberMark, Twine(Count++).str()));
  });
}

NumberedCalls::~NumberedCalls() {
  eachIndirectCall(M, [](CallBase &Call) { Call.removeFnAttr(NumberMark); });
  for (Function &F : make_early_inc_range(M))
    if (F.isDeclaration() && F.use_empty() && F.getName().starts_with(UnseenName))
      F.eraseFromParent();
}

std::optional<unsigned> numberOf(const CallBase &Call) {
  unsigned Number = 0;
  const Attribute Mark = Call.getAttributes().getFnAttr(NumberMark);
  if (!Mark.isValid() || Mark.getValueAsString().getAsInteger(10, Number))
    return std::nullopt;
  return Number;
}

Value *callUnseen(IRBuilderBase &B, const CallBase &Call, ArrayRef<Function *> Functions) {
  LLVMContext &Context = B.getContext();
  SmallVector<Value *, 8> Args{Call.getCalledOperand()};
  Args.append(Call.arg_begin(), Call.arg_end()); // it may do anything to what they lead to
  SmallVector<Type *, 8> Types;
  for (const Value *Arg : Args)
    Types.push_back(Arg->getType());
  auto *T = FunctionType::get(Call.getType(), Types, false);
  Function *F = Function::Create(T, GlobalValue::ExternalLinkage, UnseenName,
                                 const_cast<Module *>(Call.getModule()));
  CallInst *Unseen = B.CreateCall(F, Args);
  Unseen->addFnAttr(Attribute::get(Context, NumberMark, Twine(numberOf(Call).value()).str()));
  if (isVirtual(Call))
    Unseen->addFnAttr(Attribute::get(Context, TableMark));
  SmallVector<Metadata *, 8> Names;
  for (Function *Callee : Functions)
    Names.push_back(ValueAsMetadata::get(Callee));
  Unseen->setMetadata(UnseenName, MDNode::get(Context, Names));
  return Unseen;
}

std::optional<UnseenCall> unseenCall(const CallBase &Call) {
  const MDNode *Names = Call.getMetadata(UnseenName);
  const auto Number = numberOf(Call);
  if (!Names || !Number)
    return std::nullopt;
  UnseenCall Out{Call.getArgOperand(0), Call.hasFnAttr(TableMark), *Number, {}};
  for (const MDOperand &Name : Names->operands())
    Out.Functions.push_back(mdconst::extract<Function>(Name));
  return Out;
}

} // namespace contraflow
