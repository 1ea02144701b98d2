// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer to a member function is a function and how far its class's part lies in the object:
//
//   (this->*kernel)(i, j)      %object = getelementptr i8, ptr %this, i64 %distance
//                              %f = inttoptr i64 %function to ptr, or from the object's table
//                              call double %f(ptr %object, i32 %i, i32 %j)
//
// An address anywhere in the object would take all its members for one. But pointers to members
// begin as constants, {f, 0} unless f is of a class's second base, so the distance is one of those
// of f, or the program ends with CF307. What is virtual is a number instead of f. Files that are
// linked later note what others may call, and how far they convert pointers that others made.

#include "Members.h"
#include "Indirect.h"
#include "Slots.h"
#include "callee/Classes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace contraflow {
namespace {

/// Of (function or null, number), and of (number): a step to pointers of derived classes, or back.
constexpr StringLiteral ListName = "contraflow.member-distances";
constexpr unsigned MostDistances = 8;
using DistanceSet = SmallSetVector<Constant *, MostDistances>;

class Noter {
public:
  explicit Noter(Module &M) : Context(M.getContext()) {}
  void look(const Instruction &I);
  void look(const Value *V);
  void write(Module &M) const;

private:
  LLVMContext &Context;
  SmallPtrSet<const Constant *, 32> Seen;
  SmallSetVector<std::pair<Function *, int64_t>, 8> Found; ///< no function: virtual ones
  SmallSetVector<int64_t, 4> Steps;
  bool Called = false; ///< some function is called through one
};

void Noter::look(const Instruction &I) {
  for (const Use &Op : I.operands())
    look(Op.get());
  auto *Part = dyn_cast<ExtractValueInst>(&I);
  if (!Part || !isMemberPointer(*Part->getAggregateOperand()->getType()) ||
      Part->getIndices()[0] != 1)
    return;
  for (const User *By : Part->users()) {
    Called |= isa<GetElementPtrInst>(By);
    auto *Step = dyn_cast<BinaryOperator>(By);
    auto *C = Step ? dyn_cast<ConstantInt>(Step->getOperand(1)) : nullptr;
    if (C && Step->getOpcode() == Instruction::Add)
      Steps.insert(C->getSExtValue());
    else if (C && Step->getOpcode() == Instruction::Sub)
      Steps.insert(-C->getSExtValue());
  }
}

void Noter::look(const Value *V) {
  SmallVector<const Value *, 8> Todo{V};
  while (!Todo.empty()) {
    auto *C = dyn_cast<Constant>(Todo.pop_back_val());
    if (!C || isa<GlobalValue>(C) || C->getNumOperands() == 0 || !Seen.insert(C).second)
      continue;
    append_range(Todo, C->operand_values());
    auto *Distance = isMemberPointer(*C->getType())
                         ? dyn_cast_or_null<ConstantInt>(C->getAggregateElement(1))
                         : nullptr;
    if (!Distance)
      continue;
    Constant *First = C->getAggregateElement(0U);
    auto *Address = dyn_cast<PtrToIntOperator>(First);
    auto *F = Address ? dyn_cast<Function>(Address->getPointerOperand()) : nullptr;
    if (F || isa<ConstantInt>(First))
      Found.insert({F, Distance->getSExtValue()});
  }
}

void Noter::write(Module &M) const {
  if (!Called && !isLinkedLater(M))
    return;
  NamedMDNode *List = M.getOrInsertNamedMetadata(ListName);
  auto Number = [&](int64_t N) {
    return ConstantAsMetadata::get(ConstantInt::getSigned(Type::getInt64Ty(Context), N));
  };
  auto Add = [&](Function *F, int64_t Distance) {
    List->addOperand(
        MDNode::get(Context, {F ? ConstantAsMetadata::get(F) : nullptr, Number(Distance)}));
  };
  Add(nullptr, 0);
  for (auto [F, Distance] : Found)
    Add(F, Distance);
  for (int64_t Step : Steps)
    List->addOperand(MDNode::get(Context, Number(Step)));
}

int64_t numberOf(const MDNode &Note) {
  return mdconst::extract<ConstantInt>(Note.operands().back())->getSExtValue();
}

/// The steps between classes. With more than one, nothing is known of the distances.
SmallSetVector<int64_t, 4> stepsOf(const NamedMDNode &List) {
  SmallSetVector<int64_t, 4> Steps;
  for (const MDNode *Note : List.operands())
    if (Note->getNumOperands() == 1)
      Steps.insert(numberOf(*Note));
  return Steps;
}

/// What is noted of F, or of virtual functions if nothing is: pointers to these do not name them.
DistanceSet distancesOf(const Module &M, const Function *F) {
  const NamedMDNode &List = *M.getNamedMetadata(ListName);
  const auto Steps = stepsOf(List);
  DistanceSet Own, Virtual;
  for (const MDNode *Note : List.operands()) {
    if (Note->getNumOperands() == 1)
      continue;
    auto *Of = mdconst::dyn_extract_or_null<Constant>(Note->getOperand(0));
    if (Of && Of != F)
      continue;
    DistanceSet &Here = Of ? Own : Virtual;
    auto Add = [&](int64_t N) {
      Here.insert(ConstantInt::getSigned(Type::getInt64Ty(M.getContext()), N));
    };
    Add(numberOf(*Note));
    for (int64_t Step : Steps)
      Add(numberOf(*Note) + Step);
  }
  return Own.empty() ? Virtual : Own;
}

/// The address in an object that may be of a pointer to a member.
GetElementPtrInst *steppedObject(const CallBase &Call) {
  auto *Step = Call.arg_empty() ? nullptr : dyn_cast<GetElementPtrInst>(Call.getArgOperand(0));
  const bool IsStep = Step && Step->getNumIndices() == 1 && !Step->hasAllConstantIndices() &&
                      Step->getSourceElementType()->isIntegerTy(8);
  const NamedMDNode *List = IsStep ? Call.getModule()->getNamedMetadata(ListName) : nullptr;
  return List && stepsOf(*List).size() <= 1 ? Step : nullptr;
}

/// The address where Step leads by one of the distances, before At; elsewhere the program ends.
Value *settled(GetElementPtrInst &Step, const DistanceSet &Known, Instruction &At, CallBase &Call) {
  Value *Distance = Step.getOperand(1), *Whole = Step.getPointerOperand(), *Out = nullptr;
  IRBuilder<> B(&At);
  Value *IsOther = B.getTrue();
  for (Constant *C : Known) {
    Value *Here = C->isNullValue() ? Whole : B.CreateInBoundsPtrAdd(Whole, C);
    Value *Is = B.CreateICmpEQ(Distance, C);
    Out = Out ? B.CreateSelect(Is, Here, Out) : Here;
    IsOther = B.CreateAnd(IsOther, B.CreateNot(Is));
  }
  Instruction *End = SplitBlockAndInsertIfThen(IsOther, &At, /*Unreachable=*/true);
  B.SetInsertPoint(End);
  emitFailure(B, Call, "unknown_callee");
  return Out;
}

} // namespace

void noteMemberDistances(Module &M) {
  Noter N(M);
  for (const GlobalVariable &G : M.globals())
    if (G.hasInitializer())
      N.look(G.getInitializer());
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      N.look(I);
  N.write(M);
}

bool isOfMember(const CallBase &Call) {
  const Value *Callee = Call.getCalledOperand();
  if (auto *Phi = dyn_cast<PHINode>(Callee))
    return any_of(Phi->incoming_values(), [](const Use &V) { return isa<IntToPtrInst>(V); });
  if (auto *Choice = dyn_cast<SelectInst>(Callee))
    return isa<IntToPtrInst>(Choice->getTrueValue()) || isa<IntToPtrInst>(Choice->getFalseValue());
  return isa<IntToPtrInst>(Callee);
}

void settleTable(CallBase &Call) {
  GetElementPtrInst *Step = steppedObject(Call);
  if (!Step || !isOfMember(Call))
    return;
  SmallVector<LoadInst *, 2> Tables;
  for (User *By : Step->users())
    if (auto *Load = dyn_cast<LoadInst>(By))
      Tables.push_back(Load);
  for (LoadInst *Load : Tables)
    Load->setOperand(0, settled(*Step, distancesOf(*Call.getModule(), nullptr), *Load, Call));
}

bool settleObject(CallBase &Call, ArrayRef<Function *> Callees) {
  GetElementPtrInst *Step = steppedObject(Call);
  if (!Step)
    return true;
  const DistanceSet Known = distancesOf(*Call.getModule(), Callees.front());
  if (Known.size() > MostDistances || any_of(drop_begin(Callees), [&](const Function *F) {
        return distancesOf(*Call.getModule(), F).getArrayRef() != Known.getArrayRef();
      }))
    return false;
  Call.setArgOperand(0, settled(*Step, Known, Call, Call));
  return true;
}

void settleObjects(ArrayRef<CallBase *> Choices) {
  for (CallBase *Call : Choices)
    if (GetElementPtrInst *Step = steppedObject(*Call)) {
      const Function *F = Call->getCalledFunction();
      DistanceSet Known = distancesOf(*Call->getModule(), F);
      if (Known.size() <= MostDistances)
        Call->setArgOperand(0, settled(*Step, Known, *Call, *Call));
    }
}

} // namespace contraflow
