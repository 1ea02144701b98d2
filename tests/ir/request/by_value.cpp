// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures by value in the templates that C++ programs declare: the request takes its arguments
// by value, by forwarding reference, or by constant reference.
//
// RUN: %cf_clangxx -std=c++20 -O0 %s -o %t0 && %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -O2 %s -o %t2 && %t2 | FileCheck %s
#include <array>
#include <complex>
#include <cstdio>
#include <span>

struct Mixed {
  double x;
  float y;
  int n;
};
struct Pair {
  double x, y;
};
struct Block {
  double a[5];
  int k;
};
struct Bars {
  Pair d;
  double k;
};
using Complex = std::complex<double>;
using Triple = std::array<double, 3>;

extern int enzyme_dup, enzyme_const, enzyme_out;
namespace values {
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);
} // namespace values
namespace forwarded {
template <class R, class... A> R __enzyme_autodiff(void *, A &&...);
template <class R, class... A> R __enzyme_fwddiff(void *, A &&...);
} // namespace forwarded
namespace constants {
template <class R, class... A> R __enzyme_autodiff(void *, const A &...);
template <class R, class... A> R __enzyme_fwddiff(void *, const A &...);
} // namespace constants

static double mixed(Mixed s) { return s.x * s.y * s.n; }
static double reference(const Mixed &s) { return s.x * s.y * s.n; }
static double pair(Pair a, double k) { return a.x * a.x * a.y * k; }
static double span(std::span<double> x) {
  double sum = 0;
  for (double v : x)
    sum += v * v;
  return sum;
}
static double block(Block b) {
  double sum = 0;
  for (int i = 0; i < b.k; i++)
    sum += b.a[i] * b.a[i];
  return sum;
}
static Complex square(Complex z) { return z * z; }
static Triple powers(double a) { return {a, a * a, a * a * a}; }
static double product(Triple a) { return a[0] * a[1] * a[2]; }

#define CHECK_ALL(NS)                                                                              \
  {                                                                                                \
    std::printf("mixed %g %g\n", NS::__enzyme_fwddiff<double>((void *)mixed, enzyme_dup, s, ds),   \
                NS::__enzyme_fwddiff<double>((void *)reference, enzyme_dup, &s, &ds));             \
    std::printf("pair %g\n",                                                                       \
                NS::__enzyme_fwddiff<double>((void *)pair, enzyme_dup, d, dd, enzyme_const, 2.0)); \
    const auto g = NS::__enzyme_autodiff<Bars>((void *)pair, enzyme_out, d, enzyme_out, 2.0);      \
    std::printf("pair %g %g %g\n", g.d.x, g.d.y, g.k);                                             \
    std::printf("span %g\n", NS::__enzyme_fwddiff<double>((void *)span, enzyme_dup, all, dall));   \
    double bar[3] = {0, 0, 0};                                                                     \
    std::span<double> bars(bar);                                                                   \
    NS::__enzyme_autodiff<void>((void *)span, enzyme_dup, all, bars);                              \
    std::printf("span %g %g %g\n", bar[0], bar[1], bar[2]);                                        \
    std::printf("block %g\n", NS::__enzyme_fwddiff<double>((void *)block, enzyme_dup, b, db));     \
    const auto t = NS::__enzyme_fwddiff<Complex>((void *)square, enzyme_dup, z, dz);               \
    std::printf("square %g %g\n", t.real(), t.imag());                                             \
    const auto r = NS::__enzyme_autodiff<Complex>((void *)square, enzyme_out, z);                  \
    std::printf("square %g %g\n", r.real(), r.imag());                                             \
    const auto p = NS::__enzyme_fwddiff<Triple>((void *)powers, enzyme_dup, 2.0, 1.0);             \
    std::printf("powers %g %g %g\n", p[0], p[1], p[2]);                                            \
    const auto q = NS::__enzyme_autodiff<Triple>((void *)product, enzyme_out, a);                  \
    std::printf("product %g %g %g\n", q[0], q[1], q[2]);                                           \
  }

int main() {
  Mixed s{2, 3, 5}, ds{1, 10, 0};
  Pair d{2, 3}, dd{1, 10};
  double x[3] = {1, 2, 3}, dx[3] = {1, 0, 1};
  std::span<double> all(x), dall(dx);
  Block b{{1, 2, 3, 4, 5}, 5}, db{{1, 1, 1, 1, 1}, 0};
  Triple a{2, 3, 5};
  Complex z(2, 3), dz(1, 10);
  // CHECK: mixed 115 115
  // CHECK-NEXT: pair 104
  // CHECK-NEXT: pair 24 8 12
  // CHECK-NEXT: span 8
  // CHECK-NEXT: span 2 4 6
  // CHECK-NEXT: block 30
  // CHECK-NEXT: square -56 46
  // CHECK-NEXT: square 10 -2
  // CHECK-NEXT: powers 1 4 12
  // CHECK-NEXT: product 15 10 6
  CHECK_ALL(values)
  // CHECK-NEXT: mixed 115 115
  // CHECK-NEXT: pair 104
  // CHECK-NEXT: pair 24 8 12
  // CHECK-NEXT: span 8
  // CHECK-NEXT: span 2 4 6
  // CHECK-NEXT: block 30
  // CHECK-NEXT: square -56 46
  // CHECK-NEXT: square 10 -2
  // CHECK-NEXT: powers 1 4 12
  // CHECK-NEXT: product 15 10 6
  CHECK_ALL(forwarded)
  // CHECK-NEXT: mixed 115 115
  // CHECK-NEXT: pair 104
  // CHECK-NEXT: pair 24 8 12
  // CHECK-NEXT: span 8
  // CHECK-NEXT: span 2 4 6
  // CHECK-NEXT: block 30
  // CHECK-NEXT: square -56 46
  // CHECK-NEXT: square 10 -2
  // CHECK-NEXT: powers 1 4 12
  // CHECK-NEXT: product 15 10 6
  CHECK_ALL(constants)
  return 0;
}
