// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the program hands to MPI, which calls them later, are no part of the derivative:
// what they change may not have one. What they only read, or count beside it, may.
//
// RUN: %not %clang -O0 -DOMPI_SKIP_MPICXX %mpi_include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -DOMPI_SKIP_MPICXX %mpi_include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O0 -DOMPI_SKIP_MPICXX -DREADS %mpi_include -c %s -o %t.o
// RUN: %clang -O2 -DOMPI_SKIP_MPICXX -DREADS %mpi_include -c %s -o %t.o
#include <mpi.h>
#include <stdio.h>

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

double state[4];
int copies;

static void change(int k) {
#ifdef READS
  printf("%g\n", state[k]);
#else
  state[k] *= 2;
#endif
}
static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra;
  *(void **)out = in;
  *flag = 1;
  ++copies;
  change(copies % 4);
  return MPI_SUCCESS;
}
int makeKey(void) {
  int key;
  MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, 0);
  return key;
}

static double over(const double *x) {
  MPI_Comm mine;
  state[1] = x[0] * x[0];
  // CHECK: registered.c:[[#@LINE+1]]:{{.*}}[CF208]{{.*}}may change 'state', which has a derivative
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  MPI_Comm_free(&mine);
  return state[1] * copies;
}
void gradient(double *x, double *x_bar) { __enzyme_autodiff((void *)over, enzyme_dup, x, x_bar); }
