// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank holds the sum of x^2 over all ranks; all of them are seeded with 1, so d/dx on each
// rank is 2 x times the number of ranks.

#include <mpi.h>

#include <cstdio>

extern int enzyme_dup;
void __enzyme_autodiff(void *, int, const double *, double *);

static double sumOfSquares(const double *x) {
  double own = *x * *x, sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double x = 1.5 + rank;
  double gradient = 0;
  __enzyme_autodiff(reinterpret_cast<void *>(sumOfSquares), enzyme_dup, &x, &gradient);
  const bool right = gradient == 2 * x * ranks;
  if (!right)
    std::printf("rank %d: gradient %g, expected %g\n", rank, gradient, 2 * x * ranks);
  MPI_Finalize();
  return right ? 0 : 1;
}
