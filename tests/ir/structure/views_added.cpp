// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a gradient adds to a shadow that may be two functions is read and written each time: the
// program may keep the parts. The unit vector is read; nothing is stored there.
//
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -DNO_VIEW -S -emit-llvm %s -o - | FileCheck %s --check-prefix=MEMORY

extern int enzyme_dup, enzyme_dupnoneed;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);
template <class R, class... A> R __enzyme_todense(A...);

static double energy(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i + 1];
  return sum;
}
// CHECK-LABEL: define internal {{.*}}@cf.adjoint.{{.*}}energy
// CHECK: store volatile double
// CHECK: store volatile double
// MEMORY-NOT: volatile
void gradient(const double *x, double *x_bar, int n) {
  __enzyme_autodiff<void>((void *)energy, enzyme_dup, x, x_bar, n);
}

#ifndef NO_VIEW
double one(unsigned long at, unsigned long j);
void nothing(double, unsigned long, unsigned long);
__attribute__((enzyme_sparse_accumulate)) void add(double, unsigned long, unsigned long);
static double zero(unsigned long, unsigned long) { return 0; }
void column(const double *x, unsigned long j, int n) {
  __enzyme_fwddiff<void>((void *)gradient, enzyme_dup, x,
                         __enzyme_todense<double *>((void *)one, (void *)nothing, j),
                         enzyme_dupnoneed, (double *)nullptr,
                         __enzyme_todense<double *>((void *)zero, (void *)add, j), n);
}
#endif
