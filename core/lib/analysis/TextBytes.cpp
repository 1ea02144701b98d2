// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A member of a string reads what its pointers lead to; what its result leads to is read or written
// by the caller. Calls belong together unless their objects are two variables, neither of which is
// handed to anybody together with the other one, or to who may hand its bytes on:
//
//   b = a; MPI_Send(&a[0], ...), MPI_Recv(&b[0], ...)     a and b belong together

#include "TextBytes.h"
#include "callee/Streams.h"
#include "contraflow/core/Callee.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

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

/// Strings that may have bytes of each other.
class Texts {
public:
  explicit Texts(ArrayRef<Function *> Closure) : Outside(Closure.front()) {
    for (const Function *F : Closure)
      for (const Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && isMember(*Call))
          All.insert(getUnderlyingObject(Call->getArgOperand(0)));
    for (const Function *F : Closure)
      for (const Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I))
          join(*Call);
  }
  bool mayBeOne(const Value *A, const Value *B) const {
    return A == B || !isIdentifiedObject(A) || !isIdentifiedObject(B) || Joined.isEquivalent(A, B);
  }

private:
  void join(const CallBase &Call) {
    const Value *First = isa<MemTransferInst>(Call) || isMember(Call) ? nullptr : Outside;
    if (Call.onlyReadsMemory() || (isa<IntrinsicInst>(Call) && !isa<MemTransferInst>(Call)))
      return;
    for (const Value *V : Call.args())
      if (V->getType()->isPointerTy())
        for (const Value *Text : textsOf(V)) {
          if (!First)
            First = Text;
          Joined.unionSets(First, Text);
        }
  }
  /// Into which a pointer may lead, or to whose bytes.
  SmallVector<const Value *, 2> textsOf(const Value *Pointer) const {
    constexpr unsigned Most = 16;
    SmallVector<const Value *, 2> Out;
    SmallSetVector<const Value *, Most> Work;
    Work.insert(Pointer);
    for (unsigned I = 0; I < Work.size() && I < Most; ++I) {
      SmallVector<const Value *, 4> Objects;
      getUnderlyingObjects(Work[I], Objects);
      for (const Value *V : Objects) {
        const auto *Load = dyn_cast<LoadInst>(V);
        const auto *Call = dyn_cast<CallBase>(V);
        if (All.contains(V))
          Out.push_back(V);
        else if (Load)
          Work.insert(Load->getPointerOperand());
        else if (Call && isMember(*Call))
          Work.insert(Call->getArgOperand(0));
      }
    }
    return Out;
  }

  SmallPtrSet<const Value *, 8> All;
  EquivalenceClasses<const Value *> Joined;
  const Value *Outside = nullptr; ///< who may hand bytes on
};

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
  if (Givers.empty() || Showers.empty())
    return;
  const Texts Strings(Closure);
  for (const TextCall &Giver : Givers)
    for (const TextCall &Shower : Showers) {
      LostFlow Flow{{nullptr, Giver.Given}, {nullptr, Shower.Shown}, Giver.Call};
      erase_if(Flow.From.Places, [&](unsigned C) { return is_contained(Shower.Shown, C); });
      if (!Flow.From.Places.empty() && Strings.mayBeOne(Giver.Text, Shower.Text))
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

bool CallOrder::mayFollow(const Instruction &Later, const Instruction &Earlier) const {
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
