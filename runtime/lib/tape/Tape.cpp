// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tape as derivative code sees it (abi.def), and as programs see it (runtime.h).

#include "contraflow/abi.h"
#include "contraflow/runtime.h"

#include "support/Bytes.h"
#include "support/Fail.h"
#include "tape/Arena.h"
#include "tape/Budget.h"
#include "tape/DerivativeCall.h"
#include "tape/Registry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace contraflow;

namespace {

struct ThreadTape {
  Arena Root;
  int Calls = 0;          ///< derivative calls that have begun and not ended
  Arena *Outer = nullptr; ///< the call that this thread worked for before
};

/// The tape between the two calls of a split derivative.
struct OpenTape : Arena {
  Arena *Outer = nullptr; ///< the call that the thread works for besides

  static OpenTape *of(cf_tape *Tape) { return static_cast<OpenTape *>(Arena::of(Tape)); }
};

thread_local std::unique_ptr<ThreadTape> OwnTape;
thread_local Arena *CurrentCall = nullptr;
std::array<std::atomic<void (*)(Arena *)>, 5> CallEndHooks = {};

void callEnds(Arena *Root) {
  for (const auto &Each : CallEndHooks)
    if (const auto Hook = Each.load())
      Hook(Root);
}

} // namespace

Arena *contraflow::currentCall() { return CurrentCall; }

void contraflow::setCurrentCall(Arena *Root) { CurrentCall = Root; }

namespace {

std::atomic<int64_t> LastCall = 0;
thread_local int64_t CallNumber = 0;

/// Calls that have begun and not ended, by number. In the derivative of a derivative, the outer
/// call goes on while inner ones begin and end.
struct OpenCall {
  std::vector<const void *> Names; ///< the derivative, and the owners of what it keeps in memory
  int64_t Outer;
};
struct OpenCalls {
  std::mutex Lock;
  std::unordered_map<int64_t, OpenCall> All;
};

OpenCalls &openCalls() {
  static auto *Calls = new OpenCalls; // threads may outlive what is destroyed at the end
  return *Calls;
}

bool isNamed(const OpenCall &Call, const void *Name) {
  return std::find(Call.Names.begin(), Call.Names.end(), Name) != Call.Names.end();
}

} // namespace

int64_t contraflow::callOf(const void *Name) {
  OpenCalls &Open = openCalls();
  const std::lock_guard<std::mutex> Guard(Open.Lock);
  for (auto At = Open.All.find(CallNumber); At != Open.All.end();
       At = Open.All.find(At->second.Outer))
    if (isNamed(At->second, Name))
      return At->first;
  return CallNumber;
}

void contraflow::nameCall(const void *Name) {
  OpenCalls &Open = openCalls();
  const std::lock_guard<std::mutex> Guard(Open.Lock);
  const auto At = Open.All.find(CallNumber);
  if (At != Open.All.end() && !isNamed(At->second, Name))
    At->second.Names.push_back(Name);
}

int64_t cf_v1_call_open(const void *derivative) {
  const int64_t Outer = cf_v1_call_begin();
  OpenCalls &Open = openCalls();
  const std::lock_guard<std::mutex> Guard(Open.Lock);
  Open.All.emplace(CallNumber, OpenCall{{derivative}, Outer});
  return Outer;
}

int32_t cf_v1_call_new(int64_t *mark, const void *derivative) {
  if (*mark == CallNumber)
    return 0;
  const int64_t Call = callOf(derivative);
  return std::exchange(*mark, Call) != Call;
}

int64_t cf_v1_call_begin() {
  return std::exchange(CallNumber, LastCall.fetch_add(1, std::memory_order_relaxed) + 1);
}

void cf_v1_call_end(int64_t outer) {
  OpenCalls &Open = openCalls();
  const std::lock_guard<std::mutex> Guard(Open.Lock);
  Open.All.erase(CallNumber);
  CallNumber = outer;
}

int64_t cf_v1_call_number() { return CallNumber; }

void cf_v1_call_enter(int64_t call) { CallNumber = call; }

int32_t cf_v1_call_changed(int64_t *mark) { return std::exchange(*mark, CallNumber) != CallNumber; }

void contraflow::setCallEndHook(AtCallEnd Whose, void (*Hook)(Arena *)) {
  CallEndHooks[static_cast<std::size_t>(Whose)].store(Hook);
}

cf_tape *cf_v1_tape_begin() {
  if (!OwnTape)
    OwnTape = std::make_unique<ThreadTape>();
  if (OwnTape->Calls++ == 0)
    OwnTape->Outer = CurrentCall;
  CurrentCall = &OwnTape->Root;
  return &OwnTape->Root;
}

void cf_v1_tape_end(cf_tape *tape) {
  if (!OwnTape || tape != &OwnTape->Root || OwnTape->Calls == 0)
    fail(ErrorId::Internal, "a derivative call ends on a thread on which it did not begin");
  if (--OwnTape->Calls > 0)
    return;
  Arena &Root = OwnTape->Root;
  Root.noteHighWater();
  if (const int64_t Left = Root.usedWithChildren())
    fail(ErrorId::Internal, "a derivative call left " + formatBytes(Left) + " on its tape");
  Root.rest();
  callEnds(&Root);
  CurrentCall = OwnTape->Outer;
}

cf_tape *cf_v1_tape_open() {
  auto *Tape = new OpenTape;
  cf_v1_tape_resume(Tape);
  return Tape;
}

void cf_v1_tape_pause(cf_tape *tape) { CurrentCall = OpenTape::of(tape)->Outer; }

void cf_v1_tape_resume(cf_tape *tape) {
  OpenTape::of(tape)->Outer = CurrentCall;
  CurrentCall = OpenTape::of(tape);
}

void cf_v1_tape_close(cf_tape *tape) {
  OpenTape *Tape = OpenTape::of(tape);
  Tape->noteHighWater();
  if (const int64_t Left = Tape->usedWithChildren())
    fail(ErrorId::Internal, "a split derivative left " + formatBytes(Left) + " on its tape");
  callEnds(Tape);
  cf_v1_tape_pause(tape);
  delete Tape;
}

void *cf_v1_tape_keep(cf_tape *tape) { return Arena::of(tape)->keep().release(); }

void cf_v1_tape_restore(cf_tape *tape, void *kept) {
  const std::unique_ptr<Arena::Copy> Old(static_cast<Arena::Copy *>(kept));
  Arena::of(tape)->restore(*Old);
  cf_v1_tape_pause(tape);
}

void cf_v1_tape_unwind(cf_tape *tape, void *mark) {
  cf_v1_tape_release(tape, mark);
  if (OwnTape && OwnTape->Calls == 1) // what teams have recorded is this call's, too
    OwnTape->Root.dropAll();
  cf_v1_tape_end(tape);
}

void *cf_v1_tape_reserve(cf_tape *tape, int64_t bytes) { return Arena::of(tape)->reserve(bytes); }

void cf_v1_tape_release(cf_tape *tape, void *frame) { Arena::of(tape)->release(frame); }

void cf_tape_statistics(struct cf_tape_statistics *out) {
  if (OwnTape)
    OwnTape->Root.noteHighWater();
  const registry::Totals Sum = registry::totals();
  *out = {.high_water_bytes = Sum.HighWater,
          .reserved_bytes = budget::peak(),
          .frames = Sum.Frames,
          .chunks = Sum.Chunks,
          .budget_bytes = budget::limit()};
}

void cf_tape_statistics_reset() {
  registry::reset();
  budget::resetPeak();
}

void cf_tape_set_budget(int64_t bytes) { budget::set(bytes); }
