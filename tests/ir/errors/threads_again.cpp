// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for each other have an adjoint, which has no derivative.
//
// RUN: %not %clangxx -std=c++20 -O0 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %not %clangxx -std=c++20 -O2 -c %s -o %t.o 2>&1 | FileCheck %s

#include <latch>
#include <thread>

template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

static double cube(double x) {
  std::latch latch(1);
  double y = 0;
  std::thread worker([&] {
    latch.wait();
    y = x * x * x;
  });
  latch.count_down();
  worker.join();
  return y;
}

double slope(double x) { return __enzyme_autodiff<double>((void *)cube, x); }
// CHECK: error: [CF205] {{.*}}a thread that waits for others, in the derivative of a derivative
double curvature(double x) { return __enzyme_fwddiff<double>((void *)slope, x, 1.0); }
