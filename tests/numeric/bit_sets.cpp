// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of bits in one of several classes behind a base: their words lie where others have numbers
// and addresses.
// Supports: `std::bitset`, `std::vector<bool>`
#include "GradientCheck.h"
#include <bitset>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

namespace {

struct Part {
  virtual ~Part() = default;
  virtual double at(const double *v) = 0;
  virtual std::unique_ptr<Part> clone() const = 0;
};
struct Weights : Part {
  std::vector<double> w;
  explicit Weights(const double *x) : w(x, x + 4) {}
  double at(const double *v) override {
    double s = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      s += w[i] * v[i];
      w[i] += 0.1 * v[i];
    }
    return s;
  }
  std::unique_ptr<Part> clone() const override { return std::make_unique<Weights>(*this); }
};
struct Mask : Part {
  std::vector<bool> on;
  explicit Mask(int n) : on(static_cast<std::size_t>(n), true) {}
  double at(const double *v) override {
    double s = 0;
    for (std::size_t i = 0; i < on.size(); ++i)
      if (on[i])
        s += v[i % 4] * v[(i + 1) % 4];
    on[on.size() / 2].flip();
    on.flip();
    on[1] = v[0] > 0.5;
    on.push_back(v[1] > 0.5);
    return s;
  }
  std::unique_ptr<Part> clone() const override { return std::make_unique<Mask>(*this); }
};
struct Seen : Part {
  std::bitset<100> on;
  explicit Seen(int n) {
    for (int i = 0; i < n; ++i)
      on.set(static_cast<std::size_t>(i * 7 % 100));
  }
  double at(const double *v) override {
    double s = 0;
    for (std::size_t i = 0; i < on.size(); ++i)
      if (on[i])
        s += v[i % 4] * v[(i + 3) % 4];
    const std::bitset<100> before = on;
    on.flip(v[2] > 0.4 ? 60 : 61);
    on |= before;
    on &= ~(before & on) | before;
    return s;
  }
  std::unique_ptr<Part> clone() const override { return std::make_unique<Seen>(*this); }
};

} // namespace

static double parts(const double *x, int n) {
  std::vector<std::unique_ptr<Part>> all;
  all.push_back(std::make_unique<Weights>(x));
  all.push_back(std::make_unique<Mask>(n));
  all.push_back(std::make_unique<Seen>(n));
  all.push_back(std::make_unique<Weights>(x + 4));
  double s = 0, v[] = {x[2], x[3], x[4], x[5]};
  for (int t = 0; t < 3; ++t)
    for (auto &part : all) {
      if (t == 1)
        part = part->clone();
      const double q = part->at(v);
      s += q * q;
      v[t] *= 1 + 0.01 * std::sin(q);
    }
  return s;
}
GRADIENT_CHECK(bit_sets_behind_base, Double, parts, In(double, 8), Int(70))
