// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// d/dx_i of the sum of x_i^2 over threads is 2 x_i.

#include <cstdio>
#include <vector>

extern int enzyme_dup;
extern int enzyme_const;
void __enzyme_autodiff(void *, int, const double *, double *, int, int);

static double sumOfSquares(const double *x, int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}

int main() {
  const int n = 1000;
  std::vector<double> x(n), gradient(n, 0.0);
  for (int i = 0; i < n; ++i)
    x[i] = 0.25 * i - 100;
  __enzyme_autodiff(reinterpret_cast<void *>(sumOfSquares), enzyme_dup, x.data(), gradient.data(),
                    enzyme_const, n);
  for (int i = 0; i < n; ++i) {
    if (gradient[i] != 2 * x[i]) {
      std::printf("gradient[%d] is %g, expected %g\n", i, gradient[i], 2 * x[i]);
      return 1;
    }
  }
  return 0;
}
