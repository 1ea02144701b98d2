// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions, which Eigen vectorises by calculating with exponents and signs as
// integers.
// Supports: arrays and their functions
#include "GradientCheck.h"
#include <Eigen/Dense>

template <typename T> using Values = Eigen::Array<T, Eigen::Dynamic, 1>;
template <typename T> using View = Eigen::Map<const Values<T>>;

static double logarithms(const double *x, int n) {
  View<double> v(x, n);
  return v.exp().sum() + (v.log() * v).sum() + (2 * v).sqrt().prod();
}

static float sines(const float *x, int n) {
  View<float> v(x, n);
  return v.sin().sum() + (v.cos() * v).sum() + v.exp().sum() + v.log().sum();
}

static double layer(const double *w, const double *x, int n) {
  Eigen::Map<const Eigen::MatrixXd> weights(w, n, n);
  Eigen::Map<const Eigen::VectorXd> input(x, n);
  Eigen::VectorXd hidden = (weights * input).array().tanh();
  return hidden.sum() + hidden.array().square().mean() + (weights * input).array().pow(2.5).sum() +
         (input.array() < 1.0).select(input.array().inverse(), input.array().abs()).sum();
}

static float extremes(const float *x, int n) {
  View<float> v(x, n);
  Values<float> w = v.max(0.8f).min(1.3f) + (v - 1.0f).abs();
  return w.square().sum() + v.maxCoeff() * v.minCoeff();
}

GRADIENT_CHECK(eigen_logarithms, Double, logarithms, In(double, 11), Int(11))
GRADIENT_CHECK(eigen_sines, Float, sines, In(float, 11), Int(11))
GRADIENT_CHECK(eigen_layer, Double, layer, In(double, 25), In(double, 5), Int(5))
GRADIENT_CHECK(eigen_extremes, Float, extremes, In(float, 9), Int(9))
