// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A std::function that calls itself, and remembers results in a map.
// Supports: `std::function`
#include "GradientCheck.h"
#include <functional>
#include <map>
static double f(const double *x, double a, int n) {
  std::map<int, double> memo;
  std::function<double(int)> fib = [&](int k) -> double {
    if (k < 2)
      return x[k] * a;
    auto it = memo.find(k);
    if (it != memo.end())
      return it->second;
    double v = fib(k - 1) + 0.5 * fib(k - 2) * x[k % n];
    memo[k] = v;
    return v;
  };
  return fib(9);
}
GRADIENT_CHECK(std_function_recursion, Double, f, In(double, 4), Scalar(double), Int(4))
