// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One derivative collective under way: what it needs is taken when it is made, it starts when its
// turn has come, and when it has finished its result is where it belongs. Nothing but finish()
// blocks.

#pragma once

#include "mpi/Packed.h"

#include <cstddef>
#include <memory>
#include <mpi.h>
#include <utility>
#include <vector>

namespace contraflow::mpi {

class Operation {
public:
  virtual ~Operation() = default;
  virtual void start(MPI_Comm Comm) = 0;
  void finish() {
    PMPI_Waitall(static_cast<int>(Requests.size()), Requests.data(), MPI_STATUSES_IGNORE);
    deliver();
  }

  /// Memory that lives as long as the operation.
  void keep(std::unique_ptr<std::byte[]> Memory) { Kept.push_back(std::move(Memory)); }
  void keep(Packed Memory) { KeptValues = std::move(Memory); }

protected:
  Operation() = default;
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;
  virtual void deliver() = 0;
  /// One more request to wait for.
  MPI_Request *request() { return &Requests.emplace_back(MPI_REQUEST_NULL); }

private:
  std::vector<MPI_Request> Requests;
  std::vector<std::unique_ptr<std::byte[]>> Kept;
  Packed KeptValues;
};

/// Operations of one call, such as those of several directions.
class OneByOne : public Operation {
public:
  void add(std::unique_ptr<Operation> One) { All.push_back(std::move(One)); }
  void start(MPI_Comm Comm) override {
    for (auto &One : All)
      One->start(Comm);
  }

protected:
  void deliver() override {
    for (auto &One : All)
      One->finish();
  }

private:
  std::vector<std::unique_ptr<Operation>> All;
};

} // namespace contraflow::mpi
