// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs built without -fopenmp: no OpenMP library is linked, and since nothing can fork,
// every team is the calling thread.

#include "omp/Model.h"

namespace contraflow::omp {

int threadNumber() { return 0; }
int teamSize() { return 1; }
int maxThreads() { return 1; }
bool isAlone() { return true; }
void pushNumThreads(int) {}
Limits liftLimits(int) { return {}; }
void restoreLimits(const Limits &) {}
bool cancellation() { return false; }
void barrier() {}
void beginAlone() {}
void endAlone() {}
void *broadcast(void *Mine, bool) { return Mine; }
int globalThread() { return 0; }
bool inFinalTask() { return false; }
void makeTask(int32_t, void (*Run)(void *), void *Data, int32_t, const Dependence *) { Run(Data); }
void waitForTasks() {}
void giveBack(void *) {}
void destroyAllocator(int64_t) {}
bool isHeldByDevice(const void *, int64_t) { return false; }
int64_t smallestShare(int64_t Trip, int) { return Trip; }
int threadsOf(int64_t, int) { return 1; }

} // namespace contraflow::omp
