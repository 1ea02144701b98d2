// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function to differentiate is chosen at run time: from a table, by a condition, as a parameter
// of a function that other files may call, or kept in an object. Two calls of different functions
// in two branches stay two calls.
//
// RUN: %cf_clangxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O1 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O3 %s -o %t && %t | FileCheck %s
// RUN: not --crash %t unknown 2>&1 | FileCheck --check-prefix=UNKNOWN %s

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... A> R __enzyme_autodiff(void *, A...);
template <class R, class... A> R __enzyme_fwddiff(void *, A...);

using Scalar = double (*)(double);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double wave(double x) { return std::sin(x); }
static Scalar table[] = {square, cube, wave};

double slope(Scalar f, double x) { return __enzyme_fwddiff<double>((void *)f, x, 1.0); }

using Energy = double (*)(const double *, int);
static double squares(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}
static double chain(const double *x, int n) {
  double product = 1;
  for (int i = 0; i < n; ++i)
    product *= x[i];
  return product;
}

struct Guard {
  std::string name;
  ~Guard() { std::printf("%s:", name.c_str()); }
};
std::vector<double> gradient(Energy f, const std::vector<double> &x) {
  const Guard guard{"longer than what a string has room for"}; // the call is an invoke
  std::vector<double> bar(x.size());
  __enzyme_autodiff<void>((void *)f, enzyme_dup, x.data(), bar.data(), enzyme_const, int(x.size()));
  return bar;
}
class Model {
public:
  explicit Model(Energy f) : f(f) {}
  double first(const std::vector<double> &x) const { return gradient(f, x)[0]; }

private:
  Energy f;
};

int main(int argc, char **argv) {
  // CHECK: 6 27 -0.989992
  for (Scalar f : table)
    std::printf("%g ", __enzyme_autodiff<double>((void *)f, 3.0));
  // CHECK: 27 6
  Scalar chosen = argc > 7 ? square : cube;
  std::printf("\n%g ", __enzyme_autodiff<double>((void *)chosen, 3.0));
  if (argc > 7)
    std::printf("%g\n", __enzyme_autodiff<double>((void *)cube, 3.0));
  else
    std::printf("%g\n", __enzyme_autodiff<double>((void *)square, 3.0));
  // CHECK: 4 12 -0.416147
  for (int i = 0; i < 3; ++i)
    std::printf("%g ", slope(table[i], 2.0));
  // CHECK: has room for:
  // CHECK-NEXT: 6 longer than what a string has room for:2
  std::printf("\n%g ", Model(argc > 7 ? squares : chain).first({1, 2, 3}));
  std::printf("%g\n", gradient(squares, {1, 2, 3})[0]);
  std::fflush(stdout);
  // UNKNOWN: CF307
  if (argc > 1)
    slope(reinterpret_cast<Scalar>(argv), 2.0);
  return 0;
}
