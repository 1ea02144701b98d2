// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams on the host: one team. A league has at least one and at most as many teams as asked for
// (OpenMP 5.2, section 10.2), so its initial thread runs the body, and distribute gives it all
// iterations.
//
//   fork_teams(body, x, n)                             ->   body(&thread, &zero, x, n)
//   for_static_init(distribute, lower, upper, stride)  ->   stride = upper - lower + 1
//   dist_for_static_init(lower, upper, teams_upper)    ->   teams_upper = upper
//                                                           for_static_init(lower, upper)
//
// clang divides `distribute parallel for schedule(static, 1)` by the lower bound and the stride
// alone:
//
//   for_static_init(chunk 1, lower, upper, stride)           for_static_init(...)
//   for (i = lower; i <= end of the team; i += stride)  ->   stride = threads == 1 ? step : stride
//
// The library says to a team of one that its stride is the whole loop, which only whoever reads the
// upper bound may take as it is. Leagues of the program have more threads than OMP_NUM_THREADS
// says; ours have as many.

#include "parallel/omp/Handlers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace contraflow::omp {
namespace {

constexpr StringRef Fork = "__kmpc_fork_teams", ThreadNumber = "__kmpc_global_thread_num",
                    TeamSize = "omp_get_num_threads";
constexpr StringRef StaticInit = "__kmpc_for_static_init_";
constexpr StringRef BothInit = "__kmpc_dist_for_static_init_";
constexpr StringRef Requests[] = {"__kmpc_push_num_teams", "__kmpc_push_num_teams_51"};

bool isCallOf(const CallBase &Call, StringRef Name) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName() == Name;
}

/// __kmpc_for_static_init_*(ident, thread, schedule, last, lower, upper, stride, step, chunk) with
/// a schedule of distribute.
bool isDistribute(const CallBase &Call) {
  constexpr uint64_t Chunked = 91, Static = 92;
  const Function *F = Call.getCalledFunction();
  if (!F || !F->getName().starts_with(StaticInit) || Call.arg_size() != 9)
    return false;
  auto *Schedule = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  return Schedule && (Schedule->getZExtValue() == Chunked || Schedule->getZExtValue() == Static);
}

void distributeToOne(CallBase &Call) {
  IRBuilder<> B(&Call);
  Type *T = Call.getArgOperand(8)->getType();
  B.CreateStore(B.getInt32(1), Call.getArgOperand(3));
  Value *Lower = B.CreateLoad(T, Call.getArgOperand(4));
  Value *Upper = B.CreateLoad(T, Call.getArgOperand(5));
  Value *Span = B.CreateAdd(B.CreateSub(Upper, Lower), Call.getArgOperand(7));
  B.CreateStore(Span, Call.getArgOperand(6));
  Call.eraseFromParent();
}

/// A loop in chunks of one whose upper bound nobody reads, nor whose stride is changed afterwards.
bool goesByStrideAlone(const CallBase &Call) {
  constexpr uint64_t Chunked = 33, Modifiers = 3u << 29;
  const Function *F = Call.getCalledFunction();
  if (!F || !F->getName().starts_with(StaticInit) || Call.arg_size() != 9)
    return false;
  auto *Schedule = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  auto *Chunk = dyn_cast<ConstantInt>(Call.getArgOperand(8));
  auto *Upper = dyn_cast<AllocaInst>(Call.getArgOperand(5));
  auto *Stride = dyn_cast<AllocaInst>(Call.getArgOperand(6));
  if (!Schedule || (Schedule->getZExtValue() & ~Modifiers) != Chunked || !Chunk ||
      !Chunk->isOne() || !Upper || !Stride)
    return false;
  return none_of(Upper->users(), [](const User *U) { return isa<LoadInst>(U); }) &&
         none_of(Stride->users(), [](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && !isa<Constant>(Store->getValueOperand());
         });
}

void stepInTeamOfOne(CallBase &Call) {
  Value *Place = Call.getArgOperand(6), *Step = Call.getArgOperand(7);
  IRBuilder<> B(Call.getNextNode());
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  FunctionCallee Size = Call.getModule()->getOrInsertFunction(TeamSize, B.getInt32Ty());
  Value *Alone = B.CreateICmpEQ(B.CreateCall(Size), B.getInt32(1));
  Value *Stride = B.CreateLoad(Step->getType(), Place);
  B.CreateStore(B.CreateSelect(Alone, Step, Stride), Place);
}

/// Flang's distribute parallel do: __kmpc_dist_for_static_init_*(ident, thread, schedule, last,
/// lower, upper, upper of the team, stride, step, chunk).
bool isDistributeFor(const CallBase &Call) {
  const Function *F = Call.getCalledFunction();
  return F && F->getName().starts_with(BothInit) && Call.arg_size() == 10;
}

void distributeToThreads(CallBase &Call) {
  constexpr unsigned Upper = 5, TeamsUpper = 6;
  IRBuilder<> B(&Call);
  Type *T = Call.getArgOperand(9)->getType();
  B.CreateStore(B.CreateLoad(T, Call.getArgOperand(Upper)), Call.getArgOperand(TeamsUpper));
  SmallVector<Value *, 9> Args(Call.args());
  Args.erase(Args.begin() + TeamsUpper);
  SmallVector<Type *, 9> Types;
  for (Value *V : Args)
    Types.push_back(V->getType());
  StringRef Kind = Call.getCalledFunction()->getName().drop_front(BothInit.size());
  FunctionCallee Init = Call.getModule()->getOrInsertFunction(
      (StaticInit + Kind).str(), FunctionType::get(B.getVoidTy(), Types, /*isVarArg=*/false));
  B.CreateCall(Init, Args)->setDebugLoc(Call.getDebugLoc());
  Call.eraseFromParent();
}

/// False if the body is not known.
bool runOneTeam(CallBase &Call) {
  auto *Body = dyn_cast<Function>(Call.getArgOperand(2)->stripPointerCasts());
  if (!Body || Body->arg_size() != Call.arg_size() - 1)
    return false;
  for (unsigned I = 3; I < Call.arg_size(); ++I)
    if (Call.getArgOperand(I)->getType() != Body->getArg(I - 1)->getType())
      return false;
  IRBuilder<> Top(&*Call.getFunction()->getEntryBlock().getFirstInsertionPt());
  Value *Thread = Top.CreateAlloca(Top.getInt32Ty(), nullptr, "thread");
  Value *Zero = Top.CreateAlloca(Top.getInt32Ty(), nullptr, "zero");
  IRBuilder<> B(&Call);
  FunctionCallee Number =
      Call.getModule()->getOrInsertFunction(ThreadNumber, B.getInt32Ty(), B.getPtrTy());
  B.CreateStore(B.CreateCall(Number, {Call.getArgOperand(0)}), Thread);
  B.CreateStore(B.getInt32(0), Zero);
  SmallVector<Value *, 8> Args{Thread, Zero};
  for (unsigned I = 3; I < Call.arg_size(); ++I)
    Args.push_back(Call.getArgOperand(I));
  B.CreateCall(Body, Args)->copyMetadata(Call);
  Call.eraseFromParent();
  return true;
}

class TeamsHandler : public Rewriter {
public:
  bool unfold(Function &F) const override {
    bool Changed = false;
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (isCallOf(*Call, Fork)) {
        Changed |= runOneTeam(*Call);
      } else if (isDistribute(*Call)) {
        distributeToOne(*Call);
      } else if (isDistributeFor(*Call)) {
        distributeToThreads(*Call);
      } else if (goesByStrideAlone(*Call)) {
        stepInTeamOfOne(*Call);
        Changed = true;
      } else if (any_of(Requests, [&](StringRef Name) { return isCallOf(*Call, Name); })) {
        Call->eraseFromParent();
      }
    }
    return Changed;
  }
};

} // namespace

void registerTeams(HandlerRegistry &Registry) { Registry.add(std::make_unique<TeamsHandler>()); }

} // namespace contraflow::omp
