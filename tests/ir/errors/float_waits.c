// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that waits for a float, with a flush, with anything else that says that it waits, or
// letting others run: whoever sees the number may see its tangent or its adjoint too early.
//
// RUN: %not %clang -O0 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -DTANGENT -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp "-DREST=sched_yield()" -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -DFLUSH -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fopenmp -DNO_WAIT -c %s -o %t.o

#include <sched.h>

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

#ifndef REST
#define REST __asm__ volatile("" ::: "memory")
#endif

static double box[16];

void work(const double *x, double *y) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int i = 0; i < 2; i++) {
    double got = 1;
// CHECK: float_waits.c:{{.*}}: error: [CF207] {{.*}}a thread waits without atomic operations
#ifdef NO_WAIT
    for (int k = 0; k < 10; k++)
      REST;
#else
    if (i)
      while ((got = box[i - 1]) == 0) {
#ifdef FLUSH
#pragma omp flush
#else
        REST;
#endif
      }
#endif
    box[i] = y[i] = got * x[i];
    __sync_synchronize();
  }
}

void user(double *x, double *x_bar, double *y, double *y_bar) {
#ifdef TANGENT
  __enzyme_fwddiff((void *)work, enzyme_dup, x, x_bar, enzyme_dup, y, y_bar);
#else
  __enzyme_autodiff((void *)work, enzyme_dup, x, x_bar, enzyme_dup, y, y_bar);
#endif
}
