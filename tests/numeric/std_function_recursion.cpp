// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A std::function that calls itself, and remembers results in a map, beside some of another
// signature: to the compiler both are double (ptr, ptr).
// Supports: `std::function`
#include "GradientCheck.h"
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

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

static double chain(const double *x, int n) {
  std::vector<std::function<double(double)>> links;
  for (int i = 0; i < n; ++i)
    links.push_back([c = x[i], i](double t) { return i % 2 ? c * t : c + t; });
  double value = 0.3;
  for (auto &link : links)
    value = link(value);
  return value;
}

static double sequence(const double *x, int) {
  std::unordered_map<int, double> memo;
  std::function<double(int)> term = [&](int k) -> double {
    if (k < 2)
      return x[k];
    if (auto it = memo.find(k); it != memo.end())
      return it->second;
    return memo[k] = term(k - 1) + x[2] * term(k - 2);
  };
  return term(8);
}

GRADIENT_CHECK(std_function_chain, Double, chain, In(double, 4), Int(4))
GRADIENT_CHECK(std_function_sequence, Double, sequence, In(double, 3), Int(3))
GRADIENT_CHECK(std_function_recursion, Double, f, In(double, 4), Scalar(double), Int(4))
