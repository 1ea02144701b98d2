// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.hpp"

#include "Derivatives.hpp"
#include "GaugeSet.hpp"
#include "Ocean.hpp"
#include "Progress.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <random>

namespace tsunami {
namespace {

/// Every `interval` seconds, to a tenth of a millimetre, with independent normal errors.
Records sample(const Deck &deck, const Records &fine) {
  std::mt19937_64 random(deck.noiseSeed);
  std::normal_distribution<double> error(0.0, 1.0);
  Records records;
  records.levels.resize(fine.levels.size());
  for (long n = 1; n * deck.sampleInterval <= deck.duration; ++n) {
    const double t = static_cast<double>(n) * deck.sampleInterval;
    records.times.push_back(t);
    for (std::size_t g = 0; g < fine.levels.size(); ++g) {
      const double level = levelAt(fine.times, fine.levels[g], t) + deck.noise * error(random);
      records.levels[g].push_back(std::round(level * 1e4) * 1e-4);
    }
  }
  return records;
}

} // namespace

void makeObservations(const Deck &deck, MPI_Comm comm, bool showProgress) {
  Ocean ocean(deck, deck.referenceRefinement, comm);
  Array source = ocean.surface(deck.truth);
  ocean.chooseTimeStep(source.data());
  const GaugeSet gauges(ocean, nullptr);
  Sea sea(ocean.mesh(), gauges.count());
  double friction = deck.manning;
  {
    const Progress bar("reference run", sea.stepsDone(), ocean.mesh().steps, showProgress);
    simulate(ocean.mesh(), sea.state(), {source.data(), &friction}, gauges.gauges());
  }
  const Records fine = gauges.collect(ocean, sea.gaugeSeries());
  if (ocean.rank() != 0)
    return;
  const std::string name = std::filesystem::path(deck.file).filename().string();
  writeRecords(deck.observations,
               {"sea level (m) over time (s) at the gauges of " + name,
                fmt::format("from {} x {} cells, {} steps; noise {} m, seed {}", ocean.mesh().cols,
                            ocean.globalRows(), ocean.mesh().steps, deck.noise, deck.noiseSeed),
                "made by: tsunami --make-observations " + name},
               deck.gauges, sample(deck, fine));
  fmt::print("wrote {}\n", deck.observations);
}

} // namespace tsunami
