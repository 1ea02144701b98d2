// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivative functions are instrumented like the functions they come from; else the sanitizers
// would see nothing of a sweep.
//
// RUN: %clang -O1 -fsanitize=thread -S -emit-llvm %s -o - | FileCheck %s --check-prefix=THREAD
// RUN: %clang -O1 -fsanitize=address -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ADDRESS
// RUN: %clang -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NONE

extern int enzyme_dup;
extern int enzyme_const;
void __enzyme_autodiff(void *, int, double *, double *, int, int);

static void squares(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * x[i];
}

__attribute__((noinline)) void gradient(double *x, double *x_bar, int n) {
  __enzyme_autodiff((void *)squares, enzyme_dup, x, x_bar, enzyme_const, n);
}

// THREAD: define internal {{.*}}adjoint.squares{{.*}} {
// THREAD: call void @__tsan_write8(
// THREAD: {{^}}}

// ADDRESS: define internal {{.*}}adjoint.squares{{.*}} {
// ADDRESS: call void @__asan_report_store8(
// ADDRESS: {{^}}}

// NONE-NOT: sanitize_thread
// NONE-NOT: sanitize_address
