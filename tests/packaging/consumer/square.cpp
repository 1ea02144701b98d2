// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// d/dx x*x = 2x, both modes, and what the runtime's header offers.

#include "contraflow/runtime.h"

#include <cstdio>

extern int enzyme_dup;
double __enzyme_autodiff(void *, double);
double __enzyme_fwddiff(void *, int, double, double);

static double square(double x) { return x * x; }

int main() {
  cf_tape_statistics_reset();
  for (double x = -2; x <= 2; x += 0.5) {
    const double adjoint = __enzyme_autodiff(reinterpret_cast<void *>(square), x);
    const double tangent = __enzyme_fwddiff(reinterpret_cast<void *>(square), enzyme_dup, x, 1.0);
    if (adjoint != 2 * x || tangent != 2 * x) {
      std::printf("d/dx x*x at %g: adjoint %g, tangent %g\n", x, adjoint, tangent);
      return 1;
    }
  }
  struct cf_tape_statistics tape = {};
  cf_tape_statistics(&tape);
  return tape.budget_bytes > 0 ? 0 : 1;
}
