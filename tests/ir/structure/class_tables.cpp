// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of virtual functions are constant memory. Where the analysis takes them and objects with
// numbers for one, nothing is added to them.
//
// RUN: %clangxx -std=c++20 -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <vector>

extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);

struct Object {
  virtual ~Object() = default;
  virtual const char *name() const = 0;
  int id = 0;
};
struct Named : virtual Object {
  std::string label;
  double scale = 1;
};
struct Geometric : virtual Object {
  std::vector<double> xy;
  virtual double area() const { return xy[0] * xy[1]; }
};
struct Material {
  virtual ~Material() = default;
  virtual double energy(double s) const = 0;
};
struct Element : Named, Geometric {
  std::shared_ptr<Material> mat;
  virtual double load() const = 0;
  double total() const { return scale * mat->energy(area()) * load(); }
};
struct Triangle : Element {
  double t;
  const char *name() const override { return "triangle"; }
  double load() const override { return t + xy[0]; }
};
struct Square : Element {
  double k[2];
  const char *name() const override { return "square"; }
  double load() const override { return k[0] * k[1] * xy[3]; }
  double area() const override { return 2 * Geometric::area(); }
};
struct Powers : Material {
  std::vector<std::pair<double, double>> terms;
  double energy(double s) const override {
    double e = 0;
    for (auto &[m, a] : terms)
      e += m * std::pow(std::fabs(s) + 0.5, a);
    return e;
  }
};
struct Registry {
  std::map<std::string, std::function<std::unique_ptr<Element>(const double *)>> make;
  std::map<std::type_index, int> counts;
};

// CHECK: select i1 {{.*}}, ptr @cf.nowhere, ptr
static double assemble(const double *x, const double *m) {
  Registry r;
  r.make["triangle"] = [](const double *x) {
    auto e = std::make_unique<Triangle>();
    e->xy.assign(x, x + 6);
    e->t = x[6];
    return e;
  };
  r.make["square"] = [](const double *x) {
    auto e = std::make_unique<Square>();
    e->xy.assign(x, x + 8);
    e->k[0] = x[1];
    e->k[1] = x[2];
    return std::unique_ptr<Element>(std::move(e));
  };
  auto mat = std::make_shared<Powers>();
  mat->terms = {{m[1], m[2]}, {m[3], 2.0}};
  std::vector<std::unique_ptr<Element>> elements;
  for (int i = 0; i < 5; ++i) {
    auto e = r.make.at(i % 2 ? "triangle" : "square")(x + 2 * i);
    e->id = i;
    e->scale = 1 + 0.1 * i * m[0];
    e->mat = mat;
    elements.push_back(std::move(e));
  }
  std::stable_sort(elements.begin(), elements.end(),
                   [](auto &a, auto &b) { return a->label < b->label; });
  double s = 0;
  for (auto &e : elements) {
    Object &o = *e;
    r.counts[typeid(o)]++;
    s += e->total() * (1 + o.id);
  }
  return s * r.counts[typeid(Triangle)];
}
void gradient(const double *x, double *dx, const double *m, double *dm) {
  __enzyme_autodiff((void *)assemble, enzyme_dup, x, dx, enzyme_dup, m, dm);
}
