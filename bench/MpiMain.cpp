// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures kernels on all ranks of MPI_COMM_WORLD.

#include "Measure.h"
#include "WorldRanks.h"

int main(int Count, char **Words) {
  MPI_Init(&Count, &Words);
  int Status = 0;
  {
    const contraflow::test::WorldRanks R;
    Status = contraflow::bench::run(Count, Words, R);
  }
  MPI_Finalize();
  return Status;
}
