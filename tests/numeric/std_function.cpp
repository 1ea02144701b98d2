// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::function with and without captures, small and large, in a container and composed; copied
// into one another, where the numbers of small ones are moved as addresses; one that keeps two
// records, of which the optimiser reads floats and an integer at once.
// Supports: `std::function`
#include "GradientCheck.h"
#include <functional>
#include <utility>
#include <vector>

static double twice(double x) { return 2 * x; }

static double compose(const double *x, double a, int n) {
  std::vector<std::function<double(double)>> stages;
  stages.push_back(twice);
  stages.push_back([](double v) { return v * v; });
  stages.push_back([a](double v) { return v * a; });
  stages.push_back([a, x, n](double v) { return v * a + x[n - 1] * x[0]; });
  std::function<double(double)> all = [&stages](double v) {
    for (auto &f : stages)
      v = f(v);
    return v;
  };
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += all(x[i]);
  return s;
}

GRADIENT_CHECK(std_function, Double, compose, In(double, 5), Scalar(double), Int(5))

static double wrap(const double *x, double a, int n) {
  std::vector<std::function<double(double)>> stages;
  for (int i = 0; i < n; ++i)
    stages.push_back([c = x[i], i](double v) { return i % 2 ? c * v : v + i * c; });
  std::function<double(double)> all = [](double v) { return v; };
  for (auto &f : stages)
    all = [f, all](double v) { return f(all(v)); };
  std::function<double(double)> once = [a, n](double v) { return v * a + n; };
  for (int i = 0; i < 2; ++i)
    all = [once, all](double v) { return once(all(v)); };
  return all(0.5);
}

GRADIENT_CHECK(std_function_wrapped, Double, wrap, In(double, 5), Scalar(double), Int(5))

namespace {
struct Mark {
  float x, y;
  int k;
};

__attribute__((noinline)) Mark mix(Mark a, Mark b) {
  Mark out = a.k > b.k ? a : b;
  out.x = a.x * b.x;
  return out;
}
} // namespace

static float kept(const float *x, int n) {
  std::vector<Mark> marks;
  for (int i = 0; i < n; ++i)
    marks.push_back({x[i] * x[i], x[n - 1 - i], (i * 5) % 7});
  std::function<Mark(Mark)> next = [one = marks[1], other = marks[2]](Mark in) mutable {
    one = mix(one, in);
    std::swap(one, other);
    return one;
  };
  float s = 0;
  for (const Mark &in : marks) {
    const Mark out = next(in);
    s += out.x * out.y + out.x * float(out.k);
  }
  return s;
}

GRADIENT_CHECK(std_function_records, Float, kept, In(float, 5), Int(5))
