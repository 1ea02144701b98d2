// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// parallel region.  Forward: a team runs the augmented body; each thread records on an arena of its
// own.  Reverse: a team of the same size; thread t consumes what thread t recorded. Fork is join
// and join is fork.
//
//   fork(body, x, s)   ->   team = omp_team_begin(tape); fork(augmented, x, x-bar, s, team)
//                      <-   omp_team_reverse(team); fork(reverse, team, &s-bar); omp_team_end(team)
//
// Scalars captured by value travel as i64; their adjoints are summed over the team.

#include "contraflow/core/Diag.h"
#include "contraflow/core/Order.h"
#include "contraflow/core/Spawned.h"
#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr unsigned BodyOperand = 2; ///< of __kmpc_fork_call(ident, n, body, captured...)
constexpr unsigned FirstCaptured = 3;
constexpr unsigned ThreadParams = 2; ///< body(gtid, btid, captured...)

/// An outlined function for __kmpc_fork_call whose captured parameters have the types given.
Function *newOutlined(Module &M, ArrayRef<Type *> Captured, const Twine &Name,
                      const Function &Like) {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  SmallVector<Type *, 8> Params{Ptr, Ptr};
  append_range(Params, Captured);
  auto *T = FunctionType::get(Type::getVoidTy(M.getContext()), Params, false);
  return newBody(M, T, Name, Like);
}

/// True of an integer that leads nowhere.
bool isNumber(const Value &V) { return V.getType()->isIntegerTy() && isa<Constant>(V); }

/// A float as the runtime passes it by value, and back.
Value *pack(IRBuilder<> &B, Value *V) {
  if (!V->getType()->isFloatingPointTy())
    return V;
  Value *Bits = B.CreateBitCast(V, B.getIntNTy(V->getType()->getPrimitiveSizeInBits()));
  return B.CreateZExt(Bits, B.getInt64Ty());
}

Value *unpack(IRBuilder<> &B, Value *V, Type *T) {
  if (!T->isFloatingPointTy())
    return V;
  return B.CreateBitCast(B.CreateTrunc(V, B.getIntNTy(T->getPrimitiveSizeInBits())), T);
}

class ForkHandler : public ConstructHandler {
public:
  SmallVector<StringRef, 0> callees() const override { return {"__kmpc_fork_call"}; }
  CallFacts facts(const CallBase &) const override { return {}; }
  std::optional<Closure> closure(const CallBase &Call) const override {
    auto *Body = dyn_cast<Function>(Call.getArgOperand(BodyOperand));
    // In recursion, its blocks may have moved to its derivative already.
    if (!Body || (Body->isDeclaration() && !Body->hasLocalLinkage()))
      return std::nullopt;
    Closure C{Body, {-1, -1}, true};
    for (unsigned I = FirstCaptured; I < Call.arg_size(); ++I)
      C.Operands.push_back(I);
    return C;
  }
  Error tangent(SweepBuilder &B, CallBase &Call) const override;
  bool allDirections() const override { return true; }
  bool isRepeatable(const CallBase &) const override { return true; }
  Error augment(SweepBuilder &B, CallSite &Site) const override;
  Error adjoint(SweepBuilder &B, const CallSite &Site, ArrayRef<Value *> Recalled) const override;

private:
  static Function *augmentedBody(Module &M, const SplitDerivative &Split, Function &Body);
  static Function *reverseBody(Module &M, const SplitDerivative &Split);
  static CallInst *fork(IRBuilder<> &B, CallBase &Like, Function *Body, ArrayRef<Value *> Captured);
};

CallInst *ForkHandler::fork(IRBuilder<> &B, CallBase &Like, Function *Body,
                            ArrayRef<Value *> Captured) {
  SmallVector<Value *, 12> Args{Like.getArgOperand(0), B.getInt32(Captured.size()), Body};
  append_range(Args, Captured);
  CallInst *Fork = B.CreateCall(Like.getFunctionType(), Like.getCalledOperand(), Args);
  Fork->addFnAttr(Attribute::NoMerge); // it may be differentiated again
  return Fork;
}

Function *ForkHandler::augmentedBody(Module &M, const SplitDerivative &Split, Function &Body) {
  SmallVector<Type *, 8> Captured;
  Type *Ptr = PointerType::get(M.getContext(), 0);
  for (unsigned P = ThreadParams; P < Body.arg_size(); ++P) {
    Captured.push_back(Body.getArg(P)->getType());
    if (Split.HasShadow[P])
      Captured.push_back(Body.getArg(P)->getType());
  }
  Captured.push_back(Ptr);
  Function *F = newOutlined(M, Captured, Split.Augmented->getName() + ".team", *Split.Augmented);
  IRBuilder<> B(&F->getEntryBlock());
  auto Runtime = [&](StringRef Name, Type *R, ArrayRef<Value *> Args) {
    return SweepBuilder::callRuntime(B, M, Name, R, Args);
  };
  Value *Team = F->getArg(F->arg_size() - 1);
  SmallVector<Value *, 12> Args;
  for (Argument &A : F->args())
    Args.push_back(&A);
  Args.back() = Runtime("omp_team_tape", Ptr, {Team});
  Value *Result = B.CreateCall(Split.Augmented, Args);
  Runtime("omp_team_store", B.getVoidTy(), {Team, B.CreateExtractValue(Result, 0)});
  B.CreateRetVoid();
  return F;
}

Function *ForkHandler::reverseBody(Module &M, const SplitDerivative &Split) {
  Type *Ptr = PointerType::get(M.getContext(), 0);
  SmallVector<Type *, 4> Captured(Split.ActiveArgs.size() + 1, Ptr);
  Function *F = newOutlined(M, Captured, Split.Reverse->getName() + ".team", *Split.Reverse);
  IRBuilder<> B(&F->getEntryBlock());
  Value *Team = F->getArg(ThreadParams);
  SweepBuilder::callRuntime(B, M, "omp_team_check", B.getVoidTy(), {Team});
  Value *Frame = SweepBuilder::callRuntime(B, M, "omp_team_frame", Ptr, {Team});
  Value *Tape = SweepBuilder::callRuntime(B, M, "omp_team_tape", Ptr, {Team});
  Value *Bars = B.CreateCall(Split.Reverse, {Frame, Tape});
  for (unsigned I = 0; I < Split.ActiveArgs.size(); ++I) {
    Value *Sum = F->getArg(ThreadParams + 1 + I), *Part = B.CreateExtractValue(Bars, I);
    if (isDeterministic(M))
      SweepBuilder::callRuntime(
          B, M, Part->getType()->isDoubleTy() ? "omp_team_part_f64" : "omp_team_part_f32",
          B.getVoidTy(), {Team, Sum, Part});
    else
      B.CreateAtomicRMW(AtomicRMWInst::FAdd, Sum, Part, MaybeAlign(), AtomicOrdering::Monotonic);
  }
  B.CreateRetVoid();
  return F;
}

static Error unknownBody(CallBase &Call) {
  return diffError(DiagId::UnsupportedOpenMP, Call, "the body of a parallel region is not known");
}

Error ForkHandler::augment(SweepBuilder &B, CallSite &Site) const {
  CallBase &Call = *Site.Anchor;
  auto Region = closure(Call);
  if (!Region)
    return unknownBody(Call);
  auto Split = B.split(*Region->Body);
  if (!Split)
    return Split.takeError();
  auto &IR = B.ir();
  Module &M = *Call.getModule();
  Value *Team = B.runtime("omp_team_begin", IR.getPtrTy(), {B.tape()});
  SmallVector<Value *, 12> Captured;
  for (unsigned P = ThreadParams; P < Region->Operands.size(); ++P) {
    Value *V = Call.getArgOperand(Region->Operands[P]);
    Captured.push_back(V);
    if (Split->HasShadow[P])
      Captured.push_back(isNumber(*V) ? V : B.shadow(V));
  }
  Captured.push_back(Team);
  Function *Body = augmentedBody(M, *Split, *Region->Body);
  Site.Anchor = fork(IR, Call, Body, Captured);
  Site.Recorded = {Team};
  return Error::success();
}

Error ForkHandler::adjoint(SweepBuilder &B, const CallSite &Site,
                           ArrayRef<Value *> Recalled) const {
  auto &IR = B.ir();
  auto *Original = cast<Function>(Site.Operands[BodyOperand]);
  auto Split = B.split(*Original);
  if (!Split)
    return Split.takeError();
  BasicBlock &Entry = IR.GetInsertBlock()->getParent()->getEntryBlock();
  SmallVector<Value *, 4> Captured{Recalled[0]};
  SmallVector<Value *, 4> Targets;
  for (unsigned P : Split->ActiveArgs) {
    Value *V = Site.Operands[P - ThreadParams + FirstCaptured];
    Type *T = Split->Reverse->getReturnType()->getStructElementType(Targets.size());
    Value *Cell = IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(T, nullptr, "captured.bar");
    IR.CreateStore(Constant::getNullValue(T), Cell);
    Captured.push_back(Cell);
    Targets.push_back(V);
  }
  Function *Body = reverseBody(*Site.Anchor->getModule(), *Split);
  B.runtime("omp_team_reverse", IR.getVoidTy(), {Recalled[0]});
  fork(IR, *Site.Anchor, Body, Captured);
  if (!Targets.empty() && isDeterministic(*Site.Anchor->getModule()))
    B.runtime("omp_team_sums", IR.getVoidTy(), {Recalled[0]});
  for (unsigned I = 0; I < Targets.size(); ++I) {
    Type *T = Split->Reverse->getReturnType()->getStructElementType(I);
    B.addAdjoint(Targets[I], IR.CreateLoad(T, Captured[I + 1]));
  }
  B.runtime("omp_team_end", IR.getVoidTy(), {Recalled[0]});
  return Error::success();
}

Error ForkHandler::tangent(SweepBuilder &B, CallBase &Call) const {
  auto Region = closure(Call);
  if (!Region)
    return unknownBody(Call);
  SmallVector<bool, 8> HasShadow;
  auto Inner = B.tangentOf(*Region->Body, HasShadow);
  if (!Inner)
    return Inner.takeError();
  auto &IR = B.ir();
  SmallVector<Value *, 12> Captured;
  SmallVector<Type *, 12> Types;
  for (unsigned P = ThreadParams; P < Region->Operands.size(); ++P) {
    Value *V = Call.getArgOperand(Region->Operands[P]);
    Captured.push_back(V);
    for (unsigned D = 0; HasShadow[P] && D < B.directions(); ++D)
      if (!V->getType()->isPointerTy() && B.activeValue(Region->Body->getArg(P)))
        Captured.push_back(pack(IR, B.tangentIn(D, V)));
      else
        Captured.push_back(isNumber(*V) ? V : B.shadowIn(D, V));
  }
  Module &M = *Call.getModule();
  const bool Numbered = any_of(M.globals(), [](auto &G) { return G.isThreadLocal(); });
  if (Numbered)
    Captured.push_back(B.runtime("call_number", IR.getInt64Ty(), {}));
  for (Value *V : Captured)
    Types.push_back(V->getType());
  Function *Body = newOutlined(M, Types, (*Inner)->getName() + ".team", **Inner);
  IRBuilder<> Inside(&Body->getEntryBlock());
  SmallVector<Value *, 12> Args;
  if (Numbered)
    SweepBuilder::callRuntime(Inside, M, "call_enter", Inside.getVoidTy(),
                              {Body->getArg(Body->arg_size() - 1)});
  for (Argument &A : make_range(Body->arg_begin(), Body->arg_end() - Numbered))
    Args.push_back(unpack(Inside, &A, (*Inner)->getArg(A.getArgNo())->getType()));
  Inside.CreateCall(*Inner, Args);
  Inside.CreateRetVoid();
  B.replaceCall(Call, fork(IR, Call, Body, Captured));
  return Error::success();
}

} // namespace

void registerForkJoin(HandlerRegistry &Registry) { Registry.add(std::make_unique<ForkHandler>()); }

} // namespace contraflow::omp
