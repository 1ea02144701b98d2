// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices: assembled from triplets, multiplied, solved with by conjugate gradients.
// Supports: sparse matrices
#include "GradientCheck.h"
#include <Eigen/Sparse>
#include <vector>

using Sparse = Eigen::SparseMatrix<double>;

static Sparse assembled(const double *x, int n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 4 + x[i]);
    if (i == 0)
      continue;
    entries.emplace_back(i, i - 1, -0.3 * x[i]);
    entries.emplace_back(i - 1, i, -0.3 * x[i]);
  }
  Sparse a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

static double solved(const double *x, int n) {
  const Sparse a = assembled(x, n);
  const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(x, n);
  Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper> solver;
  solver.setTolerance(1e-14);
  solver.compute(a);
  const Eigen::VectorXd y = solver.solve(b);
  return y.dot(a * y) + y.squaredNorm();
}

GRADIENT_CHECK(eigen_sparse, Double, solved, In(double, 5), Int(5))
