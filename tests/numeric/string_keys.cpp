// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings as keys of maps and beside numbers in structures: parameters by name, named particles.
// Supports: `std::string`, `valarray`
#include "GradientCheck.h"
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {
struct Parameters {
  std::map<std::string, double> values;
  double get(const std::string &key, double otherwise) const {
    auto found = values.find(key);
    return found == values.end() ? otherwise : found->second;
  }
};

double named(const double *x, double a, int n) {
  Parameters p;
  p.values = {{"k", x[0]}, {"mass", a}, {"a name that is too long to be kept inside", x[2] * x[3]}};
  const char *keys[] = {"alpha", "beta", "k", "beta"};
  for (int i = 0; i < n; ++i)
    p.values[keys[i % 4]] += x[i] * x[i];
  double sum = p.get("k", 1) / p.get("mass", 1) + p.get("damping", x[4]);
  for (auto &[key, value] : p.values)
    sum += value * value * static_cast<double>(key.size());
  return sum;
}

struct Particle {
  double mass;
  double place[3];
  int id;
  std::string name;
};

double particles(const double *x, double a, int n) {
  std::vector<Particle> all;
  for (int i = 0; i < n; ++i)
    all.push_back({x[i], {x[i] * 2, x[(i + 1) % n], a}, i, "p" + std::to_string(i)});
  std::unordered_map<std::string, double> weight;
  for (auto &p : all)
    weight[p.name] += p.mass * a;
  double energy = 0;
  for (auto &p : all)
    for (auto &q : all)
      if (p.name != q.name) {
        double r = 0.1;
        for (int k = 0; k < 3; ++k)
          r += (p.place[k] - q.place[k]) * (p.place[k] - q.place[k]);
        energy += weight.at(p.name) * q.mass / std::sqrt(r) * static_cast<double>(p.name.size());
      }
  return energy;
}
} // namespace

GRADIENT_CHECK(string_named, Double, named, In(double, 5), Scalar(double), Int(5))
GRADIENT_CHECK(string_particles, Double, particles, In(double, 5), Scalar(double), Int(5))
