// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of doubles and an integer, on the heap.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"
#include <stdlib.h>
#include <string.h>

struct Cell {
  double mass, momentum[2];
  int neighbour;
};

static double exchange(const double *x, int n) {
  struct Cell *cells = malloc(n * sizeof *cells);
  for (int i = 0; i < n; i++) {
    cells[i].mass = x[i];
    cells[i].momentum[0] = x[i] * x[(i + 1) % n];
    cells[i].momentum[1] = 1 / x[i];
    cells[i].neighbour = (3 * i + 1) % n;
  }
  for (int i = 0; i < n; i++) {
    struct Cell *other = &cells[cells[i].neighbour];
    double flux = 0.25 * (cells[i].momentum[0] / cells[i].mass - other->momentum[1] * other->mass);
    cells[i].mass -= flux;
    other->mass += flux;
    other->momentum[0] *= 1 + flux;
  }
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += cells[i].mass * cells[i].momentum[0] + cells[i].momentum[1];
  free(cells);
  return sum;
}

struct Mixed {
  double v;
  float a, b;
  struct {
    double w;
  } inner;
};

static void swap(struct Mixed *x, struct Mixed *y) {
  struct Mixed t = *x;
  *x = *y;
  *y = t;
}

static double assigned(const double *x, int n) {
  struct Mixed *all = malloc(n * sizeof *all);
  for (int i = 0; i < n; i++) {
    const struct Mixed next = {x[i], 0.5F, 0.25F, {x[(i + 1) % n]}};
    all[i] = next;
  }
  double sum = 0;
  for (int i = 0; i < n; i++) {
    all[i * i % n] = all[(i + 2) % n]; // of an element to itself as well
    swap(&all[0], &all[i]);
    all[i].v *= all[(i * i + 1) % n].inner.w;
    sum += all[0].v * all[i].v * all[i].a + all[i].inner.w * all[0].b;
  }
  free(all);
  return sum;
}

typedef double Place[3];

static double places(const double *x, int n) {
  struct {
    int id;
    Place at, before;
  } *all = malloc(n * sizeof *all);
  Place *buffer = malloc(n * sizeof *buffer);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    all[i].id = (i * i + 1) % n;
    for (int k = 0; k < 3; k++) {
      all[i].at[k] = x[(i + k) % n];
      buffer[i][k] = 0.1 * k * x[i];
    }
    memcpy(all[i].before, buffer[i], sizeof(Place));
  }
  for (int i = 0; i < n; i++) {
    memmove(buffer[i], all[all[i].id].at, sizeof(Place));
    memcpy(all[all[i].id].before, all[i].at, sizeof(Place));
    memmove(all[i].at, buffer[(i + 1) % n], sizeof(Place));
    memmove(&all[i].at[1], &all[i].at[0], 2 * sizeof(double)); // which overlap
    for (int k = 0; k < 3; k++)
      sum += buffer[i][k] * all[i].before[k] + all[i].at[k] * all[i].at[k];
  }
  free(all);
  free(buffer);
  return sum;
}

GRADIENT_CHECK(array_of_structs, Double, exchange, In(double, 7), Int(7))
GRADIENT_CHECK(structs_assigned, Double, assigned, In(double, 9), Int(9))
GRADIENT_CHECK(structs_places, Double, places, In(double, 8), Int(8))
