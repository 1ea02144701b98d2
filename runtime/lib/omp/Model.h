// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The few questions that the OpenMP part asks the OpenMP library. Libomp.cpp asks it; Absent.cpp
// answers for programs built without OpenMP, in which every team has one thread.

#pragma once

#include <cstddef>
#include <cstdint>

namespace contraflow::omp {

int threadNumber();
int teamSize();
int maxThreads();
/// True if no other thread of a team runs beside the calling one.
bool isAlone();

/// The next team that the calling thread forks shall have this many threads.
void pushNumThreads(int Threads);
/// What the program has told the library about the sizes of teams, where it stood in the way.
struct Limits {
  bool Dynamic = false;
  int ActiveLevels = 0; ///< 0: not in the way
};

/// Keeps the library from giving fewer threads than asked for, and puts back what stood in the way.
Limits liftLimits(int Threads);
void restoreLimits(const Limits &Before);
/// True in a team of several threads within another one, if the number of all threads is limited.
bool isRationed();
/// True if OMP_CANCELLATION asks for it.
bool cancellation();
void barrier();
/// A region that the calling thread runs alone.
void beginAlone();
void endAlone();
/// A barrier that hands the pointer of the one thread with Given to all.
void *broadcast(void *Mine, bool Given);

/// What a task depends on, as libomp has it.
struct Dependence {
  int64_t Address;
  size_t Bytes;
  uint8_t Kind;
};
constexpr uint8_t Reads = 1, Writes = 2, Excludes = 4;

int globalThread();
/// True inside of tasks that run where they are made.
bool inFinalTask();
/// Has a thread of the team run it; Flags as libomp's.
void makeTask(int32_t Flags, void (*Run)(void *Data), void *Data, int32_t N,
              const Dependence *Dependences);
/// Waits for the tasks that the current one has made.
void waitForTasks();

/// Memory of an allocator, and the allocator itself.
void giveBack(void *Memory);
int64_t blockBytes(const void *Memory);
void destroyAllocator(int64_t Allocator);

/// True if a device has a copy of what is there; Device -1 is the default one.
bool isHeldByDevice(const void *Address, int64_t Device);

/// The fewest iterations that a thread of a team gets of a statically divided loop.
int64_t smallestShare(int64_t Trip, int Threads);
/// How many threads, from the first one, get some.
int threadsOf(int64_t Trip, int Threads);

} // namespace contraflow::omp
