// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation and its two derivatives, each on this rank's share of the arrays. All collective.
#pragma once

#include "ShallowWater.hpp"

namespace tsunami {

/// What the misfit depends on, or a direction or gradient in that space: the initial sea-surface
/// displacement of the rank's own cells and Manning's coefficient.
struct Controls {
  double *eta0;
  double *friction;
};

/// The misfit at the controls.
double simulate(const Mesh &mesh, State &work, const Controls &at, const Gauges &gauges);

/// Tangent: the misfit's derivative in one direction. Expects workDot all zero.
double derivativeAlong(const Mesh &mesh, State &work, State &workDot, const Controls &at,
                       const Controls &direction, const Gauges &gauges);

/// Adjoint: adds the misfit's gradient to `gradient` (eta0: of the own cells; friction: this rank's
/// share, to be summed over ranks) and returns the misfit. Expects workBar all zero.
double gradientOf(const Mesh &mesh, State &work, State &workBar, const Controls &at,
                  const Controls &gradient, const Gauges &gauges);

} // namespace tsunami
