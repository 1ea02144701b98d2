// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one type in one table that is filled at run time:
//
//   v->ops->clone = clone_vector;   v->ops->data = vector_data;      ptr (ptr), both
//   a->ops->clone = clone_matrix;
//   w = v->ops->clone(v);
//
// The call reads member `clone` of the vectors' operations. A function that is stored into other
// members only is no candidate: without this, vectors, matrices and bare arrays would be taken for
// one another, and their types would be lost. The member is the innermost structure on TBAA's path,
// so it is the same whatever object it is a part of. Without TBAA, structures of different types
// may begin in the same way, and only the member's place counts; it is noted before optimisation
// takes the types out of the addresses.

#include "Slots.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow {
namespace {

constexpr StringLiteral SlotKind = "cf.slot"; ///< metadata: the place of a member
constexpr unsigned MostLevels = 32;           ///< of structures in structures
constexpr unsigned MostUses = 256;            ///< of one function

/// The field of a TBAA structure (name, type, offset, type, offset, ...) that Offset is in.
const MDNode *fieldAt(const MDNode &Type, uint64_t &Offset) {
  const MDNode *Found = nullptr;
  uint64_t Begin = 0;
  for (unsigned I = 1; I + 1 < Type.getNumOperands(); I += 2) {
    auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Type.getOperand(I + 1));
    auto *Field = dyn_cast_or_null<MDNode>(Type.getOperand(I));
    if (!At || !Field || At->getZExtValue() > Offset)
      break;
    Found = Field;
    Begin = At->getZExtValue();
  }
  Offset -= Begin;
  return Found;
}

std::optional<Slot> slotOfTag(const MDNode &Tag) {
  if (Tag.getNumOperands() < 3 || !isa_and_nonnull<MDNode>(Tag.getOperand(0)))
    return std::nullopt;
  const MDNode *Type = cast<MDNode>(Tag.getOperand(0));
  const Metadata *Access = Tag.getOperand(1);
  auto *At = mdconst::dyn_extract_or_null<ConstantInt>(Tag.getOperand(2));
  if (!At || Type == Access)
    return std::nullopt;
  uint64_t Offset = At->getZExtValue();
  for (unsigned I = 0; I < MostLevels; ++I) {
    const uint64_t Place = Offset;
    const MDNode *Field = fieldAt(*Type, Offset);
    if (!Field)
      return std::nullopt;
    if (Field == Access)
      return Slot{Type, Place};
    Type = Field;
  }
  return std::nullopt;
}

/// Where the member that Pointer leads to lies in the innermost structure.
std::optional<uint64_t> placeOf(const Value *Pointer, const DataLayout &DL) {
  std::optional<uint64_t> Out;
  auto *Address = dyn_cast<GEPOperator>(Pointer);
  if (!Address)
    return Out;
  for (auto I = gep_type_begin(Address), E = gep_type_end(Address); I != E; ++I) {
    if (StructType *S = I.getStructTypeOrNull())
      Out = DL.getStructLayout(S)->getElementOffset(
          cast<ConstantInt>(I.getOperand())->getZExtValue());
    else if (I != gep_type_begin(Address))
      Out.reset(); // an array of pointers
  }
  return Out;
}

/// Follows the address of a function to the stores that it ends in.
class Follower {
public:
  explicit Follower(function_ref<ArrayRef<Function *>(FunctionType *)> OfType) : OfType(OfType) {}
  bool onlyStored(const Value &V, function_ref<bool(const StoreInst &)> Visit);

private:
  bool passed(const CallBase &Call, unsigned Arg, function_ref<bool(const StoreInst &)> Visit);
  bool onlyLoaded(const AllocaInst &Variable, function_ref<bool(const StoreInst &)> Visit);

  function_ref<ArrayRef<Function *>(FunctionType *)> OfType;
  SmallPtrSet<const Value *, 16> Seen;
  unsigned Left = MostUses;
};

/// What is passed on goes where the callee, or each function that fits, puts it.
bool Follower::passed(const CallBase &Call, unsigned Arg,
                      function_ref<bool(const StoreInst &)> Visit) {
  if (Arg >= Call.getFunctionType()->getNumParams())
    return false;
  if (Call.doesNotCapture(Arg))
    return true;
  const Function *Callee = Call.getCalledFunction();
  if (Callee)
    return !Callee->isDeclaration() && !Callee->isInterposable() &&
           onlyStored(*Callee->getArg(Arg), Visit);
  return !Call.isInlineAsm() && all_of(OfType(Call.getFunctionType()), [&](const Function *F) {
    return !F->hasAddressTaken() ||
           (!F->isDeclaration() && !F->isInterposable() && onlyStored(*F->getArg(Arg), Visit));
  });
}

/// True if no use of V but calls, comparisons and constant tables can be other than a store into a
/// member, which Visit is asked about. It says true to go on.
bool Follower::onlyStored(const Value &V, function_ref<bool(const StoreInst &)> Visit) {
  if (!Seen.insert(&V).second)
    return true;
  return all_of(V.uses(), [&](const Use &U) {
    if (!Left)
      return false;
    --Left;
    const User *By = U.getUser();
    if (auto *G = dyn_cast<GlobalVariable>(By))
      return G->isConstant() || G->hasAppendingLinkage();
    if (isa<ConstantAggregate, ConstantExpr, GlobalAlias, PHINode, SelectInst>(By))
      return onlyStored(*By, Visit);
    // The same parameter may be data for other callers.
    if (isa<ICmpInst, LoadInst, GetElementPtrInst, MemIntrinsic>(By))
      return true;
    if (auto *Call = dyn_cast<CallBase>(By))
      return Call->isCallee(&U) || passed(*Call, Call->getArgOperandNo(&U), Visit);
    auto *Store = dyn_cast<StoreInst>(By);
    if (!Store || U.getOperandNo() != 0)
      return Store != nullptr;
    auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand());
    return Variable ? onlyLoaded(*Variable, Visit) : Visit(*Store);
  });
}

/// A local variable, in code that is not optimised.
bool Follower::onlyLoaded(const AllocaInst &Variable, function_ref<bool(const StoreInst &)> Visit) {
  return all_of(Variable.uses(), [&](const Use &U) {
    auto *Load = dyn_cast<LoadInst>(U.getUser());
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    return Load ? onlyStored(*Load, Visit) : Store && U.getOperandNo() == 1;
  });
}

} // namespace

std::optional<Slot> slotOf(const Instruction &Access) {
  if (const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa))
    return slotOfTag(*Tag);
  if (const MDNode *Noted = Access.getMetadata(SlotKind))
    return Slot{nullptr, mdconst::extract<ConstantInt>(Noted->getOperand(0))->getZExtValue()};
  return std::nullopt;
}

void noteSlots(Module &M) {
  LLVMContext &Context = M.getContext();
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (!isa<LoadInst, StoreInst>(I) || !getLoadStoreType(&I)->isPointerTy() ||
          I.hasMetadata(LLVMContext::MD_tbaa))
        continue;
      auto Place = placeOf(getLoadStorePointerOperand(&I), M.getDataLayout());
      if (!Place)
        continue;
      Constant *At = ConstantInt::get(Type::getInt64Ty(Context), *Place);
      I.setMetadata(SlotKind, MDNode::get(Context, ConstantAsMetadata::get(At)));
    }
}

bool isFilled(const Instruction &Load) {
  const std::optional<Slot> Read = slotOf(Load);
  const bool HasTag = Load.hasMetadata(LLVMContext::MD_tbaa);
  auto Fills = [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && !isa<ConstantPointerNull>(Store->getValueOperand()) &&
           Store->getValueOperand()->getType()->isPointerTy() &&
           Store->hasMetadata(LLVMContext::MD_tbaa) == HasTag && slotOf(*Store) == Read;
  };
  return !Read || any_of(*Load.getModule(),
                         [&](const Function &F) { return any_of(instructions(F), Fills); });
}

bool mayLieWhere(const Function &F, const Instruction &Load,
                 function_ref<ArrayRef<Function *>(FunctionType *)> OfType) {
  const std::optional<Slot> Read = slotOf(Load);
  const bool HasTag = Load.hasMetadata(LLVMContext::MD_tbaa);
  return !Read || !Follower(OfType).onlyStored(F, [&](const StoreInst &Store) {
    const std::optional<Slot> Written = slotOf(Store);
    return Written && *Written != *Read && Store.hasMetadata(LLVMContext::MD_tbaa) == HasTag;
  });
}

} // namespace contraflow
