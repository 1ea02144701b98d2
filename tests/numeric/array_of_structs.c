// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of doubles and an integer, on the heap.
// Supports: structures, arrays of them, pointers to pointers, linked lists
#include "GradientCheck.h"
#include <stdlib.h>

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

GRADIENT_CHECK(array_of_structs, Double, exchange, In(double, 7), Int(7))
