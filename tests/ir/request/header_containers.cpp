// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ header: shadows of containers are arranged as the containers are, so that code which
// inserts, finds and walks by what it sees of the container finds its shadow at the same place.
// Gradients are compared with central differences.
//
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O0 %s -o %t0
// RUN: %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O2 %s -o %t2
// RUN: %t2 | FileCheck %s
// RUN: %if libcxx %{ %clangxx -std=c++20 -Wall -Wextra -Werror -O2 -stdlib=libc++ -c %s -o %t.o %}
// RUN: %if libcxx %{ %cf_clangxx %t.o -lc++ -lc++abi -o %t3 %}
// RUN: %if libcxx %{ %t3 | FileCheck %s %}

#include <contraflow/contraflow.hpp>

#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <stack>
#include <unordered_map>
#include <vector>

namespace cf = contraflow;

/// Copy(x) is an object that f treats as it treats x.
template <class X, class F, class Copy> static void check(const char *name, F f, X &x, Copy copy) {
  auto primal = copy(x);
  auto x_bar = cf::make_shadow(x);
  cf::adjoint(f, cf::dup(x, x_bar));
  std::vector<double> adjoint;
  cf::detail::each_number(x_bar, [&](double &number) { adjoint.push_back(number); });
  bool same = !adjoint.empty();
  for (std::size_t k = 0; k < adjoint.size(); ++k) {
    double value[2];
    for (int side : {0, 1}) {
      auto y = copy(primal);
      std::size_t i = 0;
      cf::detail::each_number(y, [&](double &n) { n += i++ == k ? (side ? 1e-6 : -1e-6) : 0; });
      value[side] = f(y);
    }
    const double difference = (value[1] - value[0]) / 2e-6;
    same = same && std::fabs(adjoint[k] - difference) < 1e-5 * (1 + std::fabs(difference));
  }
  std::printf("%s %s\n", name, same ? "right" : "wrong");
}
static const auto plain = [](const auto &x) { return x; };

static double grow(std::vector<double> &v) {
  v.push_back(v[0] * v[1]);
  v.push_back(v[2] * v[4]);
  double sum = 0;
  for (double one : v)
    sum += one * one;
  v.resize(v.size() - 2);
  return sum;
}

static double walk(std::deque<double> &d) {
  double sum = 0, weight = 1;
  for (double one : d) {
    sum += one * weight;
    weight = 0.5 * weight + one;
  }
  return sum + d[3] * d[4];
}
static double both_ends(std::deque<double> &d) {
  d.push_back(d[1] * d[2]);
  d.push_front(d[3] * d[0]);
  const double sum = walk(d);
  d.pop_back();
  d.pop_front();
  return sum;
}

template <class Map> static double look_up(Map &m) {
  double sum = 0;
  for (int key : {30, 5, 99, 1, 12})
    if (auto it = m.find(key); it != m.end())
      sum += key * *it->second * *it->second;
  for (auto &[key, value] : m)
    sum = 0.5 * sum + key * *value;
  return sum;
}
template <class Map> static Map owners() {
  Map m;
  for (int key : {30, 12, 7, 5, 3, 1, 2, 40, 41, 42, 43})
    m[key] = std::make_unique<double>(1.0 / key);
  return m;
}
/// Elements are inserted again, the first of each chain last.
template <class Map> static Map copy_owners(const Map &of) {
  Map m;
  if constexpr (requires { m.rehash(of.bucket_count()); })
    m.rehash(of.bucket_count());
  std::vector<int> keys;
  for (auto &[key, value] : of)
    keys.insert(keys.begin(), key);
  for (int key : keys)
    m[key] = std::make_unique<double>(*of.at(key));
  return m;
}

static double interpolate(const std::map<double, double> &table) {
  double sum = 0;
  for (double at : {0.3, 1.7, 2.2}) {
    const auto high = table.upper_bound(at), low = std::prev(high);
    const double part = (at - low->first) / (high->first - low->first);
    sum += (1 - part) * low->second + part * high->second * high->second;
  }
  return sum;
}

struct World {
  std::string name;
  double size[3];
  std::vector<std::vector<double>> rows;
  std::map<std::string, std::vector<double>> series;
  std::optional<double> extra;
};
static double edit(World &w) {
  w.name += "xyz";
  w.rows[0].push_back(w.size[0] * w.size[1]);
  w.series["b"].push_back(w.size[2] * w.rows[0][0]);
  w.extra = w.size[0] * w.size[2];
  double sum = *w.extra * *w.extra;
  for (double one : w.rows[0])
    sum += one * one;
  for (double one : w.series["b"])
    sum += one * one * one;
  w.rows[0].pop_back();
  w.series["b"].pop_back();
  w.extra.reset();
  w.name.resize(2);
  return sum;
}

using Choice = std::variant<int, double, std::array<double, 2>>;
static double choose(std::vector<Choice> &v) {
  double sum = 0;
  for (Choice &one : v)
    if (auto *number = std::get_if<double>(&one))
      sum += *number * *number;
    else if (auto *pair = std::get_if<std::array<double, 2>>(&one))
      sum += (*pair)[0] * (*pair)[1];
  v[0] = std::array<double, 2>{sum, sum * sum};
  const double result = std::get<2>(v[0])[1] * 0.5 + std::get<2>(v[0])[0];
  v[0] = 3;
  return result;
}

template <class Adaptor> static double take(Adaptor &from) {
  double sum = 0, weight = 1;
  for (auto rest = from; !rest.empty(); rest.pop(), weight += 0.5)
    sum += weight * rest.top() * rest.top();
  return sum;
}

struct Cell {
  double at[2];
  std::unique_ptr<Cell> parts[2];
};
static double area(const Cell &c) {
  double sum = c.at[0] * c.at[1];
  for (auto &part : c.parts)
    sum += part ? c.at[0] * area(*part) : 0;
  return sum;
}

struct Shape {
  virtual ~Shape() = default;
  double size = 1;
};
static auto contraflow_members(Shape &s) { return std::tie(s.size); }
struct Round : Shape {
  double radius = 2;
};

int main() {
  // CHECK: room right
  std::vector<double> v{1.5, 2, 3, 4};
  v.reserve(16);
  check("room", grow, v, plain);

  // CHECK: walk right
  // CHECK: both ends right
  // CHECK: queue right
  std::deque<double> d;
  for (int i = 0; i < 90; ++i)
    d.push_back(0.02 * i);
  for (int i = 0; i < 5; ++i)
    d.pop_front();
  check("walk", walk, d, plain);
  check("both ends", both_ends, d, plain);
  std::queue<double> waiting(d);
  check("queue", [](std::queue<double> &q) { return q.front() * q.back(); }, waiting, plain);

  // CHECK: tree right
  // CHECK: chains right
  // CHECK: keys right
  auto tree = owners<std::map<int, std::unique_ptr<double>>>();
  check("tree", look_up<decltype(tree)>, tree, copy_owners<decltype(tree)>);
  auto chains = owners<std::unordered_map<int, std::unique_ptr<double>>>();
  check("chains", look_up<decltype(chains)>, chains, copy_owners<decltype(chains)>);
  std::map<double, double> table{{0, 1}, {1, 2}, {2, 4}, {3, 3}};
  check("keys", interpolate, table, plain);

  // CHECK: edit right
  // CHECK: choose right
  // CHECK: stack right
  World world{"w", {1, 2, 3}, {{1, 2}, {3}}, {{"a", {1}}, {"b", {.5, .25}}}, {}};
  world.name.reserve(100);
  world.rows[0].reserve(8);
  world.series["b"].reserve(5);
  check("edit", edit, world, plain);
  std::vector<Choice> choices{3, 1.5, std::array<double, 2>{2, 3}};
  check("choose", choose, choices, plain);
  std::stack<double> stack(d);
  check("stack", take<std::stack<double>>, stack, plain);

  // CHECK: cells 15 2, 8 6
  const Cell cell{{2, 3}, {std::make_unique<Cell>(Cell{{3, 4}, {}}), nullptr}};
  const Cell cell_bar = cf::gradient(area, cell);
  std::printf("cells %g %g, %g %g\n", cell_bar.at[0], cell_bar.at[1], cell_bar.parts[0]->at[0],
              cell_bar.parts[0]->at[1]);

  // CHECK: own class 0, derived refused
  const auto own = std::make_unique<Shape>();
  std::printf("own class %g, ", cf::make_shadow(own)->size);
  try {
    cf::make_shadow(std::unique_ptr<Shape>(std::make_unique<Round>()));
  } catch (const std::invalid_argument &) {
    std::printf("derived refused\n");
  }
}
