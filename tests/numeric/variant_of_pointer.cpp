// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number and a pointer by turns in a variant, a union, or what a base leads to: one place holds
// adjoints and addresses.
// Supports: `std::optional`, `variant`, `tuple`, `unique_ptr`, `shared_ptr`
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>
static double f(const double *x, double a, int n) {
  std::vector<std::variant<double, double *>> v;
  std::vector<double> own(n);
  for (int i = 0; i < n; i++) {
    own[i] = x[i] * x[i];
    if (i % 3 == 0)
      v.push_back(x[i] * a);
    else if (i % 3 == 1)
      v.push_back(&own[i]);
    else
      v.push_back(&own[0]);
  }
  std::optional<std::vector<double>> o;
  if (n > 2)
    o = own;
  double s = 0;
  for (auto &e : v) {
    if (auto *d = std::get_if<double>(&e))
      s += *d * *d;
    else if (auto *p = std::get_if<double *>(&e)) {
      **p *= 1.5;
      s += **p;
    }
  }
  for (double d : *o)
    s += d * a;
  for (double d : own)
    s += d;
  return s;
}
GRADIENT_CHECK(variant_of_pointer, Double, f, In(double, 7), Scalar(double), Int(7))

using Row = std::optional<std::vector<double>>;
using Either = std::variant<double, Row>;

static double sum(const Row &row, double s) {
  if (row)
    for (double v : *row)
      s = std::tanh(s * 0.8 + v);
  return s;
}
static double sum(const Either &e, double s) {
  if (const double *number = std::get_if<double>(&e))
    return std::tanh(s * 0.44 + *number);
  return sum(std::get<Row>(e), s);
}
static void fill(Either &e, const double *x, int n) {
  if (n % 2 == 0) {
    e = x[0];
    return;
  }
  Row row;
  if (n % 3) {
    std::vector<double> v;
    for (int i = 0; i < n; ++i) {
      v.emplace_back();
      v.back() = x[i];
    }
    row = v;
  }
  e = std::move(row);
}
/// The place of the number is loaded once, as an address, and is in registers from then on.
static double copied(const double *x, int from, int to, int times) {
  Either a, b;
  fill(a, x, from);
  fill(b, x, to);
  for (int i = 0; i < times; ++i)
    b = a;
  double s = std::tanh(sum(a, x[1]));
  s += std::tanh(sum(b, s));
  return s;
}

GRADIENT_CHECK(variant_copied_number, Double, copied, In(double, 6), Int(2), Int(5), Int(2))
GRADIENT_CHECK(variant_copied_row, Double, copied, In(double, 6), Int(5), Int(2), Int(1))
GRADIENT_CHECK(variant_copied_nothing, Double, copied, In(double, 6), Int(3), Int(4), Int(1))
GRADIENT_CHECK(variant_not_copied, Double, copied, In(double, 6), Int(4), Int(5), Int(0))

// A float, or two, where an address is at another time. In the shadow the old address is no
// adjoint.
union FloatOrPlace {
  float number;
  const float *place;
};

static float exchanged(const float *x, int n) {
  FloatOrPlace *slots = static_cast<FloatOrPlace *>(std::malloc(n * sizeof *slots));
  float s = 0;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < n; ++i) {
      if ((i + k) % 2)
        slots[i].place = x + (i + k) % n;
      else
        slots[i].number = x[i] * float(k + 1);
      if (i > 0)
        s += (i - 1 + k) % 2 ? *slots[i - 1].place * x[0]
                             : slots[i - 1].number * slots[i - 1].number;
    }
  std::free(slots);
  return s;
}

union FloatsOrPlace {
  struct {
    float a, b;
  } numbers;
  const float *place;
};

static float movedHalves(const float *x, int n) {
  std::vector<FloatsOrPlace> from(n), to(n);
  float s = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < n; ++i)
      if ((i + k) % 2)
        from[i].place = x + i;
      else
        from[i].numbers = {x[i] * float(k + 1), x[(i + 1) % n]};
    for (int i = 0; i < n; ++i)
      to[(i + k) % n] = from[i];
    for (int i = 0; i < n; ++i) {
      const FloatsOrPlace &here = to[(i + k) % n];
      s += (i + k) % 2 ? *here.place * x[0] : here.numbers.a * here.numbers.b;
    }
  }
  return s;
}

struct Law {
  virtual float at(float v) const = 0;
  virtual std::unique_ptr<Law> clone() const = 0;
  virtual ~Law() = default;
};
struct Line : Law {
  float slope, offset;
  Line(float a, float b) : slope(a), offset(b) {}
  float at(float v) const override { return slope * v + offset * offset; }
  std::unique_ptr<Law> clone() const override { return std::make_unique<Line>(*this); }
};
struct Lookup : Law {
  const float *first, *second;
  Lookup(const float *p, const float *q) : first(p), second(q) {}
  float at(float v) const override { return *first * v + *second; }
  std::unique_ptr<Law> clone() const override { return std::make_unique<Lookup>(*this); }
};

static float cloned(const float *x, int n) {
  std::vector<std::unique_ptr<Law>> laws;
  for (int i = 0; i < n; ++i)
    if (i % 2)
      laws.push_back(std::make_unique<Line>(x[i], x[0]));
    else
      laws.push_back(std::make_unique<Lookup>(x + i, x));
  float s = 0;
  for (auto &law : laws)
    s += law->clone()->at(x[1]) * law->at(x[2]);
  return s;
}

using FloatPlaceRow = std::variant<float, const float *, std::vector<float>>;

static float copiedFloats(const float *x, int n) {
  std::vector<FloatPlaceRow> all;
  for (int i = 0; i < 2 * n; ++i) {
    if (i % 3 == 0)
      all.push_back(x[i % n]);
    else if (i % 3 == 1)
      all.push_back(x + i % n);
    else
      all.push_back(std::vector<float>{x[i % n], x[0]});
  }
  auto copy = all;
  copy[0] = copy[1];
  copy[4] = copy[3];
  copy[2] = 1.0f;
  float s = 0;
  for (auto &e : copy)
    s += e.index() == 0   ? std::get<0>(e) * std::get<0>(e)
         : e.index() == 1 ? *std::get<1>(e)
                          : std::get<2>(e)[0] * std::get<2>(e)[1];
  return s;
}

GRADIENT_CHECK_BOUND(1e-4, floats_and_places, Float, exchanged, In(float, 5), Int(5))
GRADIENT_CHECK_BOUND(1e-4, floats_or_place_moved, Float, movedHalves, In(float, 5), Int(5))
GRADIENT_CHECK_BOUND(1e-4, floats_or_places_cloned, Float, cloned, In(float, 5), Int(5))
GRADIENT_CHECK_BOUND(1e-4, floats_in_variants, Float, copiedFloats, In(float, 5), Int(5))

// A number of either width or a text at one place.
struct Entry {
  enum Kind { Count, Single, Real, Text } kind = Count;
  union {
    long count = 0;
    float single;
    double real;
    const char *text;
  };
  static Entry of(double v) {
    Entry e;
    e.kind = Real;
    e.real = v;
    return e;
  }
  static Entry of(float v) {
    Entry e;
    e.kind = Single;
    e.single = v;
    return e;
  }
  static Entry of(const char *v) {
    Entry e;
    e.kind = Text;
    e.text = v;
    return e;
  }
  double value() const {
    switch (kind) {
    case Count:
      return static_cast<double>(count);
    case Single:
      return single;
    case Real:
      return real;
    default:
      return static_cast<double>(std::strlen(text));
    }
  }
};
static double entries_of_either_width(const double *x, int n) {
  std::vector<Entry> all;
  for (int i = 0; i < n; ++i)
    all.push_back(i % 4 == 0   ? Entry::of(1.0f + static_cast<float>(i))
                  : i % 4 == 3 ? Entry::of("abc")
                               : Entry::of(x[i] * x[0]));
  std::reverse(all.begin(), all.end());
  std::vector<Entry> some = all;
  some.erase(some.begin() + 1);
  double s = 0;
  for (const Entry &e : some)
    s += e.value() * e.value();
  for (const Entry &e : all)
    s += std::sin(e.value());
  return s;
}
GRADIENT_CHECK(entries_of_either_width, Double, entries_of_either_width, In(double, 8), Int(8))
