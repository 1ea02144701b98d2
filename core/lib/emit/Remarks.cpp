// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop's remark stands at the loop's first instruction with a source line.

#include "Remarks.h"
#include "contraflow/core/Remark.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace contraflow {

/// An instruction that tells where the loop is in the source.
static const Instruction &placeOf(const Loop &L) {
  for (BasicBlock *Block : L.blocks())
    for (Instruction &I : *Block)
      if (I.getDebugLoc() && I.getDebugLoc().getLine())
        return I;
  return *L.getHeader()->getTerminator();
}

/// True the first time that this is said of this place.
static bool isNews(RequestState &S, const DebugLoc &At, const Twine &Text) {
  std::string Key = Text.str();
  raw_string_ostream OS(Key);
  if (At)
    OS << '@' << At.getLine() << ':' << At.getCol();
  return S.Told.insert(OS.str()).second;
}

static void tell(RequestState &S, RemarkKind Kind, StringRef Name, const Instruction &At,
                 const Twine &Text, ArrayRef<RemarkFigure> Figures = {}) {
  std::string Whole = Text.str();
  if (isNews(S, At.getDebugLoc(), Name + Whole))
    remark(Kind, Name, At, Whole, Figures);
}

static std::string counted(int64_t Number, StringRef Noun) {
  return (Twine(Number) + " " + Noun + (Number == 1 ? "" : "s")).str();
}

void remarkPlan(RequestState &S, const TapePlan &Plan, const SnapshotSet &Snapshots,
                const Function &F) {
  struct Sum {
    int64_t Bytes = 0, Values = 0;
  };
  MapVector<const Loop *, Sum> PerLoop;
  for (auto &Frame : Plan.frames())
    for (const Slot *Place : Frame->Slots) {
      const Loop *L = Place->Nest.empty() ? Frame->L : Place->Nest.back();
      PerLoop[Frame->What == Frame::Root ? nullptr : L].Bytes += Place->Bytes;
      ++PerLoop[Frame->What == Frame::Root ? nullptr : L].Values;
    }
  for (auto &[L, Kept] : PerLoop) {
    std::string Text =
        (Twine(Kept.Bytes) + " bytes are kept for the reverse sweep, " +
         counted(Kept.Values, "value") + (L ? " for each iteration" : " for each call"))
            .str();
    RemarkFigure Figures[] = {{"Bytes", Kept.Bytes}, {"Values", Kept.Values}};
    if (L)
      tell(S, RemarkKind::Analysis, "Tape", placeOf(*L), Text, Figures);
    else if (isNews(S, {},
                    Text + "@" + Twine(F.getSubprogram() ? F.getSubprogram()->getLine() : 0)))
      remark(RemarkKind::Analysis, "Tape", F, Text, Figures);
  }
  for (auto &Copy : Snapshots.all())
    tell(S, RemarkKind::Passed, "Snapshot", placeOf(*Copy->Nest),
         "an array that this loop reads at several places is copied once for the reverse sweep");
}

void remarkAtomic(RequestState &S, const Instruction &Load, StringRef Why) {
  tell(S, RemarkKind::Missed, "Atomic", Load,
       "the adjoint of this read is added atomically: " +
           (Why.empty() ? Twine("every iteration adds to the same memory") : Twine(Why)));
}

void remarkUnordered(RequestState &S, const Instruction &Call) {
  tell(S, RemarkKind::Missed, "Order", Call,
       "what threads have added before the reverse of this call is added in any order");
}

void remarkRunTime(RequestState &S, const Instruction &Access) {
  tell(S, RemarkKind::Analysis, "RunTime", Access,
       "this memory may be active or constant: its address is compared with its shadow's");
}

void remarkPhases(RequestState &S, const SharedPlan &Plan) {
  const Instruction &At = placeOf(*Plan.Loop.L);
  RemarkFigure Figures[] = {{"Plain", Plan.Plain}, {"Atomic", Plan.Atomic}};
  if (Plan.Plain)
    tell(S, RemarkKind::Passed, "Phases", At,
         "the reverse of this loop adds to " + counted(Plan.Plain, "footprint") +
             " without atomics: the threads take turns where their pieces meet",
         Figures);
  int64_t Arrays = count_if(Plan.Loop.Private, [](auto &P) { return !P.Loads.empty(); });
  RemarkFigure Private[] = {{"Arrays", Arrays}};
  if (Arrays)
    tell(S, RemarkKind::Passed, "Private", At,
         "the reverse of this loop adds to " + counted(Arrays, "array") +
             " in memory of each thread's own, which is added once at the end",
         Private);
}

void remarkDealt(RequestState &S, const SharedPlan &Plan) {
  RemarkFigure Figures[] = {{"Plain", Plan.Plain}, {"Atomic", Plan.Atomic}};
  tell(S, RemarkKind::Passed, "Dealt", placeOf(*Plan.Loop.L),
       "the reverse of this loop adds to " + counted(Plan.Plain, "footprint") +
           " without atomics where the run finds its iterations apart",
       Figures);
}

void remarkWindows(RequestState &S, const WindowLoop &Loop) {
  const auto Arrays = static_cast<int64_t>(Loop.Arrays.size());
  RemarkFigure Figures[] = {{"Arrays", Arrays}};
  tell(S, RemarkKind::Passed, "Windows", placeOf(*Loop.L),
       "the reverse of this loop adds through indices to " + counted(Arrays, "array") +
           ", in a window of each thread's own that is added once at the end",
       Figures);
}

} // namespace contraflow
