// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch: the function called for several arguments. What makes the call can be differentiated,
// and an exception in one of the calls leaves in order.
#include "GradientCheck.h"

#include <cmath>
#include <stdexcept>
#include <string>

extern int enzyme_width, enzyme_vector, enzyme_scalar;
template <class Result, class... Arguments> Result __enzyme_batch(void *, Arguments...);

struct Four {
  double v[4];
};

namespace {

double growth(double x, double rate, int n) {
  for (int i = 0; i < n; ++i)
    x += rate * std::sin(x) * x;
  return x;
}
double batched(const double *x, double rate, int n) {
  const Four v = __enzyme_batch<Four>((void *)growth, enzyme_width, 4, enzyme_vector, x[0], x[1],
                                      x[2], x[0] * x[2], enzyme_scalar, rate, n);
  return v.v[0] * v.v[1] - v.v[2] / v.v[3];
}

int alive;
struct Guard {
  std::string text = "long enough to be on the heap, whatever the library does";
  Guard() { ++alive; }
  ~Guard() { --alive; }
};
__attribute__((noinline)) double checked(double x) {
  return x > 100 ? throw std::range_error("large") : x * x;
}
/// Not a number if an exception is lost or leaves something behind.
double probe(double large) {
  double sum = 0;
  for (int lane = 0; lane < 4; ++lane) {
    try {
      Guard guard;
      const Four v = __enzyme_batch<Four>((void *)checked, enzyme_width, 4, enzyme_vector,
                                          lane == 0 ? large : 1.0, lane == 1 ? large : 2.0,
                                          lane == 2 ? large : 3.0, lane == 3 ? large : 4.0);
      sum += v.v[0];
    } catch (const std::range_error &) {
      sum += 1000;
    }
  }
  return alive == 0 ? sum : NAN;
}
const double Caught = probe(1e3), Plain = probe(5);

double with_probe(double x) { return x * (Caught + Plain); }

} // namespace

GRADIENT_CHECK(batch, Double, batched, In(double, 3), Scalar(double), Int(3))
GRADIENT_CHECK(batch_exceptions, Double, with_probe, Scalar(double))
