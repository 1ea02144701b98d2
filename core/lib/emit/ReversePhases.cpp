// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReverseSweep, part four: the phases of a shared loop.
//
//   open:   share.last[0] = last; omp_share_open(groups, ..., &share); phase = 0
//   head:   omp_share_phase(&share, phase); run iterations last[phase] down to first[phase]
//   tail:   if (++phase < share.phases) goto head; omp_share_close(&share)
//
// The updates of a private array go to memory + (address - base): memory of the thread's own, or
// the shadow itself if nobody else adds to it now.

#include "ReverseSweep.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

/// struct cf_share of contraflow/abi.h.
static StructType *shareType(LLVMContext &C) {
  Type *I32 = Type::getInt32Ty(C), *Pair = ArrayType::get(Type::getInt64Ty(C), 2);
  return StructType::get(C, {I32, I32, Pair, Pair});
}

/// struct cf_private of contraflow/abi.h.
static StructType *privateType(LLVMContext &C) {
  Type *Ptr = PointerType::get(C, 0);
  return StructType::get(C, {Type::getInt64Ty(C), Ptr, Type::getInt64Ty(C)});
}

enum ShareField { Phases_, Locked, First, Last };

const ReverseSweep::PhaseState *ReverseSweep::phases(const Loop *L) const {
  for (const PhaseState &P : Phases)
    if (P.Plan->Loop.L == L)
      return &P;
  return nullptr;
}

Value *ReverseSweep::shareField(const PhaseState &P, unsigned Field, Value *Index) {
  StructType *T = shareType(B.getContext());
  if (!Index)
    return B.CreateStructGEP(T, P.Share, Field);
  return B.CreateGEP(T, P.Share, {B.getInt32(0), B.getInt32(Field), Index});
}

void ReverseSweep::preparePhases(const SharedPlan &Plan) {
  LLVMContext &C = B.getContext();
  PhaseState P;
  P.Plan = &Plan;
  P.Share = local(shareType(C), "share", false);
  P.Phase = local(B.getInt32Ty(), "phase", false);
  P.First = local(B.getInt64Ty(), "first", false);
  if (Plan.Range >= 0)
    P.Apart = local(B.getInt32Ty(), "apart", true);
  if (Plan.Covered)
    P.Settled = local(B.getInt1Ty(), "settled", true);
  for (unsigned I = 0; I < Plan.Loop.Private.size(); ++I)
    P.Private.push_back({local(privateType(C), "private", false),
                         local(B.getInt64Ty(), "private.base", false),
                         local(B.getPtrTy(), "private.memory", false)});
  P.Head = BasicBlock::Create(C, "phase.head", In.U.Reverse);
  P.Tail = BasicBlock::Create(C, "phase.tail", In.U.Reverse);
  Phases.push_back(P);
  emitPhaseHead(P);
}

void ReverseSweep::emitPhaseHead(const PhaseState &P) {
  startBlock(P.Head);
  Value *Phase = B.CreateLoad(B.getInt32Ty(), P.Phase);
  runtime("omp_share_phase", B.getVoidTy(), {P.Share, Phase});
  Type *I64 = B.getInt64Ty();
  Value *From = B.CreateLoad(I64, shareField(P, ShareField::First, Phase));
  Value *To = B.CreateLoad(I64, shareField(P, ShareField::Last, Phase));
  B.CreateStore(From, P.First);
  Loop *L = P.Plan->Loop.L;
  B.CreateStore(To, Counters[L]);
  BasicBlock *Body = Blocks[L->getLoopLatch()];
  // A loop that carries adjoints from iteration to iteration runs in one phase, which is not empty.
  if (P.Plan->Loop.Ordered)
    B.CreateBr(Body);
  else
    B.CreateCondBr(B.CreateICmpSGE(To, From), Body, P.Tail);
}

/// Whether an update that is affine is apart from those that are not; null if it has no such beside
/// it.
Value *ReverseSweep::apart(const Instruction &Load) {
  for (const PhaseState &P : Phases)
    if (P.Apart && P.Plan->Loop.PlainLoads.contains(&Load))
      return B.CreateICmpNE(B.CreateLoad(B.getInt32Ty(), P.Apart), B.getInt32(0));
  for (const DealtState &D : Dealt)
    if (D.Plan->Loop.PlainLoads.contains(&Load))
      return B.CreateICmpNE(B.CreateLoad(B.getInt32Ty(), D.Apart), B.getInt32(0));
  return nullptr;
}

Value *ReverseSweep::apartFromLoose(const SharedPlan &Plan) {
  return runtime("omp_range_apart", B.getInt32Ty(),
                 {In.U.ReverseTape, B.getInt32(Plan.Range), recall(Plan.Groups),
                  B.getInt32(Plan.Plain + Plan.Atomic), recall(Plan.Trip)});
}

/// When a loop whose pieces are dealt out is entered.
void ReverseSweep::openDealt(const Loop *L) {
  for (const DealtState &D : Dealt) {
    if (D.Plan->Loop.L != L)
      continue;
    Value *Apart = runtime("omp_pieces_apart", B.getInt32Ty(),
                           {recall(D.Plan->Groups), B.getInt32(D.Plan->Plain),
                            B.getInt32(D.Plan->Atomic), recall(D.Plan->Trip)});
    if (D.Plan->Range >= 0)
      Apart = B.CreateAnd(Apart, apartFromLoose(*D.Plan));
    B.CreateStore(Apart, D.Apart);
  }
}

/// How many groups are added to plainly: none if loose updates may meet one.
Value *ReverseSweep::plainGroups(const PhaseState &P) {
  Value *Plain = B.getInt32(P.Plan->Plain);
  if (!P.Apart)
    return Plain;
  Value *Apart = apartFromLoose(*P.Plan);
  B.CreateStore(Apart, P.Apart);
  return B.CreateSelect(B.CreateICmpNE(Apart, B.getInt32(0)), Plain, B.getInt32(0));
}

void ReverseSweep::openShared(const PhaseState &P, Value *LastIteration) {
  B.CreateStore(LastIteration, shareField(P, ShareField::Last, B.getInt32(0)));
  B.CreateStore(B.getInt32(P.Plan->Loop.Ordered), shareField(P, ShareField::Locked, nullptr));
  runtime("omp_share_open", B.getVoidTy(),
          {recall(P.Plan->Groups), plainGroups(P), B.getInt32(P.Plan->Atomic), recall(P.Plan->Trip),
           P.Share});
  B.CreateStore(B.getInt32(0), P.Phase);
  if (P.Settled)
    coverWindows(P);
  openPrivate(P);
}

void ReverseSweep::openPrivate(const PhaseState &P) {
  unsigned Next = P.Plan->Plain + P.Plan->Loop.Atomic.size();
  for (unsigned I = 0; I < P.Private.size(); ++I) {
    const PrivateArray &Array = P.Plan->Loop.Private[I];
    Value *Groups = B.CreateConstGEP1_64(B.getInt64Ty(), recall(P.Plan->Groups), 3 * Next);
    Next += Array.Groups.size();
    if (Array.Loads.empty())
      continue;
    const PrivateState &Own = P.Private[I];
    runtime("omp_private_open", B.getVoidTy(),
            {Groups, B.getInt32(Array.Groups.size()), recall(P.Plan->Trip), P.Share,
             In.U.ReverseTape, Own.Own});
    StructType *T = privateType(B.getContext());
    B.CreateStore(B.CreateLoad(B.getInt64Ty(), B.CreateStructGEP(T, Own.Own, 0)), Own.Base);
    B.CreateStore(B.CreateLoad(B.getPtrTy(), B.CreateStructGEP(T, Own.Own, 1)), Own.Memory);
  }
}

void ReverseSweep::closePrivate(const PhaseState &P) {
  for (unsigned I = P.Private.size(); I-- > 0;) {
    const PrivateArray &Array = P.Plan->Loop.Private[I];
    if (!Array.Loads.empty())
      runtime(Array.Scalar->isDoubleTy() ? "omp_private_close_f64" : "omp_private_close_f32",
              B.getVoidTy(), {P.Private[I].Own, In.U.ReverseTape});
  }
}

/// Where the thread adds what belongs to the shadow address Where; null: there. The distance from
/// the array's pointer is what the loop computed anyway.
Value *ReverseSweep::privateAddress(const Instruction &Load, Value *Where) {
  Type *I64 = B.getInt64Ty();
  for (const PhaseState &P : Phases)
    for (unsigned I = 0; I < P.Private.size(); ++I) {
      const PrivateArray &Array = P.Plan->Loop.Private[I];
      if (!Array.Loads.contains(&Load))
        continue;
      Value *Memory = B.CreateLoad(B.getPtrTy(), P.Private[I].Memory);
      Value *Pointer = B.CreatePtrToInt(recall(Array.Pointer), I64);
      Value *Start = B.CreateSub(Pointer, B.CreateLoad(I64, P.Private[I].Base));
      Value *Distance = B.CreateSub(B.CreatePtrToInt(Where, I64), Pointer);
      return B.CreatePtrAdd(B.CreatePtrAdd(Memory, Start), Distance);
    }
  return nullptr;
}

/// From the block at hand (the edge out of the loop): another phase, or on.
void ReverseSweep::closeShared(const PhaseState &P) {
  BasicBlock *On = B.GetInsertBlock();
  B.SetInsertPoint(P.Tail);
  Value *Next = B.CreateAdd(B.CreateLoad(B.getInt32Ty(), P.Phase), B.getInt32(1));
  B.CreateStore(Next, P.Phase);
  Value *All = B.CreateLoad(B.getInt32Ty(), shareField(P, ShareField::Phases_, nullptr));
  B.CreateCondBr(B.CreateICmpSLT(Next, All), P.Head, On);
  B.SetInsertPoint(On);
  closePrivate(P);
  runtime("omp_share_close", B.getVoidTy(), {P.Share});
}

} // namespace contraflow
