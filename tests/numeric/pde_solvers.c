// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial differential equations on grids: stencils in one to three dimensions, boundary
// conditions, sweeps, multigrid, limiters, Riemann solvers, level sets, lattice Boltzmann.
#include "GradientCheck.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double heatNeumann(const double *u0, double k, int n) {
  double u[12], v[12];
  memcpy(u, u0, (size_t)n * sizeof *u);
  for (int t = 0; t < 6; t++) {
    for (int i = 0; i < n; i++) {
      double left = u[i > 0 ? i - 1 : 0], right = u[i < n - 1 ? i + 1 : n - 1];
      v[i] = u[i] + 0.2 * k * (left - 2 * u[i] + right);
    }
    memcpy(u, v, (size_t)n * sizeof *u);
  }
  return u[0] * u[n / 2];
}

static double waterTank(const double *h0, int nx, int ny) {
  double h[2][5][6], total = 0;
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++)
      h[0][i][j] = h0[i * ny + j];
  int now = 0;
  for (int t = 0; t < 4; t++, now ^= 1)
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < ny; j++) {
        if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1) {
          h[!now][i][j] = 0.9 * h[now][i][j];
          continue;
        }
        double flux = 0;
        static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
        for (int d = 0; d < 4; d++)
          flux += h[now][i + dx[d]][j + dy[d]] * h[now][i][j] - h[now][i][j];
        h[!now][i][j] = h[now][i][j] + 0.05 * flux;
      }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++)
      total += h[now][i][j] * h[now][i][j];
  return total;
}

#define AT(a, i, j, k) (a)[((i) * 4 + (j)) * 4 + (k)]
static void cube(const double *u, double *v, double c) {
  for (int i = 1; i < 3; i++)
    for (int j = 1; j < 3; j++)
      for (int k = 1; k < 3; k++)
        AT(v, i, j, k) = AT(u, i, j, k) * (1 - c) +
                         c / 6 *
                             (AT(u, i - 1, j, k) + AT(u, i + 1, j, k) + AT(u, i, j - 1, k) +
                              AT(u, i, j + 1, k) + AT(u, i, j, k - 1) + AT(u, i, j, k + 1)) *
                             AT(u, i, j, k);
}
static double cubes(const double *u, double *v, double c) {
  double w[64], s = 0;
  memcpy(w, u, sizeof w);
  for (int t = 0; t < 2; t++) {
    memcpy(v, w, sizeof w);
    cube(w, v, c);
    memcpy(w, v, sizeof w);
  }
  for (int i = 0; i < 64; i++)
    s += v[i];
  return s;
}

static double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }
static double advection(const double *u0, double speed, int n) {
  double u[10], flux[11];
  memcpy(u, u0, (size_t)n * sizeof *u);
  for (int t = 0; t < 4; t++) {
    for (int i = 0; i < n; i++) {
      double l = u[(i + n - 1) % n], c = u[i], r = u[(i + 1) % n];
      flux[i] = speed * (c + 0.5 * (1 - 0.3 * speed) * minmod(r - c, c - l));
    }
    for (int i = 0; i < n; i++)
      u[i] -= 0.3 * (flux[i] - flux[(i + n - 1) % n]);
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += u[i] * u[i] * (i + 1);
  return s;
}

struct Gas {
  double rho, mom, e;
};
static double pressure(struct Gas g) { return 0.4 * (g.e - 0.5 * g.mom * g.mom / g.rho); }
static struct Gas fluxOf(struct Gas g) {
  double p = pressure(g), u = g.mom / g.rho;
  return (struct Gas){g.mom, g.mom * u + p, (g.e + p) * u};
}
static struct Gas rusanov(struct Gas l, struct Gas r) {
  double sl = fabs(l.mom / l.rho) + sqrt(1.4 * pressure(l) / l.rho);
  double sr = fabs(r.mom / r.rho) + sqrt(1.4 * pressure(r) / r.rho), s = fmax(sl, sr);
  struct Gas a = fluxOf(l), b = fluxOf(r);
  return (struct Gas){(a.rho + b.rho) / 2 - s / 2 * (r.rho - l.rho),
                      (a.mom + b.mom) / 2 - s / 2 * (r.mom - l.mom),
                      (a.e + b.e) / 2 - s / 2 * (r.e - l.e)};
}
static double shockTube(const double *rho, const double *p, int n) {
  struct Gas cell[8], face[9];
  for (int i = 0; i < n; i++)
    cell[i] = (struct Gas){rho[i], 0.1 * rho[i], 2.5 * p[i]};
  for (int t = 0; t < 4; t++) {
    for (int i = 0; i <= n; i++)
      face[i] = rusanov(cell[i ? i - 1 : 0], cell[i < n ? i : n - 1]);
    for (int i = 0; i < n; i++) {
      cell[i].rho -= 0.05 * (face[i + 1].rho - face[i].rho);
      cell[i].mom -= 0.05 * (face[i + 1].mom - face[i].mom);
      cell[i].e -= 0.05 * (face[i + 1].e - face[i].e);
    }
  }
  return cell[n / 2].rho * cell[1].e + cell[n - 1].mom;
}

static void smooth(double *u, const double *f, int n, int sweeps) {
  for (int s = 0; s < sweeps; s++)
    for (int i = 1; i < n; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i]);
}
static void cycle(double *u, const double *f, int n) {
  smooth(u, f, n, 2);
  if (n > 2) {
    double *r = calloc((size_t)n / 2 + 1, sizeof *r), *e = calloc((size_t)n / 2 + 1, sizeof *e);
    for (int i = 1; i < n / 2; i++)
      r[i] = 4 * (f[2 * i] - 2 * u[2 * i] + u[2 * i - 1] + u[2 * i + 1]);
    cycle(e, r, n / 2);
    for (int i = 1; i < n / 2; i++)
      u[2 * i] += e[i];
    for (int i = 0; i < n / 2; i++)
      u[2 * i + 1] += 0.5 * (e[i] + e[i + 1]);
    free(r);
    free(e);
  }
  smooth(u, f, n, 1);
}
static double multigrid(const double *f, int n) {
  double u[17] = {0}, s = 0;
  for (int c = 0; c < 2; c++)
    cycle(u, f, n);
  for (int i = 1; i < n; i++)
    s += u[i] * u[i];
  return s;
}

static double alternatingDirections(const double *u0, double k, int n) {
  double u[5][5], c[5], d[5];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = u0[i * n + j];
  for (int direction = 0; direction < 2; direction++)
    for (int line = 0; line < n; line++) {
      for (int i = 0; i < n; i++) {
        double b = direction ? u[line][i] : u[i][line];
        double pivot = 1 + 2 * k + (i ? k * c[i - 1] : 0);
        c[i] = -k / pivot;
        d[i] = (b + (i ? k * d[i - 1] : 0)) / pivot;
      }
      for (int i = n - 1; i >= 0; i--) {
        double v = d[i] - (i < n - 1 ? c[i] * (direction ? u[line][i + 1] : u[i + 1][line]) : 0);
        *(direction ? &u[line][i] : &u[i][line]) = v;
      }
    }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += u[i][i] * u[i][n - 1 - i];
  return s;
}

static double latticeBoltzmann(const double *rho, double omega, int n) {
  double f[3][8], g[3][8];
  static const int step[3] = {0, 1, -1};
  static const double weight[3] = {2. / 3, 1. / 6, 1. / 6};
  for (int q = 0; q < 3; q++)
    for (int i = 0; i < n; i++)
      f[q][i] = weight[q] * rho[i];
  for (int t = 0; t < 5; t++) {
    for (int i = 0; i < n; i++) {
      double density = f[0][i] + f[1][i] + f[2][i], u = (f[1][i] - f[2][i]) / density;
      for (int q = 0; q < 3; q++) {
        double eu = step[q] * u;
        double equilibrium = weight[q] * density * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * u * u);
        g[q][(i + step[q] + n) % n] = f[q][i] + omega * (equilibrium - f[q][i]);
      }
    }
    memcpy(f, g, sizeof f);
  }
  return f[1][0] * f[2][3] + f[0][1];
}

static double levelSet(const double *phi0, int n) {
  double phi[6][6], next[6][6];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      phi[i][j] = phi0[i * n + j] - 1;
  for (int t = 0; t < 3; t++) {
    memcpy(next, phi, sizeof next);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double a = fmax(phi[i][j] - phi[i - 1][j], 0), b = fmin(phi[i + 1][j] - phi[i][j], 0);
        double c = fmax(phi[i][j] - phi[i][j - 1], 0), d = fmin(phi[i][j + 1] - phi[i][j], 0);
        next[i][j] -= 0.2 * sqrt(a * a + b * b + c * c + d * d + 1e-3);
      }
    memcpy(phi, next, sizeof phi);
  }
  double area = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      area += 1 / (1 + exp(5 * phi[i][j]));
  return area;
}

static double redBlack(const double *f, int n) {
  double u[6][6] = {{0}};
  for (int s = 0; s < 6; s++) {
    int colour = s % 2;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
        u[i][j] += 1.2 * (0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] +
                                  f[i * n + j] * (1 + u[i][j])) -
                          u[i][j]);
  }
  return u[2][2] * u[3][1] + u[1][3];
}

GRADIENT_CHECK(pde_heat_neumann, Double, heatNeumann, In(double, 12), Scalar(double), Int(12))
GRADIENT_CHECK(pde_water_tank, Double, waterTank, In(double, 30), Int(5), Int(6))
GRADIENT_CHECK(pde_cube, Double, cubes, In(double, 64), Out(double, 64), Scalar(double))
GRADIENT_CHECK(pde_advection, Double, advection, In(double, 10), Scalar(double), Int(10))
GRADIENT_CHECK(pde_shock_tube, Double, shockTube, In(double, 8), In(double, 8), Int(8))
GRADIENT_CHECK(pde_multigrid, Double, multigrid, In(double, 17), Int(16))
GRADIENT_CHECK(pde_alternating, Double, alternatingDirections, In(double, 25), Scalar(double),
               Int(5))
GRADIENT_CHECK(pde_lattice_boltzmann, Double, latticeBoltzmann, In(double, 8), Scalar(double),
               Int(8))
GRADIENT_CHECK(pde_level_set, Double, levelSet, In(double, 36), Int(6))
GRADIENT_CHECK(pde_red_black, Double, redBlack, In(double, 36), Int(6))
