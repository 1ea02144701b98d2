// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event around each wrapped call notes what it made or ended. Handles may be shared (all sends
// that are complete at once have one in Open MPI), so they are counted.

#include "MpiLeaks.h"

#include <map>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace {

/// One set for each kind: handles of different kinds are the same type in MPICH.
enum class Kind { Request, Communicator, Datatype, Window };

template <Kind, class H> class Alive {
public:
  using Handle = H;
  void add(Handle New) {
    const std::scoped_lock Guard(Lock);
    ++Count[New];
    ++Made;
  }
  long made() {
    const std::scoped_lock Guard(Lock);
    return Made;
  }
  /// Handles from before the first look are not known.
  void remove(Handle Gone) {
    const std::scoped_lock Guard(Lock);
    if (const auto Row = Count.find(Gone); Row != Count.end() && --Row->second == 0)
      Count.erase(Row);
  }
  std::map<Handle, long> all() {
    const std::scoped_lock Guard(Lock);
    return Count;
  }
  static Alive &get() {
    static auto *Only = new Alive; // outlives every other static object
    return *Only;
  }

private:
  std::mutex Lock;
  std::map<Handle, long> Count;
  long Made = 0;
};

using Requests = Alive<Kind::Request, MPI_Request>;
using Communicators = Alive<Kind::Communicator, MPI_Comm>;
using Datatypes = Alive<Kind::Datatype, MPI_Datatype>;
using Windows = Alive<Kind::Window, MPI_Win>;

/// The call has made *New.
template <class Set> struct Made {
  using Handle = typename Set::Handle;
  Handle *New, Null;
  Made(Handle *New, Handle Null) : New(New), Null(Null) {}
  ~Made() {
    if (*New != Null)
      Set::get().add(*New);
  }
};
struct Request : Made<Requests> {
  explicit Request(MPI_Request *New) : Made(New, MPI_REQUEST_NULL) {}
};
struct Communicator : Made<Communicators> {
  explicit Communicator(MPI_Comm *New) : Made(New, MPI_COMM_NULL) {}
};
struct Datatype : Made<Datatypes> {
  explicit Datatype(MPI_Datatype *New) : Made(New, MPI_DATATYPE_NULL) {}
};
struct Window : Made<Windows> {
  explicit Window(MPI_Win *New) : Made(New, MPI_WIN_NULL) {}
};

/// The call ends *Gone.
template <class Set> struct Ends {
  explicit Ends(const typename Set::Handle *Gone) { Set::get().remove(*Gone); }
};
using EndsCommunicator = Ends<Communicators>;
using EndsDatatype = Ends<Datatypes>;
using EndsWindow = Ends<Windows>;

/// The call may end some of these requests; it sets their handles to null.
struct Completes {
  MPI_Request *All;
  std::vector<MPI_Request> Before;
  Completes(int Count, MPI_Request *All) : All(All), Before(All, All + Count) {}
  ~Completes() {
    for (std::size_t I = 0; I < Before.size(); ++I)
      if (All[I] == MPI_REQUEST_NULL && Before[I] != MPI_REQUEST_NULL)
        Requests::get().remove(Before[I]);
  }
};

/// The derived ones among the types that are handed out are to be freed.
struct Contents {
  int Count;
  MPI_Datatype *Types;
  Contents(int Count, MPI_Datatype *Types) : Count(Count), Types(Types) {}
  ~Contents() {
    for (int I = 0; I < Count; ++I) {
      int Integers = 0, Addresses = 0, Inner = 0, Combiner = MPI_COMBINER_NAMED;
      PMPI_Type_get_envelope(Types[I], &Integers, &Addresses, &Inner, &Combiner);
      if (Combiner != MPI_COMBINER_NAMED)
        Datatypes::get().add(Types[I]);
    }
  }
};

/// Sends whose message has been taken are freed when the runtime looks at them next.
bool isOver(MPI_Request R) {
  int Done = 0;
  PMPI_Request_get_status(R, &Done, MPI_STATUS_IGNORE);
  return Done != 0;
}

bool hasMessage(MPI_Comm Comm) {
  int Found = 0;
  for (int Look = 0; Look < 3 && !Found; ++Look)
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, Comm, &Found, MPI_STATUS_IGNORE);
  return Found != 0;
}

template <class Set> long countAlive() {
  long Sum = 0;
  for (const auto &[H, Count] : Set::get().all())
    Sum += Count;
  return Sum;
}

} // namespace

#pragma clang diagnostic ignored "-Wreserved-identifier"

extern "C" {
#define CF_WRAP_INNER(Name, Event, Params, Args)                                                   \
  int __real_PMPI_##Name Params;                                                                   \
  int __wrap_PMPI_##Name Params {                                                                  \
    [[maybe_unused]] const auto Noted = Event;                                                     \
    return __real_PMPI_##Name Args;                                                                \
  }
#define CF_WRAP(Name, Event, Params, Args)                                                         \
  CF_WRAP_INNER(Name, Event, Params, Args)                                                         \
  int __real_MPI_##Name Params;                                                                    \
  int __wrap_MPI_##Name Params {                                                                   \
    [[maybe_unused]] const auto Noted = Event;                                                     \
    return __real_MPI_##Name Args;                                                                 \
  }
#include "MpiLeaks.def"
}

namespace contraflow::test {

MpiObjects mpiObjects() {
  MpiObjects Now;
  for (const auto &[R, Count] : Requests::get().all())
    if (!isOver(R))
      Now.Requests += Count;
  Now.Communicators = countAlive<Communicators>();
  Now.Datatypes = countAlive<Datatypes>();
  Now.Windows = countAlive<Windows>();
  return Now;
}

long mpiRequestsMade() { return Requests::get().made(); }

std::string mpiLeaks(const MpiObjects &Before) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const MpiObjects Now = mpiObjects();
  std::string Text;
  const auto Compare = [&](long New, long Old, const char *What) {
    if (New > Old)
      Text += std::to_string(New - Old) + " " + What + " left over; ";
  };
  Compare(Now.Requests, Before.Requests, "requests");
  Compare(Now.Communicators, Before.Communicators, "communicators");
  Compare(Now.Datatypes, Before.Datatypes, "datatypes");
  Compare(Now.Windows, Before.Windows, "windows");
  auto All = Communicators::get().all();
  All[MPI_COMM_WORLD] = All[MPI_COMM_SELF] = 1;
  for (const auto &[Comm, Count] : All)
    if (hasMessage(Comm))
      Text += "a message that nobody has received; ";
  PMPI_Barrier(MPI_COMM_WORLD);
  return Text;
}

} // namespace contraflow::test
