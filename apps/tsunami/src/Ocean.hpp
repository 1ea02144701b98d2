// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's share of the ocean: consecutive rows of cells with their sea bed, coasts and sponge,
// and the memory in which its sea moves.
#pragma once

#include "Deck.hpp"
#include "ShallowWater.hpp"

#include <memory>
#include <vector>

namespace tsunami {

/// Numbers placed by the threads that will work on them.
class Array {
public:
  explicit Array(long size = 0, double value = 0.0);
  double *data() { return values.get(); }
  const double *data() const { return values.get(); }
  long size() const { return count; }
  double &operator[](long i) { return values[i]; }
  double operator[](long i) const { return values[i]; }
  void fill(double value);

private:
  struct Free {
    void operator()(double *p) const;
  };
  long count;
  std::unique_ptr<double[], Free> values;
};

class Ocean {
public:
  /// The deck's grid, each cell divided into refinement x refinement.
  Ocean(const Deck &deck, long refinement, MPI_Comm comm);

  /// Takes the largest stable time step for a start from eta0 that ends at the deck's duration.
  /// The step is a number of the case: derivatives hold it fixed.
  void chooseTimeStep(const double *eta0);

  const Mesh &mesh() const { return view; }
  const Deck &deck() const { return source; }
  int rank() const { return self; }
  int ranks() const { return all; }
  long firstRow() const { return first; }
  long globalRows() const { return gridRows; }
  long ownCells() const { return view.rows * view.cols; }
  long globalCells() const { return gridRows * view.cols; }
  Point centre(long row, long col) const; // of own cell (row, col)
  bool isLand(long row, long col) const;  // own cell, or a ghost cell around them

  /// Own cells' values of a sum of humps; zero on land.
  Array surface(const std::vector<Hump> &humps) const;
  /// Own cells' depths; negative on land.
  std::vector<double> bed() const;

  /// All cells on rank 0 (empty elsewhere) from own cells, and back.
  std::vector<double> gather(const double *own) const;
  void scatter(const std::vector<double> &global, double *own) const;

private:
  long fieldIndex(long row, long col) const { return (row + Ghost) * view.stride + col + Ghost; }
  void layBed();
  void closeCoasts();
  void laySponge();
  std::vector<int> cellsPerRank() const;

  Deck source;
  Mesh view{};
  int self = 0, all = 1;
  long first = 0, gridRows = 0;
  Array depth, openX, openY, damping, drag;
  std::vector<char> land;
};

/// The memory of a State, or of its tangents or adjoints.
class Sea {
public:
  Sea(const Mesh &mesh, long gauges);
  State &state() { return view; }
  const Array &gaugeSeries() const { return series; }
  const std::atomic<int> &stepsDone() const { return *done; }
  void clear();

private:
  Array even, odd, transport, series;
  std::unique_ptr<std::atomic<int>> done;
  State view{};
};

} // namespace tsunami
