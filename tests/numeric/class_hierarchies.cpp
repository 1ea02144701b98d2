// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several hierarchies whose functions have the same types at the same places of their tables, and
// destructors of static variables, whose type is that of virtual ones. Taken for one another, their
// objects would be one. The last program calls virtual functions wherever it is less plain of which
// class the object is.
// Supports: several class hierarchies whose functions look alike
#include "GradientCheck.h"
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <typeinfo>
#include <vector>

struct Note {
  const char *name;
  double low, high;
};
static std::vector<Note> notes;

struct Shape {
  virtual double area(double) const = 0;
  virtual ~Shape() = default;
};
struct Circle : Shape {
  double r;
  Circle(double r) : r(r) {}
  double area(double s) const override { return 3 * r * r * s; }
};
struct Square : Shape {
  float k = 0.5f;
  double a;
  int n = 2;
  Square(double a) : a(a) {}
  double area(double s) const override { return a * a * s * double(k) * n; }
};
struct Law {
  virtual void apply(double *p, int n) = 0;
  virtual ~Law() = default;
};
struct Drag : Law {
  std::vector<double> c;
  double t = 0;
  Drag(std::vector<double> c) : c(std::move(c)) {}
  void apply(double *p, int n) override {
    for (int i = 0; i < n; ++i)
      p[i] -= c[std::size_t(i)] * p[i];
    t += p[0];
  }
};
struct Logger {
  virtual ~Logger() = default;
  virtual void log(const std::string &s) {
    last = s;
    ++k;
  }
  std::string last;
  int k = 0;
};
static double hierarchies(const double *x, int n) {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Circle>(x[0]));
  shapes.push_back(std::make_unique<Square>(x[1]));
  std::vector<std::unique_ptr<Law>> laws;
  laws.emplace_back(new Drag(std::vector<double>(x, x + n)));
  auto logger = std::make_shared<Logger>();
  logger->log("begin");
  double p[5], s = x[4] + double(notes.size());
  for (int i = 0; i < 5; i++)
    p[i] = x[i] * x[i];
  for (auto &e : laws)
    e->apply(p, 5);
  for (auto &e : shapes)
    s = e->area(s);
  logger->log("end");
  return s + logger->k * p[2];
}
GRADIENT_CHECK(hierarchies_apart, Double, hierarchies, In(double, 5), Int(5))

namespace {
struct First {
  double a = 1;
  virtual double first(double v) const { return a * v; }
  virtual ~First() = default;
};
struct Second {
  double b = 2;
  virtual double second(double v) const { return b * v * v; }
  double twice(double v) const { return second(second(v)); }
  virtual ~Second() = default;
};
struct Both : First, Second {
  double c;
  explicit Both(double c) : c(c) {}
  double first(double v) const override { return c + v; }
  double second(double v) const override { return c * v + a; }
};
struct Unlike {
  double d = 3;
  virtual double other(double v) const { return d - v; }
  virtual ~Unlike() = default;
  /// Its parameter is no object of this class.
  static double run(const Second &s, double v) { return s.second(v); }
  double with(const First &f, double v) const { return f.first(v) + other(v); }
};
struct Root {
  double e = 0.5;
  virtual double value() { return e; }
  virtual ~Root() = default;
};
struct Left : virtual Root {
  double value() override { return 2 * e; }
};
struct Right : virtual Root {
  double doubled() { return 2 * value(); }
};
struct Tip : Left, Right {
  double value() override { return e * e; }
};
template <typename T> struct Frame {
  T scale = 1;
  virtual T step(T v) = 0;
  T run(T v) { return step(step(v)) * scale; }
  virtual ~Frame() = default;
};
} // namespace

static double of(const Second &s, double v) { return s.second(v); }
static double of(First *f, double v) { return f->first(v); }
template <typename T> static double named(const T &s, double v) { return s.second(v); }

static double objects(const double *x, int) {
  struct Local : Frame<double> {
    double k;
    explicit Local(double k) : k(k) {}
    double step(double v) override { return std::sin(k * v); }
  };
  Both both(x[0]);
  First first;
  Second second;
  second.b = x[1];
  Unlike unlike;
  double s = of(both, x[2]) + of(&both, x[3]) + of(&first, x[1]) + of(second, x[0]);
  s += Unlike::run(both, x[1]) * Unlike::run(second, x[2]) + unlike.with(both, x[0]);
  s += both.twice(x[3]) + second.twice(x[1]) + named(both, x[4]) + named<Second>(both, x[2]);
  Tip tip;
  tip.e = x[2];
  s += tip.doubled();
  std::unique_ptr<Frame<double>> frame = std::make_unique<Local>(x[4]);
  std::shared_ptr<Second> owned = std::make_shared<Both>(x[3]);
  return s * frame->run(x[1]) + owned->second(x[0]) + owned->twice(x[1]);
}
GRADIENT_CHECK(hierarchies_objects, Double, objects, In(double, 5), Int(5))

// The object is no object of the class that a function is a member of, or that a pointer names.
namespace {
struct Line final : Shape {
  double b;
  explicit Line(double b) : b(b) {}
  double area(double s) const override { return 2 * s + b; }
};
union Either {
  Circle circle;
  Line line;
  Either() {}
  ~Either() {}
  double area(double s) const { return static_cast<const Shape &>(circle).area(s); }
};
struct Length {
  virtual double area(double s) const { return s; }
  virtual ~Length() = default;
};
struct Release {
  using pointer = Shape *;
  void operator()(Shape *p) const { delete p; }
};
} // namespace

static double others(const double *x, int n) {
  std::vector<Either> all(static_cast<std::size_t>(n));
  const Length length;
  double s = typeid(all[0]) == typeid(Either) ? 1 : 0;
  for (int i = 0; i < n; ++i) {
    Either &e = all[static_cast<std::size_t>(i)];
    std::unique_ptr<Length, Release> shape;
    if (x[i] > 1) {
      new (&e.circle) Circle(x[i]);
      shape.reset(new Line(x[i]));
    } else {
      new (&e.line) Line(x[i]);
      shape.reset(new Circle(x[i]));
    }
    s += e.area(x[0]) * shape->area(x[1]) + length.area(shape.get()->area(x[2]));
    e.circle.~Circle();
  }
  return s;
}
GRADIENT_CHECK(hierarchies_others, Double, others, In(double, 5), Int(5))
