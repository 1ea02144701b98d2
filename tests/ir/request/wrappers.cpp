// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that pass markers on to a derivative call, by value and by reference, through another
// one, and the header <enzyme/enzyme>: also without an optimiser, and in code that clang has made
// without the plugin and has not optimised, where structures are still passed as such.
//
// RUN: %cf_clangxx -std=c++17 -O0 %s -o %t0 && %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++17 -O2 %s -o %t2 && %t2 | FileCheck %s
// RUN: clang++ -std=c++17 -I%cf_include -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='enzyme,verify' %t.ll -S -o %t.after.ll
// RUN: %cf_clangxx -x ir %t.after.ll -o %t1 && %t1 | FileCheck %s
// RUN: clang++ -std=c++17 -I%cf_include -O0 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='enzyme,verify' %t.ll -S -o %t.after.ll
// RUN: %cf_clangxx -x ir %t.after.ll -o %t1 && %t1 | FileCheck %s
#include <enzyme/enzyme>

#include <cstdio>
#include <utility>

extern int enzyme_dup, enzyme_const, enzyme_dupnoneed, enzyme_width;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

struct Pair {
  double x, y;
};
static double energy(const double *x, int n, double k) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += k * x[i] * x[i];
  return sum;
}
static double area(Pair p) { return p.x * p.y * p.y; }
static double _Complex squared(double _Complex z) { return z * z; }

template <class... A> double byValue(void *f, A... a) { return __enzyme_autodiff<double>(f, a...); }
template <class F, class... A> auto byReference(F *f, A &&...a) {
  return __enzyme_fwddiff<double>(reinterpret_cast<void *>(f), std::forward<A>(a)...);
}
template <class... A> double outer(const double &scale, A &&...a) {
  return scale * byReference(energy, std::forward<A>(a)...);
}

int main() {
  double x[2] = {1, 2}, bar[2] = {0, 0}, dot[2] = {1, -1};
  const double k =
      byValue(reinterpret_cast<void *>(energy), enzyme_dup, x, bar, enzyme_const, 2, 3.0);
  std::printf("%g %g %g\n", bar[0], bar[1], k);
  // CHECK: 6 12 5
  std::printf("%g\n",
              byReference(energy, enzyme_dup, x, dot, enzyme_const, 2, enzyme_dup, 3.0, 1.0));
  // CHECK: -1
  std::printf("%g\n", outer(2.0, enzyme_dup, x, dot, enzyme_const, 2, enzyme_const, 3.0));
  // CHECK: -12
  const Pair p = byReference(area, enzyme_width, 1, enzyme_dup, Pair{2, 3}, Pair{1, 0}) == 9
                     ? Pair{1, 1}
                     : Pair{0, 0};
  std::printf("%g %g\n", p.x, p.y);
  // CHECK: 1 1
  const double _Complex z = {2, 1}, zDot = {0, 1};
  const auto w =
      __enzyme_fwddiff<double _Complex>(reinterpret_cast<void *>(squared), enzyme_dup, z, zDot);
  std::printf("%g %g\n", __real__ w, __imag__ w);
  // CHECK: -2 4
  auto cube = [](double a) { return a * a * a; };
  auto [slopes] = enzyme::autodiff<enzyme::Reverse>(cube, enzyme::Active(2.0));
  auto [slope] = slopes;
  std::printf("%g\n", slope);
  // CHECK: 12
}
