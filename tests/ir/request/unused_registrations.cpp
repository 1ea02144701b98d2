// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells something about functions is read although the program does not use it: static,
// inline, in a namespace, in a class.
//
// RUN: %cf_clangxx -std=c++17 -Wall -Wextra -Werror -O0 %s -o %t0 && %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++17 -Wall -Wextra -Werror -O2 %s -o %t2 && %t2 | FileCheck %s
#include <cstdio>

template <class R, class... T> R __enzyme_fwddiff(void *, T...);

template <int N> static double power(double x) { return N == 0 ? 1 : x * power<N ? N - 1 : 0>(x); }
template <int N> static double tenfold(double, double dx) { return N * 10 * dx; }

static void *__enzyme_register_derivative_1[] = {(void *)power<1>, (void *)tenfold<1>};
inline void *__enzyme_register_derivative_2[] = {(void *)power<2>, (void *)tenfold<2>};
namespace rules {
namespace {
void *const __enzyme_register_derivative_3[] = {(void *)power<3>, (void *)tenfold<3>};
}
extern "C++" {
static const void *__enzyme_register_derivative_4[] = {(void *)power<4>, (void *)tenfold<4>};
}
} // namespace rules
struct Rule {
  static inline void *__enzyme_register_derivative_5[] = {(void *)power<5>, (void *)tenfold<5>};
};

int main() {
  // CHECK: 10 20 30 40 50
  std::printf("%g %g %g %g %g\n", __enzyme_fwddiff<double>((void *)power<1>, 3., 1.),
              __enzyme_fwddiff<double>((void *)power<2>, 3., 1.),
              __enzyme_fwddiff<double>((void *)power<3>, 3., 1.),
              __enzyme_fwddiff<double>((void *)power<4>, 3., 1.),
              __enzyme_fwddiff<double>((void *)power<5>, 3., 1.));
}
