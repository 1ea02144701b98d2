// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sea bed is a formula of the place, so every rank lays its own rows and ghost cells without
// asking.
#include "Ocean.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <new>

namespace tsunami {

void Array::Free::operator()(double *p) const { std::free(p); }

Array::Array(long size, double value)
    : count(size),
      values(static_cast<double *>(std::aligned_alloc(64, (size * 8 + 127) / 64 * 64))) {
  if (!values)
    throw std::bad_alloc();
  fill(value);
}

void Array::fill(double value) {
  double *to = values.get();
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i)
    to[i] = value;
}

namespace {

constexpr double Pi = 3.14159265358979323846;

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

double distanceToLine(Point p, Point from, Point to) {
  const double lx = to.x - from.x, ly = to.y - from.y;
  const double along = ((p.x - from.x) * lx + (p.y - from.y) * ly) / (lx * lx + ly * ly);
  const double t = std::clamp(along, 0.0, 1.0);
  return distance(p, {from.x + t * lx, from.y + t * ly});
}

double humpAt(const Hump &h, Point p) {
  const double angle = h.strike * Pi / 180.0, dx = p.x - h.centre.x, dy = p.y - h.centre.y;
  const double along = (dx * std::sin(angle) + dy * std::cos(angle)) / h.length;
  const double across = (dx * std::cos(angle) - dy * std::sin(angle)) / h.width;
  return h.height * std::exp(-0.5 * (along * along + across * across));
}

/// Depth that rises from the ocean's to a shelf's as one comes within reach (0: on the shelf).
double slopeDepth(double ocean, double shelf, double outside, double width) {
  const double s = std::max(outside, 0.0) / width;
  return shelf + (ocean - shelf) * (1.0 - std::exp(-s * s));
}

double depthAt(const Deck &deck, Point p) {
  double depth = deck.oceanDepth;
  for (const Ridge &r : deck.ridges) {
    const double s = distanceToLine(p, r.from, r.to) / r.width;
    depth -= r.height * std::exp(-0.5 * s * s);
  }
  if (deck.shelf.depth > 0.0)
    depth = std::min(depth, slopeDepth(deck.oceanDepth, deck.shelf.depth, deck.shelf.edge - p.x,
                                       deck.shelf.slopeWidth));
  for (const Island &i : deck.islands)
    depth = std::min(depth, slopeDepth(deck.oceanDepth, i.shelfDepth,
                                       distance(p, i.centre) - 2.0 * i.coastRadius, i.slopeWidth));
  return depth;
}

bool landAt(const Deck &deck, Point p) {
  return std::any_of(deck.islands.begin(), deck.islands.end(),
                     [&](const Island &i) { return distance(p, i.centre) < i.coastRadius; });
}

} // namespace

Ocean::Ocean(const Deck &deck, long refinement, MPI_Comm comm) : source(deck) {
  MPI_Comm_rank(comm, &self);
  MPI_Comm_size(comm, &all);
  gridRows = deck.cellsY * refinement;
  if (gridRows / all < Ghost)
    throw InputError(
        fmt::format("{}: domain.cells: {} rows cannot be divided among {} ranks, each needs {}",
                    deck.file, gridRows, all, Ghost));
  first = gridRows * self / all;
  view.rows = gridRows * (self + 1) / all - first;
  view.cols = deck.cellsX * refinement;
  view.stride = view.cols + 2 * Ghost;
  view.dx = deck.extent.x / static_cast<double>(view.cols);
  view.dy = deck.extent.y / static_cast<double>(gridRows);
  view.gravity = deck.gravity;
  view.smoothEta = deck.smoothDifference * deck.smoothDifference;
  view.smoothMomentum = view.smoothEta * deck.gravity * deck.oceanDepth;
  view.south = self > 0 ? self - 1 : MPI_PROC_NULL;
  view.north = self + 1 < all ? self + 1 : MPI_PROC_NULL;
  view.comm = comm;
  layBed();
  closeCoasts();
  laySponge();
}

Point Ocean::centre(long row, long col) const {
  return {(static_cast<double>(col) + 0.5) * view.dx,
          (static_cast<double>(first + row) + 0.5) * view.dy};
}

bool Ocean::isLand(long row, long col) const { return land[fieldIndex(row, col)] != 0; }

void Ocean::layBed() {
  const long size = (view.rows + 2 * Ghost) * view.stride;
  depth = Array(size);
  drag = Array(size);
  land.assign(size, 0);
  double least = source.oceanDepth;
  for (long j = -Ghost; j < view.rows + Ghost; ++j)
    for (long i = -Ghost; i < view.cols + Ghost; ++i) {
      Point p = centre(j, i);
      p = {std::clamp(p.x, 0.0, source.extent.x), std::clamp(p.y, 0.0, source.extent.y)};
      const long k = fieldIndex(j, i);
      depth[k] = depthAt(source, p);
      drag[k] = view.gravity / std::cbrt(std::max(depth[k], 1.0));
      land[k] = landAt(source, p);
      least = std::min(least, depth[k]);
    }
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, view.comm);
  const double shallowest = 10.0;
  if (least < shallowest)
    throw InputError(
        fmt::format("{}: ocean: the bed rises to {:.1f} m under the sea; it must stay below "
                    "{} m, because nothing may fall dry",
                    source.file, least, shallowest));
  view.depth = depth.data();
  view.drag = drag.data();
}

void Ocean::closeCoasts() {
  openX = Array(depth.size(), 1.0);
  openY = Array(depth.size(), 1.0);
  for (long j = 1 - Ghost; j < view.rows + Ghost; ++j)
    for (long i = 1 - Ghost; i < view.cols + Ghost; ++i) {
      const long k = fieldIndex(j, i);
      openX[k] = land[k] || land[k - 1] ? 0.0 : 1.0;
      openY[k] = land[k] || land[k - view.stride] ? 0.0 : 1.0;
    }
  view.openX = openX.data();
  view.openY = openY.data();
}

void Ocean::laySponge() {
  damping = Array(depth.size());
  for (long j = 0; j < view.rows; ++j)
    for (long i = 0; i < view.cols; ++i) {
      const Point p = centre(j, i);
      const double rim = std::min({p.x, p.y, source.extent.x - p.x, source.extent.y - p.y});
      const double inside = source.spongeWidth > 0.0 ? 1.0 - rim / source.spongeWidth : 0.0;
      damping[fieldIndex(j, i)] = source.spongeDamping * std::pow(std::max(inside, 0.0), 2);
    }
  view.damping = damping.data();
}

void Ocean::chooseTimeStep(const double *eta0) {
  double fastest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : fastest)
  for (long j = 0; j < view.rows; ++j)
    for (long i = 0; i < view.cols; ++i) {
      const double h = depth[fieldIndex(j, i)] + eta0[j * view.cols + i];
      fastest = std::max(fastest, std::sqrt(view.gravity * std::max(h, 0.0)));
    }
  const double own = source.cfl / (fastest * (1.0 / view.dx + 1.0 / view.dy));
  double stable = 0.0;
  MPI_Allreduce(&own, &stable, 1, MPI_DOUBLE, MPI_MIN, view.comm);
  view.steps = static_cast<long>(std::ceil(source.duration / stable));
  view.dt = source.duration / static_cast<double>(view.steps);
}

Array Ocean::surface(const std::vector<Hump> &humps) const {
  Array eta(ownCells());
  for (long j = 0; j < view.rows; ++j)
    for (long i = 0; i < view.cols; ++i)
      if (!isLand(j, i))
        for (const Hump &h : humps)
          eta[j * view.cols + i] += humpAt(h, centre(j, i));
  return eta;
}

std::vector<double> Ocean::bed() const {
  std::vector<double> own(ownCells());
  for (long j = 0; j < view.rows; ++j)
    for (long i = 0; i < view.cols; ++i)
      own[j * view.cols + i] = isLand(j, i) ? -1.0 : depth[fieldIndex(j, i)];
  return own;
}

std::vector<int> Ocean::cellsPerRank() const {
  std::vector<int> counts(all);
  for (int r = 0; r < all; ++r)
    counts[r] = static_cast<int>((gridRows * (r + 1) / all - gridRows * r / all) * view.cols);
  return counts;
}

namespace {
std::vector<int> startsOf(const std::vector<int> &counts) {
  std::vector<int> starts(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r)
    starts[r] = starts[r - 1] + counts[r - 1];
  return starts;
}
} // namespace

std::vector<double> Ocean::gather(const double *own) const {
  const std::vector<int> counts = cellsPerRank(), starts = startsOf(counts);
  std::vector<double> global(self == 0 ? globalCells() : 0);
  MPI_Gatherv(own, counts[self], MPI_DOUBLE, global.data(), counts.data(), starts.data(),
              MPI_DOUBLE, 0, view.comm);
  return global;
}

void Ocean::scatter(const std::vector<double> &global, double *own) const {
  const std::vector<int> counts = cellsPerRank(), starts = startsOf(counts);
  MPI_Scatterv(global.data(), counts.data(), starts.data(), MPI_DOUBLE, own, counts[self],
               MPI_DOUBLE, 0, view.comm);
}

Sea::Sea(const Mesh &mesh, long gauges)
    : even((mesh.rows + 2 * Ghost) * Variables * mesh.stride), odd(even.size()),
      transport(even.size()), series(mesh.steps * gauges),
      done(std::make_unique<std::atomic<int>>(0)) {
  view = {even.data(), odd.data(), transport.data(), series.data(), done.get()};
}

void Sea::clear() {
  for (Array *a : {&even, &odd, &transport, &series})
    a->fill(0.0);
  *done = 0;
}

} // namespace tsunami
