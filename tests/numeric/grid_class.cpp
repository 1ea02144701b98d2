// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solver class with its fields as members, advanced by member functions.
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>

namespace {

constexpr int Cells = 8;

class ShallowWater {
public:
  ShallowWater(const double *height, double gravity) : Gravity(gravity) {
    std::copy(height, height + Cells, H);
    std::fill(Q, Q + Cells, 0.0);
  }

  void step(double dt) {
    double fluxH[Cells + 1], fluxQ[Cells + 1];
    for (int f = 1; f < Cells; ++f)
      flux(f - 1, f, fluxH[f], fluxQ[f]);
    fluxH[0] = fluxH[Cells] = 0;
    fluxQ[0] = 0.5 * Gravity * H[0] * H[0];
    fluxQ[Cells] = 0.5 * Gravity * H[Cells - 1] * H[Cells - 1];
    for (int i = 0; i < Cells; ++i) {
      H[i] -= dt * (fluxH[i + 1] - fluxH[i]);
      Q[i] -= dt * (fluxQ[i + 1] - fluxQ[i]);
    }
  }

  double energy() const {
    double e = 0;
    for (int i = 0; i < Cells; ++i)
      e += 0.5 * Q[i] * Q[i] / H[i] + 0.5 * Gravity * H[i] * H[i];
    return e;
  }

private:
  void flux(int l, int r, double &h, double &q) const {
    const double ul = Q[l] / H[l], ur = Q[r] / H[r];
    const double speed = std::max(std::fabs(ul) + std::sqrt(Gravity * H[l]),
                                  std::fabs(ur) + std::sqrt(Gravity * H[r]));
    h = 0.5 * (Q[l] + Q[r]) - 0.5 * speed * (H[r] - H[l]);
    q = 0.5 * (Q[l] * ul + Q[r] * ur + 0.5 * Gravity * (H[l] * H[l] + H[r] * H[r])) -
        0.5 * speed * (Q[r] - Q[l]);
  }

  double Gravity, H[Cells], Q[Cells];
};

double wave(const double *height, double gravity, double dt, int steps) {
  ShallowWater water(height, gravity);
  for (int s = 0; s < steps; ++s)
    water.step(dt);
  return water.energy();
}

} // namespace

GRADIENT_CHECK(grid_class, Double, wave, In(double, 8), ScalarRange(double, 0.8, 1.2),
               ScalarRange(double, 0.02, 0.05), Int(5))
