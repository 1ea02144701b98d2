// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factorisations that are not blocked, and a sparse matrix.
// Supports: factorisations (`ldlt`, `fullPivLu`)
// Supports: sparse matrices
#include "GradientCheck.h"
#include <Eigen/Dense>
#include <Eigen/Sparse>

using Eigen::MatrixXd;
using Eigen::VectorXd;

static double solved(const double *x, const double *y, int n) {
  MatrixXd a = Eigen::Map<const MatrixXd>(x, n, n) + n * MatrixXd::Identity(n, n);
  Eigen::Map<const VectorXd> b(y, n);
  return (a + a.transpose()).ldlt().solve(b).dot(b);
}

static double pivoted(const double *x, const double *y, int n) {
  MatrixXd a = Eigen::Map<const MatrixXd>(x, n, n) + n * MatrixXd::Identity(n, n);
  VectorXd solution = a.fullPivLu().solve(Eigen::Map<const VectorXd>(y, n));
  return solution.squaredNorm();
}

static double sparse(const double *v, const double *x, int n) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> a(n, n);
  a.reserve(Eigen::VectorXi::Constant(n, 3));
  for (int i = 0; i < n; ++i) {
    if (i > 0)
      a.insert(i, i - 1) = -v[i];
    a.insert(i, i) = 2 + v[i];
    if (i + 1 < n)
      a.insert(i, i + 1) = -1;
  }
  a.makeCompressed();
  Eigen::Map<const VectorXd> b(x, n);
  VectorXd product = a * b;
  return product.dot(b);
}

GRADIENT_CHECK(eigen_solved, Double, solved, In(double, 25), In(double, 5), Int(5))
GRADIENT_CHECK(eigen_pivoted, Double, pivoted, In(double, 16), In(double, 4), Int(4))
GRADIENT_CHECK(eigen_sparse, Double, sparse, In(double, 6), In(double, 6), Int(6))
