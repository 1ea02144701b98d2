// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A primal that is given numbers only calls functions that its own code names: not what a
// std::function of another primal calls. One that is given a function may call any, and so may one
// that reads a variable that holds some.
//
// RUN: %clangxx -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -std=c++20 -O0 -S -emit-llvm %s -o - | FileCheck %s

#include <functional>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(void *, A...);

using Function = std::function<double(double)>;

static double all(const std::vector<Function> &stages, double v) {
  for (const Function &stage : stages)
    v = stage(v);
  return v;
}

static double area(const double *x, int n) {
  std::vector<Function> stages;
  for (int i = 0; i < n; ++i)
    stages.push_back([c = x[i]](double v) { return v * c; });
  return all(stages, x[0]);
}

static double volume(const double *x, std::vector<double> &&y) {
  std::vector<Function> stages;
  for (double c : y)
    stages.push_back([c](double v) { return v * c * c; });
  return all(stages, x[0]);
}

static std::vector<Function> kept;
static double anyKept(double x) { return all(kept, x); }
static double anyGiven(double x, const Function &f) { return f(x); }

// CHECK-LABEL: define {{.*}}@cf.adjoint{{.*}}4area
// CHECK-NOT: icmp {{.*}}6volume{{.*}}_invoke
// CHECK: icmp eq ptr {{.*}}4area{{.*}}_invoke
// CHECK-NOT: icmp {{.*}}6volume{{.*}}_invoke
// CHECK-LABEL: define {{.*}}@cf.adjoint{{.*}}6volume
// CHECK-NOT: icmp {{.*}}4area{{.*}}_invoke
// CHECK: icmp eq ptr {{.*}}6volume{{.*}}_invoke
// CHECK-NOT: icmp {{.*}}4area{{.*}}_invoke
// CHECK-LABEL: define {{.*}}@cf.adjoint{{.*}}7anyKept
// CHECK-DAG: icmp eq ptr {{.*}}4area{{.*}}_invoke
// CHECK-DAG: icmp eq ptr {{.*}}6volume{{.*}}_invoke
// CHECK-LABEL: define {{.*}}@cf.adjoint{{.*}}8anyGiven
// CHECK-DAG: icmp eq ptr {{.*}}4area{{.*}}_invoke
// CHECK-DAG: icmp eq ptr {{.*}}6volume{{.*}}_invoke
// CHECK: {{^}$}}
void gradients(const double *x, double *dx, int n, std::vector<double> &y, std::vector<double> &dy,
               Function &f) {
  __enzyme_autodiff<void>((void *)area, enzyme_dup, x, dx, enzyme_const, n);
  __enzyme_autodiff<void>((void *)volume, enzyme_dup, x, dx, enzyme_dup, &y, &dy);
  __enzyme_autodiff<double>((void *)anyKept, x[0]);
  __enzyme_autodiff<double>((void *)anyGiven, x[0], enzyme_const, &f);
}
