// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A registry of factories by name, virtual clones, a shared_ptr with a deleter.
// Supports: virtual functions, multiple and virtual inheritance, pointers to members, `dynamic_cast`
#include "GradientCheck.h"
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
struct Op {
  virtual ~Op() {}
  virtual double go(double) const = 0;
  virtual std::unique_ptr<Op> clone() const = 0;
};
struct Sq : Op {
  double go(double x) const override { return x * x; }
  std::unique_ptr<Op> clone() const override { return std::make_unique<Sq>(*this); }
};
struct Sc : Op {
  double k;
  Sc(double k) : k(k) {}
  double go(double x) const override { return k * x; }
  std::unique_ptr<Op> clone() const override { return std::make_unique<Sc>(*this); }
};
typedef std::unique_ptr<Op> (*Mk)(double);
static std::unique_ptr<Op> mkq(double) { return std::make_unique<Sq>(); }
static std::unique_ptr<Op> mks(double k) { return std::make_unique<Sc>(k); }
static double f(const double *x, double a, int n) {
  std::unordered_map<std::string, Mk> reg{{"sq", mkq}, {"sc", mks}};
  std::vector<std::unique_ptr<Op>> ops;
  for (int i = 0; i < n; i++)
    ops.push_back(reg.at(i % 2 ? "sq" : "sc")(x[i]));
  auto c = ops[0]->clone();
  double v = a;
  for (auto &o : ops)
    v = o->go(v) + c->go(v);
  std::shared_ptr<double> sp(new double(v), [](double *p) { delete p; });
  return *sp;
}
GRADIENT_CHECK(factory, Double, f, In(double, 4), Scalar(double), Int(4))
