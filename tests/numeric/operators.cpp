// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small vector class with operators, and a ray marched through spheres.
// Supports: classes, templates, expression templates, operators, references
#include "GradientCheck.h"
#include <cmath>

namespace {

struct Vec3 {
  double x, y, z;
  Vec3 operator+(const Vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec3 operator*(double s) const { return {x * s, y * s, z * s}; }
  Vec3 &operator+=(const Vec3 &o) { return *this = *this + o; }
  double dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
  double length() const { return std::sqrt(dot(*this)); }
};

double distance(const Vec3 &p, const double *spheres, int n) {
  double nearest = 1e9;
  for (int i = 0; i < n; ++i) {
    const Vec3 centre{spheres[4 * i], spheres[4 * i + 1], spheres[4 * i + 2] + 3};
    nearest = std::fmin(nearest, (p - centre).length() - 0.2 * spheres[4 * i + 3]);
  }
  return nearest;
}

double march(const double *spheres, double dx, double dy, int n) {
  Vec3 p{0, 0, 0}, d{dx, dy, 1};
  d = d * (1 / d.length());
  double travelled = 0;
  for (int i = 0; i < 8; ++i) {
    const double step = distance(p, spheres, n);
    if (step < 0)
      break;
    p += d * step;
    travelled += step;
  }
  return travelled + p.dot(d);
}

} // namespace

GRADIENT_CHECK(operators, Double, march, In(double, 12), ScalarRange(double, 0.1, 0.4),
               ScalarRange(double, 0.1, 0.4), Int(3))
