// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time loop allocates nothing once it has done its first steps, in neither sweep; and what a
// message leaves on the tape.

#include "Harness.h"

#include "mpi/Message.h"
#include "mpi/Packed.h"

#include <cstdlib>
#include <new>

namespace {

/// Of a thread: the one that watches those that wait (CONTRAFLOW_MPI_TIMEOUT) is no part of a step.
thread_local long Allocations = 0;

void *counted(std::size_t Bytes, std::size_t Alignment) {
  ++Allocations;
  void *Found = std::aligned_alloc(Alignment, (Bytes + Alignment - 1) / Alignment * Alignment);
  if (!Found)
    throw std::bad_alloc();
  return Found;
}

} // namespace

// All of the program's, the runtime's among them; MPI has its own.
void *operator new(std::size_t Bytes) { return counted(Bytes, alignof(std::max_align_t)); }
void *operator new(std::size_t Bytes, std::align_val_t Alignment) {
  return counted(Bytes, static_cast<std::size_t>(Alignment));
}
void operator delete(void *Memory) noexcept { std::free(Memory); }
void operator delete(void *Memory, std::size_t) noexcept { std::free(Memory); }
void operator delete(void *Memory, std::align_val_t) noexcept { std::free(Memory); }
void operator delete(void *Memory, std::size_t, std::align_val_t) noexcept { std::free(Memory); }

namespace {

/// One step of a time loop and its reverse.
class Step {
public:
  explicit Step(int Length) : Length(Length), Values(4 * Length, 1.0), Bars(4 * Length, 1.0) {
    MPI_Comm_rank(MPI_COMM_WORLD, &Rank);
    MPI_Comm_size(MPI_COMM_WORLD, &Size);
    for (int I = 0; I < Size; ++I) {
      Counts.push_back(Length / Size);
      Starts.push_back(I * (Length / Size));
    }
    Tape = cf_v1_tape_begin();
    Bottom = cf_v1_tape_reserve(Tape, 0);
  }
  ~Step() {
    cf_v1_tape_release(Tape, Bottom);
    cf_v1_tape_end(Tape);
  }

  void forward() {
    const int Next = (Rank + 1) % Size, Previous = (Rank + Size - 1) % Size;
    const MPI_Comm Comm = MPI_COMM_WORLD;
    MPI_Request Open[2];
    cf_v1_mpi_irecv_augment(value(1), Length, MPI_DOUBLE, Previous, 1, Comm, &Open[0], bar(1), Tape,
                            &Records[0]);
    cf_v1_mpi_isend_augment(value(0), Length, MPI_DOUBLE, Next, 1, Comm, &Open[1], bar(0), Tape,
                            &Records[1]);
    cf_v1_mpi_waitall_augment(2, Open, MPI_STATUSES_IGNORE, Tape, &Records[2]);
    cf_v1_mpi_sendrecv_augment(value(0), Length, MPI_DOUBLE, Next, 2, value(1), Length, MPI_DOUBLE,
                               Previous, 2, Comm, MPI_STATUS_IGNORE, bar(0), bar(1), Tape,
                               &Records[3]);
    cf_v1_mpi_allreduce_augment(value(0), value(2), Length, MPI_DOUBLE, MPI_SUM, Comm, bar(0),
                                bar(2), Tape, &Records[4]);
    cf_v1_mpi_bcast_augment(value(2), Length, MPI_DOUBLE, 0, Comm, bar(2), Tape, &Records[5]);
    cf_v1_mpi_alltoallv_augment(value(2), Counts.data(), Starts.data(), MPI_DOUBLE, value(3),
                                Counts.data(), Starts.data(), MPI_DOUBLE, Comm, bar(2), bar(3),
                                Tape, &Records[6]);
    cf_v1_mpi_allgather_augment(value(3), Length / Size, MPI_DOUBLE, value(2), Length / Size,
                                MPI_DOUBLE, Comm, bar(3), bar(2), Tape, &Records[7]);
  }
  void reverse() {
    cf_v1_mpi_allgather_adjoint(Records[7]);
    cf_v1_mpi_alltoallv_adjoint(Records[6]);
    cf_v1_mpi_bcast_adjoint(Records[5]);
    cf_v1_mpi_allreduce_adjoint(Records[4]);
    cf_v1_mpi_sendrecv_adjoint(Records[3]);
    cf_v1_mpi_waitall_adjoint(Records[2]);
    cf_v1_mpi_isend_adjoint(Records[1]);
    cf_v1_mpi_irecv_adjoint(Records[0]);
    cf_v1_tape_release(Tape, Bottom);
  }

private:
  double *value(int Array) { return Values.data() + Array * Length; }
  double *bar(int Array) { return Bars.data() + Array * Length; }

  int Length, Rank = 0, Size = 1;
  std::vector<double> Values, Bars;
  std::vector<int> Counts, Starts;
  cf_tape *Tape;
  void *Bottom;
  cf_mpi_record *Records[8];
};

/// How many buffers are in use at one time depends on how far ranks run ahead of each other.
void useManyBuffers(int Length, int Size) {
  std::vector<contraflow::mpi::Packed> InUse;
  for (const std::size_t Bytes : {Length * sizeof(double), Length / Size * sizeof(double),
                                  2 * Size * sizeof(int), Size * sizeof(int)})
    for (int I = 0; I < 16; ++I)
      InUse.push_back(contraflow::mpi::packedBuffer(static_cast<std::int64_t>(Bytes)));
}

long allocationsPerSteps(int Length, int Steps) {
  Step S(Length);
  int Size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &Size);
  useManyBuffers(Length, Size);
  long Before = 0;
  for (int I = 0; I < 2 * Steps; ++I) {
    if (I == Steps)
      Before = Allocations;
    S.forward();
    S.reverse();
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  return Allocations - Before;
}

TEST(Allocation, SteadyStateOfShortMessages) { EXPECT_EQ(allocationsPerSteps(8, 5), 0); }
TEST(Allocation, SteadyStateOfLongMessages) { EXPECT_EQ(allocationsPerSteps(2000, 5), 0); }

TEST(Allocation, BytesOfRecords) { EXPECT_LE(sizeof(contraflow::mpi::Message), 96U); }

} // namespace
