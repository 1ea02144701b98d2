// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of labels are good for jumps within their function only, so a copy of the function may
// number its labels instead. Tables of labels get a twin with the numbers.
//
//   @labels = [&&add, &&halt]                    @labels.copy = [1, 2]
//   %l = load ptr, labels + k             ->     %l = load ptr, labels.copy + k
//   indirectbr ptr %l, [%add, %halt]             switch i64 %l [1: %add, 2: %halt]

#include "ComputedGoto.h"
#include "Indirect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace contraflow {
namespace {

class Labels {
public:
  Labels(const Function &F, Function &Copy) : Copy(Copy), M(*Copy.getParent()) { number(F); }
  void run();

private:
  void number(const Function &F);
  bool holdsLabels(const Constant &C);
  bool shows(const Instruction &I);
  void addTwins(const Constant &C);
  void switchInstead(IndirectBrInst &Jump);
  Constant *addressOf(uint64_t Number) const {
    LLVMContext &Context = M.getContext();
    return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(Context), Number),
                                     PointerType::get(Context, 0));
  }

  Function &Copy;
  Module &M;
  ValueToValueMapTy Map; ///< of addresses to numbers, of tables to their twins
  DenseMap<const BasicBlock *, uint64_t> Numbers;
  SmallVector<BlockAddress *, 16> Addresses;
  SmallPtrSet<const GlobalVariable *, 4> Tables;
  bool Usable = true;
};

void Labels::number(const Function &F) {
  uint64_t Next = 0;
  for (auto [Old, New] : zip_equal(F, Copy)) {
    if (!Old.hasAddressTaken() && !New.hasAddressTaken())
      continue;
    Numbers[&New] = ++Next;
    for (const BasicBlock *Block : {&Old, static_cast<const BasicBlock *>(&New)})
      if (BlockAddress *Address = BlockAddress::lookup(Block)) {
        Map[Address] = addressOf(Next);
        if (Block == &New)
          Addresses.push_back(Address);
      }
  }
}

bool Labels::holdsLabels(const Constant &C) {
  return Map.count(&C) || any_of(C.operands(), [&](const Use &Part) {
           auto *Inner = dyn_cast<Constant>(Part);
           return Inner && !isa<GlobalValue>(Inner) && holdsLabels(*Inner);
         });
}

/// True if nobody but the program's own loads looks at what Pointer leads to.
bool isOnlyRead(const Value &Pointer) {
  return all_of(Pointer.users(), [](const User *U) {
    if (isa<GEPOperator>(U))
      return isOnlyRead(*U);
    return isa<LoadInst>(U) || (isa<Constant>(U) && U->use_empty());
  });
}

void Labels::addTwins(const Constant &C) {
  auto *Table = dyn_cast<GlobalVariable>(&C);
  if (!Table) {
    if (!isa<GlobalValue>(C))
      for (const Use &Part : C.operands())
        if (auto *Inner = dyn_cast<Constant>(Part))
          addTwins(*Inner);
    return;
  }
  if (!Table->hasInitializer() || !Tables.insert(Table).second ||
      !holdsLabels(*Table->getInitializer()))
    return;
  if (!Table->hasLocalLinkage() || (!Table->isConstant() && !isOnlyRead(*Table))) {
    Usable = false;
    return;
  }
  Constant *Numbered = MapValue(Table->getInitializer(), Map, RF_NoModuleLevelChanges);
  Map[Table] = new GlobalVariable(M, Numbered->getType(), true, GlobalValue::PrivateLinkage,
                                  Numbered, Table->getName() + ".copy");
}

void Labels::switchInstead(IndirectBrInst &Jump) {
  IRBuilder<> B(&Jump);
  BasicBlock *Never = BasicBlock::Create(M.getContext(), "cf.nolabel", &Copy);
  IRBuilder<> End(Never);
  End.SetCurrentDebugLocation(Jump.getDebugLoc());
  emitFailure(End, Jump, "unknown_callee"); // an address that the function itself has stored
  End.CreateUnreachable();
  Value *Number = B.CreatePtrToInt(Jump.getAddress(), B.getInt64Ty());
  SmallPtrSet<BasicBlock *, 8> Done;
  SwitchInst *Switch = B.CreateSwitch(Number, Never, Jump.getNumDestinations());
  for (BasicBlock *To : Jump.successors())
    if (auto Known = Numbers.find(To); Done.insert(To).second && Known != Numbers.end())
      Switch->addCase(B.getInt64(Known->second), To);
    else
      To->removePredecessor(Jump.getParent(), /*KeepOneInputPHIs=*/true);
  Jump.eraseFromParent();
}

/// True if a label that I uses may be seen outside of the function, where numbers mean nothing.
bool Labels::shows(const Instruction &I) {
  auto HoldsLabels = [&](const Value *V) {
    auto *C = dyn_cast<Constant>(V);
    return C && !isa<GlobalValue>(C) && holdsLabels(*C);
  };
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return HoldsLabels(Store->getValueOperand()) &&
           !isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand()));
  return (isa<CallBase>(I) || isa<ReturnInst>(I)) && any_of(I.operands(), HoldsLabels);
}

void Labels::run() {
  SmallVector<IndirectBrInst *, 4> Jumps;
  for (Instruction &I : instructions(Copy)) {
    if (auto *Jump = dyn_cast<IndirectBrInst>(&I))
      Jumps.push_back(Jump);
    Usable &= !shows(I);
    for (const Use &Operand : I.operands())
      if (auto *C = dyn_cast<Constant>(Operand))
        addTwins(*C);
  }
  if (!Usable)
    return;
  for (Instruction &I : instructions(Copy))
    for (Use &Operand : I.operands())
      if (auto *C = dyn_cast<Constant>(Operand); C && !isa<Function>(C))
        Operand.set(MapValue(C, Map, RF_NoModuleLevelChanges));
  for (IndirectBrInst *Jump : Jumps)
    switchInstead(*Jump);
  for (BlockAddress *Address : Addresses) {
    Address->removeDeadConstantUsers();
    if (Address->use_empty())
      Address->destroyConstant();
  }
}

} // namespace

bool hasComputedGoto(const Function &F) {
  return any_of(F, [](const BasicBlock &Block) {
    return isa_and_nonnull<IndirectBrInst>(Block.getTerminator());
  });
}

void lowerComputedGotos(const Function &F, Function &Copy) {
  if (hasComputedGoto(F))
    Labels(F, Copy).run();
}

} // namespace contraflow
