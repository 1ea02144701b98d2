// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The direction is random in every cell, with numbers made from the cell's place in the whole
// ocean: the same whatever the number of ranks.
#include "Verification.hpp"

#include <cmath>
#include <cstdint>

namespace tsunami {
namespace {

/// Uniform in [-1, 1), from a counter (splitmix64).
double randomAt(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
}

ControlVector randomDirection(const Ocean &ocean, const ControlVector &at) {
  const double height = 0.002; // metres: well under the limiter's smooth difference
  ControlVector v{Array(ocean.ownCells()), 0.1 * at.friction};
  for (long k = 0; k < ocean.ownCells(); ++k) {
    const long cols = ocean.mesh().cols;
    if (!ocean.isLand(k / cols, k % cols))
      v.eta0[k] = height * randomAt(ocean.firstRow() * cols + k);
  }
  return v;
}

double centralDifference(Problem &problem, const ControlVector &at, const ControlVector &v,
                         double h) {
  double side[2];
  for (const int s : {0, 1}) {
    const double step = s == 0 ? -h : h;
    ControlVector x{Array(at.eta0.size()), at.friction + step * v.friction};
    for (long i = 0; i < x.eta0.size(); ++i)
      x.eta0[i] = at.eta0[i] + step * v.eta0[i];
    side[s] = problem.misfitAt(x);
  }
  return (side[1] - side[0]) / (2.0 * h);
}

/// Least-squares slope of log(errors) over log(steps).
double slopeOf(const std::vector<double> &steps, const std::vector<double> &errors) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

} // namespace

Verification verify(Problem &problem, ControlVector &at, const ControlVector &gradient) {
  Verification result;
  ControlVector v = randomDirection(problem.ocean(), at);
  result.tangent = problem.derivativeAt(at, v);
  result.dotError = std::abs(problem.dot(gradient, v) - result.tangent) / std::abs(result.tangent);
  for (const double h : {1.0, 0.5, 0.25}) {
    result.steps.push_back(h);
    result.errors.push_back(std::abs(centralDifference(problem, at, v, h) - result.tangent) /
                            std::abs(result.tangent));
  }
  result.taylorOrder = slopeOf(result.steps, result.errors);
  return result;
}

} // namespace tsunami
