// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Room for what a nest of loops keeps is asked for in front of it. The number of iterations of a
// loop that is not entered may be negative before it is extended to 64 bits, and is no reason to
// ask for 2^32 times as much.
//
// RUN: %cf_clangxx -O2 -fno-math-errno %s -o %t
// RUN: %t | FileCheck %s

#include <cmath>
#include <cstdio>

int enzyme_dup, enzyme_const;
template <class... Parts> void __enzyme_autodiff(void *, Parts...);

inline static double walk(double *a, const double *b, const double *d, const int *k, long n,
                          long width) {
  double s = 0;
  for (int i = n - 1; i >= 0; i--) {
    const long row = k[i] % 6;
    if (k[i] % 3 == 0)
      for (long j = i; j > 0; j -= 2)
        s += 0.05 * std::tanh(a[row + j]);
  }
  for (int i = n - 1; i >= 0; i--) {
    if (s < b[n + 6 - i])
      s *= 0.9;
    a[2 * i] = std::tanh(1 / (2 + std::sin(a[i + 2])));
    for (long j = 0; j < n; j++)
      s += 0.05 * std::tanh(d[i * width + j] * d[j * width + k[i] % 4]);
  }
  return s;
}

static double walks(const double *x, const int *k) {
  double s = 0.1, block[96];
  for (int j = 0; j < 96; j++)
    block[j] = x[j % 12];
  double *one = block + 35, *two = block;
  for (int step = 0; step < 4; step++) {
    s += 0.3 * walk(one, two, one, k, k[10] % 5 - 1, 7);
    for (int j = 0; j < 96; j++)
      block[j] = std::tanh(block[j] + 0.05 * s);
  }
  for (int j = 0; j < 96; j++)
    s += block[j] * block[j];
  return s;
}

int main() {
  // CHECK: 12 runs
  int runs = 0;
  for (int n = 0; n < 12; ++n) {
    double x[12], dx[12] = {};
    int k[12];
    for (int i = 0; i < 12; ++i) {
      x[i] = 0.1 * i;
      k[i] = (i * 5 + n) % 12;
    }
    __enzyme_autodiff((void *)walks, enzyme_dup, x, dx, enzyme_const, k);
    runs += std::isfinite(dx[3]) && dx[3] != 0;
  }
  std::printf("%d runs\n", runs);
}
