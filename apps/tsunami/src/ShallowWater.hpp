// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The non-linear shallow-water equations over a sea bed, on the rows of cells that one MPI rank
// owns.
//
//   unknowns   eta (sea level over its rest), q = h u and r = h v (momentum), h = eta + depth
//   eta_t + q_x + r_y = - damping eta
//   q_t + (q^2/h + g (eta^2/2 + eta depth))_x + (q r/h)_y = g eta depth_x - n^2 drag |(q,r)| q/h^2
//   - damping q (r_t alike)
//
// The flux that is balanced beforehand (g (eta^2/2 + eta depth) in place of g h^2/2) keeps the sea
// at rest to the last bit over any bed. Cell faces get values by limited slopes (van Leer; limiter
// of van Albada, smooth everywhere); a face's flux is the mean of its two sides ("transport") plus
// Rusanov's dissipation ("diffusion"). In time, one evaluation per step: Adams and Bashforth's
// two-step formula for transport and sources, Euler's for the diffusion.
//
//   next = now + dt (3/2 transport - 1/2 transport of the step before + diffusion)
//
// A closed face (a coast, which stands on its shelf as a wall) sees the mirror image of its own
// cell. Derivation, stability and sources: docs/design/tsunami.md.
#pragma once

#include <atomic>
#include <cmath>
#include <mpi.h>

namespace tsunami {

constexpr long Ghost = 2;     // rows and columns of neighbours' cells that the scheme reads
constexpr long Variables = 3; // eta, q, r

/// What a rank knows of the ocean. Static fields: (rows + 2 Ghost) x stride values, row by row.
struct Mesh {
  long rows, cols; // own cells
  long stride;     // from one row of a field to the next: cols + 2 Ghost
  long steps;
  double dt, dx, dy, gravity;
  double smoothEta, smoothMomentum; // differences (squared) that the limiter takes for smooth
  const double *depth;
  const double *openX; // face between (j, i-1) and (j, i): 1 open, 0 closed
  const double *openY; // face between (j-1, i) and (j, i)
  const double *damping;
  const double *drag; // g / depth^(1/3)
  int south, north;   // neighbouring ranks, or MPI_PROC_NULL
  MPI_Comm comm;
};

/// The moving sea. A row of eta, then a row of q, then a row of r, then the next row's: the rows
/// that a neighbour needs lie together and are sent from where they are.
struct State {
  double *even, *odd;          // the state after an even, an odd number of steps
  double *transport;           // of the step before; layout as the state
  double *series;              // sea level at the gauges: steps x gauges
  std::atomic<int> *stepsDone; // for whoever watches
};

/// The gauges in this rank's rows.
struct Gauges {
  long count;
  const long *cell;       // offset in the state of the south-western of four cells around the gauge
  const double *weight;   // 4 per gauge: bilinear interpolation
  const double *observed; // steps x gauges
  const double *trust;    // steps x gauges: weight in the misfit, 0 where nothing was observed
};

/// Sea level, momentum across and along the face or line of cells at hand.
struct Cell {
  double eta, across, along;
};

struct Flux {
  Cell transport, diffusion;
};

/// Van Albada's limiter: near the mean of both differences where they are alike or small (s), else
/// zero.
inline double limited(double a, double b, double s) noexcept {
  return (a * (b * b + s) + b * (a * a + s)) / (a * a + b * b + 2.0 * s);
}

/// The flux through a face between two states over the same depth.
inline Flux faceFlux(const Cell &left, const Cell &right, double depth, double gravity) noexcept {
  const double calm = 1e-4; // (m/s)^2: keeps the root smooth where the water stands still
  const double hl = left.eta + depth, hr = right.eta + depth;
  const double ul = left.across / hl, ur = right.across / hr;
  const double mean = 0.5 * (ul + ur);
  const double speed = std::sqrt(0.5 * gravity * (hl + hr)) + std::sqrt(mean * mean + calm);
  const double pressure = 0.25 * gravity * (left.eta * (hl + depth) + right.eta * (hr + depth));
  return {{0.5 * (left.across + right.across),
           0.5 * (left.across * ul + right.across * ur) + pressure,
           0.5 * (left.along * ul + right.along * ur)},
          {0.5 * speed * (left.eta - right.eta), 0.5 * speed * (left.across - right.across),
           0.5 * speed * (left.along - right.along)}};
}

/// One line of cells, west to east or south to north: pointers to the middle cell, distance to the
/// next.
struct Line {
  const double *eta, *across, *along;
  long step; // in the state
  const double *depth, *open;
  long fieldStep; // in the static fields
};

/// Slope of the cell k places on, times the cell width.
inline Cell slope(const Line &l, long k, double smoothEta, double smoothMomentum) noexcept {
  const double back = l.open[k * l.fieldStep], front = l.open[(k + 1) * l.fieldStep];
  const long a = (k - 1) * l.step, b = k * l.step, c = (k + 1) * l.step;
  return {
      limited(back * (l.eta[b] - l.eta[a]), front * (l.eta[c] - l.eta[b]), smoothEta),
      limited(back * (l.across[b] - l.across[a]), front * (l.across[c] - l.across[b]),
              smoothMomentum),
      limited(back * (l.along[b] - l.along[a]), front * (l.along[c] - l.along[b]), smoothMomentum)};
}

/// The cell k places on, half a width to one side (side = -1/2 or +1/2).
inline Cell sideValue(const Line &l, long k, const Cell &slope, double side) noexcept {
  const long at = k * l.step;
  return {l.eta[at] + side * slope.eta, l.across[at] + side * slope.across,
          l.along[at] + side * slope.along};
}

/// What stands behind a face: the neighbour where it is open, else the mirror image of the cell
/// itself.
inline Cell behind(const Cell &own, const Cell &neighbour, double open) noexcept {
  const double closed = 1.0 - open;
  return {open * neighbour.eta + closed * own.eta, open * neighbour.across - closed * own.across,
          open * neighbour.along + closed * own.along};
}

/// What the two faces of a line bring to its middle cell per second.
[[gnu::always_inline]] inline Flux lineBalance(const Line &l, const Mesh &m,
                                               double width) noexcept {
  const Cell s0 = slope(l, -1, m.smoothEta, m.smoothMomentum);
  const Cell s1 = slope(l, 0, m.smoothEta, m.smoothMomentum);
  const Cell s2 = slope(l, 1, m.smoothEta, m.smoothMomentum);
  const Cell ownBack = sideValue(l, 0, s1, -0.5), ownFront = sideValue(l, 0, s1, 0.5);
  const Cell back = behind(ownBack, sideValue(l, -1, s0, 0.5), l.open[0]);
  const Cell front = behind(ownFront, sideValue(l, 1, s2, -0.5), l.open[l.fieldStep]);
  const double depthBack = 0.5 * (l.depth[-l.fieldStep] + l.depth[0]);
  const double depthFront = 0.5 * (l.depth[0] + l.depth[l.fieldStep]);
  const Flux in = faceFlux(back, ownBack, depthBack, m.gravity);
  const Flux out = faceFlux(ownFront, front, depthFront, m.gravity);
  const double per = 1.0 / width;
  const double bed = m.gravity * l.eta[0] * (depthFront - depthBack);
  return {{per * (in.transport.eta - out.transport.eta),
           per * (in.transport.across - out.transport.across + bed),
           per * (in.transport.along - out.transport.along)},
          {per * (in.diffusion.eta - out.diffusion.eta),
           per * (in.diffusion.across - out.diffusion.across),
           per * (in.diffusion.along - out.diffusion.along)}};
}

/// The two-step formula's weights: the first step has no step before it.
struct TimeWeights {
  double present, past;
};

/// One time step of every own cell.
inline void advance(const Mesh *mesh, const double *now, double *next, double *transport,
                    const double *friction, TimeWeights weights) {
#pragma omp parallel
  {
    const Mesh m = *mesh;
    const double manning = *friction * *friction;
    const double calmFlow = 1e-6; // (m^2/s)^2, as `calm` in faceFlux
    const long row = Variables * m.stride;
#pragma omp for schedule(static) nowait
    for (long j = Ghost; j < m.rows + Ghost; ++j) {
      for (long i = Ghost; i < m.cols + Ghost; ++i) {
        const long k = j * m.stride + i;
        const long e = j * row + i, q = e + m.stride, r = q + m.stride;
        const Flux x =
            lineBalance({now + e, now + q, now + r, 1, m.depth + k, m.openX + k, 1}, m, m.dx);
        const Flux y = lineBalance(
            {now + e, now + r, now + q, row, m.depth + k, m.openY + k, m.stride}, m, m.dy);
        const Cell here = {now[e], now[q], now[r]};
        const Cell past = {transport[e], transport[q], transport[r]};
        const double h = here.eta + m.depth[k];
        const double flow =
            std::sqrt(here.across * here.across + here.along * here.along + calmFlow);
        const double loss = m.damping[k] + manning * m.drag[k] * flow / (h * h);
        const Cell present = {x.transport.eta + y.transport.eta - m.damping[k] * here.eta,
                              x.transport.across + y.transport.along - loss * here.across,
                              x.transport.along + y.transport.across - loss * here.along};
        next[e] = here.eta + m.dt * (weights.present * present.eta + weights.past * past.eta +
                                     x.diffusion.eta + y.diffusion.eta);
        next[q] =
            here.across + m.dt * (weights.present * present.across + weights.past * past.across +
                                  x.diffusion.across + y.diffusion.along);
        next[r] = here.along + m.dt * (weights.present * present.along + weights.past * past.along +
                                       x.diffusion.along + y.diffusion.across);
        transport[e] = present.eta;
        transport[q] = present.across;
        transport[r] = present.along;
      }
    }
  }
}

/// Fills the ghost rows next to other ranks. Ghost cells at the rim of the ocean stay at rest.
inline void exchangeRows(const Mesh *mesh, double *state) {
  const long row = Variables * mesh->stride;
  const int count = static_cast<int>(Ghost * row);
  double *first = state + Ghost * row, *last = state + mesh->rows * row;
  MPI_Request requests[4];
  MPI_Irecv(first - Ghost * row, count, MPI_DOUBLE, mesh->south, 1, mesh->comm, &requests[0]);
  MPI_Irecv(last + Ghost * row, count, MPI_DOUBLE, mesh->north, 2, mesh->comm, &requests[1]);
  MPI_Isend(last, count, MPI_DOUBLE, mesh->north, 1, mesh->comm, &requests[2]);
  MPI_Isend(first, count, MPI_DOUBLE, mesh->south, 2, mesh->comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/// The sea at rest, lifted by eta0 (own cells, row by row).
inline void start(const Mesh *mesh, State *work, const double *eta0) {
  double *state = work->even, *transport = work->transport;
#pragma omp parallel for schedule(static)
  for (long j = Ghost; j < mesh->rows + Ghost; ++j) {
    for (long i = Ghost; i < mesh->cols + Ghost; ++i) {
      const long e = j * Variables * mesh->stride + i;
      state[e] = eta0[(j - Ghost) * mesh->cols + i - Ghost];
      state[e + mesh->stride] = 0.0;
      state[e + 2 * mesh->stride] = 0.0;
      transport[e] = 0.0;
      transport[e + mesh->stride] = 0.0;
      transport[e + 2 * mesh->stride] = 0.0;
    }
  }
}

/// Writes down the sea level at every gauge of this rank.
inline void readGauges(const Mesh *mesh, const Gauges *gauges, const double *state,
                       double *series) {
  const long up = Variables * mesh->stride;
  for (long g = 0; g < gauges->count; ++g) {
    const double *at = state + gauges->cell[g], *w = gauges->weight + 4 * g;
    series[g] = w[0] * at[0] + w[1] * at[1] + w[2] * at[up] + w[3] * at[up + 1];
  }
}

/// Half the weighted squares of simulated minus observed sea level, over all gauges of all ranks.
inline double squaredMisfit(const Mesh *mesh, const Gauges *gauges, const double *series) {
  const long samples = mesh->steps * gauges->count;
  double own = 0.0, all = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : own)
  for (long k = 0; k < samples; ++k) {
    const double residual = series[k] - gauges->observed[k];
    own += 0.5 * gauges->trust[k] * residual * residual;
  }
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, mesh->comm);
  return all;
}

/// The whole simulation: from the lifted sea surface and the friction coefficient (Manning's n) to
/// the misfit, which every rank receives.
inline void misfit(const Mesh *mesh, State *work, const double *eta0, const double *friction,
                   const Gauges *gauges, double *result) {
  double *now = work->even, *next = work->odd, *transport = work->transport;
  double *series = work->series;
  start(mesh, work, eta0);
  exchangeRows(mesh, now);
  for (long step = 0; step < mesh->steps; ++step) {
    const TimeWeights weights = {step == 0 ? 1.0 : 1.5, step == 0 ? 0.0 : -0.5};
    advance(mesh, now, next, transport, friction, weights);
    exchangeRows(mesh, next);
    readGauges(mesh, gauges, next, series + step * gauges->count);
    double *swap = now;
    now = next;
    next = swap;
    work->stepsDone->store(static_cast<int>(step + 1), std::memory_order_relaxed);
  }
  *result = squaredMisfit(mesh, gauges, series);
}

} // namespace tsunami
