// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initial value problems: explicit, implicit, adaptive, symplectic, stiff, delayed, with events.
#include "GradientCheck.h"
#include <math.h>
#include <string.h>

static void lotka(const double *p, const double *u, double *du) {
  du[0] = p[0] * u[0] - p[1] * u[0] * u[1];
  du[1] = p[2] * u[0] * u[1] - u[1];
}
static double classical(const double *p, double u0, double u1, int steps) {
  double u[2] = {u0, u1}, k[4][2], t[2], h = 0.1;
  for (int s = 0; s < steps; s++) {
    lotka(p, u, k[0]);
    for (int stage = 1; stage < 4; stage++) {
      double c = stage == 3 ? h : h / 2;
      for (int i = 0; i < 2; i++)
        t[i] = u[i] + c * k[stage - 1][i];
      lotka(p, t, k[stage]);
    }
    for (int i = 0; i < 2; i++)
      u[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  return u[0] * u[1];
}

static double implicitEuler(const double *p, int steps) {
  double u = p[0];
  for (int s = 0; s < steps; s++) {
    double v = u;
    for (int k = 0; k < 6; k++) {
      double f = v - u + 0.2 * p[1] * v * v * v, df = 1 + 0.6 * p[1] * v * v;
      v -= f / df;
    }
    u = v;
  }
  return u;
}

static double embedded(const double *p, double end) {
  double t = 0, u = p[0], h = 0.3;
  int rejected = 0;
  while (t < end && rejected < 50) {
    if (t + h > end)
      h = end - t;
    double a = -p[1] * u + sin(t), b = -p[1] * (u + h * a) + sin(t + h);
    double low = u + h * a, high = u + h / 2 * (a + b);
    double error = fabs(high - low);
    if (error > 2e-2) {
      h /= 2;
      rejected++;
      continue;
    }
    t += h;
    u = high;
    if (error < 1e-3)
      h *= 1.5;
  }
  return u;
}

static double leapfrog(const double *x, double *v, int n) {
  double q[4], h = 0.05, energy = 0;
  memcpy(q, x, sizeof q);
  for (int s = 0; s < 8; s++) {
    for (int half = 0; half < 2; half++) {
      for (int i = 0; i < n; i++) {
        double force = -q[i];
        for (int j = 0; j < n; j++)
          if (j != i)
            force += 0.1 * (q[i] - q[j]) / (0.5 + (q[i] - q[j]) * (q[i] - q[j]));
        v[i] += h / 2 * force;
      }
      if (!half)
        for (int i = 0; i < n; i++)
          q[i] += h * v[i];
    }
  }
  for (int i = 0; i < n; i++)
    energy += 0.5 * v[i] * v[i] + 0.5 * q[i] * q[i];
  return energy;
}

// Robertson's kinetics, linearly implicit.
static double stiff(const double *k) {
  double a = 1, b = 0, c = 0, h = 0.05;
  for (int s = 0; s < 12; s++) {
    double r1 = 0.04 * k[0], r2 = 30 * k[1] * b, r3 = 10 * k[2] * c;
    double j00 = 1 + h * r1, j01 = -h * r3, j10 = -h * r1, j11 = 1 + h * (2 * r2 + r3);
    double fa = -r1 * a + r3 * b, fb = r1 * a - r3 * b - r2 * b;
    double det = j00 * j11 - j01 * j10;
    double da = (fa * j11 - j01 * fb) / det, db = (j00 * fb - j10 * fa) / det;
    a += h * da;
    b += h * db;
    c = 1 - a - b;
    h *= 1.3;
  }
  return a + 100 * b + c * c;
}

static double multistep(const double *p, int steps) {
  double history[3], u = p[0], h = 0.05;
  for (int s = 0; s < steps; s++) {
    double f = p[1] * u * (1 - u / (2 + p[2]));
    history[s % 3] = f;
    if (s < 2)
      u += h * f;
    else
      u += h / 12 * (23 * f - 16 * history[(s + 2) % 3] + 5 * history[(s + 1) % 3]);
  }
  return u * u;
}

static double delayed(const double *p, int steps) {
  double ring[8];
  for (int i = 0; i < 8; i++)
    ring[i] = p[0];
  double u = p[0];
  for (int s = 0; s < steps; s++) {
    double old = ring[s & 7];
    ring[s & 7] = u;
    u += 0.1 * (p[1] * old / (1 + old * old) - p[2] * u);
  }
  return u;
}

// A ball that bounces; the time of contact is solved for.
static double bounces(double height, double speed, double restitution) {
  double y = height, v = speed, t = 0, end = 2;
  for (int i = 0; i < 20 && t < end; i++) {
    double contact = (v + sqrt(v * v + 2 * 9.81 * y)) / 9.81;
    if (t + contact > end) {
      double d = end - t;
      return y + v * d - 0.5 * 9.81 * d * d;
    }
    v = -restitution * 0.5 * (v - 9.81 * contact);
    y = 0;
    t += contact;
  }
  return 0 * height;
}

static double shooting(const double *p) {
  double slope = 0.5;
  for (int it = 0; it < 4; it++) {
    double u = 0, du = slope, w = 0, dw = 1, h = 0.1;
    for (int s = 0; s < 10; s++) {
      double f = p[0] * sin(u) - p[1], g = p[0] * cos(u) * w;
      u += h * du;
      w += h * dw;
      du += h * f;
      dw += h * g;
    }
    slope -= (u - p[2]) / w;
  }
  return slope;
}

static double taylorSeries(const double *p, int order) {
  double u[12] = {p[0]}, s = 0, h = 0.2 * p[1];
  for (int k = 0; k < order; k++) {
    double square = 0;
    for (int j = 0; j <= k; j++)
      square += u[j] * u[k - j];
    u[k + 1] = (square - u[k]) / (k + 1);
  }
  for (int k = order; k >= 0; k--)
    s = s * h + u[k];
  return s;
}

GRADIENT_CHECK(ode_classical, Double, classical, In(double, 3), Scalar(double), Scalar(double),
               Int(9))
GRADIENT_CHECK(ode_implicit_euler, Double, implicitEuler, In(double, 2), Int(5))
GRADIENT_CHECK(ode_embedded, Double, embedded, In(double, 2), ConstScalar(double))
GRADIENT_CHECK(ode_leapfrog, Double, leapfrog, In(double, 4), InOut(double, 4), Int(4))
GRADIENT_CHECK(ode_stiff, Double, stiff, In(double, 3))
GRADIENT_CHECK(ode_multistep, Double, multistep, In(double, 3), Int(9))
GRADIENT_CHECK(ode_delayed, Double, delayed, In(double, 3), Int(20))
GRADIENT_CHECK(ode_bounces, Double, bounces, Scalar(double), Scalar(double), Scalar(double))
GRADIENT_CHECK(ode_shooting, Double, shooting, In(double, 3))
GRADIENT_CHECK(ode_taylor_series, Double, taylorSeries, InRange(double, 2, 0.2, 0.6), Int(8))
