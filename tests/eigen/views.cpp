// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What asks a view for its rows or its stride leads to a member through five functions of one line.
// Supports: Eigen without optimisation: views with strides, norms, products of expressions
#include "GradientCheck.h"
#include <Eigen/Dense>

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Steps = Eigen::Stride<Eigen::Dynamic, 2>;

template <class Matrix> static double energy(const Eigen::MatrixBase<Matrix> &m) {
  return m.array().square().sum() + m.template lpNorm<1>();
}

static double viewed(const double *x, int n) {
  const Eigen::Map<const Rows, 0, Steps> a(x, 2, n, Steps(2 * n, 2));
  return energy(a) + energy(a.transpose() * a) + energy(a.col(1));
}

GRADIENT_CHECK(eigen_viewed, Double, viewed, In(double, 12), Int(3))
