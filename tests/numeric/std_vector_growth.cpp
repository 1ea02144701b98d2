// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors that grow: push_back, insert, resize, vectors of vectors, erase, swap; structures that
// are inserted, sorted and found by iterators; copies of elements that are inserted before others.
// Supports: `std::vector`, `std::array`, algorithms
#include "GradientCheck.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

static double grow(const double *x, double a, int n) {
  std::vector<double> v;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < n; ++i) {
    v.push_back(x[i] * a);
    rows.push_back({x[i]});
    for (int k = 0; k < i; ++k)
      rows.back().push_back(rows[k].back() * a);
  }
  v.insert(v.begin() + 2, a * a);
  v.resize(n + 4, x[0]);
  v.erase(v.begin());
  rows[0].swap(rows[1]);
  rows.emplace_back(std::move(rows[2]));
  double s = 0;
  for (double e : v)
    s += e * e;
  for (auto &r : rows)
    for (double e : r)
      s += e * a;
  return s;
}

GRADIENT_CHECK(std_vector_growth, Double, grow, In(double, 6), Scalar(double), Int(6))

namespace {
struct GrownBody {
  double x, v;
  int id;
  float charge;
};
} // namespace

/// Elements move by differences of iterators, one of which is an integer at -O0.
static double insertStructures(const double *x, int n) {
  std::vector<GrownBody> bodies;
  for (int i = 0; i < n; ++i)
    bodies.push_back({x[i], x[i] * x[i], i, 1.0f + i});
  bodies.insert(bodies.begin() + 2, GrownBody{x[0] * x[1], x[2], 99, 2.0f});
  bodies.erase(bodies.begin() + 4);
  std::stable_sort(bodies.begin(), bodies.end(), [](auto &a, auto &b) { return a.x < b.x; });
  double sum = 0;
  int k = 0;
  for (const GrownBody &b : bodies)
    sum += b.x * b.v * b.charge * ++k + b.id * b.x;
  return sum;
}

/// A distance divided by the size of the elements is the index of smaller ones.
static double indexByIterator(const double *x) {
  std::vector<GrownBody> bodies;
  for (int i = 0; i < 4; ++i)
    bodies.push_back({1.5 * i, 0, i, 0});
  double table[4] = {3, x[0] * x[1], 2, x[1]}, rows[12] = {};
  rows[3] = x[0];
  rows[7] = x[1] * x[2];
  double sum = 0;
  for (int id = 0; id < 4; ++id) {
    auto at = std::find_if(bodies.begin(), bodies.end(), [=](auto &b) { return b.id == id; });
    const auto k = at - bodies.begin();
    sum += table[k] * table[k] + rows[3 * k] + rows[3 * int(k) + 1] * x[2];
  }
  return sum;
}

GRADIENT_CHECK(insert_structures, Double, insertStructures, In(double, 6), Int(6))
GRADIENT_CHECK(index_by_iterator, Double, indexByIterator, In(double, 3))

namespace {
struct Link {
  int to;
  double weight;
  int next;
};
struct Place {
  double value;
  int first;
  float order; // beside the double: the members must stay apart while the vector grows
};
struct Record {
  std::vector<double> values;
  int id; // what is behind it is moved together with the padding
  double weight;
};
} // namespace

// Two growing vectors of structures that index each other.
static double indexEachOther(const double *x, int n) {
  std::vector<Place> places;
  std::vector<Link> links;
  for (int i = 0; i < n; ++i) {
    places.push_back({x[i], -1, float(i)});
    for (int j = 0; j < i; ++j) {
      links.push_back({j, x[i] * x[j], places[i].first});
      places[i].first = int(links.size()) - 1;
    }
  }
  double sum = 0;
  for (auto &place : places)
    for (int k = place.first; k >= 0; k = links[k].next)
      sum += place.value * links[k].weight * places[links[k].to].value + place.order;
  return sum;
}

static double sortRecords(const double *x, int n) {
  std::vector<Record> records;
  for (int i = 0; i < n; ++i)
    records.push_back({{x[i]}, i * 5 % n, x[i] * x[0]});
  std::sort(records.begin(), records.end(), [](auto &a, auto &b) { return a.id < b.id; });
  double sum = 0, scale = 1;
  for (auto &r : records)
    sum += (scale *= 1.1) * r.values[0] * r.weight;
  return sum;
}

GRADIENT_CHECK(index_each_other, Double, indexEachOther, In(double, 5), Int(5))
GRADIENT_CHECK(sort_records, Double, sortRecords, In(double, 6), Int(6))

/// The library makes the copy in a union that begins as a byte.
template <typename T> static double insertCopies(std::vector<T> items, double (*value)(const T &)) {
  const T last = items.back();
  items.insert(items.begin(), last);
  items.insert(items.begin() + 2, items[1]);
  items.insert(items.end() - 1, 2, items[0]);
  double sum = 0;
  int k = 0;
  for (const T &item : items)
    sum += ++k * value(item);
  return sum;
}

static double insertBodies(const double *x, int n) {
  std::vector<GrownBody> bodies;
  for (int i = 0; i < n; ++i)
    bodies.push_back({x[i], x[i] * x[i], i, 1.0f + i});
  return insertCopies<GrownBody>(bodies, [](auto &b) { return b.x * b.v * b.charge + b.id * b.x; });
}

static double insertChoices(const double *x, int n) {
  std::vector<std::variant<double, GrownBody>> items;
  std::vector<std::optional<GrownBody>> perhaps(2);
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      items.emplace_back(x[i]);
    else
      items.emplace_back(GrownBody{x[i], x[i] * x[i], i, 1.0f});
    if (x[i] > 0)
      perhaps.push_back(GrownBody{x[i], x[0], i, 2.0f});
  }
  return insertCopies<std::variant<double, GrownBody>>(
             items,
             [](auto &item) {
               if (auto *number = std::get_if<double>(&item))
                 return *number * *number;
               return std::get<GrownBody>(item).x * std::get<GrownBody>(item).v;
             }) *
         insertCopies<std::optional<GrownBody>>(perhaps,
                                                [](auto &b) { return b ? b->x * b->v : 0.5; });
}

/// Nobody knows how many boxes there are, nor what is in them.
static double sortBodies(const double *x, int n, int count) {
  std::vector<std::vector<GrownBody>> boxes(count);
  std::vector<GrownBody> sorted;
  for (int i = 0; i < n; ++i)
    boxes[i * 7 % count].push_back({x[i], x[i] * x[i], i, 1.0f + i});
  for (auto &box : boxes)
    sorted.insert(sorted.end(), box.begin(), box.end());
  double sum = 0;
  for (auto &b : sorted)
    sum = 0.9 * sum + b.x * b.v * b.charge + b.id * b.x;
  return sum;
}

GRADIENT_CHECK(sort_into_boxes, Double, sortBodies, In(double, 5), Int(5), Int(3))
GRADIENT_CHECK(insert_copies, Double, insertBodies, In(double, 5), Int(5))
GRADIENT_CHECK(insert_choices, Double, insertChoices, In(double, 5), Int(5))

/// A flag, padding and a number: of the piece that is padding, the optimiser tells what lies
/// behind it.
struct Flagged {
  bool isOdd;
  double value{};
};
static __attribute__((noinline)) double weighted(const Flagged &f, double sum) {
  return sum + 0.7 * std::atan(f.value);
}
static double insertFlagged(const double *x, int n) {
  std::vector<Flagged> all(3), other(3);
  double sum = 0.1;
  for (int i = 0; i < 3; ++i)
    all[i] = {i % 2 == 1, x[i]}, other[i] = {true, x[3 + i]};
  auto total = [](const std::vector<Flagged> &v, double from) {
    for (const Flagged &f : v)
      from = weighted(f, from);
    return from;
  };
  for (int i = 0; i < n; ++i) {
    Flagged last = all.back();
    last.value *= 0.45;
    last.isOdd = i % 2;
    all.insert(all.begin(), std::move(last));
    sum += total(all, x[i]);
  }
  all = other;
  sum += std::tanh(total(all, sum));
  return sum + std::tanh(total(other, sum));
}
GRADIENT_CHECK(insert_flagged, Double, insertFlagged, In(double, 6), Int(3))
