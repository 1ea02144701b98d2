// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices whose sizes are part of their types: inverses, determinants, rotations, a filter.
// Supports: matrices of fixed size, inverses, geometry
#include "GradientCheck.h"
#include <Eigen/Dense>
#include <Eigen/Geometry>

template <typename T, int N> using Fixed = Eigen::Matrix<T, N, N>;

template <typename T, int N> static T inverted(const T *x) {
  Fixed<T, N> a = Eigen::Map<const Fixed<T, N>>(x) + T(N) * Fixed<T, N>::Identity();
  Fixed<T, N> b = a.inverse();
  return (b * a.transpose() * b).squaredNorm() + b.sum() + a.determinant();
}

static double inverses(const double *x) {
  return inverted<double, 2>(x) + inverted<double, 3>(x) + inverted<double, 4>(x);
}
static float inverse(const float *x) { return inverted<float, 4>(x); }

static double rotated(const double *x) {
  Eigen::Quaterniond q(x[0], x[1], x[2], x[3]);
  q.normalize();
  Eigen::Vector3d p(x[4], x[5], x[6]), r = q * p;
  Eigen::Vector3d t = Eigen::AngleAxisd(x[0], p.normalized()) * r;
  return (q.toRotationMatrix() * p).dot(r) + t.cross(p).squaredNorm() + t(0);
}

// The expressions in slerp hold a factor and a pointer, which are loaded as two numbers.
static double between(const double *x) {
  const Eigen::Quaterniond from(x[0], x[1], 0.1, 0.2), to(x[2], 0.2, 0.3, x[1]);
  const Eigen::Quaterniond q = from.slerp(0.3, to);
  return q.x() + 2 * q.w() * q.z();
}

static double filtered(const double *z, const double *noise, int n) {
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity(), step;
  Eigen::Vector2d state(0, 1);
  step << 1, 0.1, 0, 1;
  const Eigen::Matrix2d q = Eigen::Map<const Eigen::Matrix2d>(noise);
  const Eigen::RowVector2d h(1, 0);
  double likelihood = 0;
  for (int i = 0; i < n; ++i) {
    state = step * state;
    covariance = step * covariance * step.transpose() + q * q.transpose();
    const double s = (h * covariance * h.transpose())(0) + 0.1, y = z[i] - state(0);
    const Eigen::Vector2d gain = covariance * h.transpose() / s;
    state += gain * y;
    covariance = (Eigen::Matrix2d::Identity() - gain * h) * covariance;
    likelihood += std::log(s) + y * y / s;
  }
  return likelihood;
}

GRADIENT_CHECK(eigen_inverses, Double, inverses, In(double, 16))
GRADIENT_CHECK(eigen_inverse, Float, inverse, In(float, 16))
GRADIENT_CHECK(eigen_rotated, Double, rotated, In(double, 7))
GRADIENT_CHECK(eigen_between, Double, between, In(double, 3))
GRADIENT_CHECK(eigen_filtered, Double, filtered, In(double, 10), In(double, 4), Int(10))
