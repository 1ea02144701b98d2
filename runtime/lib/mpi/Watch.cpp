// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread looks at the list of those that wait. Without a limit there is neither.

#include "mpi/Watch.h"

#include "mpi/Refuse.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace contraflow::mpi {
namespace {

using Clock = std::chrono::steady_clock;

double limit() {
  static const double Seconds = [] {
    const char *Text = std::getenv("CONTRAFLOW_MPI_TIMEOUT");
    return Text ? std::atof(Text) : 0;
  }();
  return Seconds;
}

struct Waiting {
  Clock::time_point Since;
  MPI_Comm Comm;
  int Peer;
};

/// Rank of a peer in MPI_COMM_WORLD.
int worldRank(const Waiting &W) {
  MPI_Group Here = MPI_GROUP_NULL, World = MPI_GROUP_NULL;
  int Rank = W.Peer;
  int Inter = 0;
  PMPI_Comm_test_inter(W.Comm, &Inter);
  (Inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(W.Comm, &Here);
  PMPI_Comm_group(MPI_COMM_WORLD, &World);
  PMPI_Group_translate_ranks(Here, 1, &W.Peer, World, &Rank);
  PMPI_Group_free(&Here);
  PMPI_Group_free(&World);
  return Rank;
}

std::string describe(const Waiting &W) {
  int Size = 0;
  PMPI_Comm_size(W.Comm, &Size);
  return W.Peer == MPI_ANY_SOURCE ? "one of the " + std::to_string(Size) + " ranks of a collective"
                                  : "rank " + std::to_string(worldRank(W));
}

class List {
public:
  static List &get() {
    static auto *Only = new List; // the thread outlives every static object
    return *Only;
  }
  void enter(const Waiting &W) {
    const std::scoped_lock Guard(Lock);
    All.insert_or_assign(std::this_thread::get_id(), W);
  }
  void leave() {
    const std::scoped_lock Guard(Lock);
    All.erase(std::this_thread::get_id());
  }

private:
  List() {
    std::thread([this] { look(); }).detach();
  }

  [[noreturn]] void look() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      const std::scoped_lock Guard(Lock);
      for (const auto &[Thread, W] : All)
        if (std::chrono::duration<double>(Clock::now() - W.Since).count() > limit())
          refuse(Refusal::TooLong, describe(W));
    }
  }

  std::mutex Lock;
  std::map<std::thread::id, Waiting> All;
};

} // namespace

Watch::Watch(MPI_Comm Comm, int Peer) {
  if (limit() > 0)
    List::get().enter({Clock::now(), Comm, Peer});
}

Watch::~Watch() {
  if (limit() > 0)
    List::get().leave();
}

void answerOthers() {
  constexpr int NobodysTag = 32767; // a probe that finds something does nothing else
  int Found = 0;
  PMPI_Iprobe(0, NobodysTag, MPI_COMM_SELF, &Found, MPI_STATUS_IGNORE);
  std::this_thread::yield();
}

} // namespace contraflow::mpi
