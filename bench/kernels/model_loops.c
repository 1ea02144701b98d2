// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of models: objectives of machine learning and vision, time steps, factorisations,
// transforms. Each is of a kind that is often differentiated; measured beside another tool
// (bench/peer.py).
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Dimensions = 20, Clusters = 10, Width = 256 };

static double gmm(const double *alphas, const double *means, const double *icf, const double *x,
                  int n) {
  const int d = Dimensions, k = Clusters;
  double slse = 0;
  double *xc = malloc(d * sizeof *xc), *qx = malloc(d * sizeof *qx),
         *main_term = malloc(k * sizeof *main_term);
  double *qd = malloc(d * k * sizeof *qd), *sq = malloc(k * sizeof *sq);
  int icfsz = d * (d + 1) / 2;
  for (int ik = 0; ik < k; ik++) {
    sq[ik] = 0;
    for (int id = 0; id < d; id++) {
      sq[ik] += icf[ik * icfsz + id];
      qd[ik * d + id] = exp(icf[ik * icfsz + id]);
    }
  }
  for (int ix = 0; ix < n; ix++) {
    for (int ik = 0; ik < k; ik++) {
      for (int id = 0; id < d; id++)
        xc[id] = x[ix * d + id] - means[ik * d + id];
      int Lidx = ik * icfsz + d;
      for (int i = 0; i < d; i++)
        qx[i] = qd[ik * d + i] * xc[i];
      for (int i = 0; i < d; i++)
        for (int j = i + 1; j < d; j++) {
          qx[j] += icf[Lidx] * xc[i];
          Lidx++;
        }
      double s = 0;
      for (int i = 0; i < d; i++)
        s += qx[i] * qx[i];
      main_term[ik] = alphas[ik] + sq[ik] - 0.5 * s;
    }
    double m = main_term[0];
    for (int ik = 1; ik < k; ik++)
      if (main_term[ik] > m)
        m = main_term[ik];
    double s = 0;
    for (int ik = 0; ik < k; ik++)
      s += exp(main_term[ik] - m);
    slse += m + log(s);
  }
  free(xc);
  free(qx);
  free(main_term);
  free(qd);
  free(sq);
  return slse;
}

static void cross(const double *a, const double *b, double *o) {
  o[0] = a[1] * b[2] - a[2] * b[1];
  o[1] = a[2] * b[0] - a[0] * b[2];
  o[2] = a[0] * b[1] - a[1] * b[0];
}
static void rodrigues(const double *rot, const double *pt, double *r) {
  double sq = rot[0] * rot[0] + rot[1] * rot[1] + rot[2] * rot[2];
  if (sq != 0) {
    double th = sqrt(sq), c = cos(th), s = sin(th), inv = 1 / th, w[3], wx[3];
    for (int i = 0; i < 3; i++)
      w[i] = rot[i] * inv;
    cross(w, pt, wx);
    double t = (w[0] * pt[0] + w[1] * pt[1] + w[2] * pt[2]) * (1 - c);
    for (int i = 0; i < 3; i++)
      r[i] = pt[i] * c + wx[i] * s + w[i] * t;
  } else {
    double rx[3];
    cross(rot, pt, rx);
    for (int i = 0; i < 3; i++)
      r[i] = pt[i] + rx[i];
  }
}
static void ba(const double *cams, const double *pts, const double *w, double *err, int ncam,
               int n) {
  for (int i = 0; i < n; i++) {
    const double *cam = cams + 11 * (i % ncam), *X = pts + 3 * i;
    double Xo[3], Xc[3];
    for (int k = 0; k < 3; k++)
      Xo[k] = X[k] - cam[3 + k];
    rodrigues(cam, Xo, Xc);
    double p[2] = {Xc[0] / Xc[2], Xc[1] / Xc[2]};
    double r2 = p[0] * p[0] + p[1] * p[1], L = 1 + cam[9] * r2 + cam[10] * r2 * r2;
    err[2 * i] = w[i] * (p[0] * L * cam[6] + cam[7] - 0.3);
    err[2 * i + 1] = w[i] * (p[1] * L * cam[6] + cam[8] - 0.4);
  }
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double lstm(const double *w, const double *b, double *h, double *c, const double *x,
                   int steps) {
  const int n = Width;
  double loss = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      double f = sigmoid(x[t * n + i] * w[i] + b[i]), in = sigmoid(h[i] * w[n + i] + b[n + i]);
      double o = sigmoid(x[t * n + i] * w[2 * n + i] + b[2 * n + i]),
             g = tanh(h[i] * w[3 * n + i] + b[3 * n + i]);
      c[i] = c[i] * f + in * g;
      h[i] = o * tanh(c[i]);
    }
    double m = 0;
    for (int i = 0; i < n; i++)
      m += exp(h[i]);
    loss += log(m) - h[t % n];
  }
  return loss;
}

static void lorenz(const double *p, double *u, int steps) {
  double dt = 0.001;
  for (int s = 0; s < steps; s++) {
    double k[4][3], v[3];
    for (int r = 0; r < 4; r++) {
      double f = r == 0 ? 0 : r == 3 ? dt : dt / 2;
      for (int i = 0; i < 3; i++)
        v[i] = u[i] + (r ? f * k[r - 1][i] : 0);
      k[r][0] = p[0] * (v[1] - v[0]);
      k[r][1] = v[0] * (p[1] - v[2]) - v[1];
      k[r][2] = v[0] * v[1] - p[2] * v[2];
    }
    for (int i = 0; i < 3; i++)
      u[i] += dt / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void brusselator(const double *p, const double *u, double *du, int n) {
  double a = (n - 1.) * (n - 1.) * p[2];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int im = i == 0 ? n - 1 : i - 1, ip = i == n - 1 ? 0 : i + 1, jm = j == 0 ? n - 1 : j - 1,
          jp = j == n - 1 ? 0 : j + 1;
      double x = u[i * n + j], y = u[n * n + i * n + j];
      du[i * n + j] = a * (u[im * n + j] + u[ip * n + j] + u[i * n + jm] + u[i * n + jp] - 4 * x) +
                      p[0] + x * x * y - (p[1] + 1) * x;
      du[n * n + i * n + j] = a * (u[n * n + im * n + j] + u[n * n + ip * n + j] +
                                   u[n * n + i * n + jm] + u[n * n + i * n + jp] - 4 * y) +
                              p[1] * x - x * x * y;
    }
}

static double lu(double *a, int n) {
  for (int k = 0; k < n; k++) {
    a[k * n + k] += n;
    for (int i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
  }
  double d = 0;
  for (int k = 0; k < n; k++)
    d += log(fabs(a[k * n + k]));
  return d;
}

static void fft(double *re, double *im, int n) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = re[i];
      re[i] = re[j];
      re[j] = t;
      t = im[i];
      im[i] = im[j];
      im[j] = t;
    }
  }
  for (int len = 2; len <= n; len <<= 1) {
    double ang = 6.283185307179586 / len;
    for (int i = 0; i < n; i += len)
      for (int j = 0; j < len / 2; j++) {
        double wr = cos(ang * j), wi = sin(ang * j);
        double ur = re[i + j], ui = im[i + j],
               vr = re[i + j + len / 2] * wr - im[i + j + len / 2] * wi,
               vi = re[i + j + len / 2] * wi + im[i + j + len / 2] * wr;
        re[i + j] = ur + vr;
        im[i + j] = ui + vi;
        re[i + j + len / 2] = ur - vr;
        im[i + j + len / 2] = ui - vi;
      }
  }
}

static double nbody(const double *m, double *x, double *v, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++) {
      double a[3] = {0};
      for (int j = 0; j < n; j++) {
        if (i == j)
          continue;
        double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1],
               dz = x[3 * j + 2] - x[3 * i + 2];
        double r2 = dx * dx + dy * dy + dz * dz + 1e-2, inv = m[j] / (r2 * sqrt(r2));
        a[0] += dx * inv;
        a[1] += dy * inv;
        a[2] += dz * inv;
      }
      for (int k = 0; k < 3; k++)
        v[3 * i + k] += 0.001 * a[k];
    }
    for (int i = 0; i < 3 * n; i++)
      x[i] += 0.001 * v[i];
  }
  double e = 0;
  for (int i = 0; i < n; i++)
    e += 0.5 * m[i] *
         (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
  return e;
}

static double spmv(const double *val, const double *x, double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int k = 0; k < 8; k++)
      t += val[8 * i + k] * x[(i * 37 + k * 101) % n];
    y[i] = t;
    s += t * x[i];
  }
  return s;
}

static void euler(double *u, double *f, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i <= n; i++) {
      const double *l = u + 3 * i, *r = u + 3 * i + 3;
      double ul = l[1] / l[0], ur = r[1] / r[0], pl = 0.4 * (l[2] - 0.5 * l[1] * ul),
             pr = 0.4 * (r[2] - 0.5 * r[1] * ur);
      double cl = sqrt(1.4 * fabs(pl) / l[0]), cr = sqrt(1.4 * fabs(pr) / r[0]);
      double sm = fabs(ul) + cl > fabs(ur) + cr ? fabs(ul) + cl : fabs(ur) + cr;
      double fl[3] = {l[1], l[1] * ul + pl, (l[2] + pl) * ul},
             fr[3] = {r[1], r[1] * ur + pr, (r[2] + pr) * ur};
      for (int k = 0; k < 3; k++)
        f[3 * i + k] = 0.5 * (fl[k] + fr[k]) - 0.5 * sm * (r[k] - l[k]);
    }
    for (int i = 1; i <= n; i++)
      for (int k = 0; k < 3; k++)
        u[3 * i + k] -= 0.01 * (f[3 * i + k] - f[3 * i - 3 + k]);
  }
}

static double matmul(const double *a, const double *b, double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double t = 0;
      for (int k = 0; k < n; k++)
        t += a[i * n + k] * b[k * n + j];
      c[i * n + j] = t;
      s += t * t;
    }
  return s;
}
static double conv(const double *x, const double *w, double *y, int n) {
  double s = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double t = 0;
      for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
          t += x[(i + a) * n + j + b] * w[(a + 1) * 3 + b + 1];
      y[i * n + j] = t > 0 ? t : 0.01 * t;
      s += y[i * n + j];
    }
  return s;
}
static double tridiagonal(const double *a, const double *b, const double *c, const double *d,
                          double *x, int n) {
  double *cp = x + n;
  cp[0] = c[0] / (b[0] + 4);
  x[0] = d[0] / (b[0] + 4);
  for (int i = 1; i < n; i++) {
    double m = 1 / (b[i] + 4 - a[i] * cp[i - 1]);
    cp[i] = c[i] * m;
    x[i] = (d[i] - a[i] * x[i - 1]) * m;
  }
  for (int i = n - 2; i >= 0; i--)
    x[i] -= cp[i] * x[i + 1];
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}
static double newton(const double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double x = 1;
    while (fabs(x * x * x - c[i]) > 1e-10)
      x -= (x * x * x - c[i]) / (3 * x * x);
    s += x;
  }
  return s;
}
static double logistic(const double *w, const double *x, const double *y, int d, int n) {
  double loss = 0;
  for (int i = 0; i < n; i++) {
    double z = 0;
    for (int k = 0; k < d; k++)
      z += w[k] * x[i * d + k];
    loss += log1p(exp(-z)) + (1 - y[i]) * z;
  }
  return loss;
}
typedef struct {
  double m, x[3], v[3];
} Body;
static double structs(double *raw, int n, int steps) {
  Body *b = (Body *)raw;
  for (int s = 0; s < steps; s++)
    for (int i = 0; i < n; i++) {
      double r = sqrt(b[i].x[0] * b[i].x[0] + b[i].x[1] * b[i].x[1] + b[i].x[2] * b[i].x[2]);
      for (int k = 0; k < 3; k++) {
        b[i].v[k] -= 0.01 * b[i].m * b[i].x[k] / (r * r * r);
        b[i].x[k] += 0.01 * b[i].v[k];
      }
    }
  double e = 0;
  for (int i = 0; i < n; i++)
    e += b[i].x[0] * b[i].v[1];
  return e;
}
/// Fluxes in memory of its own: the optimiser hands neighbours on from one face to the next.
static double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }
static void limiter(double *u, const double *c, int n, int steps) {
  double *f = malloc(n * sizeof *f);
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < n - 2; i++) {
      double left = u[i] + 0.5 * minmod(u[i] - u[i - 1], u[i + 1] - u[i]);
      double right = u[i + 1] - 0.5 * minmod(u[i + 1] - u[i], u[i + 2] - u[i + 1]);
      f[i] = fmax(c[0], 0) * left + fmin(c[0], 0) * right;
    }
    for (int i = 2; i < n - 2; i++)
      u[i] -= 0.1 * (f[i] - f[i - 1]);
  }
  free(f);
}
GRADIENT_CHECK(gmm, Double, gmm, In(double, Clusters), In(double, 200), In(double, 2100),
               In(double, 20000), Int(1000))
GRADIENT_CHECK(ba, Void, ba, In(double, 110), In(double, 60000), In(double, 20000),
               Out(double, 40000), Int(10), Int(20000))
GRADIENT_CHECK(lstm, Double, lstm, In(double, 1024), In(double, 1024), InOut(double, Width),
               InOut(double, Width), In(double, 25600), Int(100))
GRADIENT_CHECK(lorenz, Void, lorenz, In(double, 3), InOut(double, 3), Int(20000))
GRADIENT_CHECK(brusselator, Void, brusselator, In(double, 3), In(double, 20000), Out(double, 20000),
               Int(100))
GRADIENT_CHECK(lu, Double, lu, InOut(double, 10000), Int(100))
GRADIENT_CHECK(fft, Void, fft, InOut(double, 4096), InOut(double, 4096), Int(4096))
GRADIENT_CHECK(nbody, Double, nbody, In(double, 100), InOut(double, 300), InOut(double, 300),
               Int(100), Int(10))
GRADIENT_CHECK(spmv, Double, spmv, In(double, 80000), In(double, 10000), Out(double, 10000),
               Int(10000))
GRADIENT_CHECK(euler, Void, euler, InOut(double, 3006), InOut(double, 3003), Int(1000), Int(20))
GRADIENT_CHECK(matmul, Double, matmul, In(double, 10000), In(double, 10000), Out(double, 10000),
               Int(100))
GRADIENT_CHECK(conv, Double, conv, In(double, 40000), In(double, 9), InOut(double, 40000), Int(200))
GRADIENT_CHECK(tridiagonal, Double, tridiagonal, In(double, 10000), In(double, 10000),
               In(double, 10000), In(double, 10000), InOut(double, 20000), Int(10000))
GRADIENT_CHECK(newton, Double, newton, In(double, 10000), Int(10000))
GRADIENT_CHECK(logistic, Double, logistic, In(double, 32), In(double, 32000), In(double, 1000),
               Int(32), Int(1000))
GRADIENT_CHECK(structs, Double, structs, InOut(double, 7000), Int(1000), Int(20))
GRADIENT_CHECK(limiter, Void, limiter, InOut(double, 5000), In(double, 1), Int(5000), Int(20))
