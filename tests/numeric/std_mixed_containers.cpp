// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Containers of containers, of strings and numbers, and what surrounds the numbers in programs:
// text, clocks, random numbers, locks.
#include "GradientCheck.h"
#include <bitset>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stack>
#include <string>
#include <unordered_map>
#include <vector>

extern int enzyme_nofree;
struct tape_and_result {
  void *tape;
  double result;
};
template <typename Result, typename... Arguments> Result __enzyme_augmentfwd(void *, Arguments...);
template <typename Result, typename... Arguments> Result __enzyme_reverse(void *, Arguments...);

namespace {

double named(const double *x, int n) {
  std::map<std::string, double> values;
  for (int i = 0; i < n; ++i)
    values["v" + std::to_string(i % 4)] += x[i] * x[i];
  return values["v0"] * values["v3"] + values.at("v1");
}

double hashed(const double *x, int n) {
  std::unordered_map<int, std::vector<double>> cells;
  for (int i = 0; i < n; ++i)
    cells[static_cast<int>(x[i] * 4)].push_back(x[i]);
  double s = 0;
  for (int k = 0; k < 8; ++k) {
    const auto found = cells.find(k);
    if (found == cells.end())
      continue;
    for (double a : found->second)
      for (double b : found->second)
        s += a * b;
  }
  return s;
}

double nestedVectors(const double *x, int n) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < n; ++i) {
    rows.emplace_back(i + 1, x[i]);
    for (std::size_t j = 0; j < rows.back().size(); ++j)
      rows[i][j] *= x[j];
  }
  double s = 0;
  for (const auto &row : rows)
    for (double v : row)
      s += v * v;
  return s;
}

double rowsMoved(const double *x, int n) {
  std::vector<std::vector<double>> rows(2);
  for (int i = 0; i < n; ++i)
    rows[i % 2].push_back(x[i]);
  std::vector<double> taken = std::move(rows[0]);
  rows[1].swap(taken);
  rows.push_back(taken);
  rows.erase(rows.begin());
  rows[0].insert(rows[0].begin() + 1, x[0] * x[1]);
  double s = 1;
  for (const auto &row : rows)
    s *= std::accumulate(row.begin(), row.end(), 0.0);
  return s;
}

double queueOfTasks(const double *x, int n) {
  std::deque<std::pair<int, double>> tasks{{0, x[0]}};
  double s = 0;
  while (!tasks.empty()) {
    const auto [depth, value] = tasks.front();
    tasks.pop_front();
    s += value * value;
    if (depth < 4) {
      tasks.emplace_back(depth + 1, value * x[depth % n]);
      if (depth % 2)
        tasks.push_front({depth + 2, value + x[1]});
    }
  }
  return s;
}

double shortestPath(const double *x, int n) {
  const int nodes = 5;
  std::vector<double> distance(nodes, 1e3);
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  distance[0] = 0;
  open.emplace(0.0, 0);
  while (!open.empty()) {
    const auto [d, at] = open.top();
    open.pop();
    if (d > distance[at])
      continue;
    for (int to = at + 1; to < nodes; ++to) {
      const double length = d + x[(at * 3 + to) % n] * (to - at);
      if (length < distance[to]) {
        distance[to] = length;
        open.emplace(length, to);
      }
    }
  }
  return distance[nodes - 1] * distance[2];
}

double sets(const double *x, int n) {
  std::set<double> ordered(x, x + n);
  std::multiset<double> some;
  double s = 0, w = 1;
  for (double v : ordered) {
    s += (w *= 0.5) * v * v;
    some.insert(v * x[0]);
  }
  return s + *some.begin() * *ordered.rbegin();
}

double lists(const double *x, int n) {
  std::list<double> l(x, x + n);
  l.remove_if([](double v) { return v > 1.4; });
  l.push_front(x[0] * x[1]);
  l.sort();
  std::forward_list<double> f;
  for (double v : l)
    f.push_front(v * x[0]);
  double s = 0;
  for (double v : f)
    s = s * 0.7 + v;
  return s;
}

double stacks(const double *x, int n) {
  std::stack<double> s;
  for (int i = 0; i < n; ++i) {
    s.push(x[i]);
    if (i % 3 == 2) {
      const double b = s.top();
      s.pop();
      const double a = s.top();
      s.pop();
      s.push(a * b + 0.1);
    }
  }
  double product = 1;
  for (; !s.empty(); s.pop())
    product *= s.top();
  return product;
}

double monteCarlo(const double *x, int n) {
  std::mt19937 engine(42);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.1, 0.9);
  double s = 0;
  for (int i = 0; i < 40; ++i) {
    const double z = normal(engine), u = uniform(engine);
    s += std::exp(x[0] * z * 0.3 - x[1] * u) * x[i % n];
  }
  return s / 40;
}

double logged(const double *x, int n) {
  std::ostringstream log;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i] * x[i];
    log << "step " << i << ": " << s << '\n';
  }
  char line[80];
  std::snprintf(line, sizeof line, "%d %.3f", n, s);
  return s * (log.str().empty() || !line[0] ? 0 : 1);
}

double parsed(const double *x, int n) {
  std::istringstream in("3 0.5 2 1.25");
  double s = 0, weight;
  int index;
  while (in >> index >> weight)
    s += weight * x[index % n] * x[0];
  return s + std::stod("0.75") * x[1] * std::strtod("1.5e0", nullptr);
}

double timed(const double *x, int n) {
  const auto start = std::chrono::steady_clock::now();
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += std::sqrt(x[i]) * x[0];
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count() < 0 ? 0 : s;
}

double locked(const double *x, int n) {
  static std::mutex mutex;
  double s = 0;
  for (int i = 0; i < n; ++i) {
    std::lock_guard<std::mutex> lock(mutex);
    s += x[i] * s + x[i];
  }
  return s;
}

double masked(const double *x, int n) {
  std::bitset<8> mask(0b10110101);
  std::vector<bool> flags(n);
  double s = 0;
  for (int i = 0; i < n; ++i)
    flags[i] = mask[i] && x[i] > 0.6;
  for (int i = 0; i < n; ++i)
    s += flags[i] ? x[i] * x[i] : x[i];
  return s;
}

struct Material {
  std::string name;
  double density;
  std::vector<double> table;
};
double materials(const double *x, int n) {
  std::vector<Material> all;
  for (int i = 0; i < n; ++i)
    all.push_back({i % 2 ? "a rather long name for steel" : "air", x[i], {x[i], x[0], 1.0}});
  double s = 0;
  for (const Material &m : all)
    s += m.density * (m.name == "air" ? m.table[0] : m.table[1] * m.table[0]);
  return s;
}

double registry(const double *x, int n) {
  std::map<std::string, std::function<double(double)>> functions;
  functions["square"] = [](double v) { return v * v; };
  functions["scale"] = [x](double v) { return v * x[0]; };
  functions["shift"] = [a = x[1]](double v) { return v + a; };
  double v = x[n - 1];
  for (const char *name : {"square", "shift", "scale", "square"})
    v = functions.at(name)(v);
  return v;
}

struct Pair {
  double a, b;
};

/// A node's numbers lie where the next map of the vector has the colour of its root.
double vectorOfMaps(const double *x, int n) {
  std::vector<std::map<int, Pair>> all;
  for (int i = 0; i < n; ++i) {
    std::map<int, Pair> one;
    for (int j = 0; j <= i; ++j)
      one[j * 7 % 5] = {x[j] * x[i], x[j]};
    all.push_back(std::move(one));
  }
  std::vector<std::map<int, Pair>> moved(std::move(all));
  moved.erase(moved.begin());
  double sum = 0;
  for (const auto &one : moved)
    for (const auto &[key, e] : one)
      sum += e.a * e.b * (1 + key);
  return sum;
}

double collected(const double *x, int n) {
  std::vector<std::complex<double>> grown;
  std::map<int, double> cells;
  std::list<std::shared_ptr<double>> shared;
  for (int i = 0; i < n; ++i) {
    grown.emplace_back(x[i], x[(i + 1) % n]);
    cells[i % 3] += x[i] * x[i];
    shared.push_front(i % 2 ? shared.front() : std::make_shared<double>(x[i]));
  }
  std::complex<double> product = 1;
  for (const auto &z : grown)
    product *= std::exp(z) / (z + 1.0);
  double s = std::abs(product) * cells[1];
  for (const auto &p : shared)
    s = s * 0.7 + *p * cells[2];
  return s;
}
double collectedPrimal(void *const *v) { return collected(static_cast<double *>(v[0]), 6); }
double collectedTangent(void *const *v, void *const *d) {
  return __enzyme_fwddiff<double>((void *)collected, enzyme_dup, (double *)v[0], (double *)d[0],
                                  enzyme_const, 6);
}
/// In two directions at once, and in two calls of which the second one is made twice.
void collectedAdjoint(void *const *v, void *const *d) {
  double *x = (double *)v[0], *bar = (double *)d[0], first[6] = {}, second[6] = {}, split[6] = {};
  __enzyme_autodiff<void>((void *)collected, enzyme_width, 2, enzyme_dup, x, first, second,
                          enzyme_const, 6);
  const tape_and_result t = __enzyme_augmentfwd<tape_and_result>((void *)collected, enzyme_dup, x,
                                                                 split, enzyme_const, 6);
  __enzyme_reverse<void>((void *)collected, enzyme_nofree, enzyme_dup, x, split, enzyme_const, 6,
                         3.0, t.tape);
  __enzyme_reverse<void>((void *)collected, enzyme_dup, x, split, enzyme_const, 6, -1.0, t.tape);
  for (int i = 0; i < 6; ++i) // 1 + 1 + 3 - 1 times the same
    bar[i] += (first[i] + second[i] + split[i]) / 4;
}

} // namespace

// First, when the other checks have no derivatives yet: by its type, any of their functions might
// be what the call through the map runs.
GRADIENT_CHECK(std_mixed_registry, Double, registry, In(double, 3), Int(3))
GRADIENT_CHECK(std_mixed_named, Double, named, In(double, 8), Int(8))
GRADIENT_CHECK(std_mixed_hashed, Double, hashed, In(double, 8), Int(8))
GRADIENT_CHECK(std_mixed_nested_vectors, Double, nestedVectors, In(double, 5), Int(5))
GRADIENT_CHECK(std_mixed_rows_moved, Double, rowsMoved, In(double, 7), Int(7))
GRADIENT_CHECK(std_mixed_tasks, Double, queueOfTasks, In(double, 3), Int(3))
GRADIENT_CHECK(std_mixed_shortest_path, Double, shortestPath, In(double, 6), Int(6))
GRADIENT_CHECK(std_mixed_sets, Double, sets, In(double, 6), Int(6))
GRADIENT_CHECK(std_mixed_lists, Double, lists, In(double, 6), Int(6))
GRADIENT_CHECK(std_mixed_stacks, Double, stacks, In(double, 8), Int(8))
GRADIENT_CHECK(std_mixed_monte_carlo, Double, monteCarlo, In(double, 4), Int(4))
GRADIENT_CHECK(std_mixed_logged, Double, logged, In(double, 5), Int(5))
GRADIENT_CHECK(std_mixed_parsed, Double, parsed, In(double, 5), Int(5))
GRADIENT_CHECK(std_mixed_timed, Double, timed, In(double, 5), Int(5))
GRADIENT_CHECK(std_mixed_locked, Double, locked, In(double, 5), Int(5))
GRADIENT_CHECK(std_mixed_masked, Double, masked, In(double, 8), Int(8))
GRADIENT_CHECK(std_mixed_materials, Double, materials, In(double, 5), Int(5))
GRADIENT_CHECK(std_mixed_vector_of_maps, Double, vectorOfMaps, In(double, 5), Int(5))
GRADIENT_CHECK_CUSTOM(std_mixed_collected, Double, collectedPrimal, collectedTangent,
                      collectedAdjoint, In(double, 6))
