// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ header: shadows of whole objects, and derivatives by them.
//
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O0 %s -o %t0
// RUN: %t0 | FileCheck %s
// RUN: %cf_clangxx -std=c++20 -Wall -Wextra -Werror -O2 %s -o %t2
// RUN: %t2 | FileCheck %s

#include <contraflow/contraflow.hpp>

#include <cmath>
#include <cstdio>

namespace cf = contraflow;

struct Body {
  double mass;
  float radius;
  int id;
  double position[3];
};
struct World {
  std::vector<Body> bodies;
  std::string name;
  double strength;
};
static double pull(const World &world) {
  double sum = 0;
  for (const Body &a : world.bodies)
    for (const Body &b : world.bodies)
      if (a.id < b.id) {
        const double d = a.position[0] - b.position[0];
        sum += world.strength * a.mass * b.mass / (d * d + 1);
      }
  return sum;
}

class Field {
public:
  explicit Field(int n) : values(n, 1.0), size_of_it(n) {}
  double at(int i) const { return values[i]; }
  int size() const { return size_of_it; }
  friend auto contraflow_members(Field &f) { return std::tie(f.values); }
  friend auto contraflow_members(const Field &f) { return std::tie(f.values); }

private:
  std::vector<double> values;
  int size_of_it;
};
static double norm(const Field &f) {
  double sum = 0;
  for (int i = 0; i < f.size(); ++i)
    sum += f.at(i) * f.at(i) * (i + 1);
  return sum;
}

struct Tree {
  double value;
  std::unique_ptr<Tree> left, right;
};
static double weigh(const Tree &t) {
  return t.value * t.value + (t.left ? weigh(*t.left) : 0) + (t.right ? 2 * weigh(*t.right) : 0);
}

struct Network {
  std::vector<std::vector<double>> weights;
  std::vector<double> bias;
  double operator()(const std::vector<double> &x) const {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double a = bias[i];
      for (std::size_t j = 0; j < x.size(); ++j)
        a += weights[i][j] * x[j];
      sum += std::tanh(a);
    }
    return sum;
  }
};

int main() {
  // CHECK: world 3 1.5, 1, 3 -3, name w
  const World world{{{1, 1, 0, {0, 0, 0}}, {2, 1, 1, {1, 0, 0}}}, "w", 3};
  const World slope = cf::gradient(pull, world);
  std::printf("world %g %g, %g, %g %g, name %s\n", slope.bodies[0].mass, slope.bodies[1].mass,
              slope.strength, slope.bodies[0].position[0], slope.bodies[1].position[0],
              slope.name.c_str());

  // CHECK: members 2 4 6, 6 0
  const Field field(3), field_bar = cf::gradient(norm, field);
  const auto curvature = cf::hessian(norm, field);
  std::printf("members %g %g %g, %g %g\n", field_bar.at(0), field_bar.at(1), field_bar.at(2),
              curvature(2, 2), curvature(0, 1));

  // CHECK: tree 2 4 12
  const Tree tree{1, std::make_unique<Tree>(Tree{2, nullptr, nullptr}),
                  std::make_unique<Tree>(Tree{3, nullptr, nullptr})};
  Tree tree_bar = cf::make_shadow(tree);
  cf::adjoint(weigh, cf::dup(tree, tree_bar));
  std::printf("tree %g %g %g\n", tree_bar.value, tree_bar.left->value, tree_bar.right->value);

  // CHECK: network 0.786448 0.610040 0.305020, 0.170151
  const Network network{{{.1, .2}, {.3, .4}}, {0, .1}};
  Network network_bar = cf::make_shadow(network);
  std::vector<double> x{1, 2}, x_bar(2);
  cf::adjoint(cf::dup(network, network_bar), cf::dup(x, x_bar));
  std::printf("network %.6f %.6f %.6f, %.6f\n", network_bar.weights[0][0],
              network_bar.weights[1][1], network_bar.bias[1], x_bar[0]);

  // CHECK: zero 0 0
  cf::zero_shadow(network_bar);
  std::printf("zero %g %g\n", network_bar.weights[1][1], network_bar.bias[1]);

  // CHECK: map b 0, shared 1 0, variant 0, none 1
  const std::map<std::string, double> map{{"a", 1}, {"b", 2}};
  const auto map_bar = cf::make_shadow(map);
  const auto owner = std::make_shared<double>(2.0);
  const std::pair pair{owner, owner};
  const auto pair_bar = cf::make_shadow(pair);
  const std::variant<int, double> variant = 3.0;
  const std::optional<double> none;
  std::printf("map %s %g, shared %d %g, variant %g, none %d\n", map_bar.rbegin()->first.c_str(),
              map_bar.rbegin()->second, pair_bar.first == pair_bar.second, *pair_bar.first,
              std::get<double>(cf::make_shadow(variant)), !cf::make_shadow(none));
}
