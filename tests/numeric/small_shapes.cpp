// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of elements lie in the object itself while they are few, in arrays of integers beside a
// float and pointers: they are copied without a length that is known, indexed from behind, and
// their ends are kept, where the next member begins.
// Supports: small buffers of integers beside floats
#include "GradientCheck.h"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

struct Shape {
  std::size_t *first, *last, *most;
  std::size_t own[4];
  explicit Shape(std::size_t n) : first(own), last(own + n), most(own + 4), own{} {
    if (n > 4) {
      first = new std::size_t[n]();
      last = most = first + n;
    }
  }
  Shape(const Shape &) = delete;
  ~Shape() {
    if (first != own)
      delete[] first;
  }
  std::size_t size() const { return static_cast<std::size_t>(last - first); }
  std::size_t &operator[](std::size_t i) { return first[i]; }
  std::size_t operator[](std::size_t i) const { return first[i]; }
};

struct Tensor {
  Shape shape, strides;
  int order = 1;
  double *data;
  std::size_t count;
  explicit Tensor(const std::vector<std::size_t> &n) : shape(n.size()), strides(n.size()) {
    std::copy(n.begin(), n.end(), shape.first);
    count = 1;
    for (std::size_t i = n.size(); i != 0; --i) {
      strides[i - 1] = shape[i - 1] == 1 ? 0 : count;
      count *= shape[i - 1];
    }
    data = new double[count];
  }
  Tensor(const Tensor &) = delete;
  ~Tensor() { delete[] data; }
};

struct Sum {
  const Tensor &of;
  std::size_t rest[2];
  bool cached = false;
  double init;
  std::size_t axes[2];
  Sum(const Tensor &t, double init, std::size_t axis) : of(t), init(init), axes{axis, 1 - axis} {
    std::copy(t.shape.first, t.shape.last, rest);
    std::copy(rest + axis + 1, rest + t.shape.size(), rest + axis);
  }
  double operator()(std::size_t i) const {
    double s = init;
    for (std::size_t k = 0; k < of.shape[axes[0]]; ++k)
      s += of.data[k * of.strides[axes[0]] + i * of.strides[axes[1]]];
    return s;
  }
};

__attribute__((noinline)) double squares(const Sum &s) {
  std::vector<std::size_t> n(s.of.shape.size() - 1);
  std::copy(s.rest, s.rest + n.size(), n.begin());
  double out = 0;
  for (std::size_t i = 0; i < n[0]; ++i)
    out += s(i) * s(i);
  return out;
}

double reduced(const double *x, int n) {
  const std::size_t m = static_cast<std::size_t>(n);
  Tensor t({m / 2, 2});
  for (std::size_t i = 0; i < t.count; ++i)
    t.data[i] = x[i] * x[i];
  double out = 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Sum s(t, x[axis], axis);
    out += squares(s);
  }
  return out;
}

} // namespace
GRADIENT_CHECK(small_shapes, Double, reduced, In(double, 8), Int(8))
