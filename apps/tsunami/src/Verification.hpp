// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two checks that every run can make of its own derivatives.
//
//   Taylor    the tangent J'v against central differences (J(x + h v) - J(x - h v)) / 2h: their
//   distance
//             falls with h to the power two if, and only if, both are right
//   dot       the adjoint against the tangent: <gradient, v> = J'v to rounding
#pragma once

#include "Problem.hpp"

#include <vector>

namespace tsunami {

struct Verification {
  double tangent = 0.0;              // J'v
  std::vector<double> steps, errors; // h and relative distance
  double taylorOrder = 0.0;          // slope of log error over log h
  double dotError = 0.0;             // relative

  static constexpr double LeastOrder = 1.9, LargestDotError = 1e-10;
  bool taylorHolds() const { return taylorOrder >= LeastOrder; }
  bool dotHolds() const { return dotError <= LargestDotError; }
};

/// Collective. `gradient` is what the adjoint says at `at`.
Verification verify(Problem &problem, ControlVector &at, const ControlVector &gradient);

} // namespace tsunami
