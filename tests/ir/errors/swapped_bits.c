// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An extremum of active numbers in a window, by comparing and swapping their bits as integers; the
// same of integers beside them is none of them.
//
// RUN: %not %clang -O0 -DWORD=long -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -DWORD=long -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -c %s -o %t.o
// RUN: %clang -O2 -c %s -o %t.o

void *memcpy(void *, const void *, unsigned long);
extern struct type ompi_mpi_long;
int MPI_Compare_and_swap(const void *, const void *, void *, struct type *, int, long, void *);
int MPI_Win_flush(int, void *);
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

static double greatest(const double *x, void *window) {
  double mine = x[0] * x[1];
#ifdef WORD
  WORD mine_bits, seen_bits = 0, old;
  memcpy(&mine_bits, &mine, sizeof mine);
#else
  long mine_bits = 3, seen_bits = 0, old;
#endif
  // CHECK: swapped_bits.c:[[@LINE+1]]:{{.*}}[CF208] {{.*}}MPI_Compare_and_swap moves active floating-point memory
  MPI_Compare_and_swap(&mine_bits, &seen_bits, &old, &ompi_mpi_long, 0, 0, window);
  MPI_Win_flush(0, window);
  return mine * (double)old;
}
void gradient(double *x, double *xb, void *window) {
  __enzyme_autodiff((void *)greatest, enzyme_dup, x, xb, enzyme_const, window);
}
