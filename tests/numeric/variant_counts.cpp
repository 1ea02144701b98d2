// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A state that is counted with an integer where another state has the end of a vector: in registers
// the integer is set in half of a word that is a pointer at other times.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Heating {
  double temperature, power;
  int ticks;
};
struct Cooling {
  double temperature;
  std::vector<double> log;
};
using State = std::variant<Heating, Cooling>;

struct Step {
  double by;
  State operator()(Heating h) const {
    h.temperature += h.power * by;
    if (++h.ticks > 3)
      return Cooling{h.temperature, {h.temperature}};
    return h;
  }
  State operator()(Cooling c) const {
    c.temperature *= by;
    c.log.push_back(c.temperature);
    return State(std::move(c));
  }
};

struct Measure {
  double operator()(const Heating &h) const { return h.temperature + 2 * h.power; }
  double operator()(const Cooling &c) const { return c.temperature * c.log[0]; }
};

} // namespace

__attribute__((noinline)) static State next(State s, double by) {
  return std::visit(Step{by}, std::move(s));
}

static double machine(const double *x, int n) {
  State s = Heating{x[0], x[1], 0};
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    s = next(std::move(s), x[i]);
    sum += std::visit(Measure{}, s);
  }
  return sum;
}

/// Constants where other alternatives have an address, in a vector that grows: a number, or two.
template <class Factor> struct Line {
  Factor a, b;
  double c;
  double at(double v) { return a * v + b * c; }
};
struct Sum {
  double *to, k;
  int calls;
  double at(double v) { return v - 0.1 * (*to += k * v * ++calls); }
};
struct Series {
  std::unique_ptr<double[]> all;
  int count;
  double at(double v) {
    double s = 0;
    for (int i = 0; i < count; ++i)
      s = s * v + all[i];
    return s;
  }
};

template <class Factor> static double constants(const double *x, int n) {
  double total = 0, v = x[0];
  std::vector<std::variant<Sum, Series, Line<Factor>>> parts;
  parts.push_back(Sum{&total, x[1], 0});
  auto all = std::make_unique<double[]>(n);
  for (int i = 0; i < n; ++i)
    all[i] = x[i];
  parts.push_back(Series{std::move(all), n});
  parts.push_back(Line<Factor>{0.5, 0.25, x[2]});
  for (auto &part : parts)
    v = std::tanh(std::visit([v](auto &p) { return p.at(v); }, part));
  return v + total;
}

GRADIENT_CHECK(variant_counts, Double, machine, In(double, 8), Int(8))

// Two short integers and one whole in such a word, as fields that change by themselves.
struct Fields {
  double value;
  short low, high;
  int rest;
};
struct Held {
  double value;
  double *at;
};

__attribute__((noinline)) static std::variant<Fields, Held> after(std::variant<Fields, Held> s,
                                                                  double by, double *room) {
  if (auto *fields = std::get_if<Fields>(&s)) {
    fields->value *= 1 + by;
    fields->low += fields->high;
    --fields->rest;
    if (fields->rest > 0)
      return s;
    *room = fields->value * fields->low;
    return Held{by, room};
  }
  auto &held = std::get<Held>(s);
  *held.at += held.value * by;
  return held;
}

static double fields(const double *x, int n) {
  std::variant<Fields, Held> s = Fields{x[0], 1, 2, 3};
  double sum = 0, room = 0;
  for (int i = 0; i < n; ++i) {
    s = after(s, x[i], &room);
    if (auto *held = std::get_if<Held>(&s))
      sum += *held->at * held->value;
  }
  return sum + room;
}

GRADIENT_CHECK(variant_fields, Double, fields, In(double, 8), Int(8))

// In memory, the rest of that word is padding, which is copied beside the integer.
struct Fault {
  std::string why;
  double peak;
};
using Watched = std::variant<Heating, Cooling, Fault>;

struct Watch {
  double by;
  Watched operator()(Heating h) const {
    h.temperature += h.power * by;
    ++h.ticks;
    if (h.temperature > 100)
      return Fault{"over temperature in heater", h.temperature};
    if (h.ticks > 3)
      return Cooling{h.temperature, {h.temperature}};
    return h;
  }
  Watched operator()(Cooling c) const {
    c.temperature *= by;
    c.log.push_back(c.temperature);
    if (c.log.size() > 3)
      return Fault{"cold", c.log[0]};
    return Watched(std::move(c));
  }
  Watched operator()(Fault f) const {
    f.peak *= 1 + by;
    return Watched(std::move(f));
  }
};

struct Reading : Measure {
  using Measure::operator();
  double operator()(const Fault &f) const { return f.peak * double(f.why.size()); }
};

static double watched(const double *x, int n) {
  Watched s = Heating{x[0], x[1], 0};
  std::vector<Watched> history;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    s = std::visit(Watch{x[i]}, std::move(s));
    history.push_back(s);
  }
  for (const Watched &then : history)
    sum = 0.5 * sum + std::visit(Reading{}, then);
  return sum;
}

GRADIENT_CHECK(variant_watched, Double, watched, In(double, 10), Int(10))

// The count is an integer of one state and the length of a vector of another one, converted.
namespace {

struct Counted {
  int n;
  double v;
};
struct Rows {
  std::vector<double> w;
  double s;
};
struct Rest {
  double q;
  int m;
};
using Phase = std::variant<Counted, Rows, Rest>;

struct Advance {
  double by;
  int k;
  Phase operator()(Counted a) const {
    a.v *= 1 + by;
    a.n += k;
    if (a.n > 2)
      return Rows{{a.v, by}, by};
    return a;
  }
  Phase operator()(Rows b) const {
    b.w.push_back(b.s * by);
    b.s += b.w[0];
    if (b.w.size() > 3)
      return Rest{b.w[0] * b.s, static_cast<int>(b.w.size())};
    return Phase(std::move(b));
  }
  Phase operator()(Rest c) const {
    c.q *= by;
    if (--c.m < 2)
      return Counted{0, c.q};
    return c;
  }
};
struct Value {
  double operator()(const Counted &a) const { return a.v + a.n; }
  double operator()(const Rows &b) const { return b.s * b.w.back(); }
  double operator()(const Rest &c) const { return c.q + c.m; }
};

} // namespace

__attribute__((noinline)) static Phase advance(Phase p, double by, int k) {
  return std::visit(Advance{by, k}, std::move(p));
}
static double phases(const double *x, int n) {
  Phase p = Counted{0, x[0]};
  double sum = 0;
  for (int i = 0; i < 2 * n; ++i) {
    p = advance(std::move(p), x[i % n], i % 3);
    sum += std::visit(Value{}, p);
  }
  return sum;
}
GRADIENT_CHECK(variant_phases, Double, phases, In(double, 8), Int(8))
GRADIENT_CHECK(variant_constants, Double, constants<double>, In(double, 3), Int(3))
GRADIENT_CHECK(variant_pairs, Double, constants<float>, In(double, 3), Int(3))
