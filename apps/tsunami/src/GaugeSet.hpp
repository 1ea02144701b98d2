// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gauges: where they stand in a rank's rows, and what was observed there.
//
// Observation file (CSV): lines that begin with '#' are comments, then a heading `time,<gauge>,...`
// and one line per time; an empty place means that nothing was observed.
#pragma once

#include "Ocean.hpp"

#include <string>
#include <vector>

namespace tsunami {

/// A table of sea levels: one row per time, one column per gauge of the deck.
struct Records {
  std::vector<double> times;
  std::vector<std::vector<double>> levels; // [gauge][time]; NaN: nothing observed
};

/// Reads the deck's observation file.
Records readObservations(const Deck &deck);
void writeRecords(const std::string &file, const std::vector<std::string> &comments,
                  const std::vector<GaugeSite> &sites, const Records &records);

class GaugeSet {
public:
  /// The deck's gauges that stand in this rank's rows. With `records` null, nothing is observed.
  /// The ocean must have its time step.
  GaugeSet(const Ocean &ocean, const Records *records);

  const Gauges &gauges() const { return view; }
  long count() const { return view.count; }

  /// Collective: the records of all gauges at the model's times, on rank 0 (no levels elsewhere).
  Records collect(const Ocean &ocean, const Array &series) const;

private:
  void place(const Ocean &ocean, long gauge);
  void observe(const Ocean &ocean, const Records &records);

  std::vector<long> sites; // index in the deck
  std::vector<long> cell;
  std::vector<double> weight, observed, trust;
  Gauges view{};
};

/// Linear interpolation in records of one gauge; NaN outside them.
double levelAt(const std::vector<double> &times, const std::vector<double> &levels, double t);

} // namespace tsunami
