// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How compilers of Fortran spell the functions of MPI, and what has a program's own function of
// such a name, a string among its arguments, or another type.
//
// RUN: %clang -O2 -S -emit-llvm %s -o - | FileCheck %s --implicit-check-not=cf_v1_mpi_bcast_
// RUN: %not %clang -O2 -DREFUSED -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REFUSED

typedef const int *in;
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

#ifndef REFUSED
#define SEND(name)                                                                                 \
  void name(const void *, in, in, in, in, in, int *);                                              \
  static void call_##name(double *x, int *code) {                                                  \
    const int one = 1, type = 17, zero = 0;                                                        \
    name(x, &one, &type, &zero, &zero, &zero, code);                                               \
  }                                                                                                \
  void gradient_of_##name(double *x, double *dx, int *code) {                                      \
    __enzyme_autodiff((void *)call_##name, enzyme_dup, x, dx, enzyme_const, code);                 \
  }

// CHECK-DAG: call {{.*}}@cf_v1_mpi_send_augment({{.*}} i32 1, {{.*}} i32 0, i32 0,
SEND(mpi_send_)
// CHECK-DAG: call {{.*}}@cf_v1_mpi_ssend_augment(
SEND(mpi_ssend__)
// CHECK-DAG: call {{.*}}@cf_v1_mpi_rsend_augment(
SEND(pmpi_rsend_)
// CHECK-DAG: call {{.*}}@cf_v1_mpi_bsend_augment(
SEND(pmpi_bsend_f08_)

// What is allocated comes back as an address of C.
void mpi_win_allocate_cptr_(const long *, in, in, in, double **, int *, int *);
static double window(const double *x) {
  const int one = 1, zero = 0;
  const long bytes = 8;
  double *memory;
  int win, code;
  mpi_win_allocate_cptr_(&bytes, &one, &zero, &zero, &memory, &win, &code);
  memory[0] = x[0] * x[0];
  return memory[0];
}
// CHECK-DAG: call {{.*}}@cf_v1_mpi_win_allocate_augment(
void gradient_of_window(double *x, double *dx) {
  __enzyme_autodiff((void *)window, enzyme_dup, x, dx);
}

// A program may have an MPI of its own, for one rank.
__attribute__((noinline)) void mpi_bcast_(double *x, in n, in type, in root, in comm, int *code) {
  for (int i = 0; i < *n; i++)
    x[i] *= 1;
  *code = *type + *root + *comm;
}
static double alone(const double *x) {
  double copy = x[0];
  int code, one = 1;
  mpi_bcast_(&copy, &one, &one, &one, &one, &code);
  return copy * copy;
}
void gradient_of_alone(double *x, double *dx) {
  __enzyme_autodiff((void *)alone, enzyme_dup, x, dx);
}
#else
void mpi_pack_external_(const char *, const void *, in, in, void *, const long *, long *, int *,
                        long);
int mpi_bcast_(void *, in, in, in, in, int *);
void mpi_win_get_attr_(in, in, double **, int *, int *);
static double refused(double *x) {
  int code, zero = 0, flag;
  long size = 8, position = 0;
  double *base;
  // REFUSED: fortran_names.c:[[@LINE+1]]:3: error: [CF208] {{.*}}mpi_pack_external_
  mpi_pack_external_("external32", x, &zero, &zero, x + 1, &size, &position, &code, 10);
  // REFUSED: fortran_names.c:[[@LINE+1]]:3: error: [CF208] {{.*}}mpi_bcast_
  mpi_bcast_(x, &zero, &zero, &zero, &zero, &code);
  // REFUSED: fortran_names.c:[[@LINE+1]]:3: error: [CF208] {{.*}}mpi_win_get_attr_
  mpi_win_get_attr_(&zero, &zero, &base, &flag, &code);
  return base[0] * x[0];
}
void gradient(double *x, double *dx) { __enzyme_autodiff((void *)refused, enzyme_dup, x, dx); }
#endif
