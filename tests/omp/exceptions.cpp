// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that leave a derivative between its regions: what threads have recorded until then is
// dropped, and the next derivative is right. Those that are caught within a region, in several
// directions: variables that the library reads beside them (those of shared_ptr) stay what they
// are.
#include "GradientCheck.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

double __enzyme_fwddiff_sum(void *, ...);
void __enzyme_autodiff_sum(void *, ...);

namespace {

constexpr int N = 9;

double sumUntil(const double *X, int Fails) {
  double Product = 1, Sums[2] = {0, 0};
#pragma omp parallel for reduction(+ : Sums)
  for (int I = 0; I < N; ++I)
    Sums[I % 2] += X[I] * std::sin(X[(I + 1) % N]);
  if (Fails == 1)
    throw std::runtime_error("after one region");
#pragma omp parallel
#pragma omp single
  for (int I = 0; I < N; ++I)
#pragma omp task firstprivate(I) shared(Product)
  {
    const double Factor = 1 + 0.1 * std::sin(X[I] * X[I]);
#pragma omp critical
    Product += Factor * Factor;
  }
  if (Fails == 2)
    throw std::runtime_error("after two");
  return Sums[0] * Sums[1] * Product;
}

double primal(void *const *V) { return sumUntil(static_cast<double *>(V[0]), 0); }

double tangent(void *const *V, void *const *D) {
  for (int Fails : {1, 2})
    try {
      __enzyme_fwddiff_sum((void *)sumUntil, enzyme_dup, V[0], D[0], enzyme_const, Fails);
    } catch (const std::runtime_error &) {
    }
  return __enzyme_fwddiff_sum((void *)sumUntil, enzyme_dup, V[0], D[0], enzyme_const, 0);
}

void adjoint(void *const *V, void *const *D) {
  for (int Fails : {2, 1, 1, 2})
    try {
      double Unused[N] = {};
      __enzyme_autodiff_sum((void *)sumUntil, enzyme_dup, V[0], Unused, enzyme_const, Fails);
    } catch (const std::runtime_error &) {
    }
  __enzyme_autodiff_sum((void *)sumUntil, enzyme_dup, V[0], D[0], enzyme_const, 0);
}

struct Steep : std::runtime_error {
  double Slope;
  Steep(double S, int At) : std::runtime_error("at " + std::to_string(At)), Slope(S) {}
};

double repaired(const double *X) {
  const auto Parts = std::make_shared<std::vector<double>>(N);
  double Sum = 0;
#pragma omp parallel for reduction(+ : Sum)
  for (int I = 0; I < N; ++I) {
    try {
      if (I % 3 == 1)
        throw Steep(std::sin(X[I]) * X[I - 1], I);
      (*Parts)[I] = X[I] * X[I];
    } catch (const Steep &Error) {
      (*Parts)[I] = Error.Slope * X[I];
    }
    Sum += (*Parts)[I] * X[0];
  }
  return Sum * (*Parts)[N / 2];
}

double repairedPrimal(void *const *V) { return repaired(static_cast<double *>(V[0])); }

double repairedTangent(void *const *V, void *const *D) {
  return __enzyme_fwddiff_sum((void *)repaired, enzyme_dup, V[0], D[0]);
}

void repairedAdjoint(void *const *V, void *const *D) {
  double First[N] = {}, Second[N] = {};
  __enzyme_autodiff_sum((void *)repaired, enzyme_width, 2, enzyme_dup, V[0], First, Second);
  for (int I = 0; I < N; ++I)
    static_cast<double *>(D[0])[I] += 0.25 * First[I] + 0.75 * Second[I];
}

} // namespace

GRADIENT_CHECK_CUSTOM(exceptions_in_directions, Double, repairedPrimal, repairedTangent,
                      repairedAdjoint, In(double, N))
GRADIENT_CHECK_CUSTOM(exceptions_between_regions, Double, primal, tangent, adjoint, In(double, N))
