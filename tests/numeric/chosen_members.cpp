// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places that are chosen among an element of an array and a member of the object that owns it: the
// object's members stay apart, and its pairs of integers stay words that move.
// Supports: an element or a member chosen by `?:` (`s < n ? first[s] : count`)
#include "GradientCheck.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace {
struct Mesh {
  int zones, sides;
  std::vector<int> zoneOf;
  std::vector<std::pair<int, int>> corners;
  double *area, *mass;
  double scale;

  Mesh(const double *x, int n, int k)
      : zones(n), sides(2 * n), area(new double[n]), mass(new double[n]), scale(x[0] + k) {
    for (int s = 0; s < sides; s++) {
      zoneOf.push_back(s / 2);
      corners.push_back({(s * 5 + k) % sides, s});
    }
    for (int z = 0; z < n; z++)
      area[z] = x[z] * x[z], mass[z] = x[n - 1 - z] + k;
    std::sort(corners.begin(), corners.end());
  }
  ~Mesh() {
    delete[] area;
    delete[] mass;
  }
  /// The zones of some of the sides, to one behind the last.
  double sum(int first, int last) const {
    const int from = zoneOf[first], to = last < sides ? zoneOf[last] : zones;
    double s = 0;
    for (int z = from; z < to; z++)
      s += area[z] * (z % 2 ? scale : mass[z]) + corners[z].second * mass[z];
    return s;
  }
};
} // namespace

static double chosenMembers(const double *x, int n) {
  std::vector<Mesh *> meshes;
  for (int k = 0; k < 2; k++)
    meshes.push_back(new Mesh(x, n, k));
  double s = 0;
  for (Mesh *m : meshes) {
    for (int first = 0; first < m->sides; first += 4)
      s += m->sum(first, first + 4) * (first + 1);
    delete m;
  }
  return s;
}
GRADIENT_CHECK(chosen_members, Double, chosenMembers, In(double, 6), Int(6))

static double chosenPlaces(const double *x, int n) {
  double rows[4] = {x[0], x[1], 2, 3}, sum = 0;
  struct {
    int count;
    double last, first;
    const int *more;
  } end = {n, x[2] * x[2], x[3], &n};
  for (int i = 0; i < n; i++) {
    double &place = i < 4 ? rows[i] : i % 2 ? end.last : end.first;
    sum += place * x[i];
    if (i % 3 == 0)
      (i < 4 ? rows[i] : end.first) = sum * end.count / *end.more;
  }
  return sum + end.first * rows[3];
}
GRADIENT_CHECK(chosen_places, Double, chosenPlaces, In(double, 6), Int(6))
