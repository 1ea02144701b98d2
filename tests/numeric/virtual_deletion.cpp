// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of objects that delete each other through a second base, which virtual calls of their own
// do not reach by inlining.
// Supports: virtual destructors that delete further objects
#include "GradientCheck.h"
namespace {
// Nobody deletes an object of a class that has functions to come: what would do so only ends the
// program.
struct Source {
  virtual ~Source() {}
  virtual double at(double x) const = 0;
};
struct Listener {
  virtual ~Listener() {}
  virtual double weight() const = 0;
};
struct Model : Source, Listener {
  double k;
  explicit Model(double k) : k(k) {}
  double weight() const override { return k * k; }
};
struct Cubic : Model {
  Listener *next;
  Cubic(double k, Listener *next) : Model(k), next(next) {}
  ~Cubic() override { delete next; }
  double at(double x) const override { return k * x * x * x; }
};
} // namespace
static double deleted(const double *x, int n) {
  double s = 0;
  Listener *chain = nullptr;
  for (int i = 0; i < n; ++i) {
    Cubic *c = new Cubic(x[i], chain);
    const Source *source = c;
    chain = c;
    s += source->at(x[n - 1 - i]) * chain->weight();
  }
  delete chain;
  return s;
}
GRADIENT_CHECK(virtual_deletion, Double, deleted, In(double, 4), Int(4))
