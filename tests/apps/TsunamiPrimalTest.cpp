// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shallow-water solver against what is known without it: the sea at rest, conservation of mass,
// the speed and shape of long waves, the order of convergence, coasts, and indifference to the
// number of ranks.
#include "Derivatives.hpp"
#include "GaugeSet.hpp"
#include "Ocean.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace tsunami;

namespace {

Deck openOcean(long cells) {
  Deck deck;
  deck.file = "test";
  deck.extent = {400e3, 400e3};
  deck.cellsX = deck.cellsY = cells;
  deck.duration = 300.0;
  deck.cfl = 0.5;
  deck.gravity = 9.81;
  deck.oceanDepth = 4000.0;
  deck.manning = 0.0;
  deck.smoothDifference = 0.02;
  deck.firstGuess = {{{200e3, 200e3}, 25e3, 25e3, 0.0, 1.0}};
  return deck;
}

Deck roughOcean(long cells) {
  Deck deck = openOcean(cells);
  deck.ridges = {{{120e3, 100e3}, {260e3, 300e3}, 2500.0, 30e3}};
  return deck;
}

/// Runs a deck from a given surface and keeps the last state.
struct Simulated {
  Ocean ocean;
  Array eta0;
  GaugeSet gauges;
  Sea sea;

  Simulated(const Deck &deck, MPI_Comm comm, double lift = 0.0, long refinement = 1)
      : ocean(deck, refinement, comm), eta0(start(ocean, lift)), gauges(ocean, nullptr),
        sea(ocean.mesh(), gauges.count()) {
    double friction = deck.manning;
    simulate(ocean.mesh(), sea.state(), {eta0.data(), &friction}, gauges.gauges());
  }

  static Array start(Ocean &ocean, double lift) {
    Array eta = ocean.surface(ocean.deck().firstGuess);
    for (long i = 0; i < eta.size(); ++i)
      eta[i] += lift;
    ocean.chooseTimeStep(eta.data());
    return eta;
  }

  /// Variable v (0 sea level, 1 and 2 momentum) of own cell (row, col) at the end.
  double at(long v, long row, long col) const {
    const Mesh &m = ocean.mesh();
    const State &s = const_cast<Sea &>(sea).state();
    const double *last = m.steps % 2 == 0 ? s.even : s.odd;
    return last[((row + Ghost) * Variables + v) * m.stride + col + Ghost];
  }

  /// Variable v of all cells, on rank 0.
  std::vector<double> all(long v) const {
    const Mesh &m = ocean.mesh();
    std::vector<double> own(ocean.ownCells());
    for (long j = 0; j < m.rows; ++j)
      for (long i = 0; i < m.cols; ++i)
        own[j * m.cols + i] = at(v, j, i);
    return ocean.gather(own.data());
  }
};

double sum(const std::vector<double> &values) {
  double total = 0.0;
  for (const double v : values)
    total += v;
  return total;
}

/// Means of refinement x refinement cells.
std::vector<double> coarsen(const std::vector<double> &fine, long cells, long refinement) {
  std::vector<double> coarse(cells * cells, 0.0);
  for (long j = 0; j < cells * refinement; ++j)
    for (long i = 0; i < cells * refinement; ++i)
      coarse[j / refinement * cells + i / refinement] +=
          fine[j * cells * refinement + i] / static_cast<double>(refinement * refinement);
  return coarse;
}

double distance(const std::vector<double> &a, const std::vector<double> &b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

TEST(TsunamiPrimal, TheSeaAtRestStaysAtRestToTheLastBit) {
  Deck deck = roughOcean(48);
  deck.firstGuess.clear();
  deck.islands = {{{150e3, 250e3}, 20e3, 50.0, 30e3}};
  deck.spongeWidth = 40e3;
  deck.spongeDamping = 0.02;
  deck.manning = 0.03;
  const Simulated run(deck, MPI_COMM_WORLD);
  for (long j = 0; j < run.ocean.mesh().rows; ++j)
    for (long i = 0; i < run.ocean.mesh().cols; ++i)
      for (long v = 0; v < Variables; ++v)
        ASSERT_EQ(run.at(v, j, i), 0.0) << "variable " << v << " at " << j << ", " << i;
}

// The rim keeps the ocean outside at level zero, so cells that the rim cannot have reached are
// looked at.
TEST(TsunamiPrimal, ALevelSeaAboveRoughBedDoesNotMove) {
  Deck deck = roughOcean(80);
  deck.firstGuess.clear();
  deck.duration = 60.0;
  const double level = 0.7;
  const Simulated run(deck, MPI_COMM_WORLD, level);
  const long reach = 2 * run.ocean.mesh().steps, cells = deck.cellsX;
  ASSERT_LT(2 * reach, cells);
  const double scale = level * std::sqrt(deck.gravity * deck.oceanDepth);
  for (long j = 0; j < run.ocean.mesh().rows; ++j) {
    const long row = run.ocean.firstRow() + j;
    for (long i = reach; i < cells - reach && row >= reach && row < cells - reach; ++i) {
      EXPECT_NEAR(run.at(0, j, i), level, 1e-12);
      EXPECT_NEAR(run.at(1, j, i), 0.0, 1e-12 * scale);
      EXPECT_NEAR(run.at(2, j, i), 0.0, 1e-12 * scale);
    }
  }
}

TEST(TsunamiPrimal, MassIsConserved) {
  Deck deck = roughOcean(96);
  deck.islands = {{{240e3, 180e3}, 15e3, 80.0, 20e3}};
  deck.duration = 250.0;
  const Simulated run(deck, MPI_COMM_WORLD);
  const double before = sum(run.ocean.gather(run.eta0.data())), after = sum(run.all(0));
  if (run.ocean.rank() == 0) {
    EXPECT_GT(before, 10.0);
    EXPECT_NEAR(after, before, 1e-9 * before);
  }
}

TEST(TsunamiPrimal, LandStaysDryAndStill) {
  Deck deck = openOcean(64);
  deck.islands = {{{240e3, 180e3}, 20e3, 80.0, 20e3}};
  deck.manning = 0.03;
  const Simulated run(deck, MPI_COMM_WORLD);
  long land = 0;
  for (long j = 0; j < run.ocean.mesh().rows; ++j)
    for (long i = 0; i < run.ocean.mesh().cols; ++i)
      for (long v = 0; v < Variables && run.ocean.isLand(j, i); ++v, ++land)
        EXPECT_EQ(run.at(v, j, i), 0.0);
  MPI_Allreduce(MPI_IN_PLACE, &land, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_GT(land, 0);
}

// D'Alembert: a ridge of water, endless in one direction, falls apart into two halves that travel
// with sqrt(g h). Low, so that the equations are as good as linear.
void expectTwoHalves(double strike, long across) {
  Deck deck = openOcean(200);
  const double height = 0.01, width = 16e3;
  deck.firstGuess = {{{200e3, 200e3}, 1e9, width, strike, height}};
  deck.smoothDifference = 1e-4;
  deck.duration = 400.0;
  const Simulated run(deck, MPI_COMM_WORLD);
  const std::vector<double> level = run.all(0);
  if (run.ocean.rank() != 0)
    return;
  const double way = std::sqrt(deck.gravity * deck.oceanDepth) * deck.duration;
  const auto hump = [&](double x) {
    return 0.5 * height * std::exp(-0.5 * x * x / (width * width));
  };
  for (long i = 0; i < deck.cellsX; ++i) {
    const double x = (static_cast<double>(i) + 0.5) * run.ocean.mesh().dx - 200e3;
    const long middle = deck.cellsX / 2;
    const double simulated =
        level[across == 0 ? middle * deck.cellsX + i : i * deck.cellsX + middle];
    EXPECT_NEAR(simulated, hump(x - way) + hump(x + way), 0.01 * height) << "x " << x;
  }
}

TEST(TsunamiPrimal, ALongWaveTravelsEastAndWestAsTheoryHasIt) { expectTwoHalves(0.0, 0); }
TEST(TsunamiPrimal, ALongWaveTravelsNorthAndSouthAsTheoryHasIt) { expectTwoHalves(90.0, 1); }

TEST(TsunamiPrimal, TheSpongeLetsWavesLeave) {
  Deck deck = openOcean(80);
  deck.duration = 2400.0;
  deck.spongeWidth = 60e3;
  deck.spongeDamping = 0.02;
  const Simulated run(deck, MPI_COMM_WORLD);
  double highest = 0.0;
  for (const double level : run.all(0))
    highest = std::max(highest, std::abs(level));
  EXPECT_LT(highest, 0.01 * deck.firstGuess[0].height);
}

TEST(TsunamiPrimal, ConvergesWithSecondOrder) {
  const long cells = 40;
  Deck deck = roughOcean(cells);
  deck.smoothDifference = 0.2;
  deck.manning = 0.03;
  std::vector<std::vector<double>> levels;
  for (const long refinement : {1, 2, 4})
    levels.push_back(Simulated(deck, MPI_COMM_WORLD, 0.0, refinement).all(0));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0)
    return;
  const std::vector<double> middle = coarsen(levels[1], cells, 2),
                            fine = coarsen(levels[2], cells, 4);
  const double order = std::log2(distance(levels[0], middle) / distance(middle, fine));
  EXPECT_GT(order, 1.8);
  EXPECT_LT(order, 3.2);
}

TEST(TsunamiPrimal, DoesNotDependOnTheNumberOfRanks) {
  Deck deck = roughOcean(50);
  deck.islands = {{{240e3, 180e3}, 20e3, 80.0, 20e3}};
  deck.manning = 0.03;
  deck.spongeWidth = 40e3;
  deck.spongeDamping = 0.02;
  const Simulated together(deck, MPI_COMM_WORLD), alone(deck, MPI_COMM_SELF);
  for (long v = 0; v < Variables; ++v) {
    const std::vector<double> parallel = together.all(v), serial = alone.all(v);
    if (together.ocean.rank() == 0)
      EXPECT_EQ(parallel, serial) << "variable " << v;
  }
}

} // namespace

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  int status = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
