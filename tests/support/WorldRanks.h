// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of MPI_COMM_WORLD, on a communicator that the programs under test do not see.
#ifndef CONTRAFLOW_TEST_WORLDRANKS_H
#define CONTRAFLOW_TEST_WORLDRANKS_H

#include "Ranks.h"

#include <cstdint>
#include <mpi.h>

namespace contraflow::test {

class WorldRanks final : public Ranks {
public:
  WorldRanks() {
    MPI_Comm_dup(MPI_COMM_WORLD, &Comm);
    MPI_Comm_rank(Comm, &Rank);
    MPI_Comm_size(Comm, &Size);
  }
  ~WorldRanks() override { MPI_Comm_free(&Comm); }
  int rank() const override { return Rank; }
  int size() const override { return Size; }
  double sum(double Value) const override { return combine(Value, MPI_SUM); }
  double max(double Value) const override { return combine(Value, MPI_MAX); }
  std::vector<double> gather(const std::vector<double> &Values) const override {
    std::vector<double> All(Values.size() * static_cast<std::size_t>(Size));
    const int Count = static_cast<int>(Values.size());
    MPI_Allgather(Values.data(), Count, MPI_DOUBLE, All.data(), Count, MPI_DOUBLE, Comm);
    return All;
  }
  std::uint64_t same(std::uint64_t Value) const {
    MPI_Bcast(&Value, 1, MPI_UINT64_T, 0, Comm);
    return Value;
  }

private:
  double combine(double Value, MPI_Op Op) const {
    double Result = 0;
    MPI_Allreduce(&Value, &Result, 1, MPI_DOUBLE, Op, Comm);
    return Result;
  }
  MPI_Comm Comm = MPI_COMM_NULL;
  int Rank = 0, Size = 1;
};

} // namespace contraflow::test

#endif
