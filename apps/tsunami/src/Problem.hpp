// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse problem of a deck on this rank: ocean, gauges with their observations, memory for the
// sea and its derivatives, and the three things one can ask of them.
#pragma once

#include "Derivatives.hpp"
#include "GaugeSet.hpp"
#include "Ocean.hpp"

namespace tsunami {

/// A point, direction or gradient in the space of controls: this rank's cells, and the friction
/// coefficient, which is the same on every rank.
struct ControlVector {
  Array eta0;
  double friction = 0.0;
  Controls controls() { return {eta0.data(), &friction}; }
};

class Problem {
public:
  Problem(const Deck &deck, MPI_Comm comm);

  const Ocean &ocean() const { return sea; }
  const GaugeSet &gauges() const { return gaugeSet; }
  const Records &observations() const { return records; }
  const Array &gaugeSeries() const { return work.gaugeSeries(); }
  const std::atomic<int> &stepsDone() const { return work.stepsDone(); }
  ControlVector firstGuess() const;

  /// All collective. Every rank gets the same numbers; `gradient` is overwritten.
  double misfitAt(ControlVector &at);
  double derivativeAt(ControlVector &at, ControlVector &direction);
  double gradientAt(ControlVector &at, ControlVector &gradient);

  /// <a, b> over all ranks.
  double dot(const ControlVector &a, const ControlVector &b) const;

private:
  Ocean sea;
  Records records;
  GaugeSet gaugeSet;
  Sea work, shadow;
};

} // namespace tsunami
