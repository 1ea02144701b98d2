// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Destructors that the library calls when the program ends are called by nothing else: not through
// the pointer by which an object is released.
// Supports: objects that name the function that releases them
#include "GradientCheck.h"

#include <cstddef>

namespace {
struct Sink {
  virtual ~Sink() = default;
  virtual double close(double *) = 0;
};
struct Quiet {
  Sink *sink;
  double last[4];
  explicit Quiet(Sink *sink) : sink(sink), last() {}
  ~Quiet() {
    if (last[0] != 0)
      last[1] = sink->close(last);
  }
};

struct Block {
  double *values;
  void (*release)(void *);
};
void releaseValues(void *memory) { delete[] static_cast<double *>(memory); }
void keepValues(void *memory) { static_cast<double *>(memory)[0] = 0; }

double blocks(const double *x, int n) {
  static Quiet quiet(nullptr);
  double own[16] = {};
  Block parts[2] = {{new double[static_cast<std::size_t>(n)], releaseValues}, {own, keepValues}};
  double sum = 0;
  for (const Block &part : parts) {
    for (int i = 0; i < n; ++i)
      part.values[i] = x[i] * x[(i + 1) % n];
    for (int i = 0; i < n; ++i)
      sum += part.values[i] * part.values[i];
    part.release(part.values);
  }
  return sum + own[0] + own[1];
}
} // namespace

GRADIENT_CHECK(blocks_released, Double, blocks, In(double, 9), Int(9))
