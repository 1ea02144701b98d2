// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A structure that holds pointers to the arrays and a size.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"

struct Particles {
  int count;
  double *position, *velocity;
  const double *mass;
};

__attribute__((noinline)) static void kick(struct Particles *p, double dt) {
  for (int i = 0; i < p->count; i++)
    for (int j = 0; j < p->count; j++)
      p->velocity[i] += dt * p->mass[j] * (p->position[j] - p->position[i]);
}

static void drift(struct Particles *p, double dt) {
  for (int i = 0; i < p->count; i++)
    p->position[i] += dt * p->velocity[i];
}

static double energy(double *x, double *v, const double *m, double dt, int n) {
  struct Particles p = {n, x, v, m};
  for (int step = 0; step < 3; step++) {
    kick(&p, dt);
    drift(&p, dt);
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += 0.5 * p.mass[i] * p.velocity[i] * p.velocity[i];
  return sum;
}

GRADIENT_CHECK(struct_of_arrays, Double, energy, InOut(double, 5), InOut(double, 5), In(double, 5),
               ScalarRange(double, 0.01, 0.1), Int(5))
