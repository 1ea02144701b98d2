// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A member of a string reads what its pointers lead to; what its result leads to is read or written
// by the caller. Calls belong together unless their objects are two variables.

#include "TextBytes.h"
#include "callee/Streams.h"
#include "contraflow/core/Callee.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace contraflow {
namespace {

using Cells = SmallVector<unsigned, 2>;

/// A call of a member: the string, the floats that it is given, those that it shows.
struct TextCall {
  const CallBase *Call;
  const Value *Text;
  Cells Given, Shown;
};

bool isMember(const CallBase &Call) {
  const CalleeInfo Info = lookupCallee(Call);
  return Info.Kind == CalleeKind::Inactive && Info.OwnObjects && !Info.Opaque &&
         !Call.arg_empty() && Call.getArgOperand(0)->getType()->isPointerTy();
}

/// Cells of floats, and of nothing else, from At on.
Cells floatsAt(const MemoryGraph &G, Location At, int64_t Size) {
  Cells Out;
  G.overlapping(At, Size, [&](unsigned C) {
    const unsigned Kinds = G.kindsOfCell(C);
    if ((Kinds & SK_AnyFloat) && !(Kinds & SK_Pointer))
      Out.push_back(C);
  });
  return Out;
}

TextCall describe(const CallBase &Call, const MemoryGraph &G) {
  constexpr int64_t Anywhere = -1;
  TextCall Out{&Call, getUnderlyingObject(Call.getArgOperand(0)), {}, {}};
  for (const Value *V : drop_begin(Call.args()))
    if (V->getType()->isPointerTy())
      append_range(Out.Given, floatsAt(G, G.find(V), 1));
  if (Call.getType()->isPointerTy())
    Out.Shown = floatsAt(G, G.find(&Call), Anywhere);
  return Out;
}

bool mayBeOne(const Value *A, const Value *B) {
  return A == B || !isIdentifiedObject(A) || !isIdentifiedObject(B);
}

} // namespace

void addTextFlows(ArrayRef<Function *> Closure, const MemoryGraph &G,
                  std::vector<LostFlow> &Flows) {
  SmallVector<TextCall, 4> Givers, Showers;
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && isMember(*Call)) {
        TextCall T = describe(*Call, G);
        if (!T.Shown.empty())
          Showers.push_back(T);
        append_range(T.Given, T.Shown); // which the caller may have written
        if (!T.Given.empty())
          Givers.push_back(std::move(T));
      }
  for (const TextCall &Giver : Givers)
    for (const TextCall &Shower : Showers) {
      LostFlow Flow{{nullptr, Giver.Given}, {nullptr, Shower.Shown}, Giver.Call};
      erase_if(Flow.From.Places, [&](unsigned C) { return is_contained(Shower.Shown, C); });
      if (!Flow.From.Places.empty() && mayBeOne(Giver.Text, Shower.Text))
        Flows.push_back(std::move(Flow));
    }
}

/// The floats in the memory that a stream is opened on.
static LostFlow::End memoryOf(const Value *Stream, const MemoryGraph &G) {
  constexpr int64_t Anywhere = -1;
  LostFlow::End Out;
  const auto M = streamMemory(Stream);
  if (!M)
    return Out;
  const Location At = G.find(M->Pointer);
  if (M->Where == StreamMemory::Here) {
    append_range(Out.Places, floatsAt(G, At, Anywhere));
    return Out;
  }
  G.overlapping(At, 1, [&](unsigned C) {
    if (const auto To = G.pointee(C))
      append_range(Out.Places, floatsAt(G, *To, Anywhere));
  });
  return Out;
}

CallOrder::CallOrder(ArrayRef<Function *> Closure) {
  Function *Root = Closure.front();
  const bool IsCalled = any_of(Root->users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    return I && is_contained(Closure, I->getFunction());
  });
  if (IsCalled)
    return;
  Once = Root;
  DT.recalculate(*Root);
  Loops.analyze(DT);
}

bool CallOrder::mayFollow(const CallBase &Later, const CallBase &Earlier) const {
  return !Once || Later.getFunction() != Once || Earlier.getFunction() != Once ||
         isPotentiallyReachable(&Earlier, &Later, nullptr, &DT, &Loops);
}

void addStreamFlows(ArrayRef<Function *> Closure, const MemoryGraph &G,
                    std::vector<LostFlow> &Flows) {
  struct Move {
    const CallBase *Call;
    const Value *Stream;
    LostFlow::End Floats;
  };
  SmallVector<Move, 4> Written, Read;
  for (const Function *F : Closure)
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const auto M = Call ? streamMove(*Call) : std::nullopt;
      if (!M)
        continue;
      constexpr int64_t Anywhere = -1;
      const Location At = G.find(M->Memory);
      LostFlow::End Floats{nullptr, floatsAt(G, At, M->Bytes ? int64_t(*M->Bytes) : Anywhere)};
      if (At && G.fields(At.Node).empty()) // numbers, if the caller says so
        Floats.Float = dyn_cast<Argument>(getUnderlyingObject(M->Memory));
      if (Floats.Float || !Floats.Places.empty())
        (M->Way == StreamMove::Out ? Written : Read).push_back({Call, M->Stream, Floats});
    }
  for (const Move &From : Written)
    if (LostFlow::End To = memoryOf(From.Stream, G); !To.Places.empty())
      Flows.push_back({From.Floats, To, From.Call});
  for (const Move &To : Read)
    if (LostFlow::End From = memoryOf(To.Stream, G); !From.Places.empty())
      Flows.push_back({From, To.Floats, To.Call});
  if (Read.empty() || Written.empty())
    return;
  const CallOrder Order(Closure);
  for (const Move &To : Read)
    for (const Move &From : Written)
      if (mayBeOneStream(From.Stream, To.Stream) && Order.mayFollow(*To.Call, *From.Call))
        Flows.push_back({From.Floats, To.Floats, To.Call});
}

} // namespace contraflow
