// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that run where they are made: groups of them that may be cancelled, and events that
// complete them. A thread's groups are nested; who asks for the end of the innermost one is heard
// by the tasks that come to a cancellation point afterwards.
//
// A task with an event is complete when the event is fulfilled. Whoever depends on the task runs
// later on the same thread, so the event has to be fulfilled by then, and by this thread: otherwise
// this schedule is not one that the program may have.

#include "contraflow/abi.h"

#include "omp/Model.h"
#include "support/Fail.h"

#include <vector>

using namespace contraflow;

namespace {
thread_local std::vector<bool> Cancelled; ///< one per group, the innermost last
thread_local std::vector<int64_t> Open;   ///< events
thread_local int64_t Events = 0;
} // namespace

void cf_v1_omp_group_enter() { Cancelled.push_back(false); }

void cf_v1_omp_group_leave() { Cancelled.pop_back(); }

int32_t cf_v1_omp_group_cancel() {
  if (Cancelled.empty() || !omp::cancellation())
    return 0;
  Cancelled.back() = true;
  return 1;
}

int32_t cf_v1_omp_group_cancelled() { return !Cancelled.empty() && Cancelled.back(); }

int64_t cf_v1_omp_event_make() {
  Open.push_back(++Events);
  return Events;
}

void cf_v1_omp_event_fulfil(int64_t event) {
  if (std::erase(Open, event) == 0)
    fail(ErrorId::TaskEvent);
}

void cf_v1_omp_event_wait() {
  if (!Open.empty())
    fail(ErrorId::TaskEvent);
}
