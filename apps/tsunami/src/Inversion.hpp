// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of the tsunami from its gauges: L-BFGS on
//
//   cost(x) = |x|^2 / 2 + samples misfit(eta0(x)) / gaugeDeviation^2,    eta0(x) = guess + S x
//
// S smooths over the correlation length and scales to the deviation expected of the source, so that
// x is white. Rank 0 minimises over all cells; every rank runs its share of each simulation and
// gradient.
#pragma once

#include "Problem.hpp"

#include <vector>

namespace tsunami {

struct InversionStep {
  double misfit, cost, gradientNorm;
  int evaluations; // of the gradient, up to here
};

struct Inversion {
  std::vector<InversionStep> steps; // on rank 0; the first is the first guess
  ControlVector source;
  std::string message; // how the minimiser ended
  bool misfitFell() const { return steps.size() > 1 && steps.back().misfit < steps.front().misfit; }
};

/// Collective. `report` is called on rank 0 after each step.
Inversion invert(Problem &problem, int iterations, void (*report)(int, const InversionStep &));

} // namespace tsunami
