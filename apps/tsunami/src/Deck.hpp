// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case, as its TOML deck describes it. Lengths in metres, times in seconds, x to the east, y to
// the north from the south-western corner.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tsunami {

/// Something wrong with what the user gave us: a deck, an observation file, a folder.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Point {
  double x, y;
};

/// A Gaussian lift (or, with a negative height, drop) of the sea surface, `length` long in the
/// direction `strike` (degrees clockwise from north) and `width` across; both are standard
/// deviations.
struct Hump {
  Point centre;
  double length, width, strike, height;
};

/// A Gaussian wall under water along a line.
struct Ridge {
  Point from, to;
  double height, width;
};

/// Land within coastRadius; around it a shelf of shelfDepth that falls off over slopeWidth.
struct Island {
  Point centre;
  double coastRadius, shelfDepth, slopeWidth;
};

/// The continental shelf along the eastern side.
struct Shelf {
  double depth = 0.0, edge = 0.0, slopeWidth = 0.0; // depth 0: none
};

struct GaugeSite {
  std::string name;
  Point at;
};

struct Deck {
  std::string file, title;
  Point extent{};
  long cellsX = 0, cellsY = 0;
  double duration = 0.0, cfl = 0.0, gravity = 0.0;

  double oceanDepth = 0.0;
  Shelf shelf;
  std::vector<Ridge> ridges;
  std::vector<Island> islands;

  double spongeWidth = 0.0, spongeDamping = 0.0;
  double manning = 0.0;
  double smoothDifference = 0.0; // of sea level between neighbouring cells, for the limiter

  std::vector<Hump> firstGuess; // where the inversion starts
  std::vector<Hump> truth;      // what the reference run starts from

  std::vector<GaugeSite> gauges;
  std::string observations; // path of the CSV file
  long referenceRefinement = 0;
  double sampleInterval = 0.0, noise = 0.0;
  std::uint64_t noiseSeed = 0;

  double correlationLength = 0.0, sourceDeviation = 0.0, gaugeDeviation = 0.0;
};

/// Reads and checks a deck; throws InputError with file, key and reason.
Deck readDeck(const std::string &file);

} // namespace tsunami
