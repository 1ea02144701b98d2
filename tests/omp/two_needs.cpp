// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two derivatives of one function that need different things of its region: the adjoint alone,
// which does not need the sums, and the adjoint with the function's value.
#include "GradientCheck.h"

#include <cmath>

void __enzyme_autodiff_alone(void *, ...);
double __enzyme_autodiff_with_value(void *, ...);
double __enzyme_fwddiff_of(void *, ...);
extern int enzyme_primal_return;

namespace {

constexpr int N = 9;

double sums(const double *X) {
  double Sums[2] = {0, 0};
#pragma omp parallel for reduction(+ : Sums)
  for (int I = 0; I < N; ++I)
    Sums[I % 2] += X[I] * std::sin(X[(I + 1) % N]);
  return Sums[0] + 2 * Sums[1];
}

double primal(void *const *V) { return sums(static_cast<double *>(V[0])); }

double tangent(void *const *V, void *const *D) {
  return __enzyme_fwddiff_of((void *)sums, enzyme_dup, V[0], D[0]);
}

/// Wrong by the difference of the values, if there is one.
void adjoint(void *const *V, void *const *D) {
  double Unused[N] = {};
  __enzyme_autodiff_alone((void *)sums, enzyme_dup, V[0], Unused);
  const double Value =
      __enzyme_autodiff_with_value((void *)sums, enzyme_primal_return, enzyme_dup, V[0], D[0]);
  static_cast<double *>(D[0])[0] += std::fabs(Value - primal(V)) > 1e-9 ? 100 : 0;
}

} // namespace

GRADIENT_CHECK_CUSTOM(two_needs, Double, primal, tangent, adjoint, In(double, N))
