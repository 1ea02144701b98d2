// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread looks at the list of those that wait. Without a limit there is neither. It makes no call
// of MPI before it ends the job: few programs allow for two threads at a time in there, and what
// the library counts (processes of a group) would go wrong without a word. So who waits says for
// whom.

#include "mpi/Watch.h"

#include "mpi/Abi.h"
#include "mpi/Board.h"
#include "mpi/Refuse.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

double secondsSince(Clock::time_point T) {
  return std::chrono::duration<double>(Clock::now() - T).count();
}

struct Waiting {
  Clock::time_point Since;
  MPI_Comm Comm;
  int Rank; ///< in MPI_COMM_WORLD, or Board::SeveralRanks
};

/// A thread that looks again and again. What it does between two looks counts as waiting if it is
/// short.
struct Looking {
  static constexpr double Short = 0.05, Ended = 1;
  double Seconds = 0;
  Clock::time_point Last;
  int Rank = Board::SeveralRanks; ///< or one of MPI_COMM_WORLD

  bool goesOn() const { return secondsSince(Last) < Ended; }
};

/// The ranks of a communicator in MPI_COMM_WORLD, on the other side if it has two.
std::vector<int> worldRanks(MPI_Comm Comm) {
  MPI_Group There = MPI_GROUP_NULL, World = MPI_GROUP_NULL;
  int Inter = 0, Size = 0;
  PMPI_Comm_test_inter(Comm, &Inter);
  (Inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(Comm, &There);
  PMPI_Comm_group(MPI_COMM_WORLD, &World);
  PMPI_Group_size(There, &Size);
  std::vector<int> Ranks(static_cast<std::size_t>(Size)), Found(Ranks);
  std::iota(Ranks.begin(), Ranks.end(), 0);
  PMPI_Group_translate_ranks(There, Size, Ranks.data(), World, Found.data());
  PMPI_Group_free(&There);
  PMPI_Group_free(&World);
  return Found;
}

} // namespace

/// The ranks are kept with the communicator.
int worldRank(MPI_Comm Comm, int Peer) {
  if (Peer < 0)
    return Board::SeveralRanks;
  static std::mutex Lock;
  const std::scoped_lock Guard(Lock);
  static const int Key = [] {
    int New = MPI_KEYVAL_INVALID;
    const auto Forget = [](MPI_Comm, int, void *Kept, void *) {
      delete static_cast<std::vector<int> *>(Kept);
      return MPI_SUCCESS;
    };
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, Forget, &New, nullptr);
    return New;
  }();
  void *Kept = nullptr;
  int Found = 0;
  PMPI_Comm_get_attr(Comm, Key, static_cast<void *>(&Kept), &Found);
  if (!Found) {
    Kept = new std::vector<int>(worldRanks(Comm));
    PMPI_Comm_set_attr(Comm, Key, Kept);
  }
  return (*static_cast<std::vector<int> *>(Kept))[static_cast<std::size_t>(Peer)];
}

namespace {

std::string sentence(const std::vector<int> &Ranks) {
  constexpr std::size_t Many = 4;
  std::string Text;
  for (std::size_t I = 0; I < std::min(Ranks.size(), Many); ++I)
    Text += (I == 0 ? "rank " : ", rank ") + std::to_string(Ranks[I]);
  return Ranks.size() > Many ? Text + " and others" : Text;
}

/// Who keeps the others waiting, as far as this machine knows.
std::string describe(const Waiting &W) {
  const Board *B = Board::get();
  if (W.Rank != Board::SeveralRanks)
    return sentence({B ? B->last(W.Rank) : W.Rank});
  const std::vector<int> All = worldRanks(W.Comm);
  const std::vector<int> Absent = B ? B->absent(All) : std::vector<int>{};
  return Absent.empty() ? "one of the " + std::to_string(All.size()) + " ranks of a collective"
                        : sentence(Absent);
}

/// Who keeps one waiting that looks for a message of this rank.
std::string describe(const Looking &L) { return describe(Waiting{L.Last, MPI_COMM_WORLD, L.Rank}); }

class List {
public:
  static List &get() {
    static auto *Only = new List; // the thread outlives every static object
    return *Only;
  }
  void enter(const Waiting &W) {
    const std::scoped_lock Guard(Lock);
    Each &Mine = mine();
    Mine.Waits = W;
    Mine.Looks.reset();
  }
  void leave() {
    const std::scoped_lock Guard(Lock);
    mine().Waits.reset();
  }
  void looked(MPI_Comm Comm, int Peer) {
    const std::scoped_lock Guard(Lock);
    std::optional<Looking> &L = mine().Looks;
    if (L)
      L->Seconds += std::min(secondsSince(L->Last), Looking::Short);
    else
      L.emplace().Rank = worldRank(Comm, Peer);
    L->Last = Clock::now();
  }
  void found() {
    const std::scoped_lock Guard(Lock);
    mine().Looks.reset();
  }

private:
  /// Of a thread. It stays where it is, so that waiting again allocates nothing.
  struct Each {
    std::optional<Waiting> Waits;
    std::optional<Looking> Looks;
  };
  Each &mine() { return All[std::this_thread::get_id()]; }

  List() {
    std::thread([this] { look(); }).detach();
  }

  [[noreturn]] void look() {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      const std::scoped_lock Guard(Lock);
      if (Board *B = Board::get())
        useBoard(*B);
      for (const auto &[Thread, E] : All) {
        if (E.Waits && secondsSince(E.Waits->Since) > limit())
          tooLong(describe(*E.Waits));
        if (E.Looks && E.Looks->Seconds > limit() && E.Looks->goesOn())
          tooLong(describe(*E.Looks));
      }
    }
  }

  [[noreturn]] static void tooLong(const std::string &Who) {
    refuse(Refusal::TooLong, "a derivative has waited for " + Who);
  }

  /// For whom this rank waits.
  int waitsFor() const {
    for (const auto &[Thread, E] : All)
      if (E.Waits)
        return E.Waits->Rank;
    for (const auto &[Thread, E] : All)
      if (E.Looks && E.Looks->goesOn() && E.Looks->Seconds > Looking::Short)
        return E.Looks->Rank;
    return Board::Nobody;
  }

  void useBoard(Board &B) const {
    constexpr double Shortest = 5; // a machine with much to do
    B.write(waitsFor());
    if (const auto Rank = B.standsStill(std::max(limit(), Shortest)))
      refuse(Refusal::TooLong, sentence({*Rank}) + " has stood still for");
  }

  std::mutex Lock;
  std::map<std::thread::id, Each> All;
};

} // namespace

Watch::Watch(MPI_Comm Comm, int Peer) {
  if (limit() > 0)
    List::get().enter({Clock::now(), Comm, worldRank(Comm, Peer)});
}

Watch::~Watch() {
  if (limit() > 0)
    List::get().leave();
}

void looked(bool Found, MPI_Comm Comm, int Peer) {
  if (limit() <= 0)
    return;
  if (Found)
    List::get().found();
  else
    List::get().looked(Comm, Peer);
}

void watchOthers() {
  if (limit() <= 0)
    return;
  Board::open();
  List::get();
}

void answerOthers() {
  constexpr int NobodysTag = 32767; // a probe that finds something does nothing else
  int Found = 0;
  PMPI_Iprobe(0, NobodysTag, MPI_COMM_SELF, &Found, MPI_STATUS_IGNORE);
  std::this_thread::yield();
}

} // namespace contraflow::mpi

void cf_v1_mpi_looked(int code, const int *found) {
  contraflow::mpi::looked(code != MPI_SUCCESS || *found);
}
