// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed bytes in memory of addresses: a copy cannot tell which is which, also where the places of
// the addresses are not known, nor can the next call, which finds the block through a variable.
//
// RUN: %not %clang -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -DKEPT -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -DPLACE=1 -c %s -o %t.o 2>&1 | FileCheck %s

void *calloc(unsigned long, unsigned long);
void *memcpy(void *, const void *, unsigned long);
extern struct type ompi_mpi_double;
extern struct comm ompi_mpi_comm_world;
int MPI_Pack(const void *, int, struct type *, void *, int, int *, struct comm *);
int MPI_Unpack(const void *, int, int *, void *, int, struct type *, struct comm *);
extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

#ifndef PLACE
volatile long place = 1;
#define PLACE place
#endif

// CHECK: [CF203] {{.*}}packed bytes beside addresses
#ifdef KEPT
static char *pool;

static double beside(double *x) {
  double taken[2];
  int position = 0;
  if (!pool)
    pool = calloc(2, 64);
  *(double **)(pool + 64) = x;
  MPI_Pack(x, 2, &ompi_mpi_double, pool, 64, &position, &ompi_mpi_comm_world);
  position = 0;
  MPI_Unpack(pool, 64, &position, taken, 2, &ompi_mpi_double, &ompi_mpi_comm_world);
  return taken[0] * taken[1] * **(double **)(pool + 64);
}
#else
static double beside(double *x) {
  char *pool = calloc(2, 64), *other = calloc(2, 64);
  const long at = PLACE;
  double taken[2];
  int position = 0;
  *(double **)pool = x;
  MPI_Pack(x, 2, &ompi_mpi_double, pool + 8 * at, 64, &position, &ompi_mpi_comm_world);
  memcpy(other, pool, 128);
  position = 0;
  MPI_Unpack(other + 8 * at, 64, &position, taken, 2, &ompi_mpi_double, &ompi_mpi_comm_world);
  return taken[0] * taken[1] * **(double **)other;
}
#endif
void gradient(double *x, double *xb) { __enzyme_autodiff((void *)beside, enzyme_dup, x, xb); }
