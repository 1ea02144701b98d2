// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that are members: the pointers to them are loaded in front of the divided loop, though the
// inner one may be empty, since the object is known to be there. So the reverse adds plainly. The
// same for what a function object refers to: the loop is for those only who come to the inner one.
//
// RUN: %clangxx -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

#include <vector>

extern int enzyme_dup, enzyme_const;
template <typename R, typename... A> R __enzyme_autodiff(void *, A...);

namespace {
class Plate {
public:
  Plate(const double *in, int n) : N(n), Now(in, in + n * n), Next(Now) {}
  void step() {
#pragma omp parallel for
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        Next[i * N + j] = Now[i * N + j] * (Now[(i - 1) * N + j] + Now[(i + 1) * N + j]);
    Now.swap(Next);
  }
  double middle() const { return Now[N / 2 * N + N / 2]; }

private:
  int N;
  std::vector<double> Now, Next;
};
} // namespace

static void march(const double *in, double *out, int n, int steps) {
  Plate P(in, n);
  for (int s = 0; s < steps; s++)
    P.step();
  *out = P.middle();
}

template <typename Body> static void forAll(int n, const Body &body) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    body(i);
}

static void squares(const double *in, double *out, int n, int steps) {
  std::vector<double> now(in, in + n * n), next(now);
  for (int s = 0; s < steps; s++) {
    forAll(n - 1, [&](int i) {
      for (int j = 0; j < n - 1; j++)
        next[i * n + j] = now[i * n + j] * now[(i + 1) * n + j];
    });
    now.swap(next);
  }
  *out = now[0];
}

void gradientOfSquares(double *in, double *dIn, double *out, double *dOut, int n, int steps) {
  __enzyme_autodiff<void>((void *)squares, enzyme_dup, in, dIn, enzyme_dup, out, dOut, enzyme_const,
                          n, enzyme_const, steps);
}

void gradient(double *in, double *dIn, double *out, double *dOut, int n, int steps) {
  __enzyme_autodiff<void>((void *)march, enzyme_dup, in, dIn, enzyme_dup, out, dOut, enzyme_const,
                          n, enzyme_const, steps);
}

// CHECK: define internal {{.*}} @"cf.reverse.{{.*}}squares{{.*}}omp_outlined"
// CHECK-NOT: atomicrmw fadd
// CHECK: call void @cf_v1_omp_share_open(
// CHECK-NOT: atomicrmw fadd
// CHECK: {{^}}}
// CHECK: define internal {{.*}} @cf.reverse.{{.*}}step{{.*}}omp_outlined
// CHECK-NOT: atomicrmw fadd
// CHECK: call void @cf_v1_omp_share_open(
// CHECK-NOT: atomicrmw fadd
// CHECK: {{^}}}
