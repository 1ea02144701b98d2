// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles, trees, lists of neighbours, rays, random walks: irregular data of simulations.
#include "GradientCheck.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Particle {
  double x[2], v[2], mass;
  int cell, next;
};

static double neighbourLists(const double *x, int n) {
  struct Particle p[8];
  int head[4];
  double energy = 0;
  for (int c = 0; c < 4; c++)
    head[c] = -1;
  for (int i = 0; i < n; i++) {
    p[i] = (struct Particle){{x[i], x[(i + 3) % n]}, {0, 0}, x[i] * x[0], 0, 0};
    p[i].cell = (p[i].x[0] > 1) + 2 * (p[i].x[1] > 1);
    p[i].next = head[p[i].cell];
    head[p[i].cell] = i;
  }
  for (int c = 0; c < 4; c++)
    for (int i = head[c]; i >= 0; i = p[i].next)
      for (int j = p[i].next; j >= 0; j = p[j].next) {
        double dx = p[i].x[0] - p[j].x[0], dy = p[i].x[1] - p[j].x[1];
        energy += p[i].mass * p[j].mass * exp(-dx * dx - dy * dy);
      }
  return energy + p[0].mass;
}

static double kernel(double q) {
  return q < 1   ? 1 - 1.5 * q * q + 0.75 * q * q * q
         : q < 2 ? 0.25 * (2 - q) * (2 - q) * (2 - q)
                 : 0;
}
static double smoothedDensity(const double *x, double h, double *rho, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    rho[i] = 0;
    for (int j = 0; j < n; j++)
      rho[i] += kernel(fabs(x[i] - x[j]) * 3 / h);
    s += pow(rho[i], 1.4) / h;
  }
  return s;
}

struct Tree {
  double mass, centre[2], low[2], size;
  struct Tree *child[4];
  int leaf;
};
struct Bodies {
  const double *x, *y, *m;
};
struct Square {
  double x, y, size;
};
static struct Tree *makeTree(struct Bodies b, const int *which, int n, struct Square s, int depth) {
  if (n == 0)
    return NULL;
  struct Tree *t = calloc(1, sizeof *t);
  t->size = s.size;
  t->low[0] = s.x;
  t->low[1] = s.y;
  for (int k = 0; k < n; k++) {
    int i = which[k];
    t->mass += b.m[i];
    t->centre[0] += b.m[i] * b.x[i];
    t->centre[1] += b.m[i] * b.y[i];
  }
  t->centre[0] /= t->mass;
  t->centre[1] /= t->mass;
  if (n == 1 || depth == 0) {
    t->leaf = 1;
    return t;
  }
  double h = s.size / 2;
  for (int q = 0; q < 4; q++) {
    int part[8], count = 0;
    for (int k = 0; k < n; k++) {
      int i = which[k];
      if ((b.x[i] >= s.x + h) == (q & 1) && (b.y[i] >= s.y + h) == (q >> 1))
        part[count++] = i;
    }
    struct Square quarter = {s.x + (q & 1) * h, s.y + (q >> 1) * h, h};
    t->child[q] = makeTree(b, part, count, quarter, depth - 1);
  }
  return t;
}
static double pull(const struct Tree *t, double x, double y) {
  if (!t)
    return 0;
  double dx = t->centre[0] - x, dy = t->centre[1] - y, r = sqrt(dx * dx + dy * dy + 0.05);
  if (t->leaf || t->size < 0.7 * r)
    return t->mass / r;
  double s = 0;
  for (int q = 0; q < 4; q++)
    s += pull(t->child[q], x, y);
  return s;
}
static void dropTree(struct Tree *t) {
  if (!t)
    return;
  for (int q = 0; q < 4; q++)
    dropTree(t->child[q]);
  free(t);
}
static double treeGravity(const double *x, const double *y, const double *m, int n) {
  int all[8];
  for (int i = 0; i < n; i++)
    all[i] = i;
  struct Tree *t = makeTree((struct Bodies){x, y, m}, all, n, (struct Square){0, 0, 2}, 4);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += m[i] * pull(t, x[i], y[i]);
  dropTree(t);
  return s;
}

static double sphere(const double *p, const double *c) {
  return sqrt((p[0] - c[0]) * (p[0] - c[0]) + (p[1] - c[1]) * (p[1] - c[1]) + p[2] * p[2]) - 0.3;
}
static double rayMarch(const double *centre, double dx, double dy) {
  double p[3] = {0, 0, -2}, norm = sqrt(dx * dx + dy * dy + 4), t = 0;
  for (int i = 0; i < 12; i++) {
    double d = sphere(p, centre);
    if (d < 1e-3)
      break;
    t += d;
    p[0] = 0.3 * dx / norm * t;
    p[1] = 0.3 * dy / norm * t;
    p[2] = -2 + 2 / norm * t;
  }
  return t + 0.1 * p[0] * p[1];
}

static uint64_t state;
static double uniform(void) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 11) * (1.0 / 9007199254740992.0);
}
static double randomWalk(double drift, double volatility, int paths) {
  double total = 0;
  state = 12345;
  for (int p = 0; p < paths; p++) {
    double s = 1, best = 1;
    for (int t = 0; t < 6; t++) {
      double u = uniform(), v = uniform();
      double z = sqrt(-2 * log(u + 1e-12)) * cos(6.2831853 * v);
      s *= exp(0.1 * drift + 0.1 * volatility * z);
      best = s > best ? s : best;
    }
    total += best > 1.2 ? best - 1.2 : 0;
  }
  return total / paths;
}

static double isingMean(double *field, double beta, int n) {
  double m = 0;
  for (int sweep = 0; sweep < 10; sweep++)
    for (int i = 0; i < n; i++)
      field[i] = tanh(beta * (field[(i + 1) % n] + field[(i + n - 1) % n]) + 0.1);
  for (int i = 0; i < n; i++)
    m += field[i];
  return m / n;
}

struct Spring {
  int a, b;
  double rest, stiffness;
};
static double cloth(const double *x, double k) {
  static const struct Spring springs[] = {
      {0, 1, 0.5, 1}, {1, 2, 0.5, 2}, {2, 3, 0.4, 1}, {3, 0, 0.6, 3}, {0, 2, 0.7, 1}};
  double q[8], v[8] = {0};
  memcpy(q, x, sizeof q);
  for (int t = 0; t < 5; t++) {
    double f[8] = {0};
    for (unsigned s = 0; s < sizeof springs / sizeof *springs; s++) {
      const struct Spring *p = &springs[s];
      double d[2] = {q[2 * p->b] - q[2 * p->a], q[2 * p->b + 1] - q[2 * p->a + 1]};
      double length = hypot(d[0], d[1]) + 0.1;
      double tension = k * p->stiffness * (length - p->rest) / length;
      for (int c = 0; c < 2; c++) {
        f[2 * p->a + c] += tension * d[c];
        f[2 * p->b + c] -= tension * d[c];
      }
    }
    for (int i = 0; i < 8; i++)
      q[i] += 0.1 * (v[i] += 0.1 * f[i]);
  }
  double s = 0;
  for (int i = 0; i < 8; i++)
    s += q[i] * q[i] * (1 + i % 3);
  return s;
}

// A priority queue of events, kept as a heap by hand.
struct Event {
  double time;
  int who;
};
static void sift(struct Event *e, int n, int at) {
  for (;;) {
    int least = at, l = 2 * at + 1, r = l + 1;
    if (l < n && e[l].time < e[least].time)
      least = l;
    if (r < n && e[r].time < e[least].time)
      least = r;
    if (least == at)
      return;
    struct Event t = e[at];
    e[at] = e[least];
    e[least] = t;
    at = least;
  }
}
static double eventQueue(const double *rate, int n) {
  struct Event e[8];
  double level[8], clock = 0;
  for (int i = 0; i < n; i++) {
    e[i] = (struct Event){rate[i] * (i + 1), i};
    level[i] = 1;
  }
  for (int i = n / 2; i >= 0; i--)
    sift(e, n, i);
  for (int k = 0; k < 12; k++) {
    struct Event now = e[0];
    double passed = now.time - clock;
    for (int i = 0; i < n; i++)
      level[i] *= exp(-0.1 * passed * rate[i]);
    clock = now.time;
    level[now.who] += 0.5;
    e[0].time += rate[now.who];
    sift(e, n, 0);
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += level[i] * level[i];
  return s + clock;
}

// An equation of state: a table with bisection in it, made from the parameters.
static double tabulated(const double *p, const double *query, int n) {
  double energy[16], pressure[16], s = 0;
  for (int k = 0; k < 16; k++) {
    energy[k] = 0.1 * k + 0.01 * p[0] * k * k;
    pressure[k] = p[1] * energy[k] / (1 + p[2] * energy[k]);
  }
  for (int i = 0; i < n; i++) {
    int low = 0, high = 15;
    while (high - low > 1) {
      int mid = (low + high) / 2;
      *(energy[mid] <= query[i] ? &low : &high) = mid;
    }
    double t = (query[i] - energy[low]) / (energy[high] - energy[low]);
    s += (1 - t) * pressure[low] + t * pressure[high];
  }
  return s;
}

GRADIENT_CHECK(particles_neighbour_lists, Double, neighbourLists, In(double, 8), Int(8))
GRADIENT_CHECK(particles_smoothed_density, Double, smoothedDensity, In(double, 6), Scalar(double),
               Out(double, 6), Int(6))
GRADIENT_CHECK(particles_tree, Double, treeGravity, In(double, 6), In(double, 6), In(double, 6),
               Int(6))
GRADIENT_CHECK(particles_ray_march, Double, rayMarch, InRange(double, 2, 0.01, 0.1),
               ScalarRange(double, 0.1, 0.3), ScalarRange(double, 0.1, 0.3))
GRADIENT_CHECK(particles_random_walk, Double, randomWalk, Scalar(double), Scalar(double), Int(9))
GRADIENT_CHECK(particles_mean_field, Double, isingMean, InOut(double, 6), Scalar(double), Int(6))
GRADIENT_CHECK(particles_cloth, Double, cloth, In(double, 8), Scalar(double))
GRADIENT_CHECK(particles_events, Double, eventQueue, In(double, 5), Int(5))
GRADIENT_CHECK(particles_tabulated, Double, tabulated, In(double, 3), InRange(double, 5, 0.1, 1.4),
               Int(5))
