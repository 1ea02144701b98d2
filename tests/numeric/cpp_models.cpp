// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that C++ programs are made of, each with several classes that refer to each other.
// Supports: meshes of half-edges, layers with random weights
#include "GradientCheck.h"
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace {

struct Vertex;
struct Face;
struct Half {
  Half *next = nullptr, *twin = nullptr;
  Vertex *to = nullptr;
  Face *face = nullptr;
};
struct Point {
  double x, y, z;
};
struct Vertex {
  Point at;
  Half *out = nullptr;
  int number;
  bool isInner = true;
};
struct Face {
  Half *first;
  Point normal;
  double area;
};
struct Mesh {
  std::vector<std::unique_ptr<Vertex>> vertices;
  std::vector<std::unique_ptr<Half>> halves;
  std::vector<Face> faces;
  std::map<std::pair<int, int>, Half *> edges;

  Mesh(const double *x, int n, const std::vector<std::array<int, 3>> &triangles) {
    for (int i = 0; i < n; ++i) {
      vertices.push_back(std::make_unique<Vertex>());
      vertices.back()->at = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
      vertices.back()->number = i;
    }
    for (const std::array<int, 3> &t : triangles) {
      std::array<Half *, 3> h;
      for (Half *&half : h) {
        halves.push_back(std::make_unique<Half>());
        half = halves.back().get();
      }
      faces.push_back({h[0], {}, 0});
      for (int k = 0; k < 3; ++k) {
        h[k]->next = h[(k + 1) % 3];
        h[k]->to = vertices[t[(k + 1) % 3]].get();
        h[k]->face = &faces.back();
        vertices[t[k]]->out = h[k];
        edges[{t[k], t[(k + 1) % 3]}] = h[k];
        if (auto other = edges.find({t[(k + 1) % 3], t[k]}); other != edges.end()) {
          h[k]->twin = other->second;
          other->second->twin = h[k];
        }
      }
    }
  }
};
double mesh(const double *x, int n) {
  Mesh m(x, n, {{0, 1, 2}, {0, 2, 3}, {2, 1, 3}});
  double sum = 0;
  for (Face &f : m.faces) {
    const Point &a = f.first->to->at, &b = f.first->next->to->at;
    f.normal.z = a.x * b.y - a.y * b.x;
    f.area = std::tanh(f.normal.z) * b.z;
    sum += f.area;
  }
  for (const auto &[ends, h] : m.edges)
    if (h->twin && ends.first < ends.second)
      sum += h->to->at.x * h->next->to->at.z;
  return sum;
}

using Numbers = std::vector<double>;
struct Layer {
  virtual ~Layer() = default;
  virtual Numbers forward(const Numbers &x) const = 0;
};
class Dense : public Layer {
  Numbers weights, bias;
  int inputs, outputs;
  std::mt19937 generator;

public:
  Dense(int inputs, int outputs, unsigned seed, double scale)
      : weights(inputs * outputs), bias(outputs), inputs(inputs), outputs(outputs),
        generator(seed) {
    std::normal_distribution<double> normal(0, 1);
    for (double &w : weights)
      w = scale * normal(generator);
  }
  Numbers forward(const Numbers &x) const override {
    Numbers y(bias);
    for (int i = 0; i < outputs; ++i)
      for (int j = 0; j < inputs; ++j)
        y[i] += weights[i * inputs + j] * x[j];
    return y;
  }
};
struct Tanh : Layer {
  Numbers forward(const Numbers &x) const override {
    Numbers y = x;
    for (double &v : y)
      v = std::tanh(v);
    return y;
  }
};
double network(const double *x, int n) {
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Dense>(n, 3, 1, x[0]));
  layers.push_back(std::make_unique<Tanh>());
  layers.push_back(std::make_unique<Dense>(3, 2, 2, x[1]));
  Numbers v(x, x + n);
  for (const auto &layer : layers)
    v = layer->forward(v);
  return v[0] * v[0] + v[1];
}

} // namespace

GRADIENT_CHECK(cpp_models_mesh, Double, mesh, In(double, 12), Int(4))
GRADIENT_CHECK(cpp_models_network, Double, network, In(double, 4), Int(4))
