// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that waits for what whoever makes it does later, or for a task of another kind that is
// made later: at once it would not end. So it is with tangents.
//
// RUN: %not %clang -O0 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -DLATER_TASK -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clang -O2 -fopenmp -DTANGENT -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fopenmp -DWAITED_FOR -c %s -o %t.o

#include <stdatomic.h>

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static void post(atomic_int *flag) { atomic_store_explicit(flag, 1, memory_order_release); }

static void use(atomic_int *flag, const double *v, double *y) {
// CHECK: task_waits.c:{{.*}}: error: [CF207] {{.*}}a task waits for what is done later
#pragma omp task firstprivate(flag, v, y)
  {
    while (!atomic_load_explicit(flag, memory_order_acquire))
      ;
    *y *= *v;
  }
}

void work(const double *x, double *y) {
  atomic_int flag = 0;
  double v = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#ifdef WAITED_FOR
    post(&flag);
#endif
    use(&flag, &v, y);
#ifdef WAITED_FOR
#pragma omp taskwait
    atomic_store(&flag, 0);
#endif
#ifdef LATER_TASK
#pragma omp task shared(flag, v)
#endif
#ifndef WAITED_FOR
    {
      v = x[0] * x[1];
      post(&flag);
    }
#endif
  }
}

void user(double *x, double *x_bar, double *y, double *y_bar) {
#ifdef TANGENT
  __enzyme_fwddiff((void *)work, enzyme_dup, x, x_bar, enzyme_dup, y, y_bar);
#else
  __enzyme_autodiff((void *)work, enzyme_dup, x, x_bar, enzyme_dup, y, y_bar);
#endif
}
