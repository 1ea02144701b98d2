// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes out of a function that nobody sees, and the primal would catch, ends the program with
// a number instead of leaving the derivative. A function that calls itself returns what it throws.
//
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -DTANGENT -S -emit-llvm %s -o - | FileCheck %s

#include <stdexcept>

template <class... A> void __enzyme_autodiff(void *, A...);
template <class... A> double __enzyme_fwddiff(void *, A...);

__attribute__((annotate("enzyme_inactive"))) void check(int n);

static double chain(const double *x, int n, double product) {
  if (product > 100)
    throw std::runtime_error("too large");
  return n == 0 ? product : chain(x, n - 1, product * x[n]) + chain(x, n - 1, x[0]);
}

// CHECK-LABEL: define {{.*}}@cf.{{adjoint|tangent}}{{[a-z.]*}}{{.*}}limited
// CHECK-DAG: invoke void @{{.*}}check
// CHECK-DAG: {{call|invoke}} {{.*}}chain{{.*}}.thrown
// CHECK-DAG: catch ptr @_ZTISt13runtime_error
// CHECK-DAG: call void @cf_v1_caught_exception
// CHECK: {{^}$}}
double limited(const double *x, int n) {
  try {
    check(n);
    return chain(x, n, 1);
  } catch (const std::runtime_error &) {
    return x[0];
  }
}

double user(double *x, double *x_bar) {
#ifdef TANGENT
  return __enzyme_fwddiff((void *)limited, x, x_bar, 3);
#else
  __enzyme_autodiff((void *)limited, x, x_bar, 3);
  return 0;
#endif
}
