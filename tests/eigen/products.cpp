// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, small ones that are written out and large ones that are blocked and packed.
// Supports: products of matrices and vectors, `noalias`
#include "GradientCheck.h"
#include <Eigen/Dense>

template <typename T>
using Square = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>;

template <typename T> static T chain(const T *x, const T *y, int n) {
  Square<T> a(x, n, n), b(y, n, n);
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> c(n, n);
  c.noalias() = a.transpose() * b;
  c.noalias() += b * a;
  Eigen::Matrix<T, Eigen::Dynamic, 1> v = c * a.col(0) + b.transpose() * c.col(1);
  return c.cwiseAbs2().sum() / T(n * n) + v.sum() / T(n) + a.lazyProduct(b).trace();
}

static double blocked(const double *x, const double *y, int n) { return chain(x, y, n); }
static float written(const float *x, const float *y, int n) { return chain(x, y, n); }

GRADIENT_CHECK(eigen_blocked, Double, blocked, In(double, 441), In(double, 441), Int(21))
GRADIENT_CHECK(eigen_written, Float, written, In(float, 9), In(float, 9), Int(3))
