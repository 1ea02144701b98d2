// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A factorisation of dynamic size whose code is far longer than what remains of it.
// Supports: Eigen without optimisation: `colPivHouseholderQr` of dynamic size
#include "GradientCheck.h"
#include <Eigen/Dense>

using Eigen::MatrixXd;
using Eigen::VectorXd;

static double pivotedQr(const double *x, const double *y, int n) {
  MatrixXd a = Eigen::Map<const MatrixXd>(x, n, n) + n * MatrixXd::Identity(n, n);
  const VectorXd b = Eigen::Map<const VectorXd>(y, n);
  return a.colPivHouseholderQr().solve(b).squaredNorm();
}

GRADIENT_CHECK(eigen_pivoted_qr, Double, pivotedQr, In(double, 9), In(double, 3), Int(3))
