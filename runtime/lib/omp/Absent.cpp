// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs built without -fopenmp: no OpenMP library is linked, and since nothing can fork,
// every team is the calling thread. A program that can fork ends where a team begins.

#include "omp/Model.h"

#include "support/Fail.h"

// Who can fork has linked it.
#pragma weak __kmpc_fork_call
extern "C" void __kmpc_fork_call();

namespace contraflow::omp {
namespace {

int inTeamOfOne(int Answer) {
  if (&__kmpc_fork_call)
    fail(ErrorId::OpenMPAbsent);
  return Answer;
}

} // namespace

int threadNumber() { return inTeamOfOne(0); }
int teamSize() { return inTeamOfOne(1); }
int maxThreads() { return inTeamOfOne(1); }
bool isAlone() { return true; }
void pushNumThreads(int) {}
Limits liftLimits(int) { return {}; }
void restoreLimits(const Limits &) {}
bool isRationed() { return false; }
bool cancellation() { return false; }
void barrier() {}
void beginAlone() {}
void endAlone() {}
void *broadcast(void *Mine, bool) { return Mine; }
int globalThread() { return inTeamOfOne(0); }
bool inFinalTask() { return false; }
void makeTask(int32_t, void (*Run)(void *), void *Data, int32_t, const Dependence *) {
  inTeamOfOne(0);
  Run(Data);
}
void waitForTasks() {}
void giveBack(void *) {}
int64_t blockBytes(const void *) { return 0; }
void destroyAllocator(int64_t) {}
bool isHeldByDevice(const void *, int64_t) { return false; }
int64_t smallestShare(int64_t Trip, int) { return Trip; }
int threadsOf(int64_t, int) { return 1; }

} // namespace contraflow::omp
