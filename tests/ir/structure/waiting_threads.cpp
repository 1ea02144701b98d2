// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that may wait for each other take turns: nothing in the derivative waits in the system,
// and whoever gets a turn knows from whom.
//
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s

#include <condition_variable>
#include <mutex>
#include <thread>

template <class... A> void __enzyme_autodiff(void *, A...);

// CHECK-LABEL: define {{.*}}@cf.adjoint.{{.*}}squared
// CHECK-NOT: condition_variable{{[0-9]*}}wait
// CHECK: call i64 @cf_v1_thread_new
// CHECK: call ptr @cf_v1_thread_begin
// CHECK: [[FROM:%.*]] = call ptr @cf_v1_thread_run
// CHECK: call void @cf_v1_thread_notify
// CHECK-DAG: call ptr @cf_v1_thread_wait_record(i32 3
// CHECK-DAG: call void @cf_v1_thread_back
// CHECK-DAG: call void @cf_v1_thread_reverse(ptr {{.*}}, ptr [[FROM]]
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
