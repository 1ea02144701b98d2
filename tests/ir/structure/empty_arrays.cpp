// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of one size have one end if they are empty, null and so many bytes, which the optimiser
// makes once for all of them. They are apart nevertheless: what is read of one is not recorded
// because another one is written.
//
// RUN: %clangxx -O2 -fopenmp -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s
// RUN: %clangxx -O2 -c %s -o %t.o -mllvm -contraflow-print-plan 2>&1 | FileCheck %s

#include <vector>

extern int enzyme_dup, enzyme_const;
template <class... T> void __enzyme_autodiff(void *, T...);

namespace {

struct Waves {
  std::vector<double> Height, Speed, Depth;
  Waves(const double *X, int N) : Height(X, X + N), Speed(N), Depth(X, X + N) {}
  void step() {
    const int N = static_cast<int>(Height.size());
#pragma omp parallel for
    for (int I = 1; I < N - 1; I++)
      Speed[I] += Depth[I] * (Height[I - 1] - 2 * Height[I] + Height[I + 1]);
#pragma omp parallel for
    for (int I = 1; I < N - 1; I++)
      Height[I] += 0.1 * Speed[I];
  }
};

double run(const double *X, int N, int Steps) {
  Waves W(X, N);
  for (int I = 0; I < Steps; I++)
    W.step();
  double Sum = 0;
  for (double H : W.Height)
    Sum += H;
  return Sum;
}

} // namespace

void gradient(double *X, double *Bar, int N, int Steps) {
  __enzyme_autodiff(reinterpret_cast<void *>(run), enzyme_dup, X, Bar, enzyme_const, N,
                    enzyme_const, Steps);
}

// CHECK: tape plan of cf.
// CHECK-NOT: trip({{.*}} = load double
// CHECK: trip({{.*}} = fadd double
// CHECK-NOT: trip({{.*}} = load double
