// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A camera model: Rodrigues rotation with a branch for small angles, distortion, reprojection
// error.
#include "GradientCheck.h"
#include <math.h>

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void rotate(const double *r, const double *p, double *out) {
  double angle2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], c[3];
  if (angle2 < 1e-12) {
    cross(r, p, c);
    for (int i = 0; i < 3; i++)
      out[i] = p[i] + c[i];
    return;
  }
  double angle = sqrt(angle2), s = sin(angle), co = cos(angle), axis[3], along = 0;
  for (int i = 0; i < 3; i++) {
    axis[i] = r[i] / angle;
    along += axis[i] * p[i];
  }
  cross(axis, p, c);
  for (int i = 0; i < 3; i++)
    out[i] = p[i] * co + c[i] * s + axis[i] * along * (1 - co);
}

static void project(const double *camera, const double *point, double weight, double *error) {
  double q[3];
  rotate(camera, point, q);
  for (int i = 0; i < 3; i++)
    q[i] += camera[3 + i];
  double u = q[0] / (2 + q[2]), v = q[1] / (2 + q[2]), r2 = u * u + v * v;
  double d = camera[6] * (1 + camera[7] * r2 + camera[8] * r2 * r2);
  error[0] = weight * (d * u - 0.3);
  error[1] = weight * (d * v - 0.7);
}

GRADIENT_CHECK(projection, Void, project, In(double, 9), In(double, 3), Scalar(double),
               Out(double, 2))
