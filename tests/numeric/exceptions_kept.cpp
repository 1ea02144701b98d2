// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions that are kept and thrown again later, with numbers in them: by std::exception_ptr,
// made without being thrown, nested in others.
// Supports: `std::exception_ptr`, `rethrow_exception`, `make_exception_ptr`, `nested_exception`
#include "GradientCheck.h"
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

struct Residual {
  double value;
};

double collect(const double *x, int n) {
  std::vector<std::exception_ptr> failures;
  for (int i = 0; i < n; ++i)
    try {
      if (i % 2)
        throw Residual{x[i] * x[i]};
    } catch (...) {
      failures.push_back(std::current_exception());
    }
  double s = 0;
  for (auto &failure : failures)
    try {
      std::rethrow_exception(failure);
    } catch (const Residual &r) {
      s += r.value * x[0];
    }
  return s;
}

double handOver(const double *x, int n) {
  std::exception_ptr made = std::make_exception_ptr(Residual{x[0] * x[1]});
  double s = 0;
  for (int i = 0; i < n; ++i)
    try {
      try {
        std::rethrow_exception(made);
      } catch (Residual &r) {
        r.value *= x[i];
        if (i % 2)
          throw;
        s += r.value;
      }
    } catch (const Residual &r) {
      s *= r.value;
    }
  return s;
}

double nested(const double *x, int n) {
  double s = x[0];
  try {
    try {
      throw Residual{x[1] * x[n - 1]};
    } catch (...) {
      std::throw_with_nested(std::runtime_error("step"));
    }
  } catch (const std::exception &e) {
    s *= x[2];
    try {
      std::rethrow_if_nested(e);
    } catch (const Residual &r) {
      s += r.value;
    }
  }
  return s;
}

} // namespace

GRADIENT_CHECK(exceptions_collected, Double, collect, In(double, 4), Int(4))
GRADIENT_CHECK(exceptions_handed_over, Double, handOver, In(double, 4), Int(4))
GRADIENT_CHECK(exceptions_nested, Double, nested, In(double, 4), Int(4))
