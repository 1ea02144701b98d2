// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual functions, multiple inheritance, pointers to members, virtual destructors.
// Two families of classes in one file: in the branches for one, tables of the other lead to
// functions of other types. Chains of objects delete each other through a second base, which
// virtual calls of their own do not reach by inlining.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
// Supports: virtual destructors that delete further objects
#include "GradientCheck.h"
#include <memory>
#include <vector>

namespace {
struct Model {
  virtual ~Model() = default;
  virtual double value(double x) const = 0;
  virtual void learn(double) {}
};
struct Named {
  virtual ~Named() = default;
  virtual int rank() const { return 1; }
};
struct Linear : Model {
  double slope;
  explicit Linear(double s) : slope(s) {}
  double value(double x) const override { return slope * x; }
  void learn(double d) override { slope += 0.1 * d; }
};
struct Wave : Named, Model {
  double phase;
  explicit Wave(double p) : phase(p) {}
  double value(double x) const override { return phase * x * x * rank(); }
  int rank() const override { return 2; }
};
struct Sum : Model {
  std::vector<std::unique_ptr<Model>> parts;
  double value(double x) const override {
    double s = 0;
    for (auto &p : parts)
      s += p->value(x);
    return s;
  }
  void learn(double d) override {
    for (auto &p : parts)
      p->learn(d * 0.9);
  }
};
struct Ops {
  double base;
  double add(double v) const { return base + v; }
  double mul(double v) const { return base * v; }
};

double fit(const double *x, double a, int n) {
  auto inner = std::make_unique<Sum>();
  inner->parts.push_back(std::make_unique<Wave>(x[0]));
  inner->parts.push_back(std::make_unique<Linear>(a));
  Sum all;
  all.parts.push_back(std::move(inner));
  all.parts.push_back(std::make_unique<Linear>(x[1]));
  double s = 0;
  double (Ops::*const table[])(double) const = {&Ops::add, &Ops::mul};
  for (int i = 0; i < n; ++i) {
    s += all.value(x[i]);
    all.learn(s);
    Ops o{x[i]};
    s += (o.*table[i % 2])(a);
  }
  return s;
}
} // namespace

GRADIENT_CHECK(virtual_calls, Double, fit, InRange(double, 4, 0.1, 0.5),
               ScalarRange(double, 0.1, 0.5), Int(4))

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
struct Watcher : Source, Listener {
  double k;
  explicit Watcher(double k) : k(k) {}
  double weight() const override { return k * k; }
};
struct Cubic : Watcher {
  Listener *next;
  Cubic(double k, Listener *next) : Watcher(k), next(next) {}
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
