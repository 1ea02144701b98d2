// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reverse of communication costs beside the communication itself, without a compiler: a
// primal call and the adjoint of its record, by size of the message. bench-messages [repetitions]
//
// For the halo exchange the messages of both are counted: the linker brings every PMPI_Isend here.
//
// "hand" is the reverse as one would write it for this very exchange, in plain MPI: adjoints are
// sent from where they are, received beside, added and cleared.

#include <mpi.h>
#define CF_MPI_HANDLE(kind) MPI_##kind
#include "contraflow/abi.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

long Messages = 0, Bytes = 0;

} // namespace

#define CF_ISEND                                                                                   \
  const void *Data, int Count, MPI_Datatype Type, int Peer, int Tag, MPI_Comm Comm,                \
      MPI_Request *Request

extern "C" int __real_PMPI_Isend(CF_ISEND);
extern "C" int __wrap_PMPI_Isend(CF_ISEND) {
  int Size = 0;
  PMPI_Type_size(Type, &Size);
  ++Messages;
  Bytes += static_cast<long>(Size) * Count;
  return __real_PMPI_Isend(Data, Count, Type, Peer, Tag, Comm, Request);
}

namespace {

int Rank, Size;
cf_tape *Tape;

struct Buffers {
  std::vector<double> Out, In, OutBar, InBar, Beside;
  int Count;
  explicit Buffers(int Count)
      : Out(2 * Count, 1.0), In(2 * Count), OutBar(2 * Count, 1.0), InBar(2 * Count, 1.0),
        Beside(2 * Count, 1.0), Count(Count) {}
  void addBeside(int N) {
    for (int I = 0; I < N; ++I)
      OutBar[I] += Beside[I];
  }
};

/// Starts and completes with the left and the right neighbour.
struct Halo {
  MPI_Request Open[4];
  cf_mpi_record *Records[5] = {};
  void primal(Buffers &B) {
    for (int Side = 0; Side < 2; ++Side)
      MPI_Irecv(&B.In[Side * B.Count], B.Count, MPI_DOUBLE, peer(Side), Side, MPI_COMM_WORLD,
                &Open[Side]);
    for (int Side = 0; Side < 2; ++Side)
      PMPI_Isend(&B.Out[Side * B.Count], B.Count, MPI_DOUBLE, peer(1 - Side), Side, MPI_COMM_WORLD,
                 &Open[2 + Side]);
    MPI_Waitall(4, Open, MPI_STATUSES_IGNORE);
  }
  void augment(Buffers &B) {
    for (int Side = 0; Side < 2; ++Side)
      cf_v1_mpi_irecv_augment(&B.In[Side * B.Count], B.Count, MPI_DOUBLE, peer(Side), Side,
                              MPI_COMM_WORLD, &Open[Side], &B.InBar[Side * B.Count], Tape,
                              &Records[Side]);
    for (int Side = 0; Side < 2; ++Side)
      cf_v1_mpi_isend_augment(&B.Out[Side * B.Count], B.Count, MPI_DOUBLE, peer(1 - Side), Side,
                              MPI_COMM_WORLD, &Open[2 + Side], &B.OutBar[Side * B.Count], Tape,
                              &Records[2 + Side]);
    cf_v1_mpi_waitall_augment(4, Open, MPI_STATUSES_IGNORE, Tape, &Records[4]);
  }
  void adjoint() {
    cf_v1_mpi_waitall_adjoint(Records[4]);
    for (int I : {3, 2})
      cf_v1_mpi_isend_adjoint(Records[I]);
    for (int I : {1, 0})
      cf_v1_mpi_irecv_adjoint(Records[I]);
  }
  void byHand(Buffers &B) {
    for (int Side = 0; Side < 2; ++Side)
      PMPI_Irecv(&B.Beside[Side * B.Count], B.Count, MPI_DOUBLE, peer(1 - Side), Side,
                 MPI_COMM_WORLD, &Open[Side]);
    for (int Side = 0; Side < 2; ++Side)
      PMPI_Isend(&B.InBar[Side * B.Count], B.Count, MPI_DOUBLE, peer(Side), Side, MPI_COMM_WORLD,
                 &Open[2 + Side]);
    PMPI_Waitall(4, Open, MPI_STATUSES_IGNORE);
    B.addBeside(2 * B.Count);
    std::ranges::fill(B.InBar, 0.0);
  }
  static int peer(int Side) { return (Rank + (Side ? 1 : Size - 1)) % Size; }
};

struct Allreduce {
  cf_mpi_record *Record = nullptr;
  void primal(Buffers &B) {
    MPI_Allreduce(B.Out.data(), B.In.data(), B.Count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void augment(Buffers &B) {
    cf_v1_mpi_allreduce_augment(B.Out.data(), B.In.data(), B.Count, MPI_DOUBLE, MPI_SUM,
                                MPI_COMM_WORLD, B.OutBar.data(), B.InBar.data(), Tape, &Record);
  }
  void adjoint() { cf_v1_mpi_allreduce_adjoint(Record); }
  void byHand(Buffers &B) {
    PMPI_Allreduce(B.InBar.data(), B.Beside.data(), B.Count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    B.addBeside(B.Count);
    std::fill_n(B.InBar.begin(), B.Count, 0.0);
  }
};

struct Bcast {
  cf_mpi_record *Record = nullptr;
  void primal(Buffers &B) { MPI_Bcast(B.In.data(), B.Count, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
  void augment(Buffers &B) {
    cf_v1_mpi_bcast_augment(B.In.data(), B.Count, MPI_DOUBLE, 0, MPI_COMM_WORLD, B.InBar.data(),
                            Tape, &Record);
  }
  void adjoint() { cf_v1_mpi_bcast_adjoint(Record); }
  void byHand(Buffers &B) {
    PMPI_Reduce(Rank == 0 ? MPI_IN_PLACE : B.InBar.data(), B.InBar.data(), B.Count, MPI_DOUBLE,
                MPI_SUM, 0, MPI_COMM_WORLD);
    if (Rank != 0)
      std::fill_n(B.InBar.begin(), B.Count, 0.0);
  }
};

struct Alltoallv {
  cf_mpi_record *Record = nullptr;
  std::vector<int> Counts, Places;
  void prepare(const Buffers &B) {
    Counts.assign(Size, B.Count / Size);
    Places.resize(Size);
    for (int I = 0; I < Size; ++I)
      Places[I] = I * (B.Count / Size);
  }
  void primal(Buffers &B) {
    prepare(B);
    MPI_Alltoallv(B.Out.data(), Counts.data(), Places.data(), MPI_DOUBLE, B.In.data(),
                  Counts.data(), Places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  }
  void augment(Buffers &B) {
    prepare(B);
    cf_v1_mpi_alltoallv_augment(B.Out.data(), Counts.data(), Places.data(), MPI_DOUBLE, B.In.data(),
                                Counts.data(), Places.data(), MPI_DOUBLE, MPI_COMM_WORLD,
                                B.OutBar.data(), B.InBar.data(), Tape, &Record);
  }
  void adjoint() { cf_v1_mpi_alltoallv_adjoint(Record); }
  void byHand(Buffers &B) {
    PMPI_Alltoallv(B.InBar.data(), Counts.data(), Places.data(), MPI_DOUBLE, B.Beside.data(),
                   Counts.data(), Places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    B.addBeside(B.Count);
    std::fill_n(B.InBar.begin(), B.Count, 0.0);
  }
};

double median(std::vector<double> Values) {
  std::ranges::nth_element(Values, Values.begin() + Values.size() / 2);
  return Values[Values.size() / 2];
}

/// Seconds of the slowest rank.
template <class Action> double timed(Action Do) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double Start = MPI_Wtime();
  Do();
  double Seconds = MPI_Wtime() - Start;
  MPI_Allreduce(MPI_IN_PLACE, &Seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return Seconds;
}

struct Traffic {
  long Messages, Bytes;
};

template <class Action> Traffic counted(Action Do) {
  const Traffic Before = {Messages, Bytes};
  Do();
  return {Messages - Before.Messages, Bytes - Before.Bytes};
}

/// A primal, a reverse and one by hand in turn, so that all see the same machine.
template <class Pattern> void measure(const char *Name, int Count, int Repetitions) {
  Buffers B(Count);
  Pattern P;
  std::vector<double> Primal, Augmented, Reverse, Hand;
  Traffic There{}, Back{};
  for (int I = 0; I < Repetitions; ++I) {
    Primal.push_back(timed([&] { There = counted([&] { P.primal(B); }); }));
    cf_tape *Mine = Tape;
    void *Top = cf_v1_tape_reserve(Mine, 0);
    Augmented.push_back(timed([&] { P.augment(B); }));
    Reverse.push_back(timed([&] { Back = counted([&] { P.adjoint(); }); }));
    cf_v1_tape_release(Mine, Top);
    Hand.push_back(timed([&] { P.byHand(B); }));
  }
  if (Rank == 0)
    std::printf(
        "{\"kernel\": \"%s\", \"bytes\": %zu, \"primal_seconds\": %.9f, \"augmented_seconds\": "
        "%.9f, "
        "\"reverse_seconds\": %.9f, \"ratio\": %.3f, \"hand\": %.3f, \"messages\": [%ld, %ld], "
        "\"wire_bytes\": [%ld, %ld]}\n",
        Name, Count * sizeof(double), median(Primal), median(Augmented), median(Reverse),
        median(Reverse) / median(Primal), median(Hand) / median(Primal), There.Messages,
        Back.Messages, There.Bytes, Back.Bytes);
}

} // namespace

int main(int Argc, char **Words) {
  MPI_Init(&Argc, &Words);
  MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  Tape = cf_v1_tape_begin();
  const int Most = Argc > 1 ? std::atoi(Words[1]) : 200;
  for (int Count : {128, 1024, 8192, 65536, 524288, 2097152}) {
    const int Repetitions = std::max(9, std::min(Most, (1 << 24) / Count));
    measure<Halo>("halo", Count, Repetitions);
    measure<Allreduce>("allreduce", Count, Repetitions);
    measure<Bcast>("bcast", Count, Repetitions);
    measure<Alltoallv>("alltoallv", Count, Repetitions);
  }
  MPI_Finalize();
  return 0;
}
