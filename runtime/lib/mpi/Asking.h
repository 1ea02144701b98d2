// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever polls leaves something on the tape for every question, also for those that find nothing:
//
//   while (!flag) MPI_Test(&request, &flag, &status);       a million of them in a second
//
// After many of them in a row the call asks for a while itself, before it says that there is
// nothing. That is as if MPI had been slow to answer, and delays nothing that arrives.

#pragma once

#include <algorithm>
#include <chrono>
#include <mpi.h>

namespace contraflow::mpi {

/// Ask() returns the code of MPI, Found() says whether the answer was yes. Between two questions of
/// who only polls there is next to no time.
template <class Question, class Answer> int askPatiently(Question Ask, Answer Found) {
  using Clock = std::chrono::steady_clock;
  constexpr auto Quick = std::chrono::microseconds(10), Long = std::chrono::microseconds(100);
  constexpr int Many = 1000, Slower = 10;
  thread_local int Fruitless = 0;
  thread_local Clock::time_point Last;
  const Clock::time_point Start = Clock::now();
  Fruitless =
      Start - Last < Quick ? std::min(Fruitless, Many) + 1 : std::max(Fruitless - Slower, 0);
  int Code = MPI_SUCCESS;
  do
    Code = Ask();
  while (Code == MPI_SUCCESS && !Found() && Fruitless > Many && Clock::now() - Start < Long);
  if (Code != MPI_SUCCESS || Found())
    Fruitless = 0;
  Last = Clock::now();
  return Code;
}

} // namespace contraflow::mpi
