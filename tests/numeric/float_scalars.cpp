// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single precision by value, alone and beside double precision.
// Supports: `float`, `double` and mixtures
#include "GradientCheck.h"
#include <cmath>

static float lone(float a) { return a * a * std::sin(a); }
static double beside(float a, double b) { return std::exp(b) * static_cast<double>(a * a) + b; }

GRADIENT_CHECK(float_scalar, Float, lone, Scalar(float))
GRADIENT_CHECK(float_beside_double, Double, beside, Scalar(float), Scalar(double))
