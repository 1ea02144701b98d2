// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What debuggers, profilers and coverage put into functions is no part of what is differentiated:
// uses for debuggers (-Og), the addresses of all functions, counters in a comparison.
//
// RUN: %cf_clangxx -Og %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O0 -finstrument-functions %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O1 -finstrument-functions %s -o %t && %t | FileCheck %s
// RUN: %cf_clangxx -O1 --coverage -o %t %s && %t | FileCheck %s
// RUN: %cf_clangxx -O1 -fprofile-generate=%t.d %s -o %t && %t | FileCheck %s

#include <cstdio>
#include <cstdlib>

extern int enzyme_dup;
template <class T, class... A> T __enzyme_autodiff(void *, A...);
template <class T, class... A> T __enzyme_fwddiff(void *, A...);

static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
/// Nobody takes its address but a profiler.
__attribute__((noinline)) double hidden(double x) {
  __asm__ volatile("" : "+m"(x));
  __asm__ volatile("nop" : "+x"(x));
  return x;
}
double (*chosen)(double) = square;

static int order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double sorted(double *x) {
  qsort(x, 3, sizeof *x, order);
  return chosen(x[0]) + 10 * chosen(x[2]);
}

// A rule whose primal does nothing but calculate.
static double scaled(double x, long n) { return x * x * static_cast<double>(n); }
static double scaledTangent(double x, double dot, long n) {
  return 2 * x * dot * static_cast<double>(n);
}
__attribute__((used)) static void *__enzyme_register_derivative_scaled[] = {
    reinterpret_cast<void *>(scaled), reinterpret_cast<void *>(scaledTangent)};
static double twice(double x) { return scaled(x, 3) * 2; }

int main(int argc, char **) {
  if (argc > 5)
    chosen = argc > 6 ? hidden(argc) > 3 ? cube : square : cube;
  double x[] = {3, 1, 2}, bar[] = {0, 0, 0};
  __enzyme_autodiff<void>((void *)sorted, enzyme_dup, x, bar);
  std::printf("%g %g %g\n", bar[0], bar[1], bar[2]);                      // CHECK: 60 2 0
  std::printf("%g\n", __enzyme_fwddiff<double>((void *)twice, 2.0, 1.0)); // CHECK: 24
}
