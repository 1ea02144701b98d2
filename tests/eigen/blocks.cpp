// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of matrices, and matrices that are passed by reference with a shadow of their own.
// Supports: blocks, maps, transposes, reductions
#include "GradientCheck.h"
#include <Eigen/Dense>

using Eigen::MatrixXd;

static double parts(const double *x, int n) {
  MatrixXd a = Eigen::Map<const MatrixXd>(x, n, n);
  a.block(1, 1, 3, 3) *= 2.0;
  a.row(0).swap(a.row(2));
  a.topRightCorner(2, 2) = a.bottomLeftCorner(2, 2).transpose().eval();
  a.col(1) += a.col(3);
  return a.cwiseProduct(a).sum() + a.diagonal().prod() + a.rowwise().norm().sum() +
         a.colwise().sum().maxCoeff();
}

static double strided(const double *x, int n) {
  Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>> even(x, n);
  Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows(
      x, 2, n);
  return (rows * even).squaredNorm() + even.reverse().dot(rows.row(1)) + even.lpNorm<1>();
}

__attribute__((noinline)) static double distance(const MatrixXd &w, const MatrixXd &m) {
  MatrixXd d = w - m;
  return (d * d).sum() + (w - m).squaredNorm();
}

static double viaReference(const double *x, const double *y, int n) {
  return distance(Eigen::Map<const MatrixXd>(x, n, n), Eigen::Map<const MatrixXd>(y, n, n));
}

GRADIENT_CHECK(eigen_parts, Double, parts, In(double, 36), Int(6))
GRADIENT_CHECK(eigen_strided, Double, strided, In(double, 16), Int(8))
GRADIENT_CHECK(eigen_distance, Double, viaReference, In(double, 25), In(double, 25), Int(5))
