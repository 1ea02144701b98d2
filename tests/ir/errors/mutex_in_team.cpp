// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock of the threads' library that several threads may hold: there is no order in which a team
// came to it. Tangents need none.
//
// RUN: %not %clangxx -O0 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -O2 -fopenmp -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clangxx -O2 -fopenmp -DTANGENT -c %s -o %t.o

#include <shared_mutex>

template <class... A> void __enzyme_autodiff(void *, A...);
template <class... A> double __enzyme_fwddiff(void *, A...);

double product(double *x, int n) {
  std::shared_mutex guard;
  double s = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    // CHECK: mutex_in_team.cpp:[[@LINE+1]]:{{.*}}: error: [CF207] {{.*}}lock of the threads' library
    guard.lock();
    s = s * x[i];
    guard.unlock();
  }
  return s;
}

void user(double *x, double *x_bar) {
#ifdef TANGENT
  __enzyme_fwddiff((void *)product, x, x_bar, 3);
#else
  __enzyme_autodiff((void *)product, x, x_bar, 3);
#endif
}
