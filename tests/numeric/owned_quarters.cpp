// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quadtree: cells own four others, beside the numbers of what they hold, and are destroyed by
// a walk from the last of them backwards.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <cmath>
#include <memory>
#include <vector>

namespace {

struct Body {
  double x, y, mass;
};

struct Quarter {
  double x = 0, y = 0, mass = 0, low[2], high[2];
  std::unique_ptr<Quarter> inner[4];
  std::vector<int> held;

  Quarter(double a, double b, double c, double d) : low{a, b}, high{c, d} {}

  void sum(const std::vector<Body> &bodies) {
    for (int i : held) {
      mass += bodies[i].mass;
      x += bodies[i].mass * bodies[i].x;
      y += bodies[i].mass * bodies[i].y;
    }
  }

  void build(const std::vector<Body> &bodies, int depth) {
    if (held.size() <= 2 || depth > 3)
      return sum(bodies);
    const double mx = (low[0] + high[0]) / 2, my = (low[1] + high[1]) / 2;
    for (int k = 0; k < 4; ++k)
      inner[k] = std::make_unique<Quarter>(k & 1 ? mx : low[0], k & 2 ? my : low[1],
                                           k & 1 ? high[0] : mx, k & 2 ? high[1] : my);
    for (int i : held)
      inner[(bodies[i].x > mx) + 2 * (bodies[i].y > my)]->held.push_back(i);
    for (auto &next : inner) {
      next->build(bodies, depth + 1);
      mass += next->mass;
      x += next->x;
      y += next->y;
    }
  }

  double pull(const Body &of) const {
    if (inner[0] && high[0] - low[0] > 0.4) {
      double s = 0;
      for (auto &next : inner)
        if (next->mass != 0)
          s += next->pull(of);
      return s;
    }
    const double dx = x / mass - of.x, dy = y / mass - of.y;
    return mass / (dx * dx + dy * dy + 0.1);
  }
};

} // namespace

static double quadtree(const double *x, const double *y, int n) {
  std::vector<Body> bodies;
  for (int i = 0; i < n; ++i)
    bodies.push_back({(i * 37 % 12) / 12.0 + 0.01 * x[i], (i * 17 % 12) / 12.0 + 0.01 * y[i],
                      1.5 + x[(i + 1) % n] * y[i]});
  Quarter root(0, 0, 1, 1);
  for (int i = 0; i < n; ++i)
    root.held.push_back(i);
  root.build(bodies, 0);
  double s = 0;
  for (const Body &b : bodies)
    s += root.pull(b) * b.mass;
  return s;
}

GRADIENT_CHECK(owned_quarters, Double, quadtree, In(double, 12), In(double, 12), Int(12))
