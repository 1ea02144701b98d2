// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait with a predicate is code of the program's: in a derivative it ends the program instead of
// waiting forever for a thread that runs where it is made.
//
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s

#include <condition_variable>
#include <mutex>
#include <thread>

template <class... A> void __enzyme_autodiff(void *, A...);

// CHECK-LABEL: define {{.*}}@cf.adjoint.{{.*}}squared
// CHECK-NOT: condition_variable{{[0-9]*}}wait
// CHECK: call void @cf_v1_fail
// CHECK: {{^}$}}
void squared(double *x) {
  std::mutex guard;
  std::condition_variable changed;
  bool ready = false;
  std::thread late([&] {
    std::unique_lock<std::mutex> lock(guard);
    changed.wait(lock, [&] { return ready; });
    x[0] *= x[0];
  });
  {
    std::lock_guard<std::mutex> lock(guard);
    ready = true;
  }
  changed.notify_one();
  late.join();
}

void gradient(double *x, double *x_bar) { __enzyme_autodiff((void *)squared, x, x_bar); }
